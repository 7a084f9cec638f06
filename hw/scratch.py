"""Temporary folders that do not outlive their process: `scratch_folder`.

Such a folder is locked (flock) as long as its process lives. It is removed by `remove_scratch_folder` or at
the end of the process; the folder of a killed process is removed when the next one is created.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import fcntl
import os
import re
import shutil
import tempfile
from pathlib import Path

_PREFIX = "headband-tmp-"
_OURS = re.compile(re.escape(_PREFIX) + r"\w{8}")  # as tempfile.mkdtemp names them
_TRIES = 20
_held: dict[Path, int] = {}
"""Folders of this process -> the open descriptor that carries the lock."""


def scratch_folder() -> Path:
    """A new empty folder; removes folders of killed processes. Raises `OSError`."""
    parent = Path(tempfile.gettempdir())
    _sweep(parent)
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        lock = _locked(folder)
        if lock is not None:  # None: another process removed it first
            _held[folder] = lock
            return folder
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), str(parent))


def remove_scratch_folder(folder: Path) -> None:
    """Removes a folder that `scratch_folder` made. Harmless when repeated."""
    lock = _held.pop(folder, None)
    if lock is not None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_all_scratch_folders() -> None:
    """Removes every folder of this process that is still there."""
    for folder in list(_held):
        remove_scratch_folder(folder)


def _sweep(parent: Path) -> None:
    """Removes folders that are not locked. Errors are ignored."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(parent):
            if _OURS.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                lock = _locked(Path(entry.path))
                if lock is not None:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    os.close(lock)


def _locked(folder: Path) -> int | None:
    """Locks a folder of this user and returns its descriptor; None for one that is locked, missing or of
    another user.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(descriptor)
        if found.st_uid == os.geteuid() and os.path.samestat(found, folder.lstat()):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _forget() -> None:
    """In a forked child: close the copied descriptors; the folders belong to the parent."""
    for lock in _held.values():
        os.close(lock)
    _held.clear()


atexit.register(remove_all_scratch_folders)
os.register_at_fork(after_in_child=_forget)
