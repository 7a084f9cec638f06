"""One headband at a time in one folder of what is kept: two would overwrite each other's settings, timers and
energy, and the later save would win.

A running headband holds a lock (flock) on a file beside its saved settings. The kernel gives it back when the
process ends, in whatever way; no child of the process has it. Commands that only read do not ask for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from host.config import Config
from host.wearer.saved_settings import saved_settings_path

LOCK = "running.lock"
"""Name of the locked file."""


class AlreadyRuns(Exception):
    """Another headband keeps its settings in the same folder; the message is one sentence."""


@contextlib.contextmanager
def only_one(config: Config) -> Iterator[None]:
    """Holds the lock of the folder that these settings name, if they name one. Raises `AlreadyRuns`."""
    kept = saved_settings_path(config)
    with only_one_in(None if kept is None else kept.parent):
        yield


@contextlib.contextmanager
def only_one_in(folder: Path | None) -> Iterator[None]:
    """Holds the lock of a folder, which is made if it is not there. Raises `AlreadyRuns`. Where the file
    can't be made or locked (a disk that can't be written keeps nothing either), nobody is refused.
    """
    file = None if folder is None else _opened(folder)
    if file is None:
        yield
        return
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRuns(
                f"Another headband runs and keeps its settings in {folder}: end it first (on a headband: "
                "sudo systemctl stop headband), or give this one a [journal] path in another folder."
            ) from None
        except OSError:
            pass  # this file system has no locks
        yield
    finally:
        os.close(file)


def _opened(folder: Path) -> int | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
