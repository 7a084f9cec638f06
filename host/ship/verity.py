"""fs-verity, where kernel and file system have it: from then on the kernel compares each block of a file
with a tree of hashes when it comes from the disk, and a damaged one can't be read. Sent to the headband's
computer: standard library only.

Elsewhere nothing changes. There and here each deploy and the doctor compare every file, and the service does
once a day (`host.app.own_files`).
"""

from __future__ import annotations

import errno
import fcntl
import struct
from collections.abc import Iterable
from pathlib import Path

ENABLE = 0x40806685
"""FS_IOC_ENABLE_VERITY, _IOW('f', 133, struct fsverity_enable_arg)."""
_VERSION, _SHA256, _BLOCK_BYTES = 1, 1, 4096
ARGUMENT = struct.pack("=4IQ2IQ88x", _VERSION, _SHA256, _BLOCK_BYTES, 0, 0, 0, 0, 0)
"""struct fsverity_enable_arg, without salt and signature."""


def seal(path: Path) -> bool:
    """Makes a file whose content has been compared one that the kernel compares from now on; it can still be
    linked, renamed and removed, and no longer be written. False where that is not to be had: then the file is
    as before.
    """
    try:
        with open(path, "rb") as file:
            fcntl.ioctl(file, ENABLE, ARGUMENT)
    except OSError as problem:
        return problem.errno == errno.EEXIST  # it is sealed already
    return True


def seal_all(folder: Path, names: Iterable[str]) -> None:
    """Seals files of a folder; ends at the first that can't be: neither can the others then."""
    for name in names:
        if not seal(folder / name):
            return
