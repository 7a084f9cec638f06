"""Judges of answers about pictures: values that are called with an answer and say whether it is right."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from tests.eval.stranger.sentences import (
    clauses,
    named,
    numbers,
    plain,
    tells_absence,
    unable,
    uncaught,
    words,
)
from tests.eval.stranger.truth import COLOURS, KINDS, Change

_PLACES = {"top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom", "left": "left",
           "right": "right", "middle": "middle", "centre": "middle", "center": "middle"}  # fmt: skip
_UNCHANGED = re.compile(r"\bnothing\b|\b(not|no|hasnt) changed?\b|\bthe same\b|^no\W*$")
_BESIDE = re.compile(r"\b((left|right) of|above|below|next to|beside) the( \w+){1,2}|\bright now\b")
_FROM = re.compile(r"\bfrom (the )?(left|right|top|bottom)( side)? to\b")


class Judge(Protocol):
    """Says whether an answer is right."""

    def __call__(self, said: str) -> bool: ...


@dataclass(frozen=True)
class Says:
    """Right with a word of each group of `required`, none of `forbidden`, and no refusal."""

    required: tuple[tuple[str, ...], ...]
    forbidden: tuple[str, ...] = ()

    def __call__(self, said: str) -> bool:
        found = set(words(said))
        if uncaught(said) or unable(said) or tells_absence(said):
            return False
        return all(found & set(group) for group in self.required) and not found & set(self.forbidden)


def _others(all_of_them: tuple[str, ...], *but: str) -> tuple[str, ...]:
    return tuple(each for each in all_of_them if each not in but)


def says_colour(colour: str, kind: str) -> Says:
    """Right with that colour and no other, of no other kind."""
    return Says(((colour,),), _others(COLOURS, colour) + _others(KINDS, kind))


def says_kind(kind: str, colour: str) -> Says:
    """Right with that kind and no other, of no other colour."""
    return Says(((kind,),), _others(COLOURS, colour) + _others(KINDS, kind))


@dataclass(frozen=True)
class SaysWords:
    """Right with exactly these words of a sign in a row, and no refusal."""

    text: str

    def __call__(self, said: str) -> bool:
        found = " ".join(words(said))
        value = numbers(self.text)
        if value and len(numbers(said)) == 1 and numbers(said) == value:
            return True
        return f" {self.text} " in f" {found} " and not tells_absence(said)


@dataclass(frozen=True)
class Counts:
    """Right with that number and no other; none may also be told as "I do not see any". `kind`: what was
    counted, "" for things of any kind.
    """

    number: int
    kind: str = ""

    def __call__(self, said: str) -> bool:
        if uncaught(said) or (self.kind and {each.kind for each in named(said)} - {self.kind}):
            return False
        if tells_absence(said):
            return self.number == 0 and set(numbers(said)) <= {0}
        return set(numbers(said)) == {self.number}


@dataclass(frozen=True)
class AtPlace:
    """Right with exactly that place, "top left" or "middle", of that kind of thing."""

    place: str
    kind: str

    def __call__(self, said: str) -> bool:
        if tells_absence(said) or uncaught(said):
            return False
        text = _BESIDE.sub("", plain(said))
        if {each.kind for each in named(text)} - {self.kind}:
            return False
        found = {_PLACES[word] for word in words(text) if word in _PLACES}
        wanted = set(self.place.split())
        if len(wanted) == 1 and wanted != {"middle"}:
            found -= {"middle"}
        return found == wanted


@dataclass(frozen=True)
class YesOrNo:
    """Right with that verdict and its reason. `word`: what the question asked, "left" or "green"; `among`:
    words that exclude one another; `true_word`: which of them is so, and no other may be said in a positive
    clause; `kinds`: what the question was about, and nothing else may be named; `forbidden`: other words.
    """

    yes: bool
    word: str
    true_word: str
    among: tuple[str, ...]
    kinds: tuple[str, ...] = KINDS
    forbidden: tuple[str, ...] = ()

    def __call__(self, said: str) -> bool:
        found, parts = words(said), clauses(said)
        if not found or uncaught(said) or unable(said) or set(found) & set(self.forbidden):
            return False
        if {each.kind for each in named(said)} - set(self.kinds):
            return False
        told = {word for part in parts if not part.denied for word in words(part.text) if word in self.among}
        if told - {self.true_word}:
            return False
        verdict = found[0] if found[0] in ("yes", "no") else ""
        if verdict and verdict != ("yes" if self.yes else "no"):
            return False
        if verdict and len(found) == 1:
            return True
        denied = any(part.denied for part in parts[bool(verdict) :])
        if self.yes:
            return bool(told) and not denied
        return bool(told) or (denied and self.word in found)


@dataclass(frozen=True)
class Describes:
    """Right where all things, and nothing else, are named with their colours, and a sign if there is one.
    With five things or more it is enough to say how many and to name some.
    """

    pairs: tuple[tuple[str, str], ...]
    """(colour, kind) of each thing."""
    sign: bool = False

    def __call__(self, said: str) -> bool:
        told: Counter[tuple[str, str]] = Counter()
        for each in named(said):
            told[each.colour, each.kind] += each.count
        true = Counter(self.pairs)
        if not told or told - true or uncaught(said):
            return False
        if told != true:
            return len(self.pairs) > 4 and len(self.pairs) in numbers(said)
        return not self.sign or "sign" in words(said)


@dataclass(frozen=True)
class Bigger:
    """Right where `kind` is said to be the bigger of two, or `other` the smaller."""

    kind: str
    other: str

    def __call__(self, said: str) -> bool:
        if uncaught(said) or unable(said) or tells_absence(said):
            return False
        order = [each.kind for each in named(said)]
        if not order or {*order} - {self.kind, self.other}:
            return False
        denied = any(clause.denied for clause in clauses(said))
        smaller = "smaller" in words(said)
        return (order[0] == self.kind) != (smaller != denied)


@dataclass(frozen=True)
class Neighbour:
    """Right where the neighbour of a thing is named and, besides the thing itself, nothing else."""

    kind: str
    neighbour_colour: str
    neighbour_kind: str

    def __call__(self, said: str) -> bool:
        others = [each for each in named(said) if each.kind != self.kind]
        if uncaught(said) or unable(said) or tells_absence(said) or not others:
            return False
        return all(
            each.kind == self.neighbour_kind and each.colour in ("", self.neighbour_colour) for each in others
        )


@dataclass(frozen=True)
class TellsChanges:
    """Right where every change is told and nothing is told of things that stayed; without changes, where it
    says that nothing changed.
    """

    changes: tuple[Change, ...]

    def __call__(self, said: str) -> bool:
        if uncaught(said) or unable(said):
            return False
        if not self.changes:
            return not named(said) and bool(_UNCHANGED.search(plain(said)))
        said = _FROM.sub("to", plain(said))
        kinds = {kind for clause in clauses(said) for kind in clause.kinds}
        if kinds != {change.item.kind for change in self.changes}:
            return False
        return all(self._told(change, said) for change in self.changes)

    def _told(self, change: Change, said: str) -> bool:
        texts = [clause.text for clause in clauses(said)]
        places = [place for place, text in enumerate(texts) if change.item.kind in words(text)]
        nearby = []
        for place in places:
            until = place + 1
            while until < len(texts) and not any(kind in words(texts[until]) for kind in KINDS):
                until += 1
            nearby += [word for text in texts[place:until] for word in words(text)]
        return _tells(change, set(nearby))


def _tells(change: Change, found: set[str]) -> bool:
    """Whether these words tell of that change."""
    colours = found & set(COLOURS)
    item, after = change.item, change.after
    gone = bool(found & {"gone", "disappeared", "vanished", "missing", "away"}) or {"no", "longer"} <= found
    new = bool(found & {"new", "appeared", "added", "came"})
    moved = found & {"moved", "went", "move"} and "not" not in found
    ways = {"up": {"up", "upwards"}, "down": {"down", "downwards"}, "left": {"left"}, "right": {"right"}}
    match change.how:
        case "gone":
            return gone and colours <= {item.colour}
        case "appeared":
            return new and colours <= {item.colour}
        case "moved":
            wrong = {word for way, said in ways.items() if way != change.direction for word in said}
            return bool(moved) and bool(found & ways[change.direction]) and not found & wrong
        case _:
            assert after is not None
            return after.colour in colours and colours <= {item.colour, after.colour} and not gone and not new
