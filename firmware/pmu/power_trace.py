"""Voltage and current many times a second for a test rig: samples wait in a ring until the console takes
them.

Every sample has a number that counts on when one is lost, so whoever reads them knows how many are missing,
be it here or on the way.
"""

import struct

LAYOUT = "<HIHh"  # number modulo 65536, microseconds modulo 2**30, millivolt, milliampere (+ = charging)
SAMPLE_BYTES = 10
CAPACITY = 256  # a second of the fastest trace
FRAME_SAMPLES = 20  # carried by one line of the console
MIN_PERIOD_MS = 3  # the INA226 needs 2.2 ms for one pair of conversions
DEFAULT_PERIOD_MS = 4
MAX_SECONDS = 3_600


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

    def sample(self, time_us: int, voltage_mv: int | None, current_ma: int | None) -> None:
        """Keep one sample, or only its number when the ring is full or the sensor did not answer (None)."""
        number = self.samples & 0xFFFF
        self.samples += 1
        if self.waiting >= CAPACITY or voltage_mv is None or current_ma is None:
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
