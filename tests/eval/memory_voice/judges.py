"""Judges of the memory's answers: each is called with an answer and gives a verdict.

Right is an answer with the right thing, place and time. A time is right within `LATE_S` of a view that shows
it, which is about as long as one look lasts. Where nothing may be looked at again (`k` = 0) and an answer
names no place, thing and time are enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.eval.memory_voice import told
from tests.eval.memory_voice.past import Past, Sight
from tests.eval.stranger.sentences import plain, words
from tests.eval.stranger_home import said
from tests.eval.stranger_home.facts import Item
from tests.eval.stranger_home.judges import Located

LATE_S = 300.0
RIGHT = "right"
FALSELY_NOT_SEEN = "falsely not seen"
FALSELY_SEEN = "tells of what was not seen"
WRONG_PLACE, WRONG_TIME = "wrong place", "wrong time"
EARLIER = "an earlier place"
NOTHING_NAMED = "names nothing that was in view"
OTHER = "no such answer"


class Judge(Protocol):
    """Gives a verdict. unseen: the true answer is that it was not seen."""

    @property
    def unseen(self) -> bool: ...

    def __call__(self, answer: str, now_s: float) -> str: ...


@dataclass(frozen=True)
class Unseen:
    """Right where it says that it was not seen."""

    unseen: bool = True

    def __call__(self, answer: str, now_s: float) -> str:
        if told.not_seen(answer):
            return RIGHT
        return FALSELY_SEEN if told.times(answer, now_s) else OTHER


def _near(sights: Iterable[Sight], each: told.Told) -> list[Sight]:
    return [sight for sight in sights if each.least_s - LATE_S <= sight.at_s <= each.most_s + LATE_S]


def _located(answer: str, name: str, sights: Iterable[Sight]) -> bool:
    """Whether one of these views shows the thing where the answer says."""
    for sight in sights:
        item = sight.item(name)
        if item is not None and Located(item, sight.facts)(told.body(answer)):
            return True
    return False


@dataclass(frozen=True)
class LastSeen:
    """Where and when a thing was last seen. exactly: its time must be that of the last view; any_stay: any
    time and place where it was seen is right.
    """

    past: Past
    name: str
    exactly: bool = False
    any_stay: bool = False
    unseen: bool = False

    def __call__(self, answer: str, now_s: float) -> str:
        if told.not_seen(answer):
            return FALSELY_NOT_SEEN
        times = told.times(answer, now_s)
        if len(times) != 1 or set(said.things(answer)[:1]) != {self.name}:
            return OTHER
        stays = self.past.stays(self.name)
        last = stays[-1].sights
        right: Sequence[Sight] = [each for stay in stays for each in stay.sights] if self.any_stay else last
        near = _near(last[-1:] if self.exactly else right, times[0])
        if near and (told.placeless(answer) or _located(answer, self.name, near)):
            return RIGHT
        if near:
            return WRONG_PLACE
        earlier = _near((each for stay in stays for each in stay.sights), times[0])
        place_right = told.placeless(answer) or _located(answer, self.name, earlier)
        return EARLIER if earlier and place_right else WRONG_TIME


@dataclass(frozen=True)
class Before:
    """Where a thing was before the last place; the first answer has to be right as well."""

    past: Past
    name: str
    first: str
    first_now_s: float
    unseen: bool = False

    def __call__(self, answer: str, now_s: float) -> str:
        if LastSeen(self.past, self.name)(self.first, self.first_now_s) != RIGHT:
            return "the answer before was not right"
        stays = self.past.stays(self.name)
        if len(stays) == 1:
            same = "same place" in plain(answer)
            return RIGHT if same or told.not_seen(answer) else FALSELY_SEEN
        if told.not_seen(answer) or "same place" in plain(answer):
            return FALSELY_NOT_SEEN
        times = told.times(answer, now_s)
        if len(times) != 1:
            return OTHER
        near = _near(stays[-2].sights, times[0])
        if near and (told.placeless(answer) or _located(answer, self.name, near)):
            return RIGHT
        return WRONG_PLACE if near else WRONG_TIME


@dataclass(frozen=True)
class LookedAt:
    """What was seen: at least one time is told; every thing and place that is named was in view then, and
    where a thing was, one is named. Where any was in view in that part of the day, one is named at some time.
    """

    past: Past
    unseen: bool = False

    def __call__(self, answer: str, now_s: float) -> str:
        if told.not_seen(answer):
            return FALSELY_NOT_SEEN
        times = told.times(answer, now_s)
        if not times:
            return OTHER
        for each in times:
            near = _near(self.past.sights, each)
            if not near:
                return WRONG_TIME
            named = said.things(each.words)
            if not any(_shows(sight, named, each.words) for sight in near):
                return WRONG_PLACE
            if not named and all(map(_things, near)):
                return NOTHING_NAMED
        named_any = any(said.things(each.words) for each in times)
        return RIGHT if named_any or not any(map(_things, self.past.sights)) else NOTHING_NAMED


def _things(sight: Sight) -> list[Item]:
    """The things that are in view enough to be named."""
    return [each for each in sight.facts.items if sight.item(each.name)]


def _shows(sight: Sight, named: Iterable[str], words: str) -> bool:
    """Whether all of these things are in view there, and the place, where one is told, is that place."""
    found = [sight.item(name) for name in named]
    tops = {item.top for item in found if item is not None}
    return None not in found and said.places(words) <= {sight.facts.place, *tops}


@dataclass(frozen=True)
class SignSaid:
    """What a sign said; a time that is told is right as well."""

    word: str
    showing: tuple[Sight, ...]
    unseen: bool = False

    def __call__(self, answer: str, now_s: float) -> str:
        if told.not_seen(answer):
            return FALSELY_NOT_SEEN
        times = told.times(answer, now_s)
        if any(not _near(self.showing, each) for each in times):
            return WRONG_TIME
        rest = " ".join(words(times[-1].words if times else answer))
        return RIGHT if f" {self.word} " in f" {rest} " else OTHER


@dataclass(frozen=True)
class WasOn:
    """Whether a thing was on a spot. there: it was last seen there; otherwise it never was. Right with yes
    or no, or where the last place and its time are told.
    """

    past: Past
    name: str
    there: bool
    unseen: bool = False

    def __call__(self, answer: str, now_s: float) -> str:
        yes = said.yes_or_no(answer)
        if yes is not None and yes is not self.there:
            return WRONG_PLACE
        times = told.times(answer, now_s)
        if yes is not None and not times:
            return RIGHT
        if not self.there and told.not_seen(answer):
            return RIGHT
        return LastSeen(self.past, self.name)(answer, now_s)


@dataclass(frozen=True)
class Why:
    """Why the last answer was given: it rests on pictures, which show the thing or do not, as was said."""

    first: str
    unseen: bool = False

    def __call__(self, answer: str, now_s: float) -> str:
        text = plain(answer)
        if told.unlooked(self.first):
            return RIGHT if told.unlooked(answer) else OTHER
        denies = "no such thing" in text
        return RIGHT if "picture" in text and denies is told.not_seen(self.first) else OTHER
