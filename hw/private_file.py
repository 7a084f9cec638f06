"""Files that only their owner may read: what is asked, answered and seen concerns the wearer."""

from __future__ import annotations

import os
from pathlib import Path


def private(path: str, flags: int) -> int:
    """An opener for `open`: a file that does not exist yet is readable and writable for its owner alone."""
    return os.open(path, flags, 0o600)


def write_private(path: Path, text: str) -> None:
    """Writes text as UTF-8; see `private`. Raises `OSError`."""
    with open(path, "w", encoding="utf-8", opener=private) as file:
        file.write(text)
