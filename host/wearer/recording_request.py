"""Switches recording of a running headband on or off from the command line.

A running headband holds a lock on a small file beside its saved settings. The command writes "on" or "off"
into the file; the headband empties it when the request is carried out and saved. When no headband runs, the
command changes the saved settings instead. One command at a time does so.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

OTHER_COMMAND_S = 10.0
"""How long a command waits for the end of another one."""
_BYTES = 8
_POLL_S = 0.05


class RecordingRequests:
    """The running headband's side. Without a file (`path` None, or not writable) there are no requests."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: int | None = None

    def open(self) -> None:
        """Takes the lock, so that commands see a running headband, and discards an old request."""
        if self._path is None:
            return
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            if _locked(self._file, fcntl.LOCK_EX):
                os.ftruncate(self._file, 0)
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def read(self) -> bool | None:
        """The requested state of recording; None without a request."""
        if self._file is None:
            return None
        return {b"on": True, b"off": False}.get(os.pread(self._file, _BYTES, 0).strip())

    def done(self, on: bool) -> None:
        """Reports that the request for `on` is carried out and saved; a newer one for the opposite stands."""
        if self._file is not None and self.read() is on:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, 0)

    def close(self) -> None:
        """Releases the lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def headband_runs(path: Path) -> bool:
    """True when a running headband holds the lock."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _locked(file, fcntl.LOCK_EX)
    finally:
        os.close(file)


@contextlib.contextmanager
def one_command(folder: Path) -> Iterator[None]:
    """Has the others wait that switch recording as kept in that folder, so that none overwrites the request
    of another. Raises `TimeoutError` when another one does not end, and `OSError`. Where the file system has
    no locks nobody waits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _wait_for_the_lock(file)
        yield
    finally:
        os.close(file)


def _wait_for_the_lock(file: int) -> None:
    end_s = time.monotonic() + OTHER_COMMAND_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end_s:
                raise TimeoutError from None
            time.sleep(_POLL_S)
        except OSError:
            return
        else:
            return


def request_recording(path: Path, on: bool, patience_s: float) -> bool:
    """Requests recording on or off from a running headband; returns whether it did so within `patience_s`
    seconds, else withdraws the request. Raises `OSError`.
    """
    file = os.open(path, os.O_RDWR)
    try:
        request = b"on " if on else b"off"  # of one length, so that neither empties the file or leaves a rest
        os.pwrite(file, request, 0)
        end_s = time.monotonic() + patience_s
        while there := os.pread(file, _BYTES, 0):
            if time.monotonic() >= end_s:
                if there == request:
                    os.ftruncate(file, 0)
                return False
            time.sleep(_POLL_S)
        return True
    finally:
        os.close(file)


def _locked(file: int, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
