"""What the command line asks of a headband that runs: recording on or off.

A running headband holds a lock on a small file beside its notes. Who finds it held writes "on" or "off" into
it; the headband empties it once that is done and kept. With nobody there, the notes themselves are changed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path

_BYTES = 8
_LOOK_S = 0.05


class RecordingRequests:
    """The running headband's side. `path` None, or a folder that takes no file: nobody is heard."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: int | None = None

    def open(self) -> None:
        """From now on others see that a headband runs; what was asked of an earlier one is forgotten."""
        if self._path is None:
            return
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            if _locked(self._file, fcntl.LOCK_EX):
                os.ftruncate(self._file, 0)
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def read(self) -> bool | None:
        """Is recording asked to be on or off? None: nothing is asked."""
        if self._file is None:
            return None
        return {b"on": True, b"off": False}.get(os.pread(self._file, _BYTES, 0).strip())

    def done(self) -> None:
        """What was asked is so, and kept."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, 0)

    def close(self) -> None:
        """The headband ends."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def headband_runs(path: Path) -> bool:
    """Does a headband hold the file?"""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _locked(file, fcntl.LOCK_EX)
    finally:
        os.close(file)


def request_recording(path: Path, on: bool, patience_s: float) -> bool:
    """Ask a running headband, and say whether it did it in that time; else the question is taken back."""
    file = os.open(path, os.O_RDWR)
    try:
        os.ftruncate(file, 0)
        os.pwrite(file, b"on" if on else b"off", 0)
        end_s = time.monotonic() + patience_s
        while os.fstat(file).st_size:
            if time.monotonic() >= end_s:
                os.ftruncate(file, 0)
                return False
            time.sleep(_LOOK_S)
        return True
    finally:
        os.close(file)


def _locked(file: int, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
