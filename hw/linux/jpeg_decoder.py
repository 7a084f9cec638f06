"""Decodes the frames of a camera that compresses, in a program beside this one.

A damaged frame can at worst end that program, which costs one picture, and its memory is not this process's.
It stays for the next frame: a new program for each would take far longer to start than to decode. After
`IDLE_S` without a frame it ends by itself.
"""

from __future__ import annotations

import contextlib
import os
import select
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from hw.device import Image

IDLE_S = 20.0
ASKED, TOLD = struct.Struct("<II"), struct.Struct("<II")
"""As in `hw.audio.decode_image`, which this process does not import: Pillow takes megabytes."""
_PROGRAM = Path(__file__).parents[1] / "audio" / "decode_image.py"
_TIMEOUT_S = 5.0


class UndecodableFrame(Exception):
    """It is no whole picture."""


class _Ended(Exception):
    """The program ended, or gives no answer."""


class JpegDecoder:
    """One program at a time; every method may be called from any thread."""

    def __init__(self, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._program: subprocess.Popen[bytes] | None = None

    def warm(self) -> None:
        """Starts the program if none runs, without waiting for it."""
        with self._lock:
            self._running()

    def decode(self, data: bytes, max_side_px: int) -> Image:
        """uint8 RGB `[height, width, 3]`, no side above max_side_px. A program that ends over it is started
        once more, as it may have been about to end. Raises `UndecodableFrame`.
        """
        with self._lock:
            for _ in range(2):
                try:
                    return self._asked(self._running(), data, max_side_px)
                except (_Ended, OSError):
                    self._end()
        raise UndecodableFrame("could not be decoded")

    def close(self) -> None:
        """Ends the program. Harmless when repeated; the next frame starts another."""
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._program is None or self._program.poll() is not None:
            self._end()
            command = [sys.executable, "-I", str(_PROGRAM), "--frames", str(self._idle_s)]
            self._program = subprocess.Popen(
                command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, process_group=0,
            )  # fmt: skip
        return self._program

    def _asked(self, program: subprocess.Popen[bytes], data: bytes, max_side_px: int) -> Image:
        assert program.stdin is not None and program.stdout is not None
        program.stdin.write(ASKED.pack(len(data), max_side_px))
        left = memoryview(data)
        while left:
            left = left[program.stdin.write(left) or 0 :]
        until_s = time.monotonic() + _TIMEOUT_S
        out = program.stdout.fileno()
        width, height = TOLD.unpack(_read(out, TOLD.size, until_s))
        if not width:
            raise UndecodableFrame("is damaged")
        pixels = _read(out, 3 * width * height, until_s)
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)

    def _end(self) -> None:
        program, self._program = self._program, None
        if program is None:
            return
        program.kill()
        for pipe in (program.stdin, program.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        program.wait()


def _read(fd: int, count: int, until_s: float) -> bytearray:
    """Exactly so many bytes. Raises `_Ended`."""
    data = bytearray(count)
    filled = memoryview(data)
    while filled:
        if not select.select([fd], [], [], max(0.0, until_s - time.monotonic()))[0]:
            raise _Ended
        got = os.readv(fd, [filled])
        if not got:
            raise _Ended
        filled = filled[got:]
    return data
