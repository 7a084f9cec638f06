"""A gauge in a headband, use by use: the cell (`plant`), its loads and charges, and what is shown and
true at each minute.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from firmware.pmu import gauge_cell
from firmware.pmu import gauge_cutoff as cutoff
from firmware.pmu.gauge import Gauge
from firmware.pmu.gauge_saved_state import Store
from power.policy.policy import Policy
from tests.eval.gauge.curves import CUT_OFF_MV, DESIGN_MAH, PUBLISHED
from tests.eval.gauge.load import loads
from tests.eval.gauge.plant import Draw, PlantCell, PlantCharger, PlantSensor

POLICY = Policy()
"""Says at which charge the host stops."""
LOOK_S = 60.0
PERIOD_S = 1.0
"""Between two samples of a PMU that dozes, about; there are fewer where nothing but time depends on it."""
NEAR_FULL_MV = 80
"""Below the charge voltage; from there on every sample counts: a charge of lithium iron phosphate ends within
a minute.
"""
USES = ("day", "cold", "warm", "idle", "broken", "aged", "swap")


@dataclass
class Cycle:
    """What was shown and true, each minute, from one charge to the end of the next discharge."""

    truth: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    claimed: list[float] = field(default_factory=list)
    """MAX_ERROR."""
    left_at_stop: float | None = None
    """Truth when the host stops: by itself when the cell is surely empty, or when the PMU asks for it."""
    shown_at_end: float | None = None
    """Shown when the truth is 0, or when the PMU cuts the host off before."""
    counted: list[float] = field(default_factory=list)
    """By counting alone."""
    dropped: bool = False
    """The PMU ended the host's power without having asked it to save."""

    @property
    def errors(self) -> list[float]:
        return [a - b for a, b in zip(self.shown, self.truth, strict=True)]


class Flash:
    """A board for a `Store`: flash only, as after a loss of power."""

    def __init__(self) -> None:
        self.slots = [b"", b""]
        self.saves = 0

    def load(self) -> bytes:
        return self.slots[0] + self.slots[1]

    def save(self, record: bytes) -> None:
        self.slots[self.saves & 1] = record
        self.saves += 1


class Bench:
    """One cell after the other in a headband."""

    def __init__(self, plant: str, use: str, profile: str | None, draw: int) -> None:
        self.rng = random.Random(f"{plant} {use} {draw}")
        self.plant, self.use = plant, use
        right = PUBLISHED[plant].chemistry
        self.profile = profile or right
        self.design_mah = DESIGN_MAH[plant] if self.profile == right else 2000
        self.cut_off_mv = CUT_OFF_MV[self.profile]
        self.sensor = PlantSensor(self.rng)
        self.ambient = 20.0
        self.cell = self.another(self.rng.uniform(25, 65))
        self.flash = Flash()
        self.now_s = self.looked_s = self.noted_s = 0.0
        self.powered = False
        self.mean_ma, self.peak_ma = 0.2 * DESIGN_MAH[plant], 1000.0
        self.cycles = [Cycle()]
        self.watch = cutoff.CutOff()
        self.host_on = True
        self.start()

    def another(self, percent: float) -> PlantCell:
        """Another cell of the kind."""
        health = 0.7 if self.use == "aged" else 1.0
        draw = Draw.random(self.rng, self.plant, DESIGN_MAH[self.plant], self.cut_off_mv, health)
        cell = PlantCell(draw, percent, self.ambient)
        curve = gauge_cell.curve(gauge_cell.NAMES.index(self.profile))
        self.counted = gauge_cell.percent_at(cell.open_circuit_mv, curve) / 100
        return cell

    def start(self) -> None:
        """The PMU starts after a loss of power."""
        self.gauge = Gauge(self.design_mah, profile=gauge_cell.NAMES.index(self.profile))
        self.store = Store(self.flash)
        self.store.restore(self.gauge)
        self.watch.reset()

    @property
    def truth(self) -> float:
        return self.relative(self.cell.charge)

    def relative(self, charge: float) -> float:
        """That charge, 0..1 on the cell's curve, in percent between its ends at this load."""
        empty, full = self.cell.ends(self.mean_ma, self.peak_ma)
        return 100 * min(1.0, max(0.0, (charge - empty) / (full - empty)))

    def step(self, seconds: float, current_ma: float) -> None:
        """One sample of the gauge."""
        self.now_s += seconds
        self.cell.step(seconds, current_ma, self.ambient)
        self.counted += current_ma * seconds / 3600 / self.design_mah
        sample = self.sensor.read(self.cell, self.now_s, seconds)
        self.cell_c = sample[2] / 10 - 273.15
        now_ms = int(self.now_s * 1000)
        self.gauge.sample(now_ms & 0x3FFFFFFF, *sample, self.powered)
        if self.use == "swap":
            self.store.step(int(seconds * 1000), self.gauge, not self.host_on)
        if self.host_on:
            charging = self.gauge.charging
            verdict = self.watch.step(now_ms, self.gauge.guarded_mv, self.gauge.headroom_mv, charging)
            self._look(verdict)

    def _look(self, verdict: int) -> None:
        cycle = self.cycles[-1]
        ended = verdict == cutoff.DROP
        due = self.now_s - self.looked_s >= (LOOK_S if self.gauge.percent > 12 else 5.0)
        if verdict == cutoff.NOTHING and not due:
            return
        self.looked_s = self.now_s
        truth, shown = self.truth, int(self.gauge.percent + 0.5)
        if self.now_s - self.noted_s >= LOOK_S:
            self.noted_s = self.now_s
            cycle.truth.append(truth)
            cycle.shown.append(self.gauge.percent)
            cycle.claimed.append(self.gauge.max_error)
            cycle.counted.append(self.relative(self.counted))
        if self.powered:
            return
        empty_percent = POLICY.empty_percent(self.gauge.max_error, self.cell_c)
        stops = verdict != cutoff.NOTHING or shown <= empty_percent
        cycle.dropped |= ended and cycle.left_at_stop is None
        if cycle.left_at_stop is None and stops:
            cycle.left_at_stop = truth
        if cycle.shown_at_end is None and (truth <= 0 or ended):
            cycle.shown_at_end = shown
        if ended:
            self.host_on = False
            self.watch.reset()

    def charge(self, until_percent: float = 100.0, after_s: float = 3600.0) -> None:
        """Charge at 0.3 to 0.5 C to that truth, or until the charger is done; then it stays for `after_s`."""
        charger = PlantCharger(DESIGN_MAH[self.plant] * self.rng.uniform(0.3, 0.5), DESIGN_MAH[self.plant])
        self.powered, self.host_on = True, True
        self.watch.reset()
        while not charger.done and (until_percent >= 100 or self.truth < until_percent):
            near_end = self.cell.voltage_mv > self.cell.full_mv - NEAR_FULL_MV
            self.step(PERIOD_S if near_end else 10, charger.current_into(self.cell))
        if charger.done:
            self.counted = self.cell.ends(self.mean_ma, self.peak_ma)[1]
        for _ in range(int(after_s / 20)):
            self.step(20, charger.current_into(self.cell) if until_percent >= 100 else 0.0)
        self.powered = False

    def wear(self, load: Iterator[tuple[float, float]], hours: float = 200.0) -> None:
        """That load, until the PMU cuts the host off or so many hours have passed."""
        end_s = self.now_s + hours * 3600
        while self.host_on and self.now_s < end_s:
            left_s, load_ma = next(load)
            while left_s > 0 and self.host_on and self.now_s < end_s:
                near_end = self.gauge.percent < 3 or self.cell.charge < 0.04
                seconds = min(left_s, 1.0 if near_end else 10.0 if load_ma < -60 else 20.0)
                self.step(seconds, load_ma)
                left_s -= seconds

    def rest(self, seconds: float, period_s: float = 20.0) -> None:
        """The host is off, and the gauge takes a sample in every period."""
        for _ in range(int(seconds / period_s)):
            self.step(period_s, -2.0)

    def next_cycle(self) -> None:
        self.cycles.append(Cycle())


def pulses(rng: random.Random) -> Iterator[tuple[float, float]]:
    """2 A for a few seconds of every minute."""
    while True:
        yield rng.uniform(30, 60), -rng.uniform(150, 350)
        yield rng.uniform(4, 12), -2000.0


def heavy(rng: random.Random) -> Iterator[tuple[float, float]]:
    """About half a C, which warms the cell."""
    while True:
        yield rng.uniform(60, 600), -rng.uniform(800, 1500)
        yield rng.uniform(30, 120), -rng.uniform(100, 300)


def still() -> Iterator[tuple[float, float]]:
    """Asleep."""
    while True:
        yield 3600.0, -20.0


def run(plant: str, use: str, profile: str | None = None, draw: int = 1) -> list[Cycle]:
    """The cycles of one use; the first is that in which everything is new to the gauge."""
    bench = Bench(plant, use, profile, draw)
    rng = bench.rng
    bench.wear(loads(rng), 0.5)
    if use == "broken":
        for until_percent, after_s in ((80, 0), (100, 3600), (80, 0), (80, 7200)):
            _cycle(bench, loads(rng), until_percent, after_s)
        return bench.cycles[:-1]
    if use == "swap":
        return _swaps(bench)
    for number in range(3):
        if use == "cold":
            bench.mean_ma, bench.peak_ma = 400.0, 2000.0
            _cycle(bench, pulses(rng), ambient=0.0)
        elif use == "warm":
            bench.mean_ma, bench.peak_ma = 1000.0, 1500.0
            _cycle(bench, heavy(rng), ambient=30.0)
        elif use == "idle":
            _cycle(bench, loads(rng), idle_h=60 if number != 1 else 0)
        else:
            _cycle(bench, loads(rng))
    return bench.cycles[:-1]


def _cycle(
    bench: Bench,
    load: Iterator[tuple[float, float]],
    until_percent: float = 100,
    after_s: float = 3600,
    ambient: float = 20,
    idle_h: float = 0,
) -> None:
    bench.ambient = 20.0
    bench.charge(until_percent, after_s)
    bench.ambient = ambient
    if idle_h:
        bench.wear(still(), idle_h)
    bench.wear(load)
    bench.rest(3600)
    bench.next_cycle()


def _swaps(bench: Bench) -> list[Cycle]:
    """A cycle, then other cells: while off and charged, while off and empty, while on, on a charger. Each
    cycle begins ten minutes after the swap.
    """
    rng = bench.rng
    _cycle(bench, loads(rng))
    for how in ("off", "empty", "on"):
        if how != "empty":
            bench.charge()
            bench.wear(loads(rng), 3)
        bench.host_on = False
        bench.powered = how == "on"
        bench.rest(60)
        bench.rest(60, PERIOD_S)
        bench.cell = bench.another(rng.uniform(40, 95))
        if how != "on":
            bench.start()
        bench.rest(60, PERIOD_S)
        bench.rest(540)
        bench.powered, bench.host_on = False, True
        bench.next_cycle()
        bench.wear(loads(rng))
        bench.rest(3600)
    return bench.cycles
