"""Errors in one sentence and results as JSON, for all subcommands."""

from __future__ import annotations

import json
import os
import sys

from hw.finite import finite

SETTINGS_RULE = (
    "default: $HEADBAND_CONFIG, else headband.toml in the current folder, else built-in; `headband status` "
    "says which"
)

OUTPUT = "\n  | "
"""What stands before each line of a program's output in an error."""


class UsageError(Exception):
    """The command line asks for something impossible; the text is one sentence."""


def print_json(value: object, indent: int | None = 2) -> None:
    """Prints a JSON value on standard output; with indent None on one line. A number that is none (NaN,
    infinite) is null, as JSON has neither.
    """
    print(json.dumps(finite(value), indent=indent, ensure_ascii=False, allow_nan=False))


def print_problem(problem: str) -> None:
    """What a running headband tells once on standard error, where `--json` and systemd's log have it too; the
    wearer has no use for it.
    """
    print(f"{problem} The headband goes on without it.", file=sys.stderr, flush=True)


def one_line(sentence: object) -> str:
    """The text with line breaks and control characters, which file names may contain, escaped."""
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in str(sentence)
    )


def with_output(sentence: object) -> str:
    """As `one_line`, for a sentence that may be followed by the lines of a program's output, each of which
    begins with `OUTPUT`: those stay lines.
    """
    return OUTPUT.join(map(one_line, str(sentence).split(OUTPUT)))


def os_error_sentence(error: OSError) -> str:
    """An `OSError` as one sentence for a person."""
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return f"The system refused what this needs: {reason}."
    return f"{os.fsdecode(error.filename)} cannot be used ({reason})."
