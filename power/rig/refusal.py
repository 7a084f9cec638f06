"""What makes a run worthless: a refusal says in one sentence which check failed and what was found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


class Refusal(Exception):
    """The run proves nothing; the text is one sentence for the person at the bench."""

    def __init__(self, check: str, sentence: str) -> None:
        super().__init__(sentence)
        self.check = check


@dataclass(frozen=True)
class Check:
    """A check that was passed: what was found and what was allowed."""

    name: str
    repeat: int
    """From 1."""
    found: float
    limit: float
    unit: str
    least: float | None = None
    """Where too little would be refused too."""

    def as_dict(self) -> dict[str, Any]:
        """For the JSON."""
        return asdict(self)
