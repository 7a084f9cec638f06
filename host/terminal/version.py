"""What the program says that it is. Imports the standard library only, as the doctor does."""

from __future__ import annotations

import json

from host import __version__
from models import place


def program_version() -> str:
    """ "headband 0.3.0", and on a headband the name of the release that runs."""
    try:
        release = json.loads((place.ROOT / "release.json").read_text())["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return f"headband {__version__}"
    return f"headband {__version__}, release {release}"
