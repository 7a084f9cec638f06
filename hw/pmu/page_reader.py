"""Reads pages of recorded sound over I2C: requests a page by number, checks it, retries a limited number of
times.

Cost per page of 29 samples (1.83 ms) at 400 kHz: a write of 5 bytes and a read of 35, nine clocks a byte,
0.91 ms on the bus. `wire_s` is computed from the actual transfers.
"""

from __future__ import annotations

from firmware.pmu import registers as r
from firmware.pmu.sound_adpcm import GROUP_PAGES, NUMBERS, PAGE_BYTES
from hw.pmu.register_bus import GaugeError, I2cBus, TimedOut, TransientError, bus_failure

WRITES, READS = 4, 3
"""Requests per page, and reads per request, at most; the PMU needs about 0.1 ms."""
_WINDOW = r.PAGE_0 * r.CELL_BYTES
_WINDOW_BYTES = 8 * r.CELL_BYTES
_PAGE = r.PAGE * r.CELL_BYTES


class PageReader:
    """The window of pages behind `bus` (smbus2's calls)."""

    def __init__(self, bus: I2cBus) -> None:
        self._bus = bus
        self.transfers = 0
        """Transfers tried so far."""
        self.clocks = 0
        """Bus clocks they took."""
        self.repeated = 0
        """Transfers beyond the two that a page needs."""

    def wire_s(self, bus_hz: int = 400_000, overhead_s: float = 60e-6) -> float:
        """Modelled duration of all transfers so far, seconds: bus clocks, and `overhead_s` of the kernel per
        transfer.
        """
        return self.clocks / bus_hz + self.transfers * overhead_s

    def page(self, number: int) -> bytes | None:
        """The 16 bytes of the page; None when the PMU does not have it or every read was corrupted. Raises
        `GaugeError` when the bus does not work.
        """
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

    def group(self, number: int) -> list[bytes] | None:
        """The eight pages of the group that starts at `number`; None when one is missing."""
        pages = []
        for page in range(number, number + GROUP_PAGES):
            found = self.page(page % NUMBERS)
            if found is None:
                return None
            pages.append(found)
        return pages

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
