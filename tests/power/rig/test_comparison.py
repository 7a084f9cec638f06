"""Intervals hold the truth, and comparisons neither cry wolf nor miss a fifth. The figures of runs are drawn
here; `just eval rig` shows the same on whole recordings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from power.rig.budgets import load_budgets
from power.rig.comparison import compare, too_few
from power.rig.figures import interval
from power.rig.spread import usual
from power.rig.student import beyond, limit

LIMITS = load_budgets().change
SPREADS = {"state": 0.01, "brick": 0.025, "question": 0.12}
KINDS = {"state": ("mW", 10), "brick": ("mW", 14), "question": ("mWh", 16)}


def skewed(draw: np.random.Generator, count: int) -> np.ndarray:
    return (draw.gamma(4.0, size=count) - 4) / 2


def drifting(draw: np.random.Generator, count: int) -> np.ndarray:
    slope = draw.normal(0, 0.25)
    return draw.normal(size=count) + slope * (np.arange(count) - (count - 1) / 2)


@pytest.mark.parametrize("repeats", [3, 5])
@pytest.mark.parametrize("deviations", [lambda draw, n: draw.normal(size=n), skewed, drifting])
def test_an_interval_holds_the_truth_in_95_of_100_runs(
    deviations: Callable[[np.random.Generator, int], np.ndarray], repeats: int
) -> None:
    draw = np.random.default_rng(repeats)
    held = 0
    for _ in range(1500):
        low, high = interval((800 + 20 * deviations(draw, repeats)).tolist()) or (0.0, 0.0)
        held += low <= 800 <= high
    assert 0.93 <= held / 1500 <= 0.97


def figures(draw: np.random.Generator, repeats: int, **more: float) -> list[dict[str, Any]]:
    """Those of one run: of each kind several, each repeat skewed, the run as a whole off by 1 %. One brick
    varies more than the others.
    """
    run = 1 + draw.normal(0, 0.01)
    made = []
    for kind, (unit, number) in KINDS.items():
        for place in range(number):
            name = f"{kind}.performance/{place}.{unit.lower()}"
            size = 100 * (place + 1) * run * more.get(name, 1.0)
            spread = SPREADS[kind] * (2.5 if name == "brick.performance/0.mw" else 1.0)
            values = size * (1 + spread * skewed(draw, repeats))
            made.append(
                {
                    "id": name, "label": name, "unit": unit, "kind": "measured", "meter": "pmu",
                    "value": float(values.mean()), "per_repeat": values.tolist(),
                }
            )  # fmt: skip
    return made


def test_at_most_one_unchanged_report_in_twenty_is_worse() -> None:
    draw = np.random.default_rng(5)
    alarms: Counter[str] = Counter()
    for _ in range(100):
        compared = compare(figures(draw, 3), {"figures": figures(draw, 3)}, LIMITS)
        alarms.update({entry["verdict"] for entry in compared})
    assert alarms["worse"] <= 5 and alarms["better"] <= 5


@pytest.mark.parametrize(("name", "repeats"), [("state.performance/3.mw", 3), ("brick.performance/5.mw", 4)])
def test_a_fifth_more_is_caught(name: str, repeats: int) -> None:
    draw = np.random.default_rng(6)
    seen: Counter[str] = Counter()
    for _ in range(40):
        now, before = figures(draw, repeats, **{name: 1.2}), figures(draw, repeats)
        seen.update(e["verdict"] for e in compare(now, {"figures": before}, LIMITS) if e["id"] == name)
    assert seen["worse"] >= 38 and not seen["same"]


def test_what_varies_too_much_asks_for_repeats_and_gets_by_with_them() -> None:
    draw = np.random.default_rng(7)
    name = "question.performance/5.mwh"
    before = figures(draw, 3)
    (entry,) = [e for e in compare(figures(draw, 3), {"figures": before}, LIMITS) if e["id"] == name]
    assert entry["verdict"] == "too few repeats" and entry["noticed"] > 0.2
    needed = entry["repeats_needed"]
    assert 10 <= needed <= 40
    seen: Counter[str] = Counter()
    for _ in range(10):
        now, then = figures(draw, needed, **{name: 1.2}), figures(draw, needed)
        seen.update(e["verdict"] for e in compare(now, {"figures": then}, LIMITS) if e["id"] == name)
    assert seen["worse"] >= 6 and not seen["same"]


def test_before_a_run_it_says_which_budgets_it_will_not_be_able_to_judge() -> None:
    calm = figures(np.random.default_rng(8), 5)
    wild = next(each for each in calm if each["id"] == "brick.performance/2.mw")
    assert [label for label, _ in too_few({"figures": calm}, 5, LIMITS)] in ([], ["brick.performance/0.mw"])
    wild["per_repeat"] = [wild["value"] * factor for factor in (0.7, 0.9, 1.0, 1.1, 1.3)]
    needed = dict(too_few({"figures": calm}, 5, LIMITS))[wild["label"]]
    assert needed is not None and needed > 5


def test_modelled_figures_that_do_not_vary_are_compared_exactly() -> None:
    same = [{**each, "per_repeat": [each["value"]] * 3} for each in figures(np.random.default_rng(9), 3)]
    assert {e["verdict"] for e in compare(same, {"figures": same}, LIMITS)} == {"same"}
    more = [{**each, "value": each["value"] * 1.2} for each in same]
    assert {e["verdict"] for e in compare(more, {"figures": same}, LIMITS)} == {"worse"}


def one(*per_repeat: float) -> dict[str, Any]:
    name = "brick.performance/text.mw"
    return {
        "id": name, "label": "text", "unit": "mW", "kind": "modelled", "meter": "twin",
        "value": float(np.mean(per_repeat)), "per_repeat": list(per_repeat),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "now", "verdict", "change"),
    [
        ((0.0, 0.0, 0.0), (1839.0, 1839.0, 1839.0), "worse", None),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 30.0), "too few repeats", None),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "same", 0.0),
        ((0.0, 0.0, 0.0), (6e-12, 6e-12, 6e-12), "same", 0.0),
        ((3e-12, 3e-12, 3e-12), (6e-12, 6e-12, 6e-12), "same", 0.0),
        ((1839.0, 1839.0, 1839.0), (0.0, 0.0, 0.0), "better", -1.0),
    ],
)
def test_what_was_nothing_can_become_worse(
    before: tuple[float, ...], now: tuple[float, ...], verdict: str, change: float | None
) -> None:
    """A remainder of the computer's arithmetic is nothing, too."""
    (entry,) = compare([one(*now)], {"figures": [one(*before)]}, LIMITS)
    assert entry["verdict"] == verdict
    assert entry["change"] == (None if change is None else pytest.approx(change, abs=1e-9))


def test_students_t_is_that_of_the_tables() -> None:
    known = ((1, 0.05, 12.706), (2, 0.05, 4.303), (4, 0.05, 2.776), (9, 0.01, 3.250), (30, 0.05, 2.042))
    for degrees, tail, t in known:
        assert limit(tail, degrees) == pytest.approx(t, abs=6e-4)
        assert beyond(t, degrees) == pytest.approx(tail, rel=1e-3)


def test_variances_that_are_alike_lend_degrees_of_freedom_and_others_do_not() -> None:
    draw = np.random.default_rng(10)
    alike = [(float(2.0 * draw.chisquare(4) / 4), 4) for _ in range(400)]
    known = usual(alike)
    assert known.degrees == 10 and known.variance == pytest.approx(2.0, rel=0.15)
    apart = [(variance * 10 ** draw.normal(0, 1.5), own) for variance, own in alike]
    assert usual(apart).degrees < 1
    assert usual(alike[:4]).degrees == 0
    variance, degrees = known.with_own(9.0, 4)
    assert variance == pytest.approx((4 * 9.0 + 10 * known.variance) / 14) and degrees == 14
