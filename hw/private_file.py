"""Files that only their owner may read: what is asked, answered and seen concerns the wearer."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def private(path: str, flags: int) -> int:
    """An opener for `open`: a file that does not exist yet is readable and writable for its owner alone. A
    pipe from which nobody reads is an `OSError`, not a wait without an end.
    """
    try:
        file = os.open(path, flags | os.O_NONBLOCK, 0o600)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nobody reads from this pipe", path) from None
        raise
    os.set_blocking(file, True)
    return file


def write_private(path: Path, text: str) -> None:
    """Writes text as UTF-8; see `private`. Raises `OSError`."""
    with open(path, "w", encoding="utf-8", opener=private) as file:
        file.write(text)
