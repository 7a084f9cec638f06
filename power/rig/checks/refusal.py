"""The result of a check: passed, or a refusal that says in one sentence what was found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


class Refusal(Exception):
    """The run is invalid; the text is one sentence for the user."""

    def __init__(self, check: str, sentence: str) -> None:
        super().__init__(sentence)
        self.check = check


@dataclass(frozen=True)
class Check:
    """A passed check: what was found and what is allowed."""

    name: str
    repeat: int
    """From 1."""
    found: float
    limit: float
    unit: str
    least: float | None = None
    """Lower limit, where there is one."""

    def as_dict(self) -> dict[str, Any]:
        """For the JSON."""
        return asdict(self)
