"""Starts `ppk2_child`, passes its data on, and reports its end as an error sentence."""

from __future__ import annotations

import json
import os
import queue
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from power.meters.meter import MeterError

_PROGRAM = Path(__file__).with_name("ppk2_child.py")
_END_S = 3.0


class Ppk2Process:
    """The running child. `on_data` gets its bytes and the moment they arrived, in a thread of this object."""

    def __init__(
        self,
        port: str,
        supply_mv: int,
        mode: str,
        on_data: Callable[[bytes, float], None],
        *,
        monotonic: Callable[[], float] = time.monotonic,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._on_data = on_data
        self._monotonic = monotonic
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self._child = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM), port, str(supply_mv), mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
        )
        self._thread = threading.Thread(target=self._read, name="ppk2", daemon=True)
        self._thread.start()

    def tell(self, command: str) -> None:
        """Send a command; `hear` reports a child that has ended."""
        assert self._child.stdin is not None
        with suppress(OSError):
            self._child.stdin.write(command.encode() + b"\n")
            self._child.stdin.flush()

    def hear(self, state: str, timeout_s: float) -> dict[str, Any]:
        """The child's message of that state; all data before it has been handed on. Raises `MeterError`."""
        until_s = time.monotonic() + timeout_s
        while True:
            try:
                message = self._messages.get(timeout=max(0.0, until_s - time.monotonic()))
            except queue.Empty:
                raise MeterError("The PPK2 does not answer.") from None
            if "error" in message:
                raise MeterError(str(message["error"]))
            if message.get("state") == state:
                return message

    def close(self) -> None:
        """End the child. Harmless when repeated."""
        assert self._child.stdin is not None and self._child.stdout is not None
        with suppress(OSError):
            self._child.stdin.close()
        try:
            self._child.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._thread.join()
        self._child.stdout.close()

    def _read(self) -> None:
        out = self._child.stdout
        assert out is not None
        while len(head := out.read(5)) == 5:
            (length,) = struct.unpack("<I", head[1:])
            payload = out.read(length)
            if head[:1] == b"D":
                self._on_data(payload, self._monotonic())
            else:
                self._messages.put(json.loads(payload))
        self._messages.put({"error": "The process that reads the PPK2 has ended."})
