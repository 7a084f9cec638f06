"""Cases of the second renderer, and the ones about any view of a home by its facts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

from tests.eval.reflex.cases import Case, Rgb
from tests.eval.stranger.about_nothing import PREMISES, SPEECH, is_there
from tests.eval.stranger.about_one import ASKED_BY_EVERYBODY, KNOWN
from tests.eval.stranger.render import render
from tests.eval.stranger_home.compose import random_home
from tests.eval.stranger_home.facts import ABSENT, COVERED, CUT, Facts
from tests.eval.stranger_home.judges import InPlaceOrNot, InTheWay, Judge, Lists, NamesPlace, OtherColour
from tests.eval.stranger_home.look_at import facts_of
from tests.eval.stranger_home.questions import FAMILIES, questions_about
from tests.eval.stranger_home.render import render as render_home

MOST_VIEWS = 20_000
_VIEWS = ("", "cut off", "", "held", "dark", "covered", "cut off", "", "blurred", "")
_ASKED_OF_HOME = tuple(family for family in FAMILIES if family != "see")
_PER_VIEW = 3
_MOST_LISTED = 2
"""Things in a list that still is a short answer."""
_WHETHER = ("is there", "do you see a", "can you see a", "have you got")
"""Beginnings of questions that leave open whether there is such a thing."""
_SHAPES = {
    **{name: writer for name, writer in KNOWN.items() if name != "see"}, "is there": is_there,
    **ASKED_BY_EVERYBODY, **PREMISES, "other speech": SPEECH["other speech"], "no sense": SPEECH["no sense"],
}  # fmt: skip


def cause_of(judge: Judge) -> str:
    """The cause in a judge's truth, as the packs' causes are called."""
    match judge:
        case OtherColour():
            return "false premise"
        case NamesPlace(place="") | InPlaceOrNot(place=""):
            return "absent"
        case InTheWay(cause=cause, side=side) if cause == CUT:
            return f"cut {side}"
        case _:
            return "occluded" if judge.cause == COVERED else judge.cause


def about_home(
    world: str,
    facts: Facts,
    picture: Callable[[], Rgb],
    group: int,
    rng: random.Random,
    allowed: Callable[[str], bool] = lambda text: True,
) -> Iterator[Case]:
    """Some closed questions about a view: half of them in documented wordings that are `allowed`, half in own
    ones.
    """
    for own in (False, True):
        families = rng.sample(_ASKED_OF_HOME, _PER_VIEW)
        may = (lambda text: True) if own else allowed
        for asked in questions_about(facts, rng, families, own=own, allowed=may, tries=30):
            judge = asked.judge
            if isinstance(judge, Lists) and len(judge.wanted) > _MOST_LISTED:
                continue
            yield Case(
                world, asked.family, asked.text, judge, cause_of(judge), _truth(asked.judge), picture, group
            )


def _truth(judge: Judge) -> str:
    names = ("wanted", "place", "word", "colour", "true", "cause", "side")
    fields = [str(getattr(judge, name)) for name in names if getattr(judge, name, "")]
    item = getattr(judge, "item", None)
    return ", ".join([*([f"{item.name} on the {item.top}"] if item else []), *fields]) or type(judge).__name__


def home(seed: int) -> Iterator[Case]:
    """About the second renderer's views of a home."""
    rng = random.Random(f"reflex stranger home {seed}")
    for group in range(MOST_VIEWS):
        view = random_home(rng, _VIEWS[group % len(_VIEWS)])

        picture = partial(render_home, view)

        yield from about_home("stranger home", facts_of(view), picture, group, rng)


def _cause_of_shapes(family: str, text: str) -> str:
    if family in ("other speech", "no sense"):
        return "off topic"
    if family in ("false premise", "false size"):
        return "false premise"
    if family == ABSENT:
        return "" if any(start in text for start in _WHETHER) else "absent"
    return ""


def shapes(seed: int) -> Iterator[Case]:
    """About the second renderer's pictures of shapes."""
    rng = random.Random(f"reflex stranger shapes {seed}")
    for group in range(MOST_VIEWS):
        family = list(_SHAPES)[group % len(_SHAPES)]
        asked = _SHAPES[family](rng)
        if asked is None:
            continue

        picture = partial(render, asked.pictures[-1])

        cause = _cause_of_shapes(family, asked.text)
        yield Case("stranger shapes", family, asked.text, asked.judge, cause, asked.truth, picture, group)
