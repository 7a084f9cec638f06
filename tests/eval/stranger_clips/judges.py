"""Judges of answers about the last seconds: whether a sentence says what is true."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal

from tests.eval.stranger.sentences import numbers, plain, unable, uncaught
from tests.eval.stranger_clips.truth import NOTHING, STILL, UNSEEN, Truth
from tests.eval.stranger_home import said

Verdict = Literal["right", "wrong", "withheld"]
_WITHHELD = re.compile(r"\b(not sure|only once|too fast for me|too dark)\b")
_UNSEEN = re.compile(r"\b(did not|didnt|do not|dont|could not|couldnt) (see|find)\b|\bsaw no\b")
_NEGATED = re.compile(r"\b(did not|didnt|does not|has not|have not|never) (move|change|flash|blink|flicker)")
_REST = re.compile(r"\b(stayed|stood still|kept its place|where it was)\b")
_SIDES = ("left", "right", "up", "down")
_TIMES = {"once": 1, "twice": 2, "thrice": 3}


def verdict(truth: Truth, text: str) -> Verdict:
    """What a sentence is worth as the answer to a question. One that says nothing about the matter is
    withheld.
    """
    spoken = plain(text)
    if not spoken.strip() or _WITHHELD.search(spoken) or uncaught(text) or unable(text):
        return "withheld"
    return "right" if _told(truth, text) == truth.answer else "wrong"


def _told(truth: Truth, text: str) -> str:
    """The answer that a sentence gives to such a question; "" for none, or for one about other things."""
    asked = {name for name in (truth.thing, truth.other) if name}
    named = set(said.things(text))
    if asked and (named - asked):
        return ""
    if _UNSEEN.search(plain(text)):
        return UNSEEN
    return _TOLD[truth.family](truth, text)


def _rests(text: str) -> bool:
    return bool(_NEGATED.search(plain(text)) or _REST.search(plain(text)))


def _direction(truth: Truth, text: str) -> str:
    if _rests(text):
        return STILL
    sides = [side for side in _SIDES if re.search(rf"\b{side}(wards?)?\b", plain(text))]
    return sides[0] if len(sides) == 1 else ""


def _yes_or_no(truth: Truth, text: str) -> str:
    begins = said.yes_or_no(text)
    if begins is None:
        return ""
    denied = _rests(text) or said.nothing(text)
    return "" if begins == denied else "yes" if begins else "no"


def _one_thing(truth: Truth, text: str) -> str:
    named = said.things(text)
    if said.nothing(text):
        return "" if named else NOTHING
    return named[0] if len(set(named)) == 1 else ""


def _first(truth: Truth, text: str) -> str:
    before = re.split(r"\bfirst\b", plain(text))[0]
    named = said.things(before)
    return named[0] if "first" in plain(text) and len(named) == 1 else ""


def _count(truth: Truth, text: str) -> str:
    if _rests(text):
        return "0"
    counted = [_TIMES[word] for word in plain(text).replace(".", "").split() if word in _TIMES]
    counted += numbers(text)
    return str(counted[0]) if len(counted) == 1 else ""


def _speed(truth: Truth, text: str) -> str:
    if _rests(text):
        return STILL
    fast = bool(re.search(r"\b(fast|quick|quickly)\b", plain(text)))
    slow = bool(re.search(r"\b(slow|slowly)\b", plain(text)))
    return "" if fast == slow else "fast" if fast else "slow"


_TOLD: Mapping[str, Callable[[Truth, str], str]] = {
    "direction": _direction, "whether": _yes_or_no, "moved": _one_thing, "first": _first, "flashes": _count,
    "blinked": _yes_or_no, "appeared": _one_thing, "gone": _one_thing, "swapped": _yes_or_no,
    "speed": _speed,
}  # fmt: skip
