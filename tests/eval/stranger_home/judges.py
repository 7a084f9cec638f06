"""Judges of answers about a home: each is called with an answer and says whether it is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from tests.eval.stranger.sentences import numbers, words
from tests.eval.stranger.truth import COLOURS
from tests.eval.stranger_home import said
from tests.eval.stranger_home.facts import ABSENT, COVERED, CUT, HAND, SEEN, Facts, Item


class Judge(Protocol):
    """Says whether an answer is right. cause: what is in the way in truth, "" for nothing."""

    @property
    def cause(self) -> str: ...

    def __call__(self, text: str) -> bool: ...


@dataclass(frozen=True)
class InTheWay:
    """Right with that cause, and with the side to turn to where the border cuts something off. word: on a
    label, with letters that are too small for people: whoever reads it all the same is right as well.
    """

    cause: str
    side: str = ""
    word: str = ""

    def __call__(self, text: str) -> bool:
        if self.word and Reads(self.word)(text):
            return True
        return said.cause(text) == self.cause and (self.cause != CUT or said.side(text) == self.side)


@dataclass(frozen=True)
class Located:
    """Right where it says where the thing is, names no other surface, hand or place, and no false neighbour.

    The place need not be named. present: the question was whether the thing is here, so "yes" is enough.
    """

    item: Item
    facts: Facts
    present: bool = False
    cause: str = ""

    def __call__(self, text: str) -> bool:
        if said.cause(text) or (said.nothing(text) and not self.item.held):
            return False
        own = {self.item.top, self.facts.place}
        if "desk" in own:
            own |= {"table"}
        where = said.tops(text) | said.places(text) | ({HAND} if _hand(text) else set())
        right = {name for name in where if any(said.same_top(name, each) for each in own)}
        if where - right:
            return False
        on_it = any(said.same_top(name, self.item.top) for name in where)
        yes = self.present and text.lower().startswith("yes")
        return (on_it or yes) and self._neighbours_right(text)

    def _neighbours_right(self, text: str) -> bool:
        named = said.left_or_right_of(text)
        for direction, name in named:
            other = self.facts.item(name)
            if other is None or other.state == ABSENT or (other.x > self.item.x) != (direction == "left"):
                return False
        others = set(said.things(text)) - {self.item.name} - {name for _, name in named}
        return all(self.facts.state(name) == SEEN for name in others)


def _hand(text: str) -> bool:
    return "hand" in text.lower().split() or "hand." in text.lower() or "holding" in text.lower()


@dataclass(frozen=True)
class Lists:
    """Right where it names exactly these things, or says "nothing" where there are none. but: a thing of the
    question that may be named as well.
    """

    wanted: frozenset[str]
    but: str = ""
    cause: str = ""

    def __call__(self, text: str) -> bool:
        if said.cause(text) and not (not self.wanted and said.nothing(text)):
            return False
        named = set(said.things(text)) - {self.but}
        return named == self.wanted and (bool(self.wanted) or said.nothing(text))


@dataclass(frozen=True)
class NamesPlace:
    """Right where it names that place and no other, or says that it cannot tell where `place` is empty."""

    place: str
    cause: str = ""

    def __call__(self, text: str) -> bool:
        named = said.places(text)
        return named == {self.place} if self.place else not named and said.no_place(text)


@dataclass(frozen=True)
class Reads:
    """Right where it says that word; "" in place of a word: that there is no label."""

    word: str
    cause: str = ""

    def __call__(self, text: str) -> bool:
        if not self.word:
            return said.no_label(text)
        return not said.cause(text) and self.word in text.lower().replace(".", "").split()


@dataclass(frozen=True)
class NamesColour:
    """Right where it names that colour and no other, of no other thing."""

    name: str
    colour: str
    cause: str = ""

    def __call__(self, text: str) -> bool:
        if said.cause(text) or said.of_something_else(text, self.name):
            return False
        return _colours(text) == {self.colour}


@dataclass(frozen=True)
class OtherColour:
    """The question names a wrong colour of a thing in view: right where it denies that, or says the true
    colour, and does not take the wrong one for granted.
    """

    name: str
    wrong: str
    true: str
    cause: str = ""

    def __call__(self, text: str) -> bool:
        if said.cause(text) not in ("", ABSENT) or said.of_something_else(text, self.name):
            return False
        denied = said.denies(text, self.wrong, self.name)
        return (denied or self.wrong not in _colours(text)) and (denied or self.true in _colours(text))


@dataclass(frozen=True)
class OnOrNot:
    """Whether a thing is on a surface: right with yes or no, and with no false surface."""

    item: Item
    asked: str
    cause: str = ""

    def __call__(self, text: str) -> bool:
        is_there = said.same_top(self.item.top, self.asked)
        named = said.tops(text) | ({HAND} if _hand(text) else set())
        if said.cause(text) or any(
            not said.same_top(name, self.item.top) and (is_there or name != self.asked) for name in named
        ):
            return False
        return said.yes_or_no(text) is is_there


@dataclass(frozen=True)
class InPlaceOrNot:
    """Whether this is a place: right with yes or no, and with no false place; where the place cannot be
    known (`place` empty), right where it says that.
    """

    place: str
    asked: str
    cause: str = ""

    def __call__(self, text: str) -> bool:
        named = said.places(text)
        if not self.place:
            return said.no_place(text)
        false = named - {self.place} - (set() if self.place == self.asked else {self.asked})
        return not false and said.yes_or_no(text) is (self.place == self.asked)


@dataclass(frozen=True)
class Tells:
    """What is in view: right where it names exactly these things; of more than four, two of them and their
    number are enough; of none, that there are none.
    """

    wanted: frozenset[str]
    cause: str = ""

    def __call__(self, text: str) -> bool:
        named = set(said.things(text))
        if not self.wanted:
            return not named and (said.nothing(text) or said.cause(text) == ABSENT)
        if said.cause(text) or named - self.wanted:
            return False
        return named == self.wanted or (
            len(self.wanted) > 4 and len(named) > 1 and len(self.wanted) in numbers(text)
        )


def _colours(text: str) -> set[str]:
    return set(words(text)) & set(COLOURS)


Slots = Mapping[str, str]


def _unseen(facts: Facts, name: str) -> Judge | None:
    """The judge where the picture or the thing cannot be made out; None where it can, or nobody can say."""
    if facts.quality != "clear":
        return InTheWay(facts.quality)
    found, state = facts.item(name), facts.state(name)
    if state in (ABSENT, COVERED):
        return InTheWay(state)
    return InTheWay(CUT, found.side) if found and state == CUT and found.side else None


def judge_of(family: str, slots: Slots, facts: Facts) -> Judge | None:
    """The judge of a question of a family about a view; None where people would disagree on the answer."""
    if facts.quality != "clear":
        return InTheWay(facts.quality)
    return _FAMILIES[family](slots, facts)


def _located(slots: Slots, facts: Facts, present: bool) -> Judge | None:
    found = facts.item(slots["item"])
    if found is None or found.state != SEEN:
        return _unseen(facts, slots["item"])
    colour = slots.get("colour", found.colour)
    if colour != found.colour:
        if not found.colour:
            return None
        return OtherColour(found.name, colour, found.colour)
    return Located(found, facts, present)


def _find(slots: Slots, facts: Facts) -> Judge | None:
    return _located(slots, facts, present=False)


def _here(slots: Slots, facts: Facts) -> Judge | None:
    return _located(slots, facts, present=True)


def _wrong_colour(slots: Slots, facts: Facts) -> Judge | None:
    judge = _located(slots, facts, present=False)
    return judge if isinstance(judge, OtherColour) else None


def _colour(slots: Slots, facts: Facts) -> Judge | None:
    found = facts.item(slots["item"])
    if found is None or found.state != SEEN:
        return _unseen(facts, slots["item"])
    return NamesColour(found.name, found.colour) if found.colour else None


def _where(slots: Slots, facts: Facts) -> Judge | None:
    found = facts.item(slots["item"])
    if found is None or found.state != SEEN:
        return _unseen(facts, slots["item"])
    if found.top != slots["surface"] and said.same_top(found.top, slots["surface"]):
        return None
    return OnOrNot(found, slots["surface"])


def _place(slots: Slots, facts: Facts) -> Judge | None:
    if facts.known is None:
        return None
    return InPlaceOrNot(facts.place if facts.known else "", slots["place"])


def _see(slots: Slots, facts: Facts) -> Judge | None:
    there = [each for each in facts.items if each.state != ABSENT]
    if any(each.state != SEEN for each in there):
        return None
    return Tells(frozenset(each.name for each in there))


def _on(slots: Slots, facts: Facts) -> Judge | None:
    slot = slots["surface"]
    top = next((each for each in facts.tops if each.name == slot), None)
    if top is None or top.state == ABSENT:
        alike = any(said.same_top(each.name, slot) and each.state != ABSENT for each in facts.tops)
        return None if alike else InTheWay(ABSENT)
    if top.state == CUT and top.side:
        return InTheWay(CUT, top.side)
    lying = [each for each in facts.lying_on(slot) if each.state != ABSENT]
    if top.state != SEEN or any(each.state != SEEN for each in lying):
        return None
    return Lists(frozenset(each.name for each in lying))


def _holding(slots: Slots, facts: Facts) -> Judge | None:
    return Lists(frozenset(each.name for each in facts.items if each.held))


def _room(slots: Slots, facts: Facts) -> Judge | None:
    return None if facts.known is None else NamesPlace(facts.place if facts.known else "")


def _next(slots: Slots, facts: Facts) -> Judge | None:
    slot = slots["item"]
    found = facts.item(slot)
    if found is None or found.state != SEEN:
        return _unseen(facts, slot)
    if found.held or found.beside is None:
        return None
    return Lists(frozenset(found.beside), but=slot)


def _label(slots: Slots, facts: Facts) -> Judge | None:
    labelled = [each for each in facts.items if each.label and each.state != ABSENT]
    if not labelled:
        return Reads("", cause=ABSENT)
    one = labelled[0]
    if len(labelled) > 1 or one.read is None or (one.state != CUT and not one.whole):
        return None
    if one.state == CUT:
        return InTheWay(CUT, one.side)
    return Reads(one.label) if one.read else InTheWay("small", word=one.label)


_FAMILIES = {
    "find": _find, "here": _here, "on": _on, "holding": _holding, "room": _room, "next": _next,
    "label": _label, "colour": _colour, "wrong colour": _wrong_colour, "where": _where, "place": _place,
    "see": _see,
}  # fmt: skip
