"""The firmware's way of asking the INA226 for a trace, with the emulated chip on a known load."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from firmware.pmu.power_trace import Measurements
from hw.emulated.ina226 import CALIBRATION, CONFIGURATION, CURRENT, Ina226
from power.meters.meter import Recording
from tests.power.meters.load import Load

CELL_MV = 3_850
_ADDRESS = 0x40
_LATE_US = 150.0
"""By how much the timer comes late now and then."""


class TracedChip:
    """`take` is what the PMU does on every call of its timer (`firmware.pmu.board.Board.trace`)."""

    def __init__(
        self, load: Load, period_ms: int, now_us: float, load_begin_us: float = 0.0, pace: float = 1.0
    ) -> None:
        self._now_us = now_us
        self._late = random.Random(period_ms)
        self._chip = Ina226(
            lambda: self._now_us, _current_ma(load, load_begin_us), lambda _begin, _end: CELL_MV, pace=pace
        )
        self._measurements = Measurements(_ADDRESS, period_ms)
        self._chip.writeto_mem(_ADDRESS, CONFIGURATION, self._measurements.setting)
        self._chip.writeto_mem(_ADDRESS, CALIBRATION, (512).to_bytes(2, "big"))
        self._measurements.begun(round(now_us))

    def take(self, time_us: float) -> tuple[int | None, int, int]:
        """(when it began, mV, mA) of the measurement that is over by then."""
        self._now_us = time_us + self._late.uniform(0.0, _LATE_US)
        begun_us = self._measurements.renew(self._chip, round(self._now_us))
        word = int.from_bytes(self._chip.readfrom_mem(_ADDRESS, CURRENT, 2), "big")
        return begun_us, CELL_MV, word - 0x10000 if word & 0x8000 else word


def _current_ma(load: Load, begin_us: float) -> Callable[[float, float], float]:
    def mean(start_us: float, end_us: float) -> float:
        power_mw = load.mean_between_mw((start_us - begin_us) / 1e6, (end_us - begin_us) / 1e6)
        return -power_mw * 1000 / CELL_MV

    return mean


def traced(load: Load, *, period_ms: int = 4, phase: float = 0.0, pace: float = 1.0) -> Recording:
    """The load as the PMU's meter records it; `phase`: the share of a period by which the trace begins before
    the load's time zero.
    """
    period_us = period_ms * 1000
    begin_us = -phase * period_us - 12 * period_us
    chip = TracedChip(load, period_ms, begin_us, pace=pace)
    count = int(load.duration_s * 1e6 / period_us) + 30
    samples = [chip.take(begin_us + number * period_us) for number in range(1, count)]
    kept = [(begun_us, ma) for begun_us, _, ma in samples if begun_us is not None]
    time_s = np.array([begun_us for begun_us, _ in kept]) / 1e6 + period_ms / 2000
    power_mw = -np.array([ma for _, ma in kept]) * CELL_MV / 1000
    return Recording(
        "pmu", "measured", 1000 / period_ms, time_s, power_mw, np.full(len(kept), float(CELL_MV)), True, None,
        len(samples), len(samples) - len(kept), 0.0,
    )  # fmt: skip
