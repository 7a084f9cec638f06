"""The tables of the whole: risk and coverage by caution, and tempting questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tests.eval.eye.page import Table
from tests.eval.reflex.collect import Outputs
from tests.eval.reflex.mechanisms import INTERVALS, where
from tests.eval.reflex.metrics import highest_coverage, mean, risk_coverage
from tests.eval.reflex.runs import Run, interval, within
from tests.eval.reflex.verdicts import CAUTIONS, Verdicts, settings_of, verdicts

_MOST_RISK = 0.03


def risk(runs: Sequence[Run]) -> list[Table]:
    """How many questions are answered, and how many of these wrongly."""
    worlds = list(dict.fromkeys(each.case.world for each in runs[0].test.asked))
    named = np.array([each.case.world for each in runs[0].test.asked])
    table = []
    for caution in CAUTIONS:
        found = [verdicts(run.test, settings_of(run.test, caution)) for run in runs]
        for world in ("all", *worlds) if caution == "normal" else ("all",):
            rows = where(named == world) if world != "all" else np.arange(len(named))
            table.append((caution if world == "all" else f"- {world}", *_risk_row(runs, found, rows)))
    unread = 100 * np.mean([~run.test.read for run in runs])
    first = Table(
        "Risk and coverage by caution",
        ("caution", "answered", "wrong of answered", "advice, of all", "advice wrong", "handed over"),
        table,
        [
            f"Goal at normal: at most 3 % wrong of answered. {sum(~runs[0].test.truth)} of "
            f"{len(named)} questions have no answer. {INTERVALS}",
            f"Handed over by their words alone: {unread:.1f} %.",
        ],
    )
    return [first, _curve(runs)]


def _risk_row(runs: Sequence[Run], found: Sequence[Verdicts], rows: NDArray[np.intp]) -> tuple[str, ...]:
    wrong = [~one.right for one in found]
    answered, advised = [one.answered for one in found], [one.advised for one in found]
    return (
        interval(runs, answered, rows).percent(), within(runs, wrong, answered, rows).percent(),
        interval(runs, advised, rows).percent(), within(runs, wrong, advised, rows).percent(),
        interval(runs, [one.handed_over for one in found], rows).percent(),
    )  # fmt: skip


def _curve(runs: Sequence[Run]) -> Table:
    """Risk at coverages, and the coverage at a risk that is chosen on validation."""
    points = tuple(at / 10 for at in range(1, 11))
    risks, areas, at_goal = [], [], []
    for run in runs:
        found, known = (verdicts(part, settings_of(part)) for part in (run.test, run.validation))
        curve = risk_coverage(found.confidence, found.right & ~found.refused)
        ran = np.isfinite(curve.confidence)
        places = [max(0, round(point * len(ran)) - 1) for point in points]
        risks.append([float(curve.risk[at]) if ran[at] else float("nan") for at in places])
        areas.append(mean(curve.risk[ran]))
        least = highest_coverage(known.confidence, known.right & ~known.refused, _MOST_RISK)
        given = (found.confidence >= least) & ~found.refused
        at_goal.append((mean(given), mean(~found.right[given])))
    coverage, wrong = np.mean([one[0] for one in at_goal]), np.mean([one[1] for one in at_goal])
    return Table(
        "Wrong of answered by the share of all questions that is answered, %",
        tuple(f"{100 * point:.0f} %" for point in points),
        [tuple("-" if np.isnan(share) else f"{100 * share:.1f}" for share in np.mean(risks, 0))],
        [
            f"Mean over all coverages {100 * np.mean(areas):.1f} %. A dash: so many are refused or not read. "
            f"From the confidence that keeps 3 % on validation: {100 * coverage:.1f} % answered, "
            + ("" if np.isnan(wrong) else f"{100 * wrong:.1f} % of them wrong.")
        ],
    )


def tempting(families: Mapping[str, Sequence[Outputs]]) -> Table:
    """Negated questions and absent things asked as present. families: name -> outputs of each network."""
    return Table(
        "Tempting questions",
        ("family", "cases", "right, of all guesses", "said at normal", "right, of said"),
        [_tempting_row(name, outputs) for name, outputs in families.items()],
        [
            "Goal: each 90 %. Control: what is there, in the wordings of yes-bias. A bare yes or no to a "
            f"negated question is wrong. {INTERVALS}"
        ],
    )


def _tempting_row(name: str, outputs: Sequence[Outputs]) -> tuple[str, ...]:
    runs = [Run(one, one) for one in outputs]
    found = [verdicts(one, settings_of(one)) for one in outputs]
    said = [~one.handed_over for one in found]

    right = [one.right for one in found]
    return (
        name, str(len(outputs[0].asked)), interval(runs, right).percent(),
        interval(runs, said).percent(), within(runs, right, said).percent(),
    )  # fmt: skip
