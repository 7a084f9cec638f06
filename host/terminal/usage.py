"""How every subcommand refuses a person, and answers a program."""

from __future__ import annotations

import json
import os

SETTINGS_RULE = (
    "default: $HEADBAND_CONFIG, else headband.toml in the current folder, else built-in; `headband status` "
    "says which"
)


class UsageError(Exception):
    """The person asked for something that can't be done; the text is one sentence saying so."""


def print_json(value: object, indent: int | None = 2) -> None:
    """One JSON object on standard output; without `indent` on one line."""
    print(json.dumps(value, indent=indent, ensure_ascii=False))


def one_line(sentence: object) -> str:
    """What is printed of it: a name of a file may have line breaks and control characters."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(sentence))


def failed(error: OSError) -> str:
    """What went wrong with a file or a part of the system, in one sentence."""
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return f"The system refused what this needs: {reason}."
    return f"{os.fsdecode(error.filename)} cannot be used ({reason})."
