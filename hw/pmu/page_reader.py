"""Reads pages of recorded sound over I2C: requests pages by number, checks them, retries a limited number of
times.

Two pages at once, 58 samples (3.66 ms), cost a write of 6 bytes and a read of 35, nine clocks a byte, so
0.94 ms at 400 kHz and 3.74 ms at 100 kHz. Firmware from before `registers.PAGE_PAIR` gives one page for that:
its answer to the first request shows it, and the other pages are then requested one by one.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from firmware.pmu import registers as r
from firmware.pmu.sound_adpcm import PAGE_BYTES
from hw.pmu.register_bus import GaugeError, I2cBus, TimedOut, TransientError, bus_failure

WRITES, READS = 4, 3
"""Requests per window, and reads per request, at most; the PMU needs about 0.1 ms."""
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
        """Transfers beyond the two that a window needs."""
        self.wire_s = 0.0
        """How long they took."""
        self._pairs: bool | None = None  # does the PMU show two pages at once? None until an answer shows it

    @property
    def bus_hz(self) -> float | None:
        """Clocks per second over all transfers so far; None before the first."""
        return self.clocks / self.wire_s if self.wire_s else None

    def pages(self, number: int) -> tuple[bytes, ...] | None:
        """16 bytes of that page, and of the next one where `number` is even and the PMU gives both; None when
        it does not have the page or every read was corrupted. Raises `GaugeError` when the bus does not work.
        """
        began_s = self._monotonic()
        try:
            return self._asked(number)
        finally:
            self.wire_s += self._monotonic() - began_s

    def _asked(self, number: int) -> tuple[bytes, ...] | None:
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
        pair = [r.PAGE_PAIR] if self._in_pairs(number) else []
        self._count(5 + len(pair), starts=1)
        self._bus.write_i2c_block_data(r.ADDRESS, _PAGE, [low, high, r.write_pec(_PAGE, low, high), *pair])

    def _in_pairs(self, number: int) -> bool:
        return self._pairs is not False and number % 2 == 0

    def _look(self, number: int) -> tuple[bytes, ...] | None:
        self._count(3 + _WINDOW_BYTES, starts=2)
        data = self._bus.read_i2c_block_data(r.ADDRESS, _WINDOW, _WINDOW_BYTES)
        if len(data) != _WINDOW_BYTES or data[0] != number & 0xFF:
            return None
        if not self._in_pairs(number):
            page = _one(data)
            return None if page is None else (page,)
        if self._pairs is None and (page := _one(data)):  # eight checksums are right: this is no pair
            self._pairs = False
            return (page,)
        pair = _two(number, data)
        if pair is not None:
            self._pairs = True
        return pair

    def _count(self, wire_bytes: int, starts: int) -> None:
        self.transfers += 1
        self.clocks += 9 * wire_bytes + starts + 1


def _one(data: list[int]) -> bytes | None:
    """A page as eight registers, each with its checksum."""
    page = bytearray()
    for at in range(0, _WINDOW_BYTES, r.CELL_BYTES):
        low, high, check, _ = data[at : at + r.CELL_BYTES]
        if r.read_pec(_WINDOW + at, low, high) != check:
            return None
        page += bytes((low, high))
    return bytes(page)


def _two(number: int, data: list[int]) -> tuple[bytes, bytes] | None:
    """A page and the next one, whose number is not sent, with one checksum (`sound_loops.pack`)."""
    first, *shown, check = data
    if r.pec((r.ADDRESS << 1, _PAGE, r.ADDRESS << 1 | 1, number & 0xFF, number >> 8, *shown)) != check:
        return None
    one, two = shown[: PAGE_BYTES - 1], shown[PAGE_BYTES - 1 :]
    return bytes((first, *one)), bytes(((number + 1) & 0xFF, *two))
