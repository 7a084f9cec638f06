"""A USB device in this process, plugged into the virtual board through QEMU's `usb-redir`,
over a Unix socket (USB Network Redirection protocol 0.7; all integers little-endian, structs packed).

Only control transfers: the device is vendor-specific and has no further endpoints.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

_HELLO, _CONNECT, _INTERFACES, _ENDPOINTS = 0, 1, 4, 5
_SET_CONFIGURATION, _GET_CONFIGURATION, _CONFIGURATION = 6, 7, 8
_SET_ALTERNATIVE, _GET_ALTERNATIVE, _ALTERNATIVE = 9, 10, 11
_CONTROL = 100
_DEVICE_VERSION, _PACKET_SIZES, _LONG_IDS, _LONG_BULK = 1 << 1, 1 << 4, 1 << 5, 1 << 6
"""Capabilities. QEMU's XHCI requires the last one, although there are no bulk transfers."""
_SUCCESS, _STALL = 0, 4
_FULL_SPEED = 1
_NO_ENDPOINT = 255
_DIRECTION_IN = 0x80
_GET_DESCRIPTOR = 6
_DEVICE, _CONFIGURATIONS, _STRINGS = 1, 2, 3
_PACKET_BYTES = 8
_ENGLISH = 0x0409


@dataclass(frozen=True)
class Setup:
    """A control transfer's first packet, without its standard direction and length."""

    request: int
    value: int
    index: int
    length: int


class Device(Protocol):
    """The device: one interface of the vendor-specific class."""

    vendor_id: int
    product_id: int
    name: str

    def read(self, setup: Setup) -> bytes | None:
        """The data for a vendor request that reads; None: the device stalls."""

    def write(self, setup: Setup, data: bytes) -> bool:
        """Handles a vendor request that writes; False: the device stalls."""


class Port:
    """Listens at `path` and plugs `device` in whenever the emulator connects."""

    def __init__(self, path: Path, device: Device) -> None:
        self._device = device
        self._listener = socket.socket(socket.AF_UNIX)
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._connection: socket.socket | None = None
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Unplugs it for good."""
        for end in (self._connection, self._listener):
            if end is not None:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._connection, _ = self._listener.accept()
                with self._connection, contextlib.suppress(OSError, EOFError):
                    serve(self._connection, self._device)


def serve(connection: socket.socket, device: Device) -> None:
    """Serves one connection. Raises `OSError` or `EOFError` when the emulator ends."""
    stream = connection.makefile("rb")

    def take(count: int) -> bytes:
        data = stream.read(count)
        if len(data) < count:
            raise EOFError
        return data

    def send(kind: int, payload: bytes, number: int = 0) -> None:
        connection.sendall(struct.pack("<IIQ", kind, len(payload), number) + payload)

    ours = _DEVICE_VERSION | _PACKET_SIZES | _LONG_IDS | _LONG_BULK
    hello = struct.pack("<64sI", b"headband", ours)
    connection.sendall(struct.pack("<III", _HELLO, len(hello), 0) + hello)
    _, length, _ = struct.unpack("<III", take(12))
    (theirs,) = struct.unpack_from("<I", take(length), 64)
    if theirs & ours != ours:
        raise OSError("this emulator's usb-redir is older than version 0.7 of the protocol")
    send(_INTERFACES, struct.pack("<I", 1) + b"".join(bytes((of,)) + bytes(31) for of in (0, 0xFF, 0, 0)))
    kinds = bytes(0 if number % 16 == 0 else _NO_ENDPOINT for number in range(32))
    sizes = b"".join(struct.pack("<H", 0 if kind else _PACKET_BYTES) for kind in kinds)
    send(_ENDPOINTS, kinds + bytes(64) + sizes)
    send(
        _CONNECT, struct.pack("<BBBBHHH", _FULL_SPEED, 0xFF, 0, 0, device.vendor_id, device.product_id, 0x100)
    )
    while True:
        kind, length, number = struct.unpack("<IIQ", take(16))
        payload = take(length)
        if kind in (_SET_CONFIGURATION, _GET_CONFIGURATION):
            send(_CONFIGURATION, bytes((_SUCCESS, 1)), number)
        elif kind in (_SET_ALTERNATIVE, _GET_ALTERNATIVE):
            send(_ALTERNATIVE, bytes((_SUCCESS, 0, 0)), number)
        elif kind == _CONTROL:
            send(_CONTROL, _control(device, payload), number)


def _control(device: Device, payload: bytes) -> bytes:
    """The answer to a control packet: its header with the status, and the data that is read."""
    endpoint, request, kind, _, value, index, length = struct.unpack_from("<BBBBHHH", payload)
    setup = Setup(request, value, index, length)
    answer: bytes | None
    if kind & 0x60 == 0:
        answer = _standard(device, setup) if kind & _DIRECTION_IN else b""
    elif kind & _DIRECTION_IN:
        answer = device.read(setup)
    else:
        answer = b"" if device.write(setup, payload[10:]) else None
    status = _STALL if answer is None else _SUCCESS
    data = (answer or b"")[:length]
    done = len(data) if kind & _DIRECTION_IN else (0 if answer is None else length)
    return struct.pack("<BBBBHHH", endpoint, request, kind, status, value, index, done) + data


def _standard(device: Device, setup: Setup) -> bytes | None:
    if setup.request != _GET_DESCRIPTOR:
        return bytes(setup.length)  # device or interface status: zero
    kind, number = divmod(setup.value, 256)
    if kind == _DEVICE:
        return struct.pack("<BBHBBBBHHHBBBB", 18, kind, 0x110, 0xFF, 0, 0, _PACKET_BYTES, device.vendor_id,
                           device.product_id, 0x100, 0, 1, 0, 1)  # fmt: skip
    if kind == _CONFIGURATIONS:
        interface = struct.pack("<BBBBBBBBB", 9, 4, 0, 0, 0, 0xFF, 0, 0, 0)
        return struct.pack("<BBHBBBBB", 9, kind, 9 + len(interface), 1, 1, 0, 0x80, 50) + interface
    if kind == _STRINGS and number < 2:
        text = struct.pack("<H", _ENGLISH) if number == 0 else device.name.encode("utf-16-le")
        return bytes((2 + len(text), kind)) + text
    return None
