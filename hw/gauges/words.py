"""16-bit registers of a gauge chip over smbus2's calls, with a limited number of retries."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from hw.pmu.register_bus import ATTEMPTS, RETRY_LIMIT_S, GaugeError, TransientError, bus_failure

_Result = TypeVar("_Result")


class WordBus(Protocol):
    """The calls of `smbus2.SMBus` that gauge chips need. All raise `OSError`."""

    def read_word_data(self, i2c_addr: int, register: int, /) -> int:
        """The word at `register`, least significant byte first."""

    def write_word_data(self, i2c_addr: int, register: int, value: int, /) -> None:
        """Write the word, least significant byte first."""

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int, /) -> list[int]:
        """`length` bytes (1..32) beginning at `register`."""

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int], /) -> None:
        """Write the bytes beginning at `register`."""


class ChipRegisters:
    """Registers of the chip at one address; `big_endian` for those that send the high byte first."""

    def __init__(self, bus: WordBus, address: int, who: str, *, big_endian: bool) -> None:
        """`who` is the subject of error sentences: "The MAX17048"."""
        self._bus = bus
        self._address = address
        self._who = who
        self._big_endian = big_endian

    def read(self, register: int) -> int:
        """The word, 0..65535. Raises `GaugeError`."""
        word = self._retried(lambda: self._bus.read_word_data(self._address, register))
        return self._order(word)

    def write(self, register: int, value: int) -> None:
        """Raises `GaugeError`."""
        self._retried(lambda: self._bus.write_word_data(self._address, register, self._order(value)))

    def read_bytes(self, register: int, count: int) -> list[int]:
        """1..32 bytes. Raises `GaugeError`."""
        return self._retried(lambda: self._bus.read_i2c_block_data(self._address, register, count))

    def write_bytes(self, register: int, data: list[int]) -> None:
        """1..32 bytes. Raises `GaugeError`."""
        self._retried(lambda: self._bus.write_i2c_block_data(self._address, register, data))

    def _order(self, word: int) -> int:
        return (word & 0xFF) << 8 | word >> 8 if self._big_endian else word

    def _retried(self, transfer: Callable[[], _Result]) -> _Result:
        began_s = time.monotonic()
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return transfer()
            except OSError as error:
                problem = bus_failure(error, self._who)
                late = attempt == ATTEMPTS or time.monotonic() - began_s > RETRY_LIMIT_S
                if late or not isinstance(problem, TransientError):
                    raise GaugeError(problem.state, str(problem)) from None
        raise AssertionError("attempts must be at least 1")
