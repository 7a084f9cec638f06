"""What memory is asked about a day, in the evaluation's own words, and which views answer it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.eval.stranger_home.facts import CLEAR, HAND, PAIRS_OF, PLACES, SEEN, THINGS, Facts, Item

_WORDINGS: Mapping[str, tuple[str, ...]] = {
    "thing": (
        "where {are} my {thing}", "my {thing}", "i am looking for the {thing}", "when did you see my {thing}",
        "show me the {colour} {thing}", "the {thing}",
    ),
    "spot": (
        "{thing} on the {spot}", "my {thing} on the {spot}", "the {colour} {thing} on the {spot}",
        "i left the {thing} on the {spot}", "did i put my {thing} on the {spot}",
    ),
    "hand": ("{thing} in my hand", "me holding the {thing}", "when did i pick up the {thing}"),
    "beside": ("{thing} next to the {other}", "my {thing} beside the {other}", "{thing} and {other}"),
    "word": ("{thing} with the word {word}", "the {thing} that says {word} on its label"),
    "place": ("the {place}", "when was i in the {place}", "a view of the {place}"),
}  # fmt: skip
KINDS = tuple(_WORDINGS)
_OUTDOORS = ("street", "park")
_MOST = {"thing": 12, "spot": 24, "hand": 4, "beside": 10, "word": 4, "place": 9}
"""Queries of each kind about one day."""
_NEVER_SHARE = 0.15
"""Share of spot queries about places where the thing was never seen."""


@dataclass(frozen=True)
class Query:
    """A query of a kind; `hits` says whether a view is a right answer."""

    kind: str
    text: str
    hits: Callable[[Facts], bool]


def _seen(facts: Facts, name: str) -> Item | None:
    found = facts.item(name) if facts.quality == CLEAR else None
    return found if found is not None and found.state == SEEN else None


def spot_name(place: str, top: str) -> str:
    """What people call a surface of a place: "kitchen table", "desk", "ground in the park"."""
    if top == "desk":
        return top
    return f"{top} in the {place}" if place in _OUTDOORS and top == "ground" else f"{place} {top}"


def shows(name: str) -> Callable[[Facts], bool]:
    """Views that show a thing."""
    return lambda facts: _seen(facts, name) is not None


def shows_on(name: str, place: str, top: str) -> Callable[[Facts], bool]:
    """Views that show a thing on a surface of a place, or in the hand anywhere."""

    def hits(facts: Facts) -> bool:
        found = _seen(facts, name)
        return found is not None and found.top == top and (top == HAND or facts.place == place)

    return hits


def shows_beside(name: str, other: str) -> Callable[[Facts], bool]:
    """Views that show two things next to each other."""

    def hits(facts: Facts) -> bool:
        found = _seen(facts, name)
        return found is not None and other in (found.beside or ()) and _seen(facts, other) is not None

    return hits


def shows_word(name: str, word: str) -> Callable[[Facts], bool]:
    """Views in which a word on a thing can be read."""

    def hits(facts: Facts) -> bool:
        found = _seen(facts, name)
        return found is not None and found.label == word and found.read is True and found.whole

    return hits


def shows_place(place: str) -> Callable[[Facts], bool]:
    """Views by which a place is known."""
    return lambda facts: facts.quality == CLEAR and facts.place == place and facts.known is True


def queries_of(views: Sequence[Facts], rng: random.Random) -> list[Query]:
    """The queries about a day. Most have a view that answers them; things that the camera never caught, and
    a part of the spots, have none.
    """
    colours: dict[str, str] = {}
    spots: Counter[tuple[str, str, str]] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    words: Counter[tuple[str, str]] = Counter()
    for facts in views:
        for item in facts.items if facts.quality == CLEAR else ():
            colours[item.name] = item.colour
            if item.state == SEEN:
                spots[(item.name, "" if item.held else facts.place, item.top)] += 1
                pairs.update((item.name, other) for other in item.beside or ())
                if item.label and item.read and item.whole:
                    words[(item.name, item.label)] += 1

    def worded(kind: str, **slots: str) -> str:
        are = "are" if slots.get("thing") in PAIRS_OF else "is"
        return rng.choice(_WORDINGS[kind]).format(**slots, are=are).replace("  ", " ")

    def drawn(kind: str, found: Sequence) -> list:
        return rng.sample(found, min(_MOST[kind], len(found)))

    lying = sorted(key for key in spots if key[2] != HAND)
    never = {(name, place, top) for name in THINGS for _, place, top in lying} - set(lying)
    false = rng.sample(sorted(never), min(len(never), round(_NEVER_SHARE * _MOST["spot"])))
    found = [
        Query("thing", worded("thing", thing=name, colour=colours.get(name, "")), shows(name))
        for name in THINGS
    ]
    for name, place, top in drawn("spot", lying) + false:
        text = worded("spot", thing=name, colour=colours.get(name, ""), spot=spot_name(place, top))
        found.append(Query("spot", text, shows_on(name, place, top)))
    for name, _, _ in drawn("hand", sorted(key for key in spots if key[2] == HAND)):
        found.append(Query("hand", worded("hand", thing=name), shows_on(name, "", HAND)))
    for name, other in drawn("beside", sorted(pairs)):
        found.append(Query("beside", worded("beside", thing=name, other=other), shows_beside(name, other)))
    for name, word in drawn("word", sorted(words)):
        found.append(Query("word", worded("word", thing=name, word=word), shows_word(name, word)))
    for place in drawn("place", PLACES):
        found.append(Query("place", worded("place", place=place), shows_place(place)))
    return found
