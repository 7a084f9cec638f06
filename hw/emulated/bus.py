"""An emulated I2C bus: the calls of `smbus2.SMBus`, answered from a target's memory, with a bit rate and with
injected faults.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol

from firmware.pmu import registers as r


class Fault(Enum):
    """Faults of a bus or target."""

    NAK = "nobody acknowledges the address"
    STALL = "the target stretches the clock until the adapter gives up"
    BAD_PEC = "one bit of a checksum is flipped"
    TORN = "the target updates its registers in the middle of every read"
    STUCK_SDA = "the data line is held low and the adapter never gets the bus"
    ALL_ONES = "nobody drives the bus and every byte reads 0xFF"
    ALL_ZEROS = "the data line is pulled low while the target answers"
    FROZEN = "the target's memory is served and never changes"
    OLDER_MAP = "the target has the register map before ours"
    NEWER_MAP = "the target has the register map after ours"
    BUSY = "a kernel driver owns the address"


_ERRNO = {
    Fault.NAK: errno.ENXIO,
    Fault.STALL: errno.ETIMEDOUT,
    Fault.STUCK_SDA: errno.EAGAIN,
    Fault.BUSY: errno.EBUSY,
}
_MAP_OFF_BY = {Fault.OLDER_MAP: -1, Fault.NEWER_MAP: 1}
OVERHEAD_S = 60e-6
"""What the kernel and the adapter need for each transfer beside its bits; an estimate."""


class MemoryTarget(Protocol):
    """An I2C target with 256 bytes of memory."""

    @property
    def memory(self) -> bytearray:
        """256 bytes; the address increments after each byte and wraps."""

    def before_transfer(self) -> None:
        """Called before each transfer: the target simulates the time since the last call."""

    def update_now(self) -> None:
        """Publish new values, as a target may do in the middle of a read."""

    def end_write(self) -> None:
        """Called after each write that carried data, as the END_WRITE interrupt."""


class EmulatedBus:
    """One adapter with one target at `address`; `pec` set to 1 checks word reads as the kernel does.

    Every call raises `OSError` with the errno that Linux gives for the same fault. As on the RP2040, a bus
    scan counts as a write, and reading one byte moves the memory address on by two. May be used from several
    threads.
    """

    def __init__(
        self,
        target: MemoryTarget,
        address: int = r.ADDRESS,
        *,
        hz: int = 400_000,
        spend: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        """`hz`: bits per second. `spend` lets the seconds of a transfer pass, nine bits to a byte; without it
        a transfer takes no time, but `busy_s` counts it all the same.
        """
        self.pec = 0
        self.hz = hz
        self.busy_s = 0.0
        """Time of all transfers so far."""
        self.transfers = 0
        """Transfers tried so far."""
        self.blocked_s = 0.0
        """Real seconds that a transfer blocks on a stall or a stuck data line; 0.2 on the real adapter.
        """
        self._lock = threading.RLock()
        self._spend = spend
        self._target = target
        self._address = address
        self._memory_address = 0
        self._fault: Fault | None = None
        self._faults_left: int | None = None

    def inject(self, fault: Fault | None, times: int | None = None) -> None:
        """Fail the next `times` transfers that way (None: until the next call); `inject(None)` ends the
        fault.
        """
        self._fault, self._faults_left = fault, times

    def read_byte(self, i2c_addr: int, force: bool | None = None) -> int:
        return self._transfer(i2c_addr, None, b"", 1)[0]

    def write_byte(self, i2c_addr: int, value: int, force: bool | None = None) -> None:
        self._transfer(i2c_addr, value, b"", 0)

    def write_quick(self, i2c_addr: int, force: bool | None = None) -> None:
        self._transfer(i2c_addr, None, b"", 0)

    def read_word_data(self, i2c_addr: int, register: int, force: bool | None = None) -> int:
        data = self._transfer(i2c_addr, register, b"", 3 if self.pec else 2)
        if self.pec and r.pec((i2c_addr << 1, register, i2c_addr << 1 | 1, *data[:2])) != data[2]:
            raise OSError(errno.EBADMSG, os.strerror(errno.EBADMSG))
        return data[0] | data[1] << 8

    def write_word_data(self, i2c_addr: int, register: int, value: int, force: bool | None = None) -> None:
        data = bytes((value & 0xFF, value >> 8 & 0xFF))
        if self.pec:
            data += bytes((r.pec((i2c_addr << 1, register, *data)),))
        self._transfer(i2c_addr, register, data, 0)

    def read_i2c_block_data(
        self, i2c_addr: int, register: int, length: int, force: bool | None = None
    ) -> list[int]:
        if not 1 <= length <= 32:
            raise ValueError("Desired block length over 32 bytes")
        return list(self._transfer(i2c_addr, register, b"", length))

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        if len(data) > 32:
            raise ValueError("Data length cannot exceed 32 bytes")
        self._transfer(i2c_addr, register, bytes(data), 0)

    def close(self) -> None:
        """Nothing is held open."""

    def __enter__(self) -> EmulatedBus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _transfer(self, address: int, register: int | None, data: bytes, length: int) -> bytes:
        """One transaction: optional memory address, then `data` written or `length` bytes read."""
        with self._lock:
            return self._transferred(address, register, data, length)

    def _transferred(self, address: int, register: int | None, data: bytes, length: int) -> bytes:
        self.transfers += 1
        fault = self._due_fault()
        self._take_time(address == self._address and fault is not Fault.NAK, register, len(data), length)
        if address != self._address:
            raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
        if fault in (Fault.STALL, Fault.STUCK_SDA):
            time.sleep(self.blocked_s)
        if fault in _ERRNO:
            raise OSError(_ERRNO[fault], os.strerror(_ERRNO[fault]))
        if fault in (Fault.ALL_ONES, Fault.ALL_ZEROS):
            return (b"\xff" if fault is Fault.ALL_ONES else b"\0") * length
        if fault is not Fault.FROZEN:
            self._target.before_transfer()
        if register is not None:
            self._memory_address = register
        if data:
            for byte in data:
                self._target.memory[self._memory_address] = byte
                self._memory_address = (self._memory_address + 1) % r.MEMORY_BYTES
        if data or (register is None and not length):
            self._target.end_write()
        memory = self._target.memory
        if fault in _MAP_OFF_BY:
            memory = memory.copy()
            start = r.MAP * r.CELL_BYTES
            memory[start : start + r.CELL_BYTES] = r.cell(
                r.MAP, (r.MAP_MAGIC | r.MAP_VERSION) + _MAP_OFF_BY[fault]
            )
        read = bytearray()
        for index in range(length):
            if fault is Fault.TORN and index == length // 2:
                self._target.update_now()
            byte = memory[self._memory_address]
            if fault is Fault.BAD_PEC and self._memory_address % r.CELL_BYTES == 2:
                byte ^= 0x10
            read.append(byte)
            self._memory_address = (self._memory_address + 1) % r.MEMORY_BYTES
        if length == 1:
            self._memory_address = (self._memory_address + 1) % r.MEMORY_BYTES
        return bytes(read)

    def _take_time(self, acknowledged: bool, register: int | None, written: int, read: int) -> None:
        """A start and nine clocks for each address and byte, and a stop."""
        wire_bytes = starts = 1  # the address
        if acknowledged and register is not None:
            wire_bytes += 1 + written
            starts += read > 0
        if acknowledged and read:
            wire_bytes += read + (register is not None)
        seconds = (9 * wire_bytes + starts + 1) / self.hz + OVERHEAD_S
        self.busy_s += seconds
        self._spend(seconds)

    def _due_fault(self) -> Fault | None:
        if self._fault is None or self._faults_left is None:
            return self._fault
        if self._faults_left == 0:
            self._fault = None
            return None
        self._faults_left -= 1
        return self._fault
