"""The I2C bus to the PMU, and its recovery."""

from __future__ import annotations

import contextlib
import errno
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from hw.device import DeviceError, Output
from hw.i2c_faults import FAULTS

if TYPE_CHECKING:
    import smbus2

AGAIN_S = 1.0
"""Least time between two recoveries."""
HELD_S = 60.0
"""How long a line of the bus is held, through every recovery, until the PMU is reset."""
SILENT_S = 660.0
"""How long the PMU does not acknowledge until it is reset: longer than a firmware takes to flash, and than
the PMU stays at its prompt.
"""
RESETS, RESETS_WITHIN_S = 3, 3600.0
"""At most so many resets of the PMU in that time."""
_PULSE_S = 0.01
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class BusLines:
    """Lines that help where a transfer does not; None where they are not wired. One that fails is no help."""

    clock: Output | None = None
    """Active pulls the clock of the bus low."""
    reset: Output | None = None
    """Active resets the PMU."""


class RecoveringBus:
    """The calls of `smbus2.SMBus` that this project uses; a fault that calls for it (`FAULTS`) recovers the
    bus, and is raised: the caller repeats. May be used from several threads.

    A recovery gives nine clocks where their line is wired, which lets a chip finish the byte for which it
    holds the data line, and opens the device anew, which an adapter needs that was gone for a suspend. When
    faults go on, the PMU is reset where that is wired; its rail keeps its state then.
    """

    def __init__(
        self,
        open_device: Callable[[], smbus2.SMBus],
        lines: BusLines = BusLines(),
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`open_device` raises `DeviceError`, here too."""
        self._open_device = open_device
        self._lines = lines
        self._monotonic, self._sleep = monotonic, sleep
        self._lock = threading.RLock()
        self._device: smbus2.SMBus | None = open_device()
        self._failing_since_s: float | None = None
        self._recovered_s = -AGAIN_S
        self._resets_s: list[float] = []

    @property
    def pec(self) -> int:
        """As of `smbus2.SMBus`."""
        return self._do(lambda device: int(device.pec))

    @pec.setter
    def pec(self, value: int) -> None:
        self._do(lambda device: setattr(device, "pec", value))

    def read_i2c_block_data(self, address: int, register: int, length: int) -> list[int]:
        """As of `smbus2.SMBus`, as are the others."""
        return self._do(lambda device: list(device.read_i2c_block_data(address, register, length)))

    def write_i2c_block_data(self, address: int, register: int, data: Sequence[int]) -> None:
        self._do(lambda device: device.write_i2c_block_data(address, register, list(data)))

    def read_word_data(self, address: int, register: int) -> int:
        return self._do(lambda device: int(device.read_word_data(address, register)))

    def write_word_data(self, address: int, register: int, value: int) -> None:
        self._do(lambda device: device.write_word_data(address, register, value))

    def close(self) -> None:
        """Close the device. Harmless when repeated."""
        with self._lock:
            if self._device is not None:
                self._device.close()
                self._device = None

    def _do(self, transfer: Callable[[smbus2.SMBus], _Result]) -> _Result:
        with self._lock:
            try:
                if self._device is None:
                    raise OSError(errno.EBADF, "the bus could not be opened again")
                result = transfer(self._device)
            except OSError as error:
                self._failed(error.errno or 0)
                raise
            self._failing_since_s = None
            return result

    def _failed(self, number: int) -> None:
        now_s = self._monotonic()
        fault = FAULTS.get(number)
        if fault is None or not fault.retry:
            return
        if self._failing_since_s is None:
            self._failing_since_s = now_s
        failing_s = now_s - self._failing_since_s
        if fault.recover and now_s - self._recovered_s >= AGAIN_S:
            self._recovered_s = now_s
            self._nine_clocks()
            self._reopen()
        if failing_s >= (HELD_S if fault.recover else SILENT_S):
            self._failing_since_s = now_s
            self._reset(now_s)

    def _nine_clocks(self) -> None:
        if self._lines.clock is not None:
            with contextlib.suppress(DeviceError):
                for active in (True, False) * 9:
                    self._lines.clock.set(active)

    def _reopen(self) -> None:
        self.close()
        try:
            self._device = self._open_device()
        except DeviceError:
            return  # the next fault tries again

    def _reset(self, now_s: float) -> None:
        self._resets_s = [at_s for at_s in self._resets_s if now_s - at_s < RESETS_WITHIN_S]
        if self._lines.reset is None or len(self._resets_s) >= RESETS:
            return
        self._resets_s.append(now_s)
        with contextlib.suppress(DeviceError):
            self._lines.reset.set(True)
            self._sleep(_PULSE_S)
            self._lines.reset.set(False)


def open_bus(number: int) -> smbus2.SMBus:
    """Opens `/dev/i2c-<number>` with smbus2. Raises `DeviceError`."""
    try:
        import smbus2
    except ImportError as error:
        raise DeviceError(f"I2C cannot be used: the Python package smbus2 does not load ({error}).") from None

    try:
        return smbus2.SMBus(number)
    except FileNotFoundError:
        raise DeviceError(f"There is no I2C bus {number}: /dev/i2c-{number} does not exist.") from None
    except OSError as error:
        hint = ""
        if error.errno == errno.EACCES:
            hint = " (is this user in the group i2c? A headband's gets a new bus at the next deploy)"
        raise DeviceError(f"I2C bus {number} cannot be opened: {error.strerror}{hint}.") from None
