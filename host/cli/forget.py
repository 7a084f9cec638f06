"""`headband forget --logs`: removes the journal and the energy ledger; settings and timers stay."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from host.config import Config
from host.energy.ledger_store import ledger_path
from host.observe.journal import rotated
from host.terminal.settings_file import chosen_settings
from host.terminal.usage import UsageError
from host.wearer.recording_request import headband_runs
from host.wearer.recording_state import recording_requests_path
from host.wearer.saved_settings import saved_settings_path
from models.atomic_file import sync_folder

RUNS = (
    "A headband runs with these settings and would write its energy again: end it first "
    "(on a headband: sudo systemctl stop headband), then say this again."
)


def logs(config: Config) -> list[Path]:
    """The files of the journal and of the ledger that are there, damaged and unfinished copies too. Other
    files of the folder, which may be the user's own, are not among them.
    """
    if not config.journal.path:
        return []
    journal, ledger = Path(config.journal.path).expanduser(), ledger_path(config)
    assert ledger is not None
    unfinished = sorted(ledger.parent.glob(f"{ledger.name}.*.new"))
    found = (journal, rotated(journal), ledger, ledger.with_suffix(".bad.json"), *unfinished)
    return [path for path in found if path.is_file()]


def forget(options: argparse.Namespace) -> int:
    """`headband forget --logs`; returns the exit code. Raises `UsageError`, and `OSError` for a file that
    can't be removed.
    """
    if not options.logs:
        raise UsageError("Say what to forget: --logs.")
    config = chosen_settings(options.config)
    lock = recording_requests_path(saved_settings_path(config))
    if lock is not None and headband_runs(lock):
        print(RUNS, file=sys.stderr)
        return 1
    found = logs(config)
    for path in found:
        path.unlink()
    for folder in {path.parent for path in found}:
        sync_folder(folder)
    names = ", ".join(path.name for path in found)
    print(f"Removed {names} from {found[0].parent}." if found else "There are no logs.")
    return 0
