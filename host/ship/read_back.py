"""Reads every file of a release in the background: `python -m host.ship.read_back FOLDER` prints those that
are damaged, a JSON list with the first few names. The service starts it (`host.app.own_files`). Standard
library only.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import islice
from pathlib import Path

from host.ship.whole import damaged_in_release

MOST_NAMED = 3
_LOWEST_PRIORITY = 19


def main(folder: str) -> int:
    """The command."""
    os.nice(_LOWEST_PRIORITY)
    print(json.dumps(list(islice(damaged_in_release(Path(folder)), MOST_NAMED))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
