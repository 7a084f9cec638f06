"""A serial port with something behind it that may send faster than it is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.hw.test_console import FarEnd


class FullEnd(FarEnd):
    """`FarEnd` that can be closed while its port is full."""

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


@contextmanager
def serial_port(serve: Callable[[bytes], bytes]) -> Iterator[str]:
    """The path of the port."""
    end = FullEnd(serve)
    try:
        yield end.path
    finally:
        end.close()
