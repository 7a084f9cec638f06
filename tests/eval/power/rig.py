"""The rig's intervals, comparison and budgets, on simulated rigs whose true power is known.

just eval rig                    1,000 rigs of five repeats and 1,000 of three: minutes
just eval rig --rigs 200         fewer

Each rig is a headband on a bench that is drawn here, by other code than the rig's model and meters: a
recording of 200 samples a second, and the journal of three questions in three modes. Repeats differ by their
own factor for every state and brick (skewed, 1 to 2.5 %), by one that all share (0.5 %) and by a drift; runs
of one headband differ by 1 %; questions take lognormal times; bursts of background work, few and of skewed
size, come on top. The meter is wrong by a share and an offset within what power/budgets.toml says of the PMU.
An interval is of the repeats of one run: it knows neither the meter's error nor the day's. It is judged
against what this meter shows on this day, and against the power that the headband draws.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from power.account.energy_model import load_energy_model
from power.rig.budgets import judge
from power.rig.checks.refusal import Refusal
from power.rig.comparison import compare
from power.rig.figures import Figure, FigureSource, figure, interval
from power.rig.run import evaluate
from tests.eval.arguments import counted
from tests.eval.intervals import shown
from tests.eval.power.rig_bench import (
    BUDGETS,
    CELL_MV,
    EXACT,
    OF_ONE,
    SCENARIO,
    Rig,
    margin,
    repeat,
    rigs,
    truth,
)
from tests.power.rig.bench import PLANS

RISE = 1.2
UNJUDGED = ("meter too coarse", "kept awake")
MODEL = load_energy_model()

SHOWN = "what this meter shows on this day"
OWN = "the headband's own power"
WIDER = "the same, widened by the meter's stated error and the day's"

Ran = tuple[Rig, list[dict[str, Any]]]


def ran(draw: np.random.Generator, repeats: int, refused: Counter[str]) -> list[Ran]:
    """Each run of one headband, and the figures of its report; refused ones are left out."""
    done = []
    for rig in rigs(draw):
        played = [repeat(draw, rig, place, repeats) for place in range(repeats)]
        try:
            done.append((rig, evaluate(SCENARIO, played, PLANS, MODEL, BUDGETS, {})["figures"]))
        except Refusal as refusal:
            refused[refusal.check] += 1
    return done


def coverage(headbands: Sequence[Sequence[Ran]]) -> dict[str, dict[str, list[list[bool]]]]:
    """By what an interval is to hold and by kind of figure: whether it does, one group for each headband."""
    held: dict[str, dict[str, list[list[bool]]]] = defaultdict(lambda: defaultdict(list))
    for runs in headbands:
        groups: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for against, name, hit in itertools.chain(*(_held(rig, figures) for rig, figures in runs)):
            for kind in ("all", name.partition(".")[0] + " asleep" * ("asleep" in name)):
                groups[against, kind].append(hit)
        for (against, kind), hits in groups.items():
            held[against][kind].append(hits)
    return held


def _held(rig: Rig, figures: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str, bool]]:
    """What the interval is to hold, the figure, and whether it does."""
    seen, own = truth(rig), truth(EXACT)
    for each in (entry for entry in figures if entry["id"] in own):
        name = each["id"]
        low, high = interval(each["per_repeat"]) or (0.0, 0.0)
        wider = margin(name, each["value"])
        yield SHOWN, name, low <= seen[name] <= high
        yield OWN, name, low <= own[name] <= high
        yield WIDER, name, low - wider <= own[name] <= high + wider


def risen(figures: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The figures with a fifth more in one of them."""

    def more(each: dict[str, Any]) -> dict[str, Any]:
        return {**each, "value": each["value"] * RISE, "per_repeat": [v * RISE for v in each["per_repeat"]]}

    return [more(each) if each["id"] == name else each for each in figures]


def compared(headbands: Sequence[Sequence[Ran]]) -> None:
    """Prints false alarms and caught rises of pairs of runs of one headband."""
    worse: list[list[bool]] = []
    changed: list[list[bool]] = []
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    needed: dict[str, list[int]] = defaultdict(list)
    for runs in headbands:
        found = [
            {entry["verdict"] for entry in compare(now, {"figures": before}, BUDGETS.change)}
            for (_, before), (_, now) in itertools.combinations(runs, 2)
        ]
        worse.append(["worse" in each for each in found])
        changed.append([bool(each & {"worse", "better"}) for each in found])
        for (_, before), (_, now) in itertools.pairwise(runs[:2]):
            for name in (f"{budget}.mw" for budget in BUDGETS.budgets):
                entries = compare(risen(now, name), {"figures": before}, BUDGETS.change)
                for entry in (each for each in entries if each["id"] == name):
                    verdicts[name][entry["verdict"]] += 1
                    if entry["repeats_needed"]:
                        needed[name].append(entry["repeats_needed"])
    worse, changed = ([group for group in groups if group] for groups in (worse, changed))
    print(f"  unchanged, any figure worse: {shown(worse)}; worse or better: {shown(changed)}")
    caught = {name: seen["worse"] / seen.total() for name, seen in verdicts.items()}
    least = min(caught, key=caught.__getitem__)
    silent = max((seen["same"] + seen["more"]) / seen.total() for seen in verdicts.values())
    asked = sorted(number for numbers in needed.values() for number in numbers)
    print(
        f"  20 % more caught, {len(caught)} budgets: {100 * min(caught.values()):.1f} % at least ({least}), "
        f"{100 * float(np.mean(list(caught.values()))):.1f} % on average; passed without a word: "
        f"{100 * silent:.1f} % at most"
        + (f"; repeats that are asked for then: {asked[len(asked) // 2]} (median)" if asked else "")
    )


def judged(headbands: Sequence[Sequence[Ran]]) -> None:
    """Prints how often budgets hold for the headband as planned, and with a fifth more. A budget that the
    meter does not judge is named: nothing passes it.
    """
    source = FigureSource("measured", "pmu")
    passed: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    unjudged: set[str] = set()
    for _, figures in itertools.chain(*headbands):
        for factor, seen, verdict in ((1.0, passed, "pass"), (RISE, caught, "over")):
            found = [_figure(source, each, factor) for each in figures if each["unit"] == "mW"]
            for entry in judge(found, BUDGETS, (), (), CELL_MV):
                seen[entry["id"]] += entry["verdict"] == verdict
                unjudged |= {entry["id"]} if entry["verdict"] in UNJUDGED else set()
    runs = sum(map(len, headbands))
    kept, over = ([n for name, n in seen.items() if name not in unjudged] for seen in (passed, caught))
    print(
        f"  {len(kept)} budgets, by the PMU's meter: kept by {100 * min(kept) / runs:.1f} % at least of the "
        f"unchanged, 20 % more is over in {100 * min(over) / runs:.1f} % at least; not judged by it "
        f"{len(unjudged)}: {', '.join(sorted(unjudged)) or 'none'}"
    )


def _figure(source: FigureSource, entry: Mapping[str, Any], factor: float) -> Figure:
    made = figure(source, entry["id"], entry["label"], "mW", [[value] for value in entry["per_repeat"]])
    return replace(made, value=made.value * factor)


def report(headbands: Sequence[Sequence[Ran]], repeats: int, refused: Counter[str]) -> None:
    """Prints what holds with so many repeats."""
    figures = len(headbands[0][0][1])
    print(
        f"{sum(map(len, headbands))} rigs of {repeats} repeats, {figures} figures; {refused.total()} refused",
        *(f"({number} {check})" for check, number in refused.items()),
    )
    for against, kinds in coverage(headbands).items():
        print(f"  95 % interval of the repeats holds {against}:")
        for kind, groups in sorted(kinds.items()):
            print(f"    {kind}: {shown(groups)}")
    compared(headbands)
    judged(headbands)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rigs", type=counted, default=2000, help="runs in all (default: 2000)")
    parser.add_argument("--seed", type=counted, default=1)
    options = parser.parse_args()
    for repeats in (5, 3):
        draw, refused = np.random.default_rng([options.seed, repeats]), Counter[str]()
        headbands = [ran(draw, repeats, refused) for _ in range(max(2, options.rigs // 2 // OF_ONE))]
        report([runs for runs in headbands if runs], repeats, refused)


if __name__ == "__main__":
    main()
