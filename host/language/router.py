"""Who answers: a device skill, memory, several frames, the present view, or the language model alone.

Sentence templates live in `intents.yaml` and are matched by hassil, the template matcher of Home Assistant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hassil.intents import Intents

ROUTES = ("device", "memory", "frames", "now", "open")
INTENTS = Path(__file__).with_name("intents.yaml")
_POLITE = ("please", "okay", "so", "now", "and", "then", "hey")


@dataclass(frozen=True)
class Decision:
    """`route` is one of ROUTES, or "unclear" for a transcript without a word; `intent` names the template
    group that matched.
    """

    route: str
    intent: str = ""
    slots: dict[str, Any] = field(default_factory=dict)


class Router:
    """Matches transcripts against the sentence templates, which are read when first needed, or by `warm`."""

    def __init__(self, path: Path = INTENTS) -> None:
        self._path = path

    def warm(self) -> None:
        """Reads the templates and runs the matcher once, so that the first question doesn't pay for it."""
        self.decide("what colour is the star")

    @cached_property
    def _groups(self) -> list[tuple[str, Intents]]:
        import yaml
        from hassil.intents import Intents

        groups = yaml.safe_load(self._path.read_text(encoding="utf-8"))
        lists = groups.pop("lists")
        return [
            (
                route,
                Intents.from_dict(
                    {
                        "language": "en",
                        "intents": {name: {"data": [{"sentences": texts}]} for name, texts in table.items()},
                        "lists": lists,
                    }
                ),
            )
            for route, table in groups.items()
        ]

    def decide(self, transcript: str) -> Decision:
        """The route of a transcript (any case, punctuation ignored)."""
        from hassil.recognize import recognize

        text = plain_words(transcript)
        if not text:
            return Decision("unclear")
        for candidate in dict.fromkeys((_without_politeness(text), text)):
            for route, intents in self._groups:
                match = recognize(candidate, intents)
                if match is not None:
                    slots = {name: entity.value for name, entity in match.entities.items()}
                    return Decision(route, match.intent.name, slots)
        return Decision("open")


def plain_words(transcript: str) -> str:
    """Lower case, letters, digits and apostrophes only, single spaces."""
    return " ".join(re.findall(r"[a-z0-9']+", transcript.lower()))


def _without_politeness(text: str) -> str:
    words = text.split()
    while len(words) > 1 and words[0] in _POLITE:
        words = words[1:]
    while len(words) > 1 and words[-1] in _POLITE:
        words = words[:-1]
    return " ".join(words).removesuffix(" right")
