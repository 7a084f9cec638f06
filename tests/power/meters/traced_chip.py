"""The firmware's `TraceSampler` with an emulated INA226 on a known load."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from firmware.pmu.console_power_trace import TraceSampler
from hw.pmu.trace_timing import result_s
from power.meters.meter import MeterRecording
from tests.power.meters.emulated_ina226 import CALIBRATION, CONFIGURATION, Ina226
from tests.power.meters.load import Load

CELL_MV = 3_850
"""The cell's voltage without current, and under load if it has no resistance."""
LATE_US = 400.0
"""Occasional delay of the timer."""
_ADDRESS = 0x40
_READ_US, _WRITE_US = 150.0, 110.0

Sample = Callable[[int | None, int | None, int | None], None]


class TracedChip:
    """`step` does what the PMU does at every call of its timer (`firmware.pmu.board.Board.trace`), with the
    duration of the transfers on the bus.
    """

    def __init__(
        self,
        load: Load,
        period_ms: int,
        now_us: float,
        load_begin_us: float = 0.0,
        *,
        pace: float = 1.0,
        cell_mohm: float = 0.0,
        known_mohm: int = 0,
    ) -> None:
        self.now_us = now_us
        self.silent = False
        self.unmeasured: list[tuple[float, float]] = []
        """Intervals in which the chip did not measure the current, in microseconds."""
        self._late = random.Random(period_ms)
        current_ma = _current_ma(load, load_begin_us, cell_mohm)
        self._chip = Ina226(
            lambda: self.now_us,
            current_ma,
            lambda begin, end: CELL_MV + current_ma(begin, end) * cell_mohm / 1000,
            pace=pace,
        )
        self._sampler = TraceSampler(_ADDRESS, period_ms, known_mohm)
        self.poll_ms = self._sampler.poll_ms
        self._chip.writeto_mem(_ADDRESS, CALIBRATION, (512).to_bytes(2, "big"))
        self._chip.writeto_mem(_ADDRESS, CONFIGURATION, self._sampler.setting)
        self._result_us = result_s(period_ms) * 1e6 * pace
        self._begun_us = self._paused_us = now_us
        self._sampler.start(self._ticks_us())

    def step(self, time_us: float, sample: Sample) -> None:
        self.now_us = max(self.now_us, time_us + self._late.uniform(0.0, LATE_US))
        self._sampler.step(self, self._ticks_us, sample)

    def _ticks_us(self) -> int:
        return round(self.now_us) & 0x3FFFFFFF

    def readfrom_mem_into(self, address: int, register: int, into: bytearray) -> None:
        self._moved(_READ_US)
        self._chip.readfrom_mem_into(address, register, into)

    def writeto_mem(self, address: int, register: int, data: bytes) -> None:
        self._moved(_WRITE_US)
        if data == self._sampler.setting:
            begun_us = (
                self._begun_us + (self._paused_us - self._begun_us) // self._result_us * self._result_us
            )
            self.unmeasured.append((begun_us, self.now_us))
            self._begun_us = self.now_us
        else:
            self._paused_us = self.now_us
        self._chip.writeto_mem(address, register, data)

    def _moved(self, bus_us: float) -> None:
        self.now_us += bus_us
        if self.silent:
            raise OSError(5)


def _current_ma(load: Load, begin_us: float, cell_mohm: float) -> Callable[[float, float], float]:
    """The cell's current for the load's power: exact, as `Load` is piecewise constant."""

    def mean(start_us: float, end_us: float) -> float:
        power_mw = load.mean_between_mw((start_us - begin_us) / 1e6, (end_us - begin_us) / 1e6)
        if not cell_mohm:
            return -power_mw * 1000 / CELL_MV
        root = (CELL_MV**2 - 4 * power_mw * cell_mohm) ** 0.5
        return -(CELL_MV - root) / (2 * cell_mohm) * 1000

    return mean


def traced(
    load: Load,
    *,
    period_ms: int = 4,
    phase: float = 0.0,
    pace: float = 1.0,
    cell_mohm: float = 0.0,
    known_mohm: int = 0,
    unmeasured: list[tuple[float, float]] | None = None,
) -> MeterRecording:
    """The load as recorded by the PMU's meter. phase: fraction of a second by which the trace starts earlier
    than necessary; unmeasured: gets the intervals in which the current was not measured, in seconds.
    """
    begin_us = -(phase + 0.4 + 12 * period_ms / 1000) * 1e6
    chip = TracedChip(
        load, period_ms, begin_us, pace=pace, cell_mohm=cell_mohm, known_mohm=known_mohm
    )  # fmt: skip
    samples: list[tuple[int | None, int | None, int | None]] = []
    time_us = begin_us
    while time_us < (load.duration_s + 0.1 + 12 * period_ms / 1000) * 1e6:
        chip.step(time_us, lambda *sample: samples.append(sample))
        time_us += chip.poll_ms * 1000
    kept = np.array([each for each in samples if each[0] is not None], np.float64)
    begun_us = (kept[:, 0] + 2**29) % 2**30 - 2**29
    if unmeasured is not None:
        unmeasured += [(begin / 1e6, end / 1e6) for begin, end in chip.unmeasured]
    return MeterRecording(
        "pmu", "measured", 1 / result_s(period_ms), begun_us / 1e6 + result_s(period_ms) / 2,
        -kept[:, 2] * kept[:, 1] / 1000, kept[:, 1], True, None,
        len(samples), len(samples) - len(kept), 0.0,
    )  # fmt: skip
