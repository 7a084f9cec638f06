"""An I2C adapter on USB in front of an emulated bus, for Linux's driver `i2c-tiny-usb` (protocol:
drivers/i2c/busses/i2c-tiny-usb.c). With it the virtual board's kernel, i2c-dev and smbus2 talk to the PMU's
firmware as on a headband; only the electrical level and the timing are not simulated.
"""

from __future__ import annotations

import struct
from typing import Protocol

from tests.virtual.usbredir import Setup

_FUNCTIONS, _DELAY, _STATUS, _TRANSFER = 1, 2, 3, 4
_BEGIN, _END = 1, 2
_ACKNOWLEDGED, _NOT_ACKNOWLEDGED = 1, 2
_I2C = 0x0000_0001
_SMBUS_EMULATED = 0x0EFF_0008
"""SMBus functions that the kernel emulates by plain transfers (linux/i2c.h, I2C_FUNC_SMBUS_EMUL)."""


class Wires(Protocol):
    """The methods of `hw.emulated.bus.EmulatedBus` that carry out a transfer. All raise `OSError`."""

    def read_byte(self, i2c_addr: int, /) -> int: ...
    def write_byte(self, i2c_addr: int, value: int, /) -> None: ...
    def write_quick(self, i2c_addr: int, /) -> None: ...
    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int, /) -> list[int]: ...
    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int], /) -> None: ...


class I2cAdapter:
    """A `tests.virtual.usbredir.Device`. Every failed transfer is reported as not acknowledged; the adapter
    has no other error.
    """

    vendor_id, product_id = 0x1C40, 0x0534
    name = "i2c-tiny-usb"

    def __init__(self, wires: Wires) -> None:
        self._wires = wires
        self._memory_address: int | None = None
        """Bytes of the first part of a transfer, until its second part arrives."""
        self._failed = False

    def read(self, setup: Setup) -> bytes | None:
        """As `Device.read`."""
        if setup.request == _FUNCTIONS:
            return struct.pack("<I", _I2C | _SMBUS_EMULATED)
        if setup.request == _STATUS:
            return bytes((_NOT_ACKNOWLEDGED if self._failed else _ACKNOWLEDGED,))
        if setup.request & ~(_BEGIN | _END) != _TRANSFER:
            return None
        begins = setup.request & _BEGIN
        register, self._memory_address = (None if begins else self._memory_address), None
        try:
            data = self._read(setup.index, register, setup.length)
        except OSError:
            data = None
        self._failed = data is None
        return bytes(setup.length) if data is None else data

    def write(self, setup: Setup, data: bytes) -> bool:
        """As `Device.write`."""
        if setup.request == _DELAY:
            return True
        if setup.request & ~(_BEGIN | _END) != _TRANSFER:
            return False
        self._memory_address, self._failed = None, False
        if setup.request & _END:
            try:
                self._write(setup.index, data)
            except OSError:
                self._failed = True
        elif len(data) == 1:
            self._memory_address = data[0]
        else:
            self._failed = True
        return True

    def _read(self, address: int, register: int | None, length: int) -> bytes | None:
        if register is not None:
            return bytes(self._wires.read_i2c_block_data(address, register, length))
        return bytes((self._wires.read_byte(address),)) if length == 1 else None

    def _write(self, address: int, data: bytes) -> None:
        if not data:
            self._wires.write_quick(address)
        elif len(data) == 1:
            self._wires.write_byte(address, data[0])
        else:
            self._wires.write_i2c_block_data(address, data[0], list(data[1:]))
