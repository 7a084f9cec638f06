"""Where things are, in words: what is said of a spot, and which words tell of the same one. Pure."""

from __future__ import annotations

import re

from host.answers.seen.about_things import HAND, OUTDOORS, spot_words
from host.language.usual.view import PLACES, SURFACES

_PLACES = "|".join(PLACES)
_SPOT = re.compile(
    rf"\b(?:on|in|at) (?:the|your) (?:(?P<place>{_PLACES}) )?(?P<top>{'|'.join(SURFACES)}|{HAND})"
    rf"(?: in the (?P<outdoors>{_PLACES}))?\b"
)
_OTHER_SPOT = re.compile(r"\b(?:on|in) (?:the|your) ([a-z ]+)")
_PLACE_CALLED = {name: re.compile(called) for name, called in PLACES.items()}


def spot_said(place: str, lying: str) -> str:
    """Where something is, from the object detector's names: "on the kitchen table"; "" for unknown."""
    return spot_words(place, lying) if lying else ""


def same_spot(first: str, second: str) -> bool:
    """Whether two answers tell of one spot: "on the bed" may be "on the bedroom bed"."""
    one, other = _parts(first), _parts(second)
    if one is None or other is None:
        told = _other(first), _other(second)
        return told[0] == told[1] if all(told) else first == second
    places = {one[0], other[0]} - {""}
    tops = {one[1], other[1]}
    if tops == {"table", "desk"}:
        return places == {"desk"}
    if tops == {"floor", "ground"}:
        return len(places) < 2 and places <= set(OUTDOORS)
    return len(tops) == 1 and (tops == {HAND} or len(places) < 2)


def _parts(answer: str) -> tuple[str, str] | None:
    """The place, "" where it is not told, and the surface."""
    found = _SPOT.search(answer.lower())
    if found is None:
        return None
    top = found["top"]
    return found["place"] or found["outdoors"] or ("desk" if top == "desk" else ""), top


def _other(answer: str) -> str:
    found = _OTHER_SPOT.search(answer.lower())
    return found[1].strip() if found else ""


def usual_place(called: str) -> str:
    """The usual name of a place: "hallway" is "hall"; others as they are."""
    return next((name for name, pattern in _PLACE_CALLED.items() if pattern.fullmatch(called)), called)
