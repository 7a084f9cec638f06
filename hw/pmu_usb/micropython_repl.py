"""MicroPython's prompt on the USB serial port, through mpremote: runs code and returns what it prints."""

from __future__ import annotations

import contextlib
import io
import struct
from typing import Protocol

from hw.pmu_usb.serial_link import LinkError, SerialLink

_TIMEOUT_S = 10


class RawRepl(Protocol):
    """MicroPython waiting for code. Every method but `close` raises `LinkError`."""

    def run(self, code: str) -> str:
        """What the code prints. Raises `PromptError` with the last line of the traceback when it fails."""

    def close(self) -> None:
        """Give the port back. Harmless when repeated."""


class PromptError(LinkError):
    """The code raised an exception on the board; the text is its last line."""


class MpremotePrompt:
    """The raw prompt of the board at a serial port, entered without a soft reset, so that the pins that
    control the host's power keep their state. Raises `LinkError` when there is no prompt.
    """

    def __init__(self, port: str) -> None:
        try:
            from mpremote.transport import TransportError, TransportExecError
            from mpremote.transport_serial import SerialTransport
        except ImportError:
            raise LinkError(
                "mpremote, which copies the files, is not installed: install this program's packages again."
            ) from None
        self._failures = (TransportError, OSError, struct.error)
        self._code_failed = TransportExecError
        SerialLink(port).close()  # reports why a port cannot be opened, which mpremote does not
        try:
            self._transport = SerialTransport(port, timeout=_TIMEOUT_S)
        except TransportError:
            raise LinkError(f"Another program uses {port}: close it and try again.") from None
        try:
            with _silence():
                self._transport.enter_raw_repl(soft_reset=False, timeout_overall=_TIMEOUT_S)
        except self._failures:
            self.close()
            raise LinkError(f"There is no MicroPython prompt at {port}.") from None

    def run(self, code: str) -> str:
        """As `RawRepl.run`."""
        try:
            with _silence():
                return str(self._transport.exec(code).decode(errors="replace"))
        except self._code_failed as error:
            raise PromptError(_last_line(error.error_output)) from None
        except self._failures:
            raise LinkError("The connection to the board broke off.") from None

    def close(self) -> None:
        """As `RawRepl.close`."""
        with contextlib.suppress(OSError):
            self._transport.close()


def _silence() -> contextlib.redirect_stdout[io.StringIO]:
    return contextlib.redirect_stdout(io.StringIO())  # mpremote prints unexpected output


def _last_line(traceback: str) -> str:
    return (traceback.strip().splitlines() or ["no reason given"])[-1]
