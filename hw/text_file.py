"""Reads a text file with a limit on its size: `read_text`."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MAX_TEXT_BYTES = 16 << 20


def read_text(path: Path) -> str:
    """The file's text, without the mark that some editors put at the start of UTF-8. Raises `OSError`, also
    for more than `MAX_TEXT_BYTES` (a device such as /dev/zero has no end) and for a named pipe, and
    `UnicodeDecodeError`.
    """
    if stat.S_ISFIFO(path.stat().st_mode) and not str(path).startswith("/dev/"):  # those have a writer
        raise OSError(errno.ESPIPE, "it is a pipe, for whose writer one waits for ever", str(path))
    with path.open("rb") as file:
        data = file.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data.decode("utf-8-sig")
