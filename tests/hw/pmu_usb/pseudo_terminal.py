"""An emulated serial port: a pseudo-terminal with the firmware's console at its other end."""

from __future__ import annotations

import os
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.firmware.console_bench import Bench


class FarEnd:
    """One end of a pseudo-terminal, served in a thread; the other is a serial port at `path`. It may send
    faster than it is read, and be closed while the port is full.
    """

    def __init__(self, serve: Callable[[bytes], bytes]) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._serve = serve
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        os.set_blocking(self._master, False)
        answer = b""
        while not self._stop.is_set():
            try:
                data = os.read(self._master, 4_096)
            except BlockingIOError:
                data = b""
            except OSError:
                return
            if data or not answer:
                answer += self._serve(data)
            try:
                answer = answer[os.write(self._master, answer) :]
            except BlockingIOError:
                time.sleep(0.001)
            if not data and not answer:
                time.sleep(0.002)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)


class FirmwareEnd:
    """The firmware's console behind the port, with faults on the wire."""

    def __init__(self) -> None:
        self.bench = Bench()
        self.lose_next = 0
        """Number of the next answers that are lost."""
        self.lose_after = 0
        """Answers that arrive before those."""
        self.noise = b""
        """Bytes before each answer."""
        self.mute = False

    def __call__(self, data: bytes) -> bytes:
        if self.mute:
            return b""
        self.bench.incoming += data
        self.bench.live(20)
        whole = self.bench.outgoing.rfind(b"\n") + 1
        out, self.bench.outgoing = self.bench.outgoing[:whole], self.bench.outgoing[whole:]
        if out and self.lose_after:
            self.lose_after -= 1
        elif out and self.lose_next:
            self.lose_next -= 1
            return out[:-5]
        return self.noise + out if out else b""


@contextmanager
def serial_port(serve: Callable[[bytes], bytes]) -> Iterator[str]:
    """The path of the port."""
    end = FarEnd(serve)
    try:
        yield end.path
    finally:
        end.close()
