"""Is a cell noticed that is swapped while the PMU is on, and is none noticed where none was swapped?

    python -m tests.eval.gauge.swaps [--swaps 20] [--seed 1]

While the PMU is on a cell can be taken out only with outside power: without, the PMU loses its own supply.
Each case has two cells of `plant` and a sensor, drawn at random: the gauge knows the first one's charge
and, from ten minutes of use, its resistance; then the charger is done, charges, or is weaker than the load,
and after some minutes the second cell takes the first one's place from one sample to the next, so that no
missing cell betrays it. Two minutes later the gauge has noticed it or not. Every case is run a second time
without a swap and four times as long: what is noticed then is a false alarm. Beside it stands the rule that
the firmware had: 80 mV from one sample to the next beyond what the load does on 0.6 ohm.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass

from firmware.known_charge import set_percent
from firmware.pmu import gauge_cell
from firmware.pmu.gauge import Gauge
from tests.eval.arguments import counted
from tests.eval.gauge.curves import CUT_OFF_MV, DESIGN_MAH, PUBLISHED
from tests.eval.gauge.load import loads
from tests.eval.gauge.plant import Draw, PlantCell, PlantCharger, PlantSensor
from tests.eval.intervals import share

STATES = ("done", "charging", "weak")
PERIOD_S = 1.0
USED_S, WATCHED_S = 600, 120
LARGE = 10
"""Points of charge from which on a swap is a large one."""


@dataclass(frozen=True)
class Outcome:
    """Of one case."""

    state: str
    points: float
    """Difference of the two charges."""
    noticed: bool
    by_jump: bool
    """By the rule of 80 mV."""
    error: float
    """Shown minus true, two minutes after the swap."""
    within: bool
    """Is that within MAX_ERROR?"""


class _Bench:
    """A gauge, a sensor and the cells that are put in."""

    def __init__(self, plant: str, rng: random.Random) -> None:
        chemistry = PUBLISHED[plant].chemistry
        self.rng, self.plant = rng, plant
        self.draw = (rng, plant, DESIGN_MAH[plant], CUT_OFF_MV[chemistry])
        self.gauge = Gauge(DESIGN_MAH[plant], profile=gauge_cell.NAMES.index(chemistry))
        self.sensor = PlantSensor(rng)
        self.celsius = rng.uniform(5, 30)
        self.cell = self.another()
        self.charger: PlantCharger | None = None
        self.load, self.left_s, self.load_ma = loads(rng), 0.0, 0.0
        self.now_s = 0.0
        self.by_jump = False
        self._before: tuple[int, int] | None = None

    def another(self) -> PlantCell:
        """Another cell of the kind at any charge."""
        health = self.rng.uniform(0.75, 1)
        return PlantCell(Draw.random(*self.draw, health), self.rng.uniform(5, 97), self.celsius)

    def step(self, state: str) -> None:
        """One sample. state: one of `STATES`, or "" without outside power."""
        self.left_s -= PERIOD_S
        if self.left_s <= 0:
            self.left_s, self.load_ma = next(self.load)
        self.now_s += PERIOD_S
        current_ma = {"done": 0.0, "weak": self.load_ma + 300}.get(state, self.load_ma)
        if state == "charging" and self.charger:
            current_ma = self.charger.current_into(self.cell)
        self.cell.step(PERIOD_S, current_ma, self.celsius)
        mv, ma, dk = self.sensor.read(self.cell, self.now_s, PERIOD_S)
        if self._before:
            by_load_mv = 0.6 * abs(ma - self._before[1])
            self.by_jump |= abs(mv - self._before[0]) > 80 + by_load_mv
        self._before = mv, ma
        self.gauge.sample(int(self.now_s * 1000) & 0x3FFFFFFF, mv, ma, dk, bool(state))


def case(plant: str, rng: random.Random, swapped: bool) -> Outcome:
    """One case; without a swap `points` is 0."""
    bench = _Bench(plant, rng)
    for second in range(USED_S):
        bench.step("")
        if second == 0:
            set_percent(bench.gauge, 100 * bench.cell.charge)
    bench.charger = PlantCharger(DESIGN_MAH[plant] * rng.uniform(0.2, 0.5), DESIGN_MAH[plant])
    state = rng.choice(STATES)
    for _ in range(rng.randrange(30, 600)):
        bench.step(state)
    before = bench.cell.charge
    trail, bench.by_jump = bench.gauge.trail, False  # a replaced cell begins another
    if swapped:
        bench.cell = bench.another()
    points = 100 * abs(bench.cell.charge - before)
    for _ in range(WATCHED_S if swapped else 4 * WATCHED_S):
        bench.step(state)
    error = bench.gauge.percent - 100 * bench.cell.charge
    noticed = bench.gauge.trail is not trail
    return Outcome(state, points, noticed, bench.by_jump, error, abs(error) <= bench.gauge.max_error)


def show(plant: str, found: Sequence[Outcome], still: Sequence[Outcome]) -> None:
    """Prints one row."""
    large = [each for each in found if each.points > LARGE]
    low, high = share([[each.noticed] for each in large])
    now, by_jump = _percent([each.noticed for each in large]), _percent([each.by_jump for each in large])
    missed = max((each.points for each in found if not each.noticed), default=0.0)
    unseen = max((each.points for each in found if not each.by_jump), default=0.0)
    alarms, jumps = sum(each.noticed for each in still), sum(each.by_jump for each in still)
    print(
        f"  {plant:<9}{len(large):5d}  {now:4.0f} % [{100 * low:.0f}, {100 * high:.0f}]  {by_jump:5.0f} %"
        f"   {missed:9.0f}, {unseen:3.0f}   {_percent([each.within for each in found]):12.0f} %"
        f"   {alarms:5d}, {jumps:3d} of {len(still)}",
        flush=True,
    )


def _percent(hits: Sequence[bool]) -> float:
    return 100 * sum(hits) / max(1, len(hits))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--swaps", type=counted, default=20, help="for each kind of cell")
    parser.add_argument("--seed", type=counted, default=1)
    options = parser.parse_args()
    print(f"            swaps of more than {LARGE} points: most points not    truth within  false alarms,")
    print("  plant       n  noticed now    by 80 mV   noticed, by 80 mV  MAX_ERROR     by 80 mV")
    for plant in PUBLISHED:
        runs = [
            [case(plant, random.Random(f"{plant} {options.seed} {n}"), swapped) for n in range(options.swaps)]
            for swapped in (True, False)
        ]
        show(plant, *runs)


if __name__ == "__main__":
    main()
