"""`headband releases`: the release that runs here, the one before it, and whether they are good."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from host.boot.report import releases_on
from host.terminal.usage import UsageError, print_json
from models import place


def releases(options: argparse.Namespace) -> int:
    """Returns the exit code. Raises `UsageError` where this is no headband."""
    found = releases_on(place.ROOT.parents[2]) if place.place() == "headband" else None
    if found is None:
        raise UsageError("Only a headband has releases: run this there.")
    if options.json:
        print_json(asdict(found))
        return 0
    print(f"current  {found.current}")
    print(f"before   {found.before or 'none: there is nothing to go back to'}")
    return 0
