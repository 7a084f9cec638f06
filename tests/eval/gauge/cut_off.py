"""The remaining charge of a cell when the PMU stops the host, by the cell's temperature and age.

    python -m tests.eval.gauge.cut_off [--draws 3]

For each row, cells of one kind are discharged at one temperature with the loads of a day of use, from 60
percent to the cut-off, with a gauge to which the cell is new. The row also has the charge that would remain
with a fixed threshold of 3.3 V under load for five seconds. The loads are random, not recorded; the cells are
modelled (`hw.emulated.battery`).
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace

from firmware.pmu import gauge_cutoff as cutoff
from firmware.pmu.gauge import Gauge
from hw.emulated.battery import Cell, CellProfile, Sensor
from tests.eval.arguments import counted
from tests.eval.gauge.load import loads

START_PERCENT = 60
FIXED_MV, FIXED_MS = 3_300, 5_000
CELSIUS = (0, 10, 20, 40)
NEW = CellProfile(resistance_mohm=80)
AGED = CellProfile(capacity_mah=1700, resistance_mohm=200, empty_resistance_factor=1.5)
AGES = {"new, 80 mOhm": NEW, "aged, 85 %, 200 mOhm": AGED}


@dataclass
class End:
    """The end of one discharge. Charges are percentages of the charge that the cell delivers at its
    temperature down to an open-circuit voltage of 3.0 V.
    """

    left: float
    """Charge when the host was asked to save, or was stopped without being asked."""
    left_by_fixed: float
    """Charge when the fixed threshold would have asked."""
    shown: int
    """Charge after the power was cut off."""
    lowest_mv: float
    """Voltage at the terminals."""
    asked: bool
    """Whether the host could save."""


def discharge(profile: CellProfile, celsius: float, rng: random.Random) -> End:
    """One cell down to its cut-off."""
    body = Cell(profile, START_PERCENT, celsius)
    sensor, gauge, watch = Sensor.random(rng), Gauge(), cutoff.CutOff()
    load: Iterator[tuple[float, float]] = loads(rng)
    left_s, load_ma = next(load)
    now_ms, fixed_since_ms = 0, -1
    left, left_by_fixed, lowest_mv, asked = -1.0, -1.0, body.voltage_mv, False
    while True:
        now_ms += 1000
        left_s -= 1
        if left_s <= 0:
            left_s, load_ma = next(load)
        body.step(1, load_ma, celsius)
        voltage_mv, current_ma, temperature_dk = sensor.read(body)
        gauge.sample(now_ms, voltage_mv, current_ma, temperature_dk, False)
        lowest_mv = min(lowest_mv, body.voltage_mv)
        fixed_since_ms = now_ms if voltage_mv > FIXED_MV else fixed_since_ms
        if left_by_fixed < 0 and now_ms - fixed_since_ms > FIXED_MS:
            left_by_fixed = 100 * body.state
        verdict = watch.step(now_ms, voltage_mv, gauge.headroom_mv, False)
        if verdict != cutoff.NOTHING and left < 0:
            left, asked = 100 * body.state, verdict == cutoff.ASK
        if verdict == cutoff.DROP:
            by_fixed = left_by_fixed if left_by_fixed >= 0 else 100 * body.state
            return End(left, by_fixed, int(gauge.percent + 0.5), lowest_mv, asked)


def report(draws: int) -> None:
    """Prints the table."""
    print(f"  charge left when the host is stopped, percent of the cell's ({draws} discharges each)")
    print("  cell                    C    median   max   at 3.3 V: median   max   lowest mV   not asked")
    for name, profile in AGES.items():
        for celsius in CELSIUS:
            ends = []
            for draw in range(draws):
                rng = random.Random(f"{name} {celsius} {draw}")
                drawn = CellProfile.random(rng)
                cell = replace(
                    profile, curve_error_waves=drawn.curve_error_waves, knee_exponent=drawn.knee_exponent
                )
                ends.append(discharge(cell, celsius, rng))
            left, fixed = [end.left for end in ends], [end.left_by_fixed for end in ends]
            lowest_mv, not_asked = min(end.lowest_mv for end in ends), sum(not end.asked for end in ends)
            print(
                f"  {name:<22} {celsius:3d}    {statistics.median(left):6.1f} {max(left):5.1f}"
                f"   {statistics.median(fixed):16.1f} {max(fixed):5.1f}"
                f"   {lowest_mv:9.0f}   {not_asked} of {draws}"
            )
            assert not any(end.shown for end in ends), "an empty cell is shown as 0"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=counted, default=3, help="discharges for each kind and temperature")
    report(parser.parse_args().draws)


if __name__ == "__main__":
    main()
