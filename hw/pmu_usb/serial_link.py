"""The PMU's USB serial port: finding it, reading and writing bytes."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

ANSWER_S = 1.0
"""Time limit of one answer, seconds: the PMU may be writing its flash."""
WRITE_S = 4.0
"""Time limit for the port to take a line, seconds: a few flash writes of the PMU, or a busy computer at the
other end of a pseudo-terminal.
"""

MICROPYTHON_USB = (0x2E8A, 0x0005)
"""USB vendor and product of MicroPython on an RP2040 or RP2350."""

_BAUD = 115_200  # without effect on USB


class LinkError(Exception):
    """The connection to the PMU does not work; the text is one sentence."""


class Link(Protocol):
    """A stream of bytes to and from the PMU. Every method raises `LinkError` when the link is gone."""

    def read(self, timeout_s: float) -> bytes:
        """Received bytes, after waiting up to `timeout_s`; b"" when there are none."""

    def write(self, data: bytes) -> None:
        """Send all of it."""

    def close(self) -> None:
        """Give the port back. Harmless when repeated."""


class SerialLink:
    """A serial port, opened exclusively. Raises `LinkError` when that fails."""

    def __init__(self, port: str) -> None:
        import serial  # here because few commands need it

        self._port = port
        try:
            self._serial = serial.Serial(port, _BAUD, timeout=0, write_timeout=WRITE_S, exclusive=True)
        except (OSError, ValueError) as error:  # SerialException is an OSError
            raise LinkError(_why_not(port, error)) from None

    def read(self, timeout_s: float) -> bytes:
        """As `Link.read`."""
        try:
            self._serial.timeout = timeout_s
            first = self._serial.read(1)
            return bytes(first + self._serial.read(self._serial.in_waiting)) if first else b""
        except OSError:
            raise LinkError(f"The PMU at {self._port} was unplugged.") from None

    def write(self, data: bytes) -> None:
        """As `Link.write`."""
        try:
            self._serial.write(data)
        except OSError:
            raise LinkError(f"The PMU at {self._port} takes nothing any more.") from None

    def close(self) -> None:
        """As `Link.close`."""
        self._serial.close()


def _why_not(port: str, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        return f"There is no port {port}."
    if number == errno.EACCES:
        return f"You may not use {port}: join the group that owns it (Debian: dialout) and log in again."
    if number in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK) or "exclusively lock" in str(error):
        return f"Another program uses {port}: close it and try again."
    return f"{port} cannot be used as a serial port."


@dataclass(frozen=True)
class BoardPort:
    """Where a board is plugged in."""

    path: str
    serial_id: str | None
    """Serial number of the board, independent of the port."""


def find_board(
    path: str | None = None, serial_id: str | None = None, ports: Callable[[], Iterable[Any]] | None = None
) -> BoardPort:
    """The board at that port, with that serial number, or the only one plugged in.

    `ports` lists what is plugged in, as `serial.tools.list_ports.comports` does. Raises `LinkError`.
    """
    if ports is None:
        from serial.tools.list_ports import comports as ports  # here because few commands need it
    assert ports is not None
    plugged = list(ports())
    if path is not None:
        known = next((port.serial_number for port in plugged if port.device == path), None)
        if serial_id is not None and known != serial_id:
            raise LinkError(f"The board at {path} is not {serial_id}.")
        return BoardPort(path, known)
    boards = [port for port in plugged if (port.vid, port.pid) == MICROPYTHON_USB]
    if serial_id is not None:
        boards = [port for port in boards if port.serial_number == serial_id]
    if not boards:
        which = f"No board {serial_id}" if serial_id else "No board with MicroPython"
        raise LinkError(
            f"{which} is plugged in: connect the PMU's USB port, or name one (--port; for the rig pmu:PORT)."
        )
    if len(boards) > 1:
        where = ", ".join(f"{port.serial_number} at {port.device}" for port in boards)
        raise LinkError(f"Several boards are plugged in: choose one with --serial-id or --port ({where}).")
    return BoardPort(boards[0].device, boards[0].serial_number)
