"""Opens files of an untrusted folder: regular files only, no pipes or devices, no links out of the folder."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO


def open_regular(path: Path) -> IO[bytes]:
    """Open a regular file for reading; not a symbolic link. Never blocks.

    Raises `OSError` for anything else, before opening a device or pipe.
    """
    _check(os.lstat(path), path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check(os.fstat(descriptor), path)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def open_within(path: Path, folder: Path) -> IO[bytes]:
    """As `open_regular`, through symbolic links as long as they stay in the folder. Raises `OSError`."""
    return open_regular(within(path, folder))


def within(path: Path, folder: Path) -> Path:
    """The path with symbolic links resolved. Raises `OSError` when it is outside the folder."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(folder)):
        raise OSError(errno.EPERM, "it leads out of its folder", str(path))
    return real


def _check(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
