"""The questions about a day until some moment, with their judges."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from models.train.world.said.memory import is_held_out
from models.train.world.wording.memory import NAMES, TIMES, TRAINED
from tests.eval.eye.queries import spot_name
from tests.eval.memory_voice.judges import (
    RIGHT,
    Before,
    Judge,
    LastSeen,
    LookedAt,
    SignSaid,
    Unseen,
    WasOn,
    Why,
)
from tests.eval.memory_voice.past import WINDOWS, Past
from tests.eval.memory_voice.wordings import WORDINGS
from tests.eval.stranger_home.facts import HAND, PAIRS_OF, PLACES, THINGS

IN_TURN = (
    "where", "when", "seen", "where", "was on", "looked at", "where", "when", "sign", "where", "seen", "lamp",
    "where", "when", "was on", "seen", "where", "sign", "where", "when", "looked at",
)  # fmt: skip
"""Kinds in the order in which they are asked; after some of "where" comes a further question."""
_FURTHER = {1: "before", 3: "why", 5: "before"}
"""By which "where" of the day it is."""
_UNSEEN_SHARE = 0.3
_TRIES = 60


@dataclass(frozen=True)
class Question:
    """A question. wording: which of the three groups; judge: None for one about the answer before."""

    kind: str
    wording: str
    text: str
    judge: Judge | None
    name: str = ""
    """The thing that it is about; "" for none."""

    def judged(self, answer: str, now_s: float, past: Past, first: Answered | None) -> str:
        """The verdict. first: the answer before it, to which a further question refers."""
        if self.judge is not None:
            return self.judge(answer, now_s)
        assert first is not None
        if self.kind == "why":
            return Why(first.answer)(answer, now_s)
        if isinstance(first.question.judge, Unseen):
            return Unseen()(answer, now_s)
        return Before(past, first.question.name, first.answer, first.now_s)(answer, now_s)


@dataclass(frozen=True)
class Answered:
    """A question with what was answered, and when, seconds after midnight. heard: what was understood."""

    question: Question
    heard: str
    answer: str
    now_s: float
    verdict: str
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Whether the answer is right."""
        return self.verdict == RIGHT


@cache
def _trained() -> frozenset[str]:
    """Sentences that the recogniser's training may draw."""
    slots = [
        {"item": f"{owner} {name}", "time": time, "place": place, "name": called}
        for owner in ("my", "the") for name in THINGS for time in TIMES for place in PLACES
        for called in NAMES[:1]
    ]  # fmt: skip
    return frozenset(
        text
        for wording in TRAINED
        for text in {wording.format(**each) for each in slots}
        if text == wording or not is_held_out(text)
    )


def questions(past: Past, seed: int, count: int) -> list[Question]:
    """So many questions; things that were never in view are asked about in a part of them."""
    rng = random.Random(f"asked {seed} {past.now_s:.0f}")
    made: list[Question] = []
    for at in range(50 * count):
        kind = IN_TURN[at % len(IN_TURN)]
        group = rng.choice(tuple(WORDINGS[kind]))
        tried = list(_tries(kind, past, rng))
        found = next((each for each in tried if each.wording == group), tried[0] if tried else None)
        if found is None:
            continue
        made.append(found)
        wheres = sum(each.kind == "where" for each in made)
        if kind == "where" and wheres % 6 in _FURTHER:
            made.append(_further(_FURTHER[wheres % 6], rng))
        if len(made) >= count:
            break
    return made[:count]


def _tries(kind: str, past: Past, rng: random.Random) -> Iterator[Question]:
    for _ in range(_TRIES):
        found = _MAKERS[kind](past, rng)
        if found is not None and found.text not in _trained():
            yield found


def _further(kind: str, rng: random.Random) -> Question:
    """Commands have no slots, so training has them as well."""
    wording, text = _worded(kind, rng)
    return Question(kind, wording, text, None)


def _worded(kind: str, rng: random.Random, **slots: str) -> tuple[str, str]:
    group = rng.choice(tuple(WORDINGS[kind]))
    texts = WORDINGS[kind][group]
    name = slots.get("name", "")
    plural = name in PAIRS_OF
    owner = rng.choice(("my", "my", "my", "the"))
    text = rng.choice(texts).format(
        **slots, item=f"{owner} {name}", are="are" if plural else "is", were="were" if plural else "was"
    )
    return group, text


def _chosen(past: Past, rng: random.Random) -> tuple[str, bool] | None:
    """A thing, and whether it was never in view."""
    unseen = rng.random() < _UNSEEN_SHARE
    names = past.never if unseen else past.surely
    return (rng.choice(names), unseen) if names else None


def _last(kind: str, exactly: bool, past: Past, rng: random.Random) -> Question | None:
    chosen = _chosen(past, rng)
    if chosen is None:
        return None
    name, unseen = chosen
    group, text = _worded(kind, rng, name=name)
    return Question(kind, group, text, Unseen() if unseen else LastSeen(past, name, exactly), name)


def _window(past: Past, rng: random.Random) -> str | None:
    names = [name for name in WINDOWS if past.within(name).sights or rng.random() < 0.2]
    begun = [name for name in names if WINDOWS[name][0] < past.now_s]
    return rng.choice(begun) if begun else None


def _seen(past: Past, rng: random.Random) -> Question | None:
    window = _window(past, rng)
    if window is None:
        return None
    within = past.within(window)
    chosen = _chosen(within, rng)
    if chosen is None:
        return None
    name, unseen = chosen
    group, text = _worded("seen", rng, name=name, time=window)
    judge: Judge = Unseen() if unseen else LastSeen(within, name, any_stay=True)
    return Question("seen", group, text, judge, name)


def _looked_at(past: Past, rng: random.Random) -> Question | None:
    window = _window(past, rng)
    if window is None:
        return None
    group, text = _worded("looked at", rng, time=window)
    within = past.within(window)
    return Question("looked at", group, text, LookedAt(within) if within.sights else Unseen())


def _sign(past: Past, rng: random.Random) -> Question | None:
    away = [place for place in PLACES if place not in past.visited]
    if away and rng.random() < _UNSEEN_SHARE:
        place, judge = rng.choice(away), Unseen()
        return Question("sign", *_worded("sign", rng, place=place), judge)
    if not past.signs:
        return None
    place = rng.choice(sorted(past.signs))
    return Question("sign", *_worded("sign", rng, place=place), SignSaid(*past.signs[place]))


def _was_on(past: Past, rng: random.Random) -> Question | None:
    chosen = _chosen(past, rng)
    lying = [past.stays(name)[-1].spot for name in past.surely if past.stays(name)[-1].spot[1] != HAND]
    if chosen is None or not lying:
        return None
    name, unseen = chosen
    last = None if unseen else past.stays(name)[-1].spot
    there = last is not None and last[1] != HAND and rng.random() < 0.6
    place, top = last if there and last is not None else rng.choice(lying)
    if not there and not past.never_on(name, place, top):
        return None
    group, text = _worded("was on", rng, name=name, spot=spot_name(place, top))
    return Question("was on", group, text, Unseen() if unseen else WasOn(past, name, there), name)


def _lamp(past: Past, rng: random.Random) -> Question | None:
    """The drawn home has no lamp, so none was seen."""
    return Question("lamp", *_worded("lamp", rng, time=_window(past, rng) or "today"), Unseen())


_MAKERS: dict[str, Callable[[Past, random.Random], Question | None]] = {
    "where": partial(_last, "where", False),
    "when": partial(_last, "when", True),
    "seen": _seen,
    "looked at": _looked_at,
    "sign": _sign,
    "was on": _was_on,
    "lamp": _lamp,
}
