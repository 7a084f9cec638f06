"""What is said about the last seconds: sentences for what the motion brick made of a question. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from host.language.router import CLIP, UNKNOWN_THING, Decision
from models.clip import NO_THING, ClipAnswer

_MOVED, _OF_ONE_THING = "moved", ("direction", "speed")
NOTHING = "nothing"
"""The answer that no thing moved, appeared or went."""
READ = "read"
"""The family that is answered from the sharpest picture by the usual way."""
_TIMES = ("not", "once", "twice", "three times", "four times", "five times", "six times or more")
_WAYS = {"left": "went to the left", "right": "went to the right", "up": "went up", "down": "went down"}
ONLY_ONCE = "I saw it only once, so I cannot tell."
_Says = Callable[["ClipAsked", str], str]
UNSURE = "I looked, but I am not sure enough to tell."
TOO_DARK = "It was too dark to tell."
NOT_BY_SIGHT = "I only know your own things by sight, such as your cup or your keys, so I cannot tell."


@dataclass(frozen=True)
class ClipTold:
    """An answer about the last seconds. probability: that it is right, 0 to 1; units: pictures compared;
    cause: why nothing could be told, as a clause, "" where something was.
    """

    probability: float
    units: int
    cause: str = ""


@dataclass(frozen=True)
class ClipAsked:
    """A question about the last seconds. thing, other: kinds, "" for none; unknown: it is about another thing
    than those kinds.
    """

    family: str
    thing: str = NO_THING
    other: str = NO_THING
    unknown: bool = False


def clip_asked(decision: Decision) -> ClipAsked | None:
    """What a decision asks of a clip; None where it asks something else."""
    group, _, family = decision.intent.partition(" ")
    if group != CLIP or decision.route != "frames":
        return None
    things = [str(decision.slots.get(name, NO_THING)) for name in ("item", "item2")]
    return ClipAsked(family, things[0], things[1], bool(decision.slots.get(UNKNOWN_THING)))


def asked_first(asked: ClipAsked) -> ClipAsked:
    """What has to be known before: what moved, where a question about one thing only calls it "it"."""
    it = asked.family in _OF_ONE_THING and not asked.thing and not asked.unknown
    return ClipAsked(_MOVED) if it else asked


def sentence(asked: ClipAsked, answer: ClipAnswer, least: Mapping[str, float]) -> str:
    """What is said. least: probability from which an answer of a family is given."""
    if not answer.label:
        return ONLY_ONCE
    if answer.probability < least.get(asked.family, 0.0):
        return UNSURE
    return _SENTENCES[asked.family](asked, answer.label)


def told(answer: ClipAnswer, *, dark: bool) -> ClipTold:
    """What an answer rests on. dark: most pictures are too dark to recognise anything."""
    cause = "it was too dark" if dark else "" if answer.label else "I had only one picture"
    return ClipTold(answer.probability, answer.units, cause)


def _direction(asked: ClipAsked, label: str) -> str:
    if label in _WAYS:
        return f"{_the(asked.thing)} {_WAYS[label]}."
    return f"{_the(asked.thing)} did not move." if label == "still" else _unseen(asked)


def _whether(asked: ClipAsked, label: str) -> str:
    if label == "unseen":
        return _unseen(asked)
    if not asked.thing:
        return "Yes, something moved." if label == "yes" else "No, nothing moved."
    moved = "moved" if label == "yes" else "did not move"
    return f"{label.capitalize()}, {_lower(asked.thing)} {moved}."


def _first(asked: ClipAsked, label: str) -> str:
    if label == "unseen":
        return _unseen(asked) if asked.thing else "I cannot say what came first."
    second = next((each for each in (asked.thing, asked.other) if each and each != label), "")
    return f"{_the(label)} came first, then {_lower(second)}." if second else f"{_the(label)} came first."


def _swapped(asked: ClipAsked, label: str) -> str:
    if label == "unseen":
        return _unseen(asked)
    named = f"{_lower(asked.thing)} and {_lower(asked.other)}" if asked.thing else "they"
    return f"Yes, {named} changed places." if label == "yes" else f"No, {named} did not change places."


def _speed(asked: ClipAsked, label: str) -> str:
    if label in ("fast", "slow"):
        return f"{_the(asked.thing)} went {'fast' if label == 'fast' else 'slowly'}."
    return f"{_the(asked.thing)} did not move." if label == "still" else _unseen(asked)


def _flashes(asked: ClipAsked, label: str) -> str:
    count = min(int(label), len(_TIMES) - 1)
    return f"The light flashed {_TIMES[count]}." if count else "The light did not flash."


def _blinked(asked: ClipAsked, label: str) -> str:
    return "Yes, the light flashed." if label == "yes" else "No, the light did not flash."


def _changed(nothing: str, verb: str) -> _Says:
    def said(asked: ClipAsked, label: str) -> str:
        return nothing if label == NOTHING else f"{_the(label)} {verb}."

    return said


def _unseen(asked: ClipAsked) -> str:
    named = [each for each in (asked.thing, asked.other) if each]
    if not named:
        return "I did not see it."
    return f"I did not see {' or '.join(map(_lower, named))} in the last seconds."


def _lower(thing: str) -> str:
    return f"the {thing}"


def _the(thing: str) -> str:
    return f"The {thing}"


_SENTENCES: Mapping[str, _Says] = {
    "direction": _direction,
    "whether": _whether,
    "moved": _changed("I saw none of your things move.", "moved"),
    "first": _first,
    "flashes": _flashes,
    "blinked": _blinked,
    "appeared": _changed("Nothing new appeared.", "appeared"),
    "gone": _changed("Nothing went away.", "went away"),
    "swapped": _swapped,
    "speed": _speed,
}
