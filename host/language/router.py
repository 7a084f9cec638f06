"""Chooses who answers a question from its words.

Sentence templates live in `intents.yaml` and are matched by hassil, the template matcher of Home Assistant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from host.language.past.cues import without_what_follows
from host.language.past.questions import PastQuestion, past_question
from host.language.politeness import without_politeness
from host.language.safety import SAFETY, about_safety, is_it_okay
from power.account.routes import Route

if TYPE_CHECKING:
    from host.language.matcher import Intents

INTENTS = Path(__file__).with_name("intents.yaml")
RECALL = "recall"
"""The group of questions that the memory answers only while it is on."""
CLIP = "clip"
"""The group of questions about the last seconds, for packs that understand several pictures in order; a
`Decision` about them has the route "frames" and an intent that begins with this word.
"""
UNKNOWN_THING = "unknown"
"""The slot of such a question that is about a thing that is not known by sight."""
_ROUTE_OF = {RECALL: "memory", CLIP: "frames", "device_also": "device", "memory_also": "memory"}
"""Where a group has another name than its route."""
_MAY_BE_OF_SAFETY = (CLIP, "frames", "now")
"""Groups of questions about what is seen, which may ask for a judgement about safety."""
_COMMANDS = ("device", "device_also", "memory", "memory_also")
"""Groups with commands, which may follow a request ("could you ...")."""
_NO_SIGHT = re.compile(
    r"when did (?!(?:my|your|our)\b|(?:i|you|we) (?:last )?"
    r"(?:see|have|hold|use|wear|notice|leave|put|drop|lose|find|pick|look|buy|get|enter|reach|pass|take)\b)"
)
"""When something happened that no picture shows: "when did i eat"."""
_REQUEST = re.compile(
    r"^(?:(?:(?:can|could|would|will) you|i (?:want|need|would like) you to|i like you to|go ahead and) "
    r"(?:please |just |kindly )*)+"
)
_NO_HOUR = re.compile(r"(?<!\btwenty )\btwenty (?:four|five|six|seven|eight|nine)\b")
"""No time of day by itself: "wake me at twenty five"."""
_CONTRACTIONS = {
    "what's": "what is", "where's": "where is", "how's": "how is", "who's": "who is", "that's": "that is",
    "there's": "there is", "colour's": "colour is", "i'm": "i am", "i've": "i have", "can't": "cannot",
    "don't": "do not", "it's": "it is", "you've": "you have", "we've": "we have",
}  # fmt: skip


@dataclass(frozen=True)
class Decision:
    """The route of a transcript; `intent` names the template group that matched ("" for none), `slots` holds
    its parameters. certainty: the probability by which the classifier found it; None where a template or a
    rule did. first: further requests to the device in the same sentence, which are carried out before it.
    """

    route: Route
    intent: str = ""
    slots: dict[str, Any] = field(default_factory=dict)
    certainty: float | None = None
    first: tuple[Decision, ...] = ()


class Router:
    """Matches transcripts with the sentence templates, which are read at the first `decide`, or by `warm`."""

    def __init__(self, path: Path = INTENTS) -> None:
        self._path = path

    def warm(self) -> None:
        """Reads the templates and runs the matcher once, so that the first question is not delayed by it."""
        self.decide("what colour is the star")

    def decide(self, transcript: str, *, remembers: bool = False, clips: bool = False) -> Decision:
        """The route of a transcript; case and punctuation are ignored. "open" when no template matches. A
        question about safety that is no command and asks for no memory is declined, whatever else it says.
        remembers: the memory is on, so "where did I leave my keys" asks it, and not the present view. clips:
        the pack understands several pictures in order.
        """
        from host.language.matcher import recognize

        text = " ".join(_CONTRACTIONS.get(word, word) for word in plain_words(transcript).split())
        text = re.sub(r"\ba hundred\b", "one hundred", text)
        text = re.sub(r"\b(?:an?|one) (minute|hour|day|week|month) or two ago\b", r"one or two \1s ago", text)
        if not text:
            return Decision("unclear")
        plain = without_politeness(text)
        for candidate in dict.fromkeys((plain, text, _REQUEST.sub("", plain))):
            for route, intents in _templates(self._path):
                if candidate not in (plain, text) and route not in _COMMANDS:
                    continue
                if route == RECALL:
                    past = past_question(candidate) if remembers else None
                    if past is not None and past.intent == SAFETY:
                        return Decision("device", SAFETY)
                    if past is not None:
                        return _recalled(past, candidate)
                    if not remembers:
                        continue
                if route == CLIP and not clips:
                    continue
                if route in _MAY_BE_OF_SAFETY and (about_safety(candidate) or is_it_okay(text)):
                    return Decision("device", SAFETY)
                match = recognize(candidate, intents)
                if match is not None and not _NO_SIGHT.match(candidate):
                    slots = {name: entity.value for name, entity in match.entities.items()}
                    if slots.get("hour") == 20 and slots.get("minute") and _NO_HOUR.search(candidate):
                        continue
                    if "unit2" in slots and slots["unit2"] == slots["unit"]:
                        continue  # "five minutes and ten minutes" are two lengths
                    if _ROUTE_OF.get(route, route) == "memory" and remembers and "rest" in slots:
                        return _recalled(PastQuestion(match.intent.name, str(slots["rest"])), candidate)
                    intent = f"{CLIP} {match.intent.name}" if route == CLIP else match.intent.name
                    return Decision(cast(Route, _ROUTE_OF.get(route, route)), intent, slots)
        return Decision("open")


def _recalled(past: PastQuestion, said: str) -> Decision:
    asked = without_what_follows(past, said)
    return Decision("memory", asked.intent, {"rest": asked.rest})


@cache
def _templates(path: Path) -> list[tuple[str, Intents]]:
    """The groups of a file by their route, read once by a process."""
    import yaml

    from host.language.matcher import Intents

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C, where it is there: an eighth of the time
    groups = yaml.load(path.read_text(encoding="utf-8"), loader)
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


def plain_words(transcript: str) -> str:
    """Lower case, letters, digits and apostrophes only, single spaces."""
    return " ".join(re.findall(r"[a-z0-9']+", transcript.lower()))
