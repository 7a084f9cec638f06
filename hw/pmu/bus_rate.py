"""The bit rate of the bus to the PMU, measured by the time of reads of known length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware.pmu import registers as r
from hw.pmu.register_bus import GaugeError, I2cBus, bus_failure

SLOW_HZ = 300_000
"""A bus that is slower was not set to 400 kHz, at which a sleeping headband answers without delay: I2C
controllers round their clock down by up to a fifth.
"""
_SHORT_BYTES, _LONG_BYTES = 4, 32
_REPEATS = 12
_PAIR_CLOCKS = 9 * 41 + 5
_PAIRS_PER_S = 16_000 * 4 / 234


@dataclass(frozen=True)
class BusRate:
    """A measured rate."""

    hz: float
    """Bits per second within a transfer."""
    overhead_s: float
    """What a transfer takes beside its bits, seconds."""

    @property
    def slow(self) -> bool:
        """Was the bus not set to 400 kHz?"""
        return self.hz < SLOW_HZ

    @property
    def second_of_sound_s(self) -> float:
        """How long a second of recorded sound takes over this bus, seconds (`hw.pmu.page_reader`)."""
        return _PAIRS_PER_S * (_PAIR_CLOCKS / self.hz + 2 * self.overhead_s)


def measure_bus_rate(bus: I2cBus, stopwatch: Callable[[], float]) -> BusRate:
    """Reads 4 and 32 bytes in turn; the shortest times count, because every interruption only adds.
    `stopwatch` returns seconds. Raises `GaugeError`.
    """
    short_s = long_s = float("inf")
    try:
        for _ in range(_REPEATS):
            short_s = min(short_s, _timed(bus, _SHORT_BYTES, stopwatch))
            long_s = min(long_s, _timed(bus, _LONG_BYTES, stopwatch))
    except OSError as error:
        raise bus_failure(error) from None
    if long_s <= short_s:
        raise GaugeError("implausible", "The rate of the PMU's bus cannot be measured on this computer.")
    hz = 9 * (_LONG_BYTES - _SHORT_BYTES) / (long_s - short_s)
    return BusRate(hz, max(0.0, short_s - (9 * (3 + _SHORT_BYTES) + 3) / hz))


def _timed(bus: I2cBus, length: int, stopwatch: Callable[[], float]) -> float:
    began_s = stopwatch()
    bus.read_i2c_block_data(r.ADDRESS, r.MAP * r.CELL_BYTES, length)
    return stopwatch() - began_s
