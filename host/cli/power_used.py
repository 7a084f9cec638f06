"""`headband power used`: prints the energy used, from the headband's ledger."""

from __future__ import annotations

import argparse
import sys

from host.energy.ledger_store import format_used, ledger_path, used
from host.terminal.settings_file import chosen_settings
from host.terminal.usage import UsageError, one_line, print_json
from power.account.ledger_json import LedgerError


def show_used(options: argparse.Namespace) -> int:
    """Prints the current day and the last hours, days and turns; returns the exit code."""
    path = ledger_path(chosen_settings(options.config))
    if path is None:
        raise UsageError("These settings keep the journal in memory only, and the energy ledger with it.")
    if not path.exists():
        raise UsageError(f"There is no energy ledger yet: {path} is written while the headband runs.")
    try:
        result = used(path)
    except LedgerError as error:
        print(one_line(error), file=sys.stderr)
        return 1
    if options.json:
        print_json(result)
    else:
        print(format_used(result))
    return 0
