"""What many people ask about the last seconds, in their own words, and what they say of the same things
without asking: `asked_of_clip.txt`, for training only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

ASKED = Path(__file__).parents[1] / "wording" / "asked_of_clip.txt"
NONE = "none"
"""The kind of what asks nothing about the last seconds."""


@dataclass(frozen=True)
class Asked:
    """kind: a family of the motion brick, or `NONE`."""

    speaker: str
    kind: str
    text: str


@cache
def asked_of_clip(file: Path = ASKED) -> tuple[Asked, ...]:
    """Each line of a file, "speaker | kind | text"."""
    lines = file.read_text(encoding="utf-8").splitlines()
    parts = (line.split(" | ") for line in lines if line and not line.startswith("#"))
    return tuple(Asked(speaker, kind, text) for speaker, kind, text in parts)
