"""Where files lie that can be made or fetched again. A brick's process imports this without the catalogue."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder for files that can be restored: $HEADBAND_CACHE, else ~/.cache/headband."""
    return Path(os.environ.get("HEADBAND_CACHE") or Path.home() / ".cache" / "headband")
