"""Voltage and current many times a second for a test rig: samples wait in a ring until the console takes
them.

Every sample has a number that counts on when one is lost, so whoever reads them knows how many are missing,
be it here or on the way.

The INA226 measures on command: each call of the timer takes the measurement that the one before it began,
and begins another. So a sample's place in time is known and no measurement is taken twice or left out, as
would happen if the chip had a rhythm of its own. It fills the period but for what a late timer and a slow
chip may need.
"""

import struct

LAYOUT = (
    "<HIHh"  # number modulo 65536, begin in microseconds modulo 2**30, millivolt, milliampere (+ = charging)
)
SAMPLE_BYTES = 10
CAPACITY = 256  # a second of the fastest trace
FRAME_SAMPLES = 20  # carried by one line of the console
MIN_PERIOD_MS = 3
DEFAULT_PERIOD_MS = 4
MAX_SECONDS = 3_600

# INA226 data sheet, configuration register: 0x4000 | AVG << 9 | VBUSCT << 6 | VSHCT << 3 | MODE
AVERAGES = (1, 4, 16, 64, 128, 256, 512, 1024)
CONVERSION_US = (140, 204, 332, 588, 1_100, 2_116, 4_156, 8_244)  # typical; up to a tenth longer
_FIXED = 0x4000
_ON_COMMAND = 3  # mode: shunt and bus once, begun by writing the register
_LATE_US = 400  # the timer, and what is said to the chip before the next measurement begins
_MASK_ENABLE, _READY = 0x06, 0x08
_TRIES = 4  # a look at the chip takes 0.15 ms


def setting(period_ms: int) -> tuple[int, int, int]:
    """Word for the INA226's configuration register, and the microseconds for which one measurement looks at
    the current and takes in all. Of what fits into the period: the longest look at the current, then the
    longest measurement.
    """
    limit_us = (period_ms * 1_000 - _LATE_US) * 10 // 11
    best = (0, 0, 0)
    for average, times in enumerate(AVERAGES):
        for shunt, shunt_us in enumerate(CONVERSION_US):
            for bus, bus_us in enumerate(CONVERSION_US):
                seen_us, all_us = times * shunt_us, times * (shunt_us + bus_us)
                if all_us <= limit_us and (seen_us, all_us) > best[1:]:
                    word = _FIXED | average << 9 | bus << 6 | shunt << 3 | _ON_COMMAND
                    best = (word, seen_us, all_us)
    return best


class Measurements:
    """The INA226, one measurement after the other. `begun` is told when the first one was begun by writing
    `setting` to the chip.
    """

    def __init__(self, address: int, period_ms: int):
        self.setting = setting(period_ms)[0].to_bytes(2, "big")
        self._address = address
        self._begun_us = 0

    def begun(self, now_us) -> None:
        self._begun_us = now_us

    def renew(self, bus, now_us) -> int | None:
        """Begin the next measurement, and return when the one was begun whose results can be read until the
        next one is over; None while that one is still under way. OSError when the chip does not answer.
        """
        for _ in range(_TRIES):
            if bus.readfrom_mem(self._address, _MASK_ENABLE, 2)[1] & _READY:
                break
        else:
            return None
        bus.writeto_mem(self._address, 0x00, self.setting)
        begun_us, self._begun_us = self._begun_us, now_us
        return begun_us


class PowerTrace:
    """The ring. `sample` may interrupt `take` between any two bytecodes, as a soft timer does."""

    def __init__(self):
        self._ring = bytearray(SAMPLE_BYTES * CAPACITY)
        self._written = 0  # samples put in so far; only `sample` moves it
        self._taken = 0  # samples taken out so far; only `take` moves it
        self.samples = 0  # numbers given out so far

    @property
    def waiting(self) -> int:
        """Samples to take."""
        return self._written - self._taken

    def sample(self, time_us: int | None, voltage_mv: int | None, current_ma: int | None) -> None:
        """Keep one sample, or only its number when the ring is full or the sensor had none (None)."""
        number = self.samples & 0xFFFF
        self.samples += 1
        if self.waiting >= CAPACITY or time_us is None or voltage_mv is None or current_ma is None:
            return
        place = self._written % CAPACITY * SAMPLE_BYTES
        voltage_mv = max(0, min(voltage_mv, 0xFFFF))
        current_ma = max(-0x8000, min(current_ma, 0x7FFF))
        struct.pack_into(LAYOUT, self._ring, place, number, time_us & 0x3FFFFFFF, voltage_mv, current_ma)
        self._written += 1

    def take(self) -> bytes:
        """Up to `FRAME_SAMPLES` samples in `LAYOUT`, oldest first."""
        count = min(self.waiting, FRAME_SAMPLES)
        data = b""
        for index in range(self._taken, self._taken + count):
            start = index % CAPACITY * SAMPLE_BYTES
            data += bytes(self._ring[start : start + SAMPLE_BYTES])
        self._taken += count
        return data
