"""The error budget of the PMU's sensors: what each of their errors alone, and all together, adds to the
energy that the PMU counts and to the percentage that it shows.

The INA226 is emulated after its data sheet (`tests.power.meters.emulated_ina226`) and looked at as the
firmware does: awake it averages 35 ms, and a look every 250 ms sees the last of them; asleep it averages
1.13 s, every 1.15 s, and misses nothing to speak of. The loads are drawn here, not taken from the headband's
model: steps of 2 ms to 2 s between an idle and a working level.
"""

from __future__ import annotations

import bisect
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware.pmu import gauge_cell
from firmware.pmu import registers as r
from firmware.pmu.gauge_energy import Energy
from tests.power.meters.emulated_ina226 import CALIBRATION, CONFIGURATION, CURRENT, Ina226

AWAKE, ASLEEP = (0x4527, 0.25), (0x4D27, 1.15)
"""Configuration of the chip (`firmware.pmu.board`), and seconds between two looks."""
SUPPLY_MV = 3_700.0
OFFSET_MA = 1.0  # 10 uV on 10 mOhm, the most that the INA226's data sheet allows
GAIN = 0.011  # shunt of 1 percent, and the INA226's 0.1 percent
DIE_K = 6.0
"""RP2040 data sheet, temperature sensor: 4 K for a reference that is 1 percent off; 2 K for the die's own
warmth, an estimate.
"""
CALIBRATION_MA, FINE = 512, 20
"""What makes one count of the chip 1 mA, and how many times finer it counts where steps are left out."""


@dataclass(frozen=True)
class Errors:
    """Which errors the sensor has."""

    look: bool = False
    """Awake only what the looks see counts; else each stands for all the time since the one before."""
    step: bool = False
    """Whole milliamperes, and the firmware's own counter."""
    offset: bool = False
    gain: bool = False


class Drawn:
    """A load: milliwatts, and seconds of each."""

    def __init__(self, steps: Sequence[tuple[float, float]]) -> None:
        self._starts_s, self._until = [0.0], [0.0]
        self._mw = [mw for mw, _ in steps]
        for mw, seconds in steps:
            self._starts_s.append(self._starts_s[-1] + seconds)
            self._until.append(self._until[-1] + mw * seconds)
        self.seconds = self._starts_s.pop()

    def mean_mw(self, start_s: float, end_s: float) -> float:
        """Between two moments; before and after it, the first and the last level."""
        return (self._energy(end_s) - self._energy(start_s)) / (end_s - start_s)

    def _energy(self, at_s: float) -> float:
        step = max(0, bisect.bisect_right(self._starts_s, at_s) - 1)
        return self._until[step] + self._mw[step] * (at_s - self._starts_s[step])


def turn(rng: random.Random) -> Drawn:
    """10 to 30 s between 700 and 3,500 mW, in steps of 2 ms to 2 s."""
    steps, left_s = list[tuple[float, float]](), rng.uniform(10, 30)
    while left_s > 0:
        steps.append((700.0 if len(steps) % 2 else rng.uniform(700, 3_500), 0.002 * 1_000 ** rng.random()))
        left_s -= steps[-1][1]
    return Drawn(steps)


def standby(rng: random.Random) -> Drawn:
    """A minute in which a picture, 0.35 s, is taken twice a second, a little early or late."""
    idle_mw, picture_mw = rng.uniform(600, 750), rng.uniform(250, 350)
    pauses_s = [0.15 + rng.uniform(-0.02, 0.02) for _ in range(120)]
    return Drawn([step for each in pauses_s for step in ((idle_mw + picture_mw, 0.35), (idle_mw, each))])


def asleep(rng: random.Random) -> Drawn:
    """Ten minutes of a suspended computer, at one level."""
    return Drawn([(rng.uniform(70, 100), 600.0)])


def counted(load: Drawn, schedule: tuple[int, float], errors: Errors, rng: random.Random) -> float:
    """What is counted of the load, over what it took: 1.0 is right. Offset and gain, where there are any, are
    drawn within their limits.
    """
    setting, period_s = schedule
    offset_ma = OFFSET_MA * rng.uniform(-1, 1) * errors.offset
    factor = 1 + GAIN * rng.uniform(-1, 1) * errors.gain
    begin_s = rng.uniform(1, 2)
    clock_us = [0.0]

    def shown_ma(start_us: float, end_us: float) -> float:
        mw = load.mean_mw(start_us / 1e6 - begin_s, end_us / 1e6 - begin_s)
        return mw / SUPPLY_MV * 1000 * factor + offset_ma

    fine = 1 if errors.step else FINE
    chip = Ina226(lambda: clock_us[0], shown_ma, lambda *_: SUPPLY_MV)
    chip.writeto_mem(0, CONFIGURATION, setting.to_bytes(2, "big"))
    chip.writeto_mem(0, CALIBRATION, (CALIBRATION_MA * fine).to_bytes(2, "big"))
    energy, exact_mwh = Energy(), 0.0
    looks = round(load.seconds / period_s)
    for number in range(1, looks + 1):
        clock_us[0] = (begin_s + number * period_s) * 1e6
        if errors.look and period_s < 1:
            ma = r.signed(int.from_bytes(chip.readfrom_mem(0, CURRENT, 2), "big")) / fine
        else:
            ma = shown_ma(clock_us[0] - period_s * 1e6, clock_us[0])
        energy.count(round(period_s * 1000), round(SUPPLY_MV), -round(ma))
        exact_mwh += SUPPLY_MV * ma / 1000 * period_s / 3600
    truth_mwh = load.mean_mw(0.0, looks * period_s) * looks * period_s / 3600
    return (energy.total / 100 if errors.step else exact_mwh) / truth_mwh


def off_95(
    make: Callable[[random.Random], Drawn], schedule: tuple[int, float], draws: int, errors: Errors
) -> float:
    """95th percentile of the error over that many loads, a share."""
    found = []
    for number in range(draws):
        rng = random.Random(number)
        found.append(abs(counted(make(rng), schedule, errors, rng) - 1))
    return sorted(found)[-(-95 * draws // 100) - 1]


def by_temperature(celsius: float, percent: float = 50.0, off_k: float = DIE_K) -> float:
    """Points by which the percentage is off where the die is so much warmer than the cell."""
    true, shown = (
        gauge_cell.capacity_factor(r.ZERO_CELSIUS_DK + round(10 * each))
        for each in (celsius, celsius + off_k)
    )
    left = 1 - true * (1 - percent / 100)
    return abs(100 * (1 - (1 - left) / shown) - percent)


ROWS: Sequence[tuple[str, Errors]] = (
    ("35 of 250 ms are looked at", Errors(look=True)),
    ("steps of 1 mA", Errors(step=True)),
    ("offset, 10 uV", Errors(offset=True)),
    ("shunt 1 %, gain 0.1 %", Errors(gain=True)),
    ("all together", Errors(True, True, True, True)),
)
LOADS = (("a turn", turn, AWAKE), ("standby", standby, AWAKE), ("asleep", asleep, ASLEEP))


def main(draws: int = 60) -> int:
    print(f"error of the energy that is counted, 95th percentile of {draws} drawn loads, percent")
    print(f"{'':<30}" + "".join(f"{name:>10}" for name, *_ in LOADS))
    for label, errors in ROWS:
        cells = [100 * off_95(make, schedule, draws, errors) for _, make, schedule in LOADS]
        print(f"{label:<30}" + "".join(f"{value:>10.2f}" for value in cells), flush=True)
    print(f"points of the percentage, half full, where the die is {DIE_K:g} K warmer than the cell")
    for celsius in (-10, 0, 10, 20):
        print(f"{celsius:>28} C{by_temperature(celsius):>10.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
