"""The host's side of the register map: the battery gauge on the PMU, read over I2C with smbus2's calls.

Every word's checksum (PEC) is verified here, because the kernel does not verify it for block reads; an update
that was under way is seen by the sequence counter and the look is repeated. Whatever goes wrong becomes the
state of the reading, with one sentence, so that the rest of the program carries on.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from firmware.pmu import registers as r
from hw.device import BatteryReading, ReadingState

ATTEMPTS = 4
"""Looks tried before a reading is given up; at 100 kHz one look takes about 8 ms on the wire."""
STALE_AFTER_S = 5.0
"""The PMU publishes four times a second; a counter that stands still for longer means it no longer
measures.
"""
_BLOCK_REGISTERS = 8  # 32 bytes, the longest I2C block the kernel's SMBus layer carries
_READ_CODES = (*range(r.TEMPERATURE, r.RELATIVE_STATE_OF_CHARGE + 1), r.BATTERY_STATUS)
_PERCENT = range(0, 101)
_VOLTAGE_MV = range(2000, 5001)
_CURRENT_MA = range(-10_000, 10_001)
_TEMPERATURE_DK = range(r.ZERO_CELSIUS_DK - 400, r.ZERO_CELSIUS_DK + 1001)


class I2cBus(Protocol):
    """The two calls of `smbus2.SMBus` that the register map needs. Both raise `OSError`."""

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int, /) -> list[int]:
        """`length` bytes (1..32) from the target's memory, beginning at `register`."""

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int], /) -> None:
        """Write the bytes to the target's memory, beginning at `register`."""


class GaugeError(Exception):
    """The gauge could not be read or written; the text is one sentence."""

    def __init__(self, state: ReadingState, sentence: str) -> None:
        super().__init__(sentence)
        self.state: ReadingState = state


class _Retry(GaugeError):
    """Wrong this time; another look may be right."""


class PmuGauge:
    """Battery gauge over I2C. `read` is the `hw.device.Gauge`; `words` and `write` reach the other
    registers.
    """

    def __init__(
        self,
        bus: I2cBus,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        attempts: int = ATTEMPTS,
        stale_after_s: float = STALE_AFTER_S,
    ) -> None:
        self._bus = bus
        self._monotonic = monotonic
        self._attempts = attempts
        self._stale_after_s = stale_after_s
        self._sequence: int | None = None
        self._moved_at_s = monotonic()

    def read(self) -> BatteryReading:
        """One reading; every fault of gauge or bus is in its state."""
        try:
            words = self.words(_READ_CODES)
        except GaugeError as problem:
            return BatteryReading(None, None, None, None, False, problem.state, str(problem))
        reading = _reading(words)
        still_s = self._still_s(words[r.SEQUENCE])
        if reading.state == "good" and still_s > self._stale_after_s:
            sentence = f"The battery gauge answers but has measured nothing for {still_s:.0f} seconds."
            return replace(reading, state="stale", problem=sentence)
        return reading

    def words(self, codes: Iterable[int]) -> dict[int, int]:
        """One consistent look: code -> word 0..65535, all of the same update; SEQUENCE and MAP come along.

        Raises `GaugeError`.
        """
        wanted = sorted({*codes} - {r.SEQUENCE, r.MAP})
        for attempt in range(1, self._attempts + 1):
            try:
                return self._look(wanted)
            except _Retry as problem:
                if attempt == self._attempts:
                    raise GaugeError(problem.state, str(problem)) from None
        raise AssertionError("attempts must be at least 1")

    def write(self, code: int, value: int) -> None:
        """Write a writable register and read it back. Raises `GaugeError`, also when the PMU refused the
        value.
        """
        offset, low, high = code * r.CELL_BYTES, value & 0xFF, value >> 8 & 0xFF
        for _ in range(self._attempts):
            try:
                self._bus.write_i2c_block_data(r.ADDRESS, offset, [low, high, r.write_pec(offset, low, high)])
            except OSError as error:
                failure = _bus_failure(error)
                if not isinstance(failure, _Retry):
                    raise failure from None
                continue
            if self.words((code,))[code] == value & 0xFFFF:
                return
        raise GaugeError("implausible", f"The battery gauge did not take {value} for register 0x{code:02x}.")

    def _look(self, codes: list[int]) -> dict[int, int]:
        words = self._block(r.MAP, r.SEQUENCE - r.MAP + 1)
        _check_map(words[r.MAP])
        for code in codes:
            if code not in words:
                last = max(c for c in codes if code <= c < code + _BLOCK_REGISTERS)
                words.update(self._block(code, last - code + 1))
        after = self._block(r.SEQUENCE, 1)[r.SEQUENCE]
        if words[r.SEQUENCE] != after or after % 2:
            raise _Retry(
                "implausible", "The battery gauge changes its registers faster than they can be read."
            )
        return words

    def _block(self, code: int, count: int) -> dict[int, int]:
        offset = code * r.CELL_BYTES
        try:
            data = self._bus.read_i2c_block_data(r.ADDRESS, offset, count * r.CELL_BYTES)
        except OSError as error:
            raise _bus_failure(error) from None
        if len(data) != count * r.CELL_BYTES:
            raise _Retry("implausible", "The battery gauge answers with too few bytes.")
        if all(byte == 0xFF for byte in data):
            raise _Retry(
                "absent", "The bus reads only ones: the battery gauge is unpowered or not connected."
            )
        words = {}
        for index in range(count):
            low, high, check, _ = data[index * r.CELL_BYTES : (index + 1) * r.CELL_BYTES]
            if r.read_pec(offset + index * r.CELL_BYTES, low, high) != check:
                raise _Retry("implausible", "The battery gauge answers with wrong checksums.")
            words[code + index] = low | high << 8
        return words

    def _still_s(self, sequence: int) -> float:
        now_s = self._monotonic()
        if sequence != self._sequence:
            self._sequence, self._moved_at_s = sequence, now_s
        return now_s - self._moved_at_s


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


def _bus_failure(error: OSError) -> GaugeError:
    if error.errno in (errno.ENXIO, errno.EREMOTEIO):
        return _Retry("absent", "The battery gauge does not answer on the bus.")
    if error.errno == errno.ETIMEDOUT:
        # Not repeated: each attempt on a held bus blocks for the adapter's full time-out of 0.2 s.
        return GaugeError("absent", "The battery gauge's bus is held low and transfers time out.")
    if error.errno == errno.EBUSY:
        return GaugeError("absent", "A kernel driver owns the battery gauge's address on the bus.")
    if error.errno in (errno.EAGAIN, errno.EBADMSG, errno.EIO, errno.EPROTO):
        return _Retry("absent", "Transfers with the battery gauge fail on the bus.")
    return GaugeError("absent", f"The battery gauge's bus cannot be used: {error.strerror or error}.")


def _reading(words: dict[int, int]) -> BatteryReading:
    status = words[r.BATTERY_STATUS]
    percent, voltage_mv = words[r.RELATIVE_STATE_OF_CHARGE], words[r.VOLTAGE]
    current_ma, temperature_dk = r.signed(words[r.CURRENT]), words[r.TEMPERATURE]
    state: ReadingState = "good"
    problem = None
    if not status & r.STATUS_INITIALIZED:
        state, problem = "stale", "The battery gauge has not measured anything yet."
    elif percent not in _PERCENT:
        state, problem = "implausible", f"The battery gauge claims a charge of {percent} percent."
    elif voltage_mv not in _VOLTAGE_MV:
        state, problem = "implausible", f"The battery gauge claims {voltage_mv} mV."
    elif current_ma not in _CURRENT_MA:
        state, problem = "implausible", f"The battery gauge claims {current_ma} mA."
    elif temperature_dk not in _TEMPERATURE_DK:
        degrees_c = (temperature_dk - r.ZERO_CELSIUS_DK) / 10
        state, problem = "implausible", f"The battery gauge claims {degrees_c:.0f} degrees Celsius."
    return BatteryReading(
        percent=percent,
        voltage_mv=voltage_mv,
        current_ma=current_ma,
        temperature_c=(temperature_dk - r.ZERO_CELSIUS_DK) / 10,
        charging=not status & r.STATUS_DISCHARGING,
        state=state,
        problem=problem,
        alarms=r.alarm_names(status),
    )
