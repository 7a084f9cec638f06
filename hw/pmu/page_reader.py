"""Reads pages of recorded sound over I2C: requests a page by number, checks it, retries a limited number of
times.

Cost per page of 29 samples (1.83 ms): a write of 5 bytes and a read of 35, nine clocks a byte, so 0.91 ms at
400 kHz and 3.65 ms at 100 kHz, which is slower than speech.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from firmware.pmu import registers as r
from firmware.pmu.sound_adpcm import PAGE_BYTES
from hw.pmu.register_bus import GaugeError, I2cBus, TimedOut, TransientError, bus_failure

WRITES, READS = 4, 3
"""Requests per page, and reads per request, at most; the PMU needs about 0.1 ms."""
_WINDOW = r.PAGE_0 * r.CELL_BYTES
_WINDOW_BYTES = 8 * r.CELL_BYTES
_PAGE = r.PAGE * r.CELL_BYTES


class PageReader:
    """The window of pages behind `bus` (smbus2's calls)."""

    def __init__(self, bus: I2cBus, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._bus = bus
        self._monotonic = monotonic
        self.transfers = 0
        """Transfers tried so far."""
        self.clocks = 0
        """Bus clocks they took."""
        self.repeated = 0
        """Transfers beyond the two that a page needs."""
        self.wire_s = 0.0
        """How long they took."""

    @property
    def bus_hz(self) -> float | None:
        """Clocks per second over all transfers so far; None before the first."""
        return self.clocks / self.wire_s if self.wire_s else None

    def page(self, number: int) -> bytes | None:
        """The 16 bytes of the page; None when the PMU does not have it or every read was corrupted. Raises
        `GaugeError` when the bus does not work.
        """
        began_s = self._monotonic()
        try:
            return self._page(number)
        finally:
            self.wire_s += self._monotonic() - began_s

    def _page(self, number: int) -> bytes | None:
        before = self.transfers
        problem: GaugeError | None = None
        for _ in range(WRITES):
            try:
                self._ask(number)
                for _ in range(READS):
                    found = self._look(number)
                    if found is not None:
                        self.repeated += self.transfers - before - 2
                        return found
                problem = None
            except OSError as error:
                again, problem = isinstance(problem, TimedOut), bus_failure(error)
                if not isinstance(problem, TransientError) or again:
                    break
        self.repeated += self.transfers - before
        if problem is not None:
            raise GaugeError(problem.state, str(problem))
        return None

    def _ask(self, number: int) -> None:
        low, high = number & 0xFF, number >> 8
        self._count(5, starts=1)
        self._bus.write_i2c_block_data(r.ADDRESS, _PAGE, [low, high, r.write_pec(_PAGE, low, high)])

    def _look(self, number: int) -> bytes | None:
        self._count(3 + _WINDOW_BYTES, starts=2)
        data = self._bus.read_i2c_block_data(r.ADDRESS, _WINDOW, _WINDOW_BYTES)
        if len(data) != _WINDOW_BYTES or data[0] != number & 0xFF:
            return None
        page = bytearray()
        for at in range(0, _WINDOW_BYTES, r.CELL_BYTES):
            low, high, check, _ = data[at : at + r.CELL_BYTES]
            if r.read_pec(_WINDOW + at, low, high) != check:
                return None
            page += bytes((low, high))
        assert len(page) == PAGE_BYTES
        return bytes(page)

    def _count(self, wire_bytes: int, starts: int) -> None:
        self.transfers += 1
        self.clocks += 9 * wire_bytes + starts + 1
