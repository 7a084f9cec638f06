"""The gauge on cells with published curves, none of which is in the firmware.

    python -m tests.eval.gauge --plant NAME|all [--use NAME] [--profile NAME] [--draw N]

Each use begins with a cell of unknown charge, and has three or four
cycles; the percentage counts from the insertion. Modelled: the curves are published, the uses are not
recorded. The truth is the charge left until an exact PMU stops the host at this load and temperature
(`plant`).

Beside it stands counting alone, with more than any gauge has: the cell's own rested voltage at the insertion,
read on the profile's curve, then an exact current, an exact full charge and exact ends, and the design
capacity. What it misses in the first cycle is what the curve of the profile and an unknown capacity cost.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from firmware.pmu import gauge_cell
from tests.eval.arguments import counted
from tests.eval.gauge.curves import PUBLISHED
from tests.eval.gauge.oracle import HEALTHS, first_cycle_points
from tests.eval.gauge.percentiles import p95
from tests.eval.gauge.uses import USES, Cycle, run


@dataclass(frozen=True)
class Figures:
    """Of one use."""

    first: float
    """95th percentile of the error in the first cycle, points."""
    counting: float
    """The same of counting alone."""
    later: float
    """The same after one full cycle."""
    covered: float
    """Share of minutes in which the truth is within MAX_ERROR of what is shown."""
    claimed_first: float
    """Median MAX_ERROR in the first cycle."""
    claimed: float
    """The same after it."""
    left: float
    """Most that was left when the host stopped, after the first cycle."""
    left_first: float
    at_end: float
    """Most that was shown at the true cut-off, after the first cycle."""
    at_end_first: float
    unasked: int
    """Cycles in which the host's power ended before it had stopped or was asked to."""

    @classmethod
    def of(cls, cycles: Sequence[Cycle], full_cycles: int) -> Figures:
        """`full_cycles`: cycles until one whole one is over."""
        begun, rest = cycles[:full_cycles], cycles[full_cycles:]
        every = [cycle for cycle in cycles if cycle.truth]
        inside = [
            abs(error) <= claimed
            for cycle in every
            for error, claimed in zip(cycle.errors, cycle.claimed, strict=True)
        ]
        return cls(
            p95([error for cycle in begun for error in cycle.errors]),
            p95(
                [
                    counted - truth
                    for cycle in begun
                    for counted, truth in zip(cycle.counted, cycle.truth, strict=True)
                ]
            ),
            p95([error for cycle in rest for error in cycle.errors]),
            statistics.mean(inside),
            statistics.median([each for cycle in begun for each in cycle.claimed]),
            statistics.median([each for cycle in rest for each in cycle.claimed]),
            max((cycle.left_at_stop or 0.0 for cycle in rest), default=0.0),
            max((cycle.left_at_stop or 0.0 for cycle in begun), default=0.0),
            max((cycle.shown_at_end or 0.0 for cycle in rest), default=0.0),
            max((cycle.shown_at_end or 0.0 for cycle in begun), default=0.0),
            sum(cycle.dropped for cycle in every),
        )


def options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of this part."""
    parser.add_argument("--plant", choices=(*PUBLISHED, "all"), help="a cell with a published curve, or all")
    parser.add_argument("--use", choices=USES, help="of that plant (default: all)")
    parser.add_argument(
        "--profile", choices=gauge_cell.NAMES, help="of the gauge, and 2000 mAh (default: the right ones)"
    )
    parser.add_argument("--draw", type=counted, default=1, help="of the cell, its sensor and its loads")


def report(chosen: argparse.Namespace) -> None:
    """Prints one row per plant and use."""
    plants = list(PUBLISHED) if chosen.plant == "all" else [chosen.plant]
    for plant in plants:
        print(f"  {plant}: {PUBLISHED[plant].source}")
        for knows, own in (("the profile's curve", False), ("the cell's own curve", True)):
            new, aged = (first_cycle_points(plant, health, own) for health in HEALTHS)
            print(f"    first cycle by least squares, exact count, {knows}: {new:.1f} new, {aged:.1f} aged")
    print(
        "  error in points, 95th percentile;   first cycle; later  within   median    most left at"
        "   shown at the   not asked"
    )
    print(
        "  plant     use     profile           gauge count         MAX_ERR  MAX_ERR   the host's stop"
        " true cut-off   to save"
    )
    for plant in plants:
        for use in [chosen.use] if chosen.use else USES:
            profile = chosen.profile or PUBLISHED[plant].chemistry
            found = Figures.of(run(plant, use, profile, chosen.draw), 2 if use == "broken" else 1)
            print(
                f"  {plant:<9} {use:<7} {profile:<16} {found.first:6.1f}"
                f" {found.counting:5.1f} {found.later:6.1f}"
                f" {100 * found.covered:6.0f} % {found.claimed_first:4.0f}, {found.claimed:3.0f}  "
                f" {found.left_first:4.1f}, {found.left:4.1f}"
                f"     {found.at_end_first:4.0f}, {found.at_end:3.0f}"
                f"     {found.unasked:3d}",
                flush=True,
            )
