"""Sanitises numbers and texts from untrusted servers and files."""

from __future__ import annotations

import re

_LONGEST_WORDS = 200
"""Longest quoted text, characters."""


def whole_number(text: object) -> int:
    """A stated file size; 0 where the text is no such number."""
    return int(str(text)) if re.fullmatch("[0-9]{1,18}", str(text).strip(" ")) else 0


def printable(error: object) -> str:
    """A foreign text for use in a printed sentence: an error without its number, no control characters,
    limited length.
    """
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    plain = " ".join("".join(char if char.isprintable() else " " for char in said).split())
    plain = plain if len(plain) <= _LONGEST_WORDS else f"{plain[:_LONGEST_WORDS]}..."
    return plain or type(error).__name__
