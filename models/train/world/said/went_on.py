"""What many people say shortly after a command, to change what it set or of other things: `went_on.txt`, for
training only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

WENT_ON = Path(__file__).parents[1] / "wording" / "went_on.txt"
NONE = "none"
"""The kind of what does not go on from the command."""


@dataclass(frozen=True)
class WentOn:
    """command: what was said before. kind, value: what is to become of what that set, as in the file."""

    speaker: str
    command: str
    kind: str
    value: str
    text: str


@cache
def went_on(file: Path = WENT_ON) -> tuple[WentOn, ...]:
    """Each line of a file, "speaker | command | kind | value | sentence"."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(WentOn(*line.split(" | ")) for line in lines if line and not line.startswith("#"))
