"""The doctor's check of the program's own files. It needs only the standard library, so that it works
whatever is damaged.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from host.doctor.finding import Finding
from host.ship.whole import MANIFEST, damaged_in_release
from host.terminal.version import program_version
from models import place

_NAMED = 3


def program_finding(root: Path | None = None) -> Finding:
    """On a headband, reads every file of the release that runs and of its environment, from the disk, and
    compares it with their manifests; elsewhere there is nothing to compare with.

    root: the release's folder (default: the one of this program).
    """
    root = root or place.ROOT
    if not (root / MANIFEST).exists() and place.place() != "headband":
        return Finding("program", "ok", program_version())
    damaged = list(islice(damaged_in_release(root), _NAMED + 1))
    if not damaged:
        return Finding("program", "ok", f"{program_version()}, every file as it was deployed")
    more = " and more" if len(damaged) > _NAMED else ""
    says = f"{program_version()}, damaged on the disk: {', '.join(damaged[:_NAMED])}{more}"
    return Finding("program", "broken", says, f"deploy it again, {place.bring_files()}.")
