"""Where files lie that can be made or fetched again. A brick's process imports this without the catalogue."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder for files that can be restored: $HEADBAND_CACHE, else ~/.cache/headband. Raises `OSError`
    for a user without a home folder.
    """
    if named := os.environ.get("HEADBAND_CACHE"):
        return Path(named)
    try:
        return Path.home() / ".cache" / "headband"
    except RuntimeError:
        why = "this user has no home folder; set HOME or HEADBAND_CACHE"
        raise FileNotFoundError(errno.ENOENT, why, "~/.cache/headband") from None
