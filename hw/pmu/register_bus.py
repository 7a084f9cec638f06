"""Registers of the PMU over I2C, with smbus2's calls: checksums verified, values of one update, limited
retries.

Every word's checksum (PEC) is verified here, because the kernel does not verify it for block reads. The
sequence counter shows an update during the read; the read is then repeated.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from firmware.pmu import registers as r
from hw.device import DeviceError
from hw.i2c_faults import FAULTS, REFUSED
from hw.supply import ReadingState

ATTEMPTS = 4
"""Attempts per read; at 100 kHz one attempt takes about 8 ms on the bus."""
RETRY_LIMIT_S = 0.25
"""No third attempt starts after this time: a held bus blocks each one for the adapter's time-out of 0.2 s. A
second one always does: on a busy processor the first may have taken as long for another reason.
"""
PAUSES_S = (0.002, 0.01, 0.05)
"""Before the second, third, and every further attempt: a PMU that sleeps between samples or writes its flash
answers shortly after.
"""
_BLOCK_REGISTERS = 8  # 32 bytes, the longest I2C block the kernel's SMBus layer carries


class I2cBus(Protocol):
    """The two calls of `smbus2.SMBus` that the register map needs. Both raise `OSError`."""

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int, /) -> list[int]:
        """`length` bytes (1..32) from the target's memory, beginning at `register`."""

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int], /) -> None:
        """Write the bytes to the target's memory, beginning at `register`."""


class GaugeError(DeviceError):
    """The gauge could not be read or written; the text is one sentence."""

    def __init__(self, state: ReadingState, sentence: str) -> None:
        super().__init__(sentence)
        self.state: ReadingState = state


class TransientError(GaugeError):
    """A fault that a retry may cure."""


class TimedOut(TransientError):
    """The clock line is held: each attempt blocks for the adapter's time-out of 0.2 s."""


class TornRead(TransientError):
    """The words are not all of the same update, because the read took longer than the PMU's update interval.
    Each word is valid, and at most as old as the read took.
    """

    def __init__(self, words: dict[int, int]) -> None:
        super().__init__(
            "implausible", "The battery gauge changes its registers faster than they can be read."
        )
        self.words = words


class PmuRegisters:
    """The PMU's registers. Methods may be called from several threads."""

    def __init__(
        self, bus: I2cBus, attempts: int = ATTEMPTS, pause: Callable[[float], None] = time.sleep
    ) -> None:
        """`pause` waits seconds in the caller's thread."""
        self._bus = bus
        self._attempts = attempts
        self._pause = pause
        self._lock = threading.RLock()

    def words(self, codes: Iterable[int]) -> dict[int, int]:
        """Code -> word 0..65535, all of the same update; SEQUENCE and MAP are included.

        Raises `GaugeError`; `TornRead` when reading takes longer than the PMU's update interval.
        """
        wanted = sorted({*codes} - {r.SEQUENCE, r.MAP})
        with self._lock:
            began_s = time.monotonic()
            for attempt in range(1, self._attempts + 1):
                try:
                    return self._look(wanted)
                except TransientError as problem:
                    if attempt == self._attempts or self._late(attempt, began_s):
                        if isinstance(problem, TornRead):
                            raise
                        raise GaugeError(problem.state, str(problem)) from None
                    self._before(attempt + 1)
        raise AssertionError("attempts must be at least 1")

    def words_or_torn(self, codes: Iterable[int]) -> dict[int, int]:
        """As `words`; when no attempt gives words of one update, the words of the last attempt. Raises
        `GaugeError`.
        """
        try:
            return self.words(codes)
        except TornRead as torn:
            return torn.words

    def word(self, code: int) -> int:
        """One word, 0..65535. Raises `GaugeError`."""
        return self.words_or_torn((code,))[code]

    def write(self, code: int, value: int, *, request: bool = False) -> None:
        """Write a register and read it back. A `request` may read 0 because the PMU has already taken it; it
        is then written again, because a lost write reads 0 too.

        Raises `GaugeError`, also when the PMU refused the value.
        """
        offset, low, high = code * r.CELL_BYTES, value & 0xFF, value >> 8 & 0xFF
        data = [low, high, r.write_pec(offset, low, high)]
        problem: GaugeError | None = None
        now = 0
        with self._lock:
            began_s = time.monotonic()
            for attempt in range(1, self._attempts + 1):
                try:
                    self._bus.write_i2c_block_data(r.ADDRESS, offset, data)
                except OSError as error:
                    problem = bus_failure(error)
                    if not isinstance(problem, TransientError) or self._late(attempt, began_s):
                        raise GaugeError(problem.state, str(problem)) from None
                    self._before(attempt + 1)
                    continue
                problem = None
                now = self.word(code)
                if now == value & 0xFFFF:
                    return
        if problem is not None:
            raise GaugeError(problem.state, str(problem))
        if now != 0 or not request:
            raise GaugeError("implausible", f"The PMU did not take {value} for register 0x{code:02x}.")

    def _late(self, attempt: int, began_s: float) -> bool:
        return attempt > 1 and time.monotonic() - began_s > RETRY_LIMIT_S

    def _before(self, attempt: int) -> None:
        if attempt <= self._attempts:
            self._pause(PAUSES_S[min(attempt - 2, len(PAUSES_S) - 1)])

    def _look(self, codes: list[int]) -> dict[int, int]:
        words = self._block(r.MAP, r.SEQUENCE - r.MAP + 1)
        _check_map(words[r.MAP])
        for code in codes:
            if code not in words:
                last = max(c for c in codes if code <= c < code + _BLOCK_REGISTERS)
                words.update(self._block(code, last - code + 1))
        after = self._block(r.SEQUENCE, 1)[r.SEQUENCE]
        if words[r.SEQUENCE] != after or after % 2:
            raise TornRead(words)
        return words

    def _block(self, code: int, count: int) -> dict[int, int]:
        offset = code * r.CELL_BYTES
        try:
            data = self._bus.read_i2c_block_data(r.ADDRESS, offset, count * r.CELL_BYTES)
        except OSError as error:
            raise bus_failure(error) from None
        if len(data) != count * r.CELL_BYTES:
            raise TransientError("implausible", "The battery gauge answers with too few bytes.")
        if all(byte == 0xFF for byte in data):
            raise TransientError(
                "absent", "The bus reads only ones: the battery gauge is unpowered or not connected."
            )
        if code == r.MAP and not any(data):
            raise TransientError("absent", "The bus reads only zeros: its data line is held low.")
        words = {}
        for index in range(count):
            low, high, check, _ = data[index * r.CELL_BYTES : (index + 1) * r.CELL_BYTES]
            if r.read_pec(offset + index * r.CELL_BYTES, low, high) != check:
                raise TransientError("implausible", "The battery gauge answers with wrong checksums.")
            words[code + index] = low | high << 8
        return words


def _check_map(word: int) -> None:
    if word & 0xFF00 != r.MAP_MAGIC:
        raise GaugeError(
            "implausible", "Something answers at the battery gauge's address that is not our PMU."
        )
    version = word & 0xFF
    if version < r.MAP_VERSION:
        side = "flash the PMU with this release's firmware"
    elif version > r.MAP_VERSION:
        side = "update the application on the host"
    else:
        return
    sentence = f"The PMU has register map {version} and this program knows {r.MAP_VERSION}: {side}."
    raise GaugeError("implausible", sentence)


def bus_failure(error: OSError, who: str = "The battery gauge") -> GaugeError:
    """The `GaugeError` for an error of the bus, by `FAULTS`; `TransientError` when a retry may succeed."""
    fault = FAULTS.get(error.errno or 0, REFUSED)
    text = fault.says.format(who=who, inside=_inside(who), reason=error.strerror or error)
    kind = TransientError if fault.retry else GaugeError
    if error.errno == errno.ETIMEDOUT:
        kind = TimedOut
    return kind("absent", text)


def _inside(who: str) -> str:
    return who[:1].lower() + who[1:] if who.startswith("The ") else who
