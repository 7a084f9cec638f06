"""The PMU read through a USB port by a guest that does what Linux's i2c-tiny-usb and SMBus layers do."""

from __future__ import annotations

import asyncio
import errno
import socket
import struct
import threading
from collections.abc import Iterator
from itertools import count
from typing import BinaryIO

import pytest

from firmware.pmu import registers as r
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.clock import FakeClock
from hw.emulated.pmu import EmulatedPmu
from hw.pmu.gauge import PmuGauge
from tests.virtual.i2c_adapter import I2cAdapter
from tests.virtual.usbredir import serve

_HELLO, _CONNECT, _CONTROL = 0, 1, 100
_GET_DESCRIPTOR, _FUNCTIONS, _STATUS, _TRANSFER, _BEGIN, _END = 6, 1, 3, 4, 1, 2
_ALL = 0xFFFF_FFFF


class Guest:
    """QEMU's end of a port, and on top of it the two calls of smbus2 that the register map needs."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream: BinaryIO = connection.makefile("rb")
        self._numbers = count(1)
        hello = struct.pack("<64sI", b"guest", _ALL)
        connection.sendall(struct.pack("<III", _HELLO, len(hello), 0) + hello)
        kind, length, _ = struct.unpack("<III", self._stream.read(12))
        assert kind == _HELLO
        self._stream.read(length)
        while True:
            kind, payload, _ = self._take()
            if kind == _CONNECT:
                self.vendor_id, self.product_id = struct.unpack_from("<HH", payload, 4)
                break

    def control(self, kind: int, request: int, value: int, index: int, data: bytes | int) -> bytes:
        """One control transfer; raises `OSError` (EPIPE) when the device stalls."""
        number = next(self._numbers)
        length = data if isinstance(data, int) else len(data)
        packet = struct.pack("<BBBBHHH", kind & 0x80, request, kind, 0, value, index, length)
        packet += b"" if isinstance(data, int) else data
        self._connection.sendall(struct.pack("<IIQ", _CONTROL, len(packet), number) + packet)
        said, answer, answered = self._take()
        assert (said, answered) == (_CONTROL, number)
        status, done = answer[3], struct.unpack_from("<H", answer, 8)[0]
        if status:
            raise OSError(errno.EPIPE, "stalled")
        assert done == (len(answer) - 10 if kind & 0x80 else length)
        return answer[10:]

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int, /) -> list[int]:
        self._write(i2c_addr, bytes((register,)), _BEGIN)
        data = self.control(0xC1, _TRANSFER | _END, 1, i2c_addr, length)
        self._acknowledged()
        return list(data)

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int], /) -> None:
        self._write(i2c_addr, bytes((register, *data)), _BEGIN | _END)

    def _write(self, address: int, data: bytes, flags: int) -> None:
        self.control(0x41, _TRANSFER | flags, 0, address, data)
        self._acknowledged()

    def _acknowledged(self) -> None:
        if self.control(0xC1, _STATUS, 0, 0, 1) != b"\x01":
            raise OSError(errno.ENXIO, "no acknowledge")

    def _take(self) -> tuple[int, bytes, int]:
        kind, length, number = struct.unpack("<IIQ", self._stream.read(16))
        return kind, self._stream.read(length), number


class Plugged:
    """A PMU on an adapter that is plugged in."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.pmu = EmulatedPmu(self.clock, lambda active: None)
        self.bus = EmulatedBus(self.pmu)
        ours, theirs = socket.socketpair()
        threading.Thread(target=self._serve, args=(ours,), daemon=True).start()
        self.connection = theirs
        self.guest = Guest(theirs)
        self.gauge = PmuGauge(self.guest, self.clock.monotonic, pause=lambda seconds: None)

    def _serve(self, connection: socket.socket) -> None:
        with connection, pytest.raises(EOFError):
            serve(connection, I2cAdapter(self.bus))


@pytest.fixture
def plugged() -> Iterator[Plugged]:
    made = Plugged()
    with made.connection:
        yield made


def test_the_port_says_what_is_plugged_in(plugged: Plugged) -> None:
    guest = plugged.guest
    assert (guest.vendor_id, guest.product_id) == (0x1C40, 0x0534)
    device = guest.control(0x80, _GET_DESCRIPTOR, 1 << 8, 0, 64)
    assert len(device) == device[0] == 18 and device[8:12] == b"\x40\x1c\x34\x05"
    head = guest.control(0x80, _GET_DESCRIPTOR, 2 << 8, 0, 9)
    whole = guest.control(0x80, _GET_DESCRIPTOR, 2 << 8, 0, 255)
    assert struct.unpack_from("<H", head, 2)[0] == len(whole) == 18
    assert (
        guest.control(0x80, _GET_DESCRIPTOR, 3 << 8 | 1, 0x409, 255)[2:].decode("utf-16-le") == "i2c-tiny-usb"
    )
    with pytest.raises(OSError, match="stalled"):
        guest.control(0x80, _GET_DESCRIPTOR, 6 << 8, 0, 10)
    assert struct.unpack("<I", guest.control(0xC1, _FUNCTIONS, 0, 0, 4))[0] & 1


@pytest.mark.parametrize("percent", [4, 35, 82])
def test_the_battery_is_read_through_it(plugged: Plugged, percent: int) -> None:
    plugged.pmu.set_battery(percent)
    reading = plugged.gauge.read()
    assert (reading.state, reading.percent) == ("good", percent)


def test_what_is_written_arrives(plugged: Plugged) -> None:
    plugged.guest.write_i2c_block_data(r.ADDRESS, 200, [1, 2, 3])
    assert plugged.guest.read_i2c_block_data(r.ADDRESS, 200, 3) == list(plugged.pmu.memory[200:203])


@pytest.mark.parametrize("fault", [Fault.NAK, Fault.STALL, Fault.STUCK_SDA])
def test_a_bus_that_fails_is_one_that_nobody_acknowledges(plugged: Plugged, fault: Fault) -> None:
    plugged.bus.inject(fault)
    reading = plugged.gauge.read()
    assert reading.state == "absent"
    plugged.bus.inject(None)
    asyncio.run(plugged.clock.advance(1.0))
    assert plugged.gauge.read().state == "good"


def test_nobody_else_is_on_that_bus(plugged: Plugged) -> None:
    with pytest.raises(OSError, match="no acknowledge"):
        plugged.guest.read_i2c_block_data(0x36, 2, 2)
