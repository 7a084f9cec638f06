"""Numbers and words that a server, a stick or a file states, as they are taken in."""

from __future__ import annotations

import re

_LONGEST_WORDS = 200
"""Of what somebody else says, so much is printable."""


def whole_number(text: object) -> int:
    """A number that a server or a file states; 0 where there is none that a file's size could be."""
    return int(str(text)) if re.fullmatch("[0-9]{1,18}", str(text).strip(" ")) else 0


def printable(error: object) -> str:
    """Somebody else's words as part of one printed sentence: an error's without its number, without control
    characters, and not too many.
    """
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    plain = " ".join("".join(char if char.isprintable() else " " for char in said).split())
    plain = plain if len(plain) <= _LONGEST_WORDS else f"{plain[:_LONGEST_WORDS]}..."
    return plain or type(error).__name__
