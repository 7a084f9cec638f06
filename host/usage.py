"""How every subcommand refuses a person, and answers a program."""

from __future__ import annotations

import json

SETTINGS_RULE = (
    "default: $HEADBAND_CONFIG, else headband.toml in the current folder, else built-in; `headband status` "
    "says which"
)


class UsageError(Exception):
    """The person asked for something that can't be done; the text is one sentence saying so."""


def print_json(value: object, indent: int | None = 2) -> None:
    """One JSON object on standard output; without `indent` on one line."""
    print(json.dumps(value, indent=indent, ensure_ascii=False))
