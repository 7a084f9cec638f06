"""What people say in one breath, in its parts: `run_on.txt`, for training only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

RUN_ON = Path(__file__).parents[1] / "wording" / "run_on.txt"
ASIDE = "aside"
"""The kind of a part that asks nothing: a filler, a reason, an address."""
OPEN = "open"
"""The kind of a question about the world."""
NONE = "none"
"""The kind of a sentence of one part that is not for the headband."""


@dataclass(frozen=True)
class Part:
    """A part of a sentence with its kind; a word that joins it to the part before is its first."""

    kind: str
    text: str


@cache
def run_on_sentences() -> tuple[tuple[Part, ...], ...]:
    """All of them, each with its parts in the order in which they are said."""
    lines = RUN_ON.read_text(encoding="utf-8").splitlines()
    told = (line.partition(" | ")[2] for line in lines if line and not line.startswith("#"))
    return tuple(tuple(_part(each) for each in sentence.split(" / ")) for sentence in told)


def _part(told: str) -> Part:
    kind, _, text = told.partition(": ")
    return Part(kind, text)
