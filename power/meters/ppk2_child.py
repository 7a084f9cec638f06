"""The separate process in which the GPL package `ppk2_api` runs: commands in, frames out.

Started as a program with PORT MILLIVOLT MODE, where PORT may be "" and MODE is "source" or "ampere". It reads
the lines `start` and `stop` from its standard input and ends with that. A frame on its standard output is one
letter, four bytes of length (little-endian) and so many bytes: `J` is a JSON object, `D` bytes as they came
from the instrument. It imports nothing of this project, and this project nothing of the package.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import select
import struct
import sys
import threading
import time
from typing import Any, BinaryIO

_COLLECT_S = 0.05
_DRAIN_S = 0.2
_TRIES = 3


class _Writer(threading.Thread):
    """Writes frames in a thread, so that a slow reader does not delay reading the port."""

    def __init__(self, out: BinaryIO) -> None:
        super().__init__()
        self._out = out
        self._frames: queue.Queue[bytes | None] = queue.Queue()

    def run(self) -> None:
        while (frame := self._frames.get()) is not None:
            try:
                self._out.write(frame)
                self._out.flush()
            except OSError:
                return  # the reader is gone

    def data(self, data: bytes) -> None:
        if data:
            self._frames.put(b"D" + struct.pack("<I", len(data)) + data)

    def say(self, **message: object) -> None:
        text = json.dumps(message).encode()
        self._frames.put(b"J" + struct.pack("<I", len(text)) + text)

    def end(self) -> None:
        self._frames.put(None)
        self.join()


class _Failed(Exception):
    """One sentence."""


def _open(port: str, supply_mv: int, mode: str) -> Any:
    library = importlib.import_module("ppk2_api.ppk2_api").PPK2_API
    if not port:
        ports = library.list_devices()
        if not ports:
            raise _Failed("No PPK2 is plugged in; a port can be named, as in ppk2:/dev/ttyACM0.")
        if len(ports) != 1:
            raise _Failed(f"Name the PPK2's port, as in ppk2:{ports[0]}; there are {', '.join(ports)}.")
        port = ports[0]
    try:
        instrument = library(port, timeout=1, write_timeout=1, exclusive=True)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise _Failed(f"The PPK2 at {port} cannot be opened ({reason}).") from None
    for _ in range(_TRIES):
        instrument.stop_measuring()  # it may still send from an earlier run
        time.sleep(_DRAIN_S)
        while instrument.get_data():
            time.sleep(_DRAIN_S / 10)
        try:
            if instrument.get_modifiers():
                break
        except UnicodeDecodeError:
            continue
    else:
        raise _Failed(f"What is at {port} does not answer as a PPK2 does.")
    if mode == "ampere":
        instrument.use_ampere_meter()
    else:
        instrument.use_source_meter()
    instrument.set_source_voltage(supply_mv)
    instrument.toggle_DUT_power("ON")
    return instrument


def _serve(instrument: Any, writer: _Writer) -> None:
    """Until standard input ends."""
    measuring, collected, sent_s = False, b"", time.monotonic()
    while True:
        ready, _, _ = select.select([0, instrument.ser], [], [], _COLLECT_S)
        if instrument.ser in ready:
            data = instrument.get_data()
            if not data:
                raise OSError("end of file")
            collected += data if measuring else b""
        if time.monotonic() - sent_s >= _COLLECT_S:
            writer.data(collected)
            collected, sent_s = b"", time.monotonic()
        if 0 not in ready:
            continue
        command = os.read(0, 64).decode().strip()
        if not command:
            instrument.stop_measuring()
            return
        if command == "start":
            instrument.start_measuring()
            measuring = True
            writer.say(state="started")
        elif command == "stop":
            instrument.stop_measuring()
            quiet_s = time.monotonic() + _DRAIN_S
            while time.monotonic() < quiet_s:
                if data := instrument.get_data():
                    collected += data
                    quiet_s = time.monotonic() + _DRAIN_S
                else:
                    time.sleep(_DRAIN_S / 20)
            writer.data(collected)
            measuring, collected = False, b""
            writer.say(state="stopped")


def main(port: str, supply_mv: str, mode: str) -> int:
    """Returns the exit status."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # text that a library prints must not get between the frames
    writer = _Writer(out)
    writer.start()
    try:
        instrument = _open(port, int(supply_mv), mode)
        writer.say(state="ready", modifiers=instrument.modifiers)
        _serve(instrument, writer)
    except ImportError:
        writer.say(error="The package ppk2-api is not installed.")
    except _Failed as failure:
        writer.say(error=str(failure))
    except OSError:
        writer.say(error="The PPK2 was unplugged.")
    else:
        writer.end()
        return 0
    writer.end()
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
