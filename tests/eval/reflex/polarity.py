"""Questions that tempt to say yes: negated ones, and things that are not there asked as if they were.

"Is there no cup?" means the same with yes and with no, so a bare yes or no is wrong there: the answer has to
say what is so.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from models.train.world.home.picture.render import render as render_view
from models.train.world.home.random_views import random_view
from tests.eval.eye.held_home import facts_of_view
from tests.eval.reflex.cases import Case
from tests.eval.reflex.tempting_wordings import (
    NEGATED,
    ON_SURFACE,
    TAKEN_FOR_GRANTED_HOME,
    TAKEN_FOR_GRANTED_SHAPES,
)
from tests.eval.stranger.compose import random_picture
from tests.eval.stranger.judges import YesOrNo
from tests.eval.stranger.questions import article
from tests.eval.stranger.refusals import RefusesThing, scene_of
from tests.eval.stranger.render import render
from tests.eval.stranger.sentences import Named, clauses, named, plain, tells_absence, words
from tests.eval.stranger.truth import COLOURS, KINDS
from tests.eval.stranger_home import said
from tests.eval.stranger_home.compose import random_home
from tests.eval.stranger_home.facts import ABSENT, PAIRS_OF, SEEN, THINGS, Facts, Item
from tests.eval.stranger_home.judges import InTheWay, Located, OnOrNot
from tests.eval.stranger_home.look_at import facts_of
from tests.eval.stranger_home.render import render as render_home

_MOST_VIEWS = 20_000


def _denied(text: str) -> bool:
    """It tells absence in more than a leading "No"."""
    return tells_absence(re.sub(r"^no\b\W*(?=\w)", "", plain(text)))


@dataclass(frozen=True)
class SaysPresent:
    """Right where it says that the thing is there, in any words but a bare yes or no, and nothing false."""

    item: Item
    facts: Facts

    def __call__(self, text: str) -> bool:
        if words(text) in (["yes"], ["no"]) or said.cause(text) or _denied(text):
            return False
        if Located(self.item, self.facts)(text):
            return True
        where = said.tops(text) | said.places(text)
        own = {self.item.top, self.facts.place}
        true = all(any(said.same_top(name, each) for each in own) for name in where)
        return true and said.things(text)[:1] == [self.item.name] and not said.nothing(text)


@dataclass(frozen=True)
class SaysAbsent:
    """Right where it says that the thing is not there, in any words but a bare yes or no."""

    def __call__(self, text: str) -> bool:
        return words(text) not in (["yes"], ["no"]) and InTheWay(ABSENT)(text)


@dataclass(frozen=True)
class SaysShape:
    """Right where it says that there is such a thing, in any words but a bare yes or no."""

    asked: Named

    def __call__(self, text: str) -> bool:
        if words(text) in (["yes"], ["no"]) or _denied(text):
            return False
        things = [thing for part in clauses(text) if not part.denied for thing in named(part.text)]
        return bool(things) and all(
            thing.kind == self.asked.kind and thing.colour in ("", self.asked.colour) for thing in things
        )


@dataclass(frozen=True)
class NoSuchShape:
    """Right where it says that there is no such thing, or what is there, but not with a bare yes or no."""

    judge: RefusesThing

    def __call__(self, text: str) -> bool:
        return words(text) not in (["yes"], ["no"]) and self.judge(text)


@dataclass(frozen=True)
class SaysColour:
    """Right where the colour that it says is the true one, or it denies a wrong one."""

    colour: str
    asked: str
    kind: str

    def __call__(self, text: str) -> bool:
        if words(text) in (["yes"], ["no"]) or {each.kind for each in named(text)} - {self.kind}:
            return False
        parts = clauses(text)
        told = {word for part in parts if not part.denied for word in words(part.text) if word in COLOURS}
        denied = {word for part in parts if part.denied for word in words(part.text) if word in COLOURS}
        return told <= {self.colour} and self.colour not in denied and bool(told | denied)


@dataclass(frozen=True)
class SaysWhere:
    """Right where it says what a thing is on, or that it is not on what was asked for where that is so, in
    any words but a bare yes or no.
    """

    item: Item
    asked: str

    def __call__(self, text: str) -> bool:
        if words(text) in (["yes"], ["no"]) or said.cause(text):
            return False
        is_there = said.same_top(self.item.top, self.asked)
        denied = "not" in words(text) or _denied(text)
        told = {name for name in said.tops(text) if said.same_top(name, self.item.top)}
        false = said.tops(text) - told - (set() if is_there else {self.asked})
        return not false and (bool(told) and not denied if is_there else bool(told) or denied)


def _filled(wordings: tuple[str, ...], rng: random.Random, **slots: str) -> str:
    are = "are" if slots.get("item") in PAIRS_OF else "is"
    a = article(slots["name"]) if "name" in slots else ""
    return rng.choice(wordings).format(**slots, are=are, a=a)


def _homes(rng: random.Random) -> Iterator[tuple[Facts, Callable, int, str]]:
    """Clear views of the held-out home and of the second renderer, in turn."""
    for group in range(_MOST_VIEWS):
        if group % 2:
            view = random_view(rng, "held", 0.0)
            yield facts_of_view(view), partial(render_view, view), group, "home"
        else:
            strange = random_home(rng)
            yield facts_of(strange), partial(render_home, strange), group, "stranger home"


def _of_home(rng: random.Random, how: str, there: bool) -> Iterator[Case]:
    negated = NEGATED.get(how)
    for facts, picture, group, world in _homes(rng):
        seen = [each for each in facts.items if each.state == SEEN and not each.held]
        away = [name for name in THINGS if facts.state(name) == ABSENT and facts.item(name) is None]
        chosen = rng.choice(seen) if seen else None
        if negated and negated.surface and chosen and rng.random() < 0.35:
            tops = [each.name for each in facts.tops if said.same_top(each.name, chosen.top) is there]
            if tops:
                surface = rng.choice(tops)
                asked = _filled(negated.surface, rng, item=chosen.name, surface=surface)
                so = f"on the {chosen.top}"
                yield Case(world, how, asked, SaysWhere(chosen, surface), "", so, picture, group)
        elif negated:
            if there and chosen:
                asked = _filled(negated.thing, rng, item=chosen.name)
                yield Case(world, how, asked, SaysPresent(chosen, facts), "", "there", picture, group)
            elif not there and away:
                asked = _filled(negated.thing, rng, item=rng.choice(away))
                yield Case(world, how, asked, SaysAbsent(), "absent", "absent", picture, group)
        elif there and chosen:
            judge: Callable[[str], bool] = Located(chosen, facts, present=True)
            asked = _filled(TAKEN_FOR_GRANTED_HOME, rng, item=chosen.name)
            yield Case(world, how, asked, judge, "", "there", picture, group)
        elif not there and chosen and rng.random() < 0.35:
            tops = [each.name for each in facts.tops if not said.same_top(each.name, chosen.top)]
            if tops:
                surface = rng.choice(tops)
                asked = _filled(ON_SURFACE, rng, item=chosen.name, surface=surface)
                yield Case(
                    world, how, asked, OnOrNot(chosen, surface), "", f"on the {chosen.top}", picture, group
                )
        elif not there and away:
            asked = _filled(TAKEN_FOR_GRANTED_HOME, rng, item=rng.choice(away))
            yield Case(world, how, asked, InTheWay(ABSENT), "absent", "absent", picture, group)


def _of_shapes(rng: random.Random, how: str, there: bool) -> Iterator[Case]:
    negated = NEGATED.get(how)
    world = "stranger shapes"
    for group in range(_MOST_VIEWS):
        picture = random_picture(rng, rng.randint(2, 4), distinct=True)
        item = rng.choice(picture.items)
        shown = partial(render, picture)
        seen = ", ".join(each.name for each in picture.items)
        if negated and negated.colour and rng.random() < 0.35:
            colour = item.colour if there else rng.choice([each for each in COLOURS if each != item.colour])
            asked = _filled(negated.colour, rng, kind=item.kind, colour=colour)
            yield Case(world, how, asked, SaysColour(item.colour, colour, item.kind), "", seen, shown, group)
            continue
        if there:
            name = item.name
            asked_for = Named(item.kind, item.colour)
        else:
            pairs = [(c, k) for c in COLOURS for k in KINDS if not picture.found(k, c)]
            colour, kind = rng.choice(pairs)
            name, asked_for = f"{colour} {kind}", Named(kind, colour)
        text = _filled(negated.shape if negated else TAKEN_FOR_GRANTED_SHAPES, rng, name=name)
        judge: Callable[[str], bool]
        if there:
            whether = YesOrNo(True, item.kind, item.kind, KINDS)
            judge = SaysShape(asked_for) if negated else whether
        else:
            refuses = RefusesThing(asked_for, scene_of(picture))
            judge = NoSuchShape(refuses) if negated else refuses
        yield Case(world, how, text, judge, "", seen, shown, group)


def _mixed(number: int, how: str, wanted: tuple[bool, ...], seed: int) -> list[Case]:
    """wanted: whether what is asked for is there, in turn. No two sources share the number of a picture."""
    sources = [
        source(random.Random(f"reflex {how} {source.__name__} {there} {seed}"), how, there)
        for there in wanted
        for source in (_of_home, _of_shapes)
    ]
    return [_numbered(sources, at) for at in range(number)]


def _numbered(sources: list[Iterator[Case]], at: int) -> Case:
    which = at % len(sources)
    case = next(sources[which])
    return replace(case, group=case.group * len(sources) + which)


def families(number: int, seed: int) -> dict[str, list[Case]]:
    """So many cases of each. The negated ones are half about what is there; yes-bias asks for what is not
    there, or not so; the control asks in the same wordings for what is there, so who always says no fails.
    """
    return {
        **{name: _mixed(number, name, (True, False), seed) for name in NEGATED},
        "yes-bias": _mixed(number, "yes-bias", (False,), seed),
        "control": _mixed(number, "control", (True,), seed),
    }
