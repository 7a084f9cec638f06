"""Errors of the battery gauge on simulated days, compared with simpler gauges.

    python -m tests.eval.gauge [--days 40] [--svg FILE]
    python -m tests.eval.gauge --plant NAME|all [--use NAME] [--profile NAME]    as in `plants`

Every two days have a random cell that differs from the gauge's table (capacity by -15 to +5 %, 60 to 200
mOhm, up to 8 mV), a sensor with noise and offset, and random days between 0 and 40 C with loads of 0.02 to
1.4 A: the cell is charged overnight, discharged in use, usually charged a little in between, until the PMU
cuts the host's power off. The PMU is reset two or three times, on every second day once with the loss of
everything it has learnt. On the first of the two days the cell is new to the gauge. The days are simulated,
not recorded.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firmware.pmu import gauge_cell as table
from firmware.pmu import gauge_cutoff as cutoff
from firmware.pmu.gauge import Gauge
from firmware.pmu.gauge_saved_state import Store
from hw.emulated.battery import Cell, CellProfile, Charger, Sensor
from tests.eval.arguments import counted
from tests.eval.gauge import cut_off, plants
from tests.eval.gauge.load import loads, weather
from tests.eval.gauge.percentiles import p95, percentile
from tests.eval.gauge.plot import Trace, picture
from tests.eval.gauge.uses import Flash

DESIGN_MAH = table.DESIGN_MAH
LCO = table.curve(0)
PERIOD_S = 1.0
LOOK_S = 10
"""Interval of the comparisons, seconds."""
AFTER_CUT_OFF_S = 1800
SLEEPING_MA = -4.0
RESETS = ("watchdog", "power", "blank")
"""Kinds of resets, by what they preserve: scratch registers and the stored record, the record, nothing."""


@dataclass
class Day:
    """Values of the gauges, every ten seconds from the end of the overnight charge to the cut-off."""

    hours: list[float] = field(default_factory=list)
    truth: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    naive: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    powered: list[bool] = field(default_factory=list)
    reset_at: list[tuple[float, str]] = field(default_factory=list)
    """(hours, kind)"""
    resets: tuple[str, ...] = ()
    largest_jump: int = 0
    largest_naive_jump: int = 0
    jumps_at_reset: dict[str, list[int]] = field(default_factory=dict)
    shown_after_cut_off: int = 0
    cut_off_truth: float = 0.0
    cut_off_shown: int = 0
    saves: int = 0

    @property
    def errors(self) -> list[float]:
        """Error in percentage points: shown minus true value."""
        return [a - b for a, b in zip(self.shown, self.truth, strict=True)]


class LastingFlash(Flash):
    """A board for a `Store`, with all optional parts: scratch registers as well."""

    def __init__(self) -> None:
        super().__init__()
        self.lasting = b""

    def kept(self) -> bytes:
        return self.lasting

    def keep(self, data: bytes) -> None:
        self.lasting = data


class Bench:
    """A cell with its sensor and three gauges."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.cell = Cell(CellProfile.random(rng, DESIGN_MAH), rng.uniform(20, 60), rng.uniform(15, 25))
        self.sensor = Sensor.random(rng)
        self.flash = LastingFlash()
        self.charger: Charger | None = None
        self.cut_off = cutoff.CutOff()
        self.now_s = 0.0
        self.host_on = True
        self._plain_mah: float | None = None
        self.naive = 0.0
        self._weather = weather(rng)
        self._weather_s, self._ambient_c = next(self._weather)
        self.gauge = self.start()

    def start(self) -> Gauge:
        """The PMU starts."""
        self.gauge = Gauge(DESIGN_MAH)
        self.store = Store(self.flash)
        self.store.restore(self.gauge)
        return self.gauge

    @property
    def plain(self) -> float:
        """Percent by coulomb counting from the first voltage, limited to 0 to 100, without later
        corrections.
        """
        return (self._plain_mah or 0.0) * 100 / DESIGN_MAH

    def step(self, load_ma: float) -> None:
        """One period."""
        self.now_s += PERIOD_S
        self._weather_s -= PERIOD_S
        if self._weather_s < 0:
            self._weather_s, self._ambient_c = next(self._weather)
        current_ma = load_ma if self.charger is None else self.charger.current_into(self.cell)
        self.cell.step(PERIOD_S, current_ma, self._ambient_c)
        voltage_mv, current_ma, temperature_dk = self.sensor.read(self.cell)
        powered = self.charger is not None
        now_ms = int(self.now_s * 1000)
        self.gauge.sample(now_ms & 0x3FFFFFFF, voltage_mv, current_ma, temperature_dk, powered)
        self.store.step(int(PERIOD_S * 1000), self.gauge, not self.host_on)
        self.naive = table.percent_at(voltage_mv, LCO)
        if self._plain_mah is None:
            self._plain_mah = self.naive * DESIGN_MAH / 100
        self._plain_mah = min(DESIGN_MAH, max(0.0, self._plain_mah + current_ma * PERIOD_S / 3600))
        if self.host_on:
            verdict = self.cut_off.step(now_ms, voltage_mv, self.gauge.headroom_mv, powered)
            self.host_on = verdict != cutoff.DROP

    @property
    def shown(self) -> int:
        """The register's value."""
        return int(self.gauge.percent + 0.5)

    def reset(self, kind: str) -> None:
        """Resets the PMU. `kind`: of RESETS."""
        if kind != "watchdog":
            self.flash.lasting = b""
        if kind == "blank":
            self.flash.slots = [b"", b""]
        self.start()

    def charge(self, until_percent: float, current_ma: float) -> Iterator[None]:
        """Charge to that percentage; at 100 until the charger has been done for an hour."""
        self.charger = Charger(current_ma)
        rest_s = 3600.0
        while rest_s > 0 and (until_percent >= 100 or self.cell.percent < until_percent):
            self.step(0.0)
            rest_s -= PERIOD_S if self.charger.done else 0
            yield
        self.charger = None
        self.host_on = True
        self.cut_off.reset()


def overnight(bench: Bench) -> None:
    """Charge until the charger is done."""
    for _ in bench.charge(100, bench.rng.uniform(600, 1000)):
        pass


def simulate(bench: Bench, resets: Sequence[str] = RESETS) -> Day:
    """One day of use, from full to the cut-off and for a while after it."""
    rng, day = bench.rng, Day(resets=tuple(resets))
    load, left_s, load_ma = loads(rng), 0.0, 0.0
    recharge_below = rng.uniform(20, 70) if rng.random() < 0.7 else -1
    pending = sorted((rng.uniform(5, 95), kind) for kind in resets)
    charging: Iterator[None] | None = None
    began_s, began_saves = bench.now_s, bench.flash.saves
    recent: list[tuple[int, int]] = []
    while bench.host_on:
        if charging is not None and next(charging, "done") == "done":
            charging = None
        if charging is None:
            if recharge_below > bench.cell.percent:
                recharge_below = -1
                charging = bench.charge(
                    min(97.0, bench.cell.percent + rng.uniform(10, 45)), rng.uniform(500, 1000)
                )
            left_s -= PERIOD_S
            if left_s <= 0:
                left_s, load_ma = next(load)
            bench.step(load_ma)
        if pending and bench.cell.percent < pending[-1][0]:
            kind, before = pending.pop()[1], bench.shown
            bench.reset(kind)
            bench.step(load_ma if bench.charger is None else 0.0)
            day.reset_at.append(((bench.now_s - began_s) / 3600, kind))
            day.jumps_at_reset.setdefault(kind, []).append(abs(bench.shown - before))
            recent = []
        recent.append((bench.shown, int(bench.naive + 0.5)))
        recent = recent[-int(10 / PERIOD_S) - 1 :]
        day.largest_jump = max(day.largest_jump, abs(recent[-1][0] - recent[0][0]))
        day.largest_naive_jump = max(day.largest_naive_jump, abs(recent[-1][1] - recent[0][1]))
        if int(bench.now_s - began_s) % LOOK_S == 0:
            day.hours.append((bench.now_s - began_s) / 3600)
            day.truth.append(bench.cell.percent)
            day.shown.append(bench.gauge.percent)
            day.naive.append(bench.naive)
            day.plain.append(bench.plain)
            day.powered.append(bench.charger is not None)
    day.cut_off_truth, day.cut_off_shown = bench.cell.percent, bench.shown
    for _ in range(int(AFTER_CUT_OFF_S / PERIOD_S)):
        bench.step(SLEEPING_MA)
        day.shown_after_cut_off = max(day.shown_after_cut_off, bench.shown)
    day.saves = bench.flash.saves - began_saves
    return day


def row(name: str, days: Sequence[Day], series: str) -> str:
    """One line of the table: over all comparisons, and by day."""
    each = [[a - b for a, b in zip(getattr(d, series), d.truth, strict=True)] for d in days]
    pooled = [error for errors in each for error in errors]
    per_day = [p95(errors) for errors in each]
    return (
        f"  {name:<34} {p95(pooled):5.1f}   {statistics.median(per_day):5.1f}"
        f"  {percentile(per_day, 0.1):5.1f} .. {percentile(per_day, 0.9):5.1f}  {max(per_day):5.1f}"
        f"   {statistics.mean(map(abs, pooled)):5.1f}   {statistics.mean(pooled):+5.1f}"
    )


def report(first: list[Day], second: list[Day]) -> None:
    """Prints the figures."""
    days = first + second
    hours = sum(day.hours[-1] for day in days)
    truths = [day.cut_off_truth for day in days]
    print(f"{len(days)} days of {hours / len(days):.1f} h, {len(first)} cells")
    print("  error in points                     p95   median of days, p10 .. p90, max   mean size  bias")
    print(row("gauge", days, "shown"))
    print(row("gauge, first day with the cell", first, "shown"))
    print(row("gauge, second day", second, "shown"))
    print(row("gauge, days it lost all it knew", [day for day in days if "blank" in day.resets], "shown"))
    print(row("gauge, other days", [day for day in days if "blank" not in day.resets], "shown"))
    print(row("coulombs, never anchored", days, "plain"))
    print(row("one voltage sample (naive)", days, "naive"))
    for name, jumps in (
        ("gauge", [day.largest_jump for day in days]),
        ("naive", [day.largest_naive_jump for day in days]),
    ):
        more = sum(jump > 1 for jump in jumps)
        print(f"  largest change in 10 s, {name:<9} {max(jumps)}; more than 1 on {more} of {len(days)} days")
    for kind in RESETS:
        jumps = [jump for day in days for jump in day.jumps_at_reset.get(kind, [])]
        if jumps:
            median, most = statistics.median(jumps), max(jumps)
            print(
                f"  change at a reset, {kind:<14} median {median:.0f}, p95 {p95(jumps):.0f}, largest {most}"
            )
    print(f"  days with > 0 shown after cut-off   {sum(day.shown_after_cut_off > 0 for day in days)}")
    print(
        f"  true charge at the cut-off          median {statistics.median(truths):.1f}, max {max(truths):.1f}"
    )
    print(f"  flash writes per hour               {sum(day.saves for day in days) / hours:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=counted, default=40, help="simulated days; two for each cell")
    parser.add_argument("--seed", type=counted, default=1, help="of the first cell")
    parser.add_argument("--draws", type=counted, default=3, help="discharges to the cut-off; 0: none")
    parser.add_argument("--svg", type=Path, help="draw the median day here")
    plants.options(parser)
    options = parser.parse_args()
    if options.plant:
        plants.report(options)
        return
    first: list[Day] = []
    second: list[Day] = []
    for number in range(max(1, options.days // 2)):
        bench = Bench(random.Random(options.seed * 1000 + number))
        for which, days in enumerate((first, second)):
            overnight(bench)
            days.append(simulate(bench, RESETS if (number + which) % 2 else RESETS[:2]))
    report(first, second)
    if options.draws:
        cut_off.report(options.draws)
    if options.svg:
        typical = sorted(second, key=lambda day: p95(day.errors))[len(second) // 2]
        options.svg.write_text(
            picture(
                Trace(
                    typical.hours,
                    typical.truth,
                    typical.shown,
                    typical.naive,
                    typical.powered,
                    typical.reset_at,
                )
            ),
            encoding="utf-8",
        )
        print(f"  the median second day is drawn in {options.svg}")


if __name__ == "__main__":
    main()
