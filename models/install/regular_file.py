"""Opens a file of somebody else's folder only if it is one: no pipe that waits for a writer, no device, no
link that leads out of the folder.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO


def open_regular(path: Path) -> IO[bytes]:
    """A regular file for reading; its last part may be no symbolic link. Never waits.

    Raises `OSError` for anything else, before a device or a pipe is opened.
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
    """The file without symbolic links on its way. Raises `OSError` where that is not in the folder."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(folder)):
        raise OSError(errno.EPERM, "it leads out of its folder", str(path))
    return real


def _check(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
