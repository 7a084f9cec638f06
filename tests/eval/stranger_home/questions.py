"""Questions about a home: documented wordings and a stranger's own, with the judge of each."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.eval.stranger.truth import COLOURS
from tests.eval.stranger_home.facts import ABSENT, CUT, PAIRS_OF, PLACES, SEEN, THINGS, TOPS, Facts
from tests.eval.stranger_home.judges import Judge, judge_of

WORDINGS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "find": (
        ("where {are} my {item}", "where did i put my {item}", "do you see where my {item} {are}",
         "help me find my {item}", "i am looking for my {item}", "can you find my {item}",
         "could you tell me where my {item} {are}", "where have i left my {item}",
         "where {are} my {colour} {item}"),
        ("where have my {item} gone", "any idea where my {item} {are}", "in which spot {are} my {item}",
         "tell me the place of my {item}", "point me to my {item}"),
    ),
    "here": (
        ("{are} my {item} here", "do you see my {item}", "can you see my {item}",
         "{are} my {item} in front of me", "{are} my {item} in view", "can you spot the {item}"),
        ("{are} my {item} somewhere around here", "{are} my {item} anywhere to be seen",
         "can you make out my {item}", "{are} there my {item}"),
    ),
    "on": (
        ("what is on the {surface}", "what do you see on the {surface}", "what lies on the {surface}",
         "tell me what is on the {surface}", "which things are on the {surface}",
         "what is standing on the {surface}"),
        ("name everything on the {surface}", "is anything lying on the {surface}",
         "what is sitting on the {surface}", "list the things on the {surface}"),
    ),
    "holding": (
        ("what am i holding", "what do i have in my hand", "what is in my hand",
         "tell me what i am holding", "what did i pick up", "which thing am i holding"),
        ("what am i carrying", "which of my things is in my hand", "what have i picked up here"),
    ),
    "room": (
        ("what room is this", "which room is this", "where am i", "what place is this",
         "which room am i in", "tell me where i am", "could you tell me which room this is"),
        ("which place am i looking at", "what part of the house is this", "do you recognise this place"),
    ),
    "next": (
        ("what is next to my {item}", "what is next to the {item}", "what lies next to the {item}",
         "what is beside my {item}", "tell me what is next to my {item}",
         "what can you see next to my {item}"),
        ("what stands beside my {item}", "what is right beside the {item}",
         "which things are next to my {item}"),
    ),
    "label": (
        ("read the label", "what does the label say", "what is written on the label",
         "read the label to me", "can you read the label", "could you read the label for me"),
        ("which word is on the label", "what is printed on the label", "what is the word on the label"),
    ),
    "colour": (
        ("what colour {are} my {item}", "tell me the colour of my {item}", "what is the colour of my {item}",
         "could you tell me the colour of my {item}", "in which colour {are} my {item}"),
        ("which colour do my {item} have", "name the colour of my {item}"),
    ),
    "wrong colour": (
        ("where {are} my {colour} {item}", "i am looking for my {colour} {item}",
         "can you find my {colour} {item}"),
        ("where did my {colour} {item} go", "any idea where my {colour} {item} {are}"),
    ),
    "where": (
        ("{are} my {item} on the {surface}", "did i leave my {item} on the {surface}",
         "can you see my {item} on the {surface}"),
        ("{are} my {item} lying on the {surface}", "have i put my {item} on the {surface}"),
    ),
    "place": (
        ("am i in the {place}", "is this the {place}", "is this place the {place}"),
        ("are we now in the {place}", "does this look like the {place}"),
    ),
    "see": (
        ("what do you see", "what is in front of me", "describe what you see",
         "could you describe what you see", "what do you notice"),
        ("what things are there", "name all that you see", "which things can you make out"),
    ),
}  # fmt: skip
"""By family: the wordings that the documentation names, and a stranger's own."""
FAMILIES = tuple(WORDINGS)
DOCUMENTED, OWN, OTHERS, AFRESH = 0, 1, 2, 3
"""Whose wordings: those of the documentation, of this evaluation, of other people, and of further people."""
_FILES = {OTHERS: "asked_by_others.txt", AFRESH: "asked_afresh.txt"}
_KEPT = {"dark": 0.35, "blurred": 0.35, ABSENT: 0.5}
"""Share that is kept of the questions that one cause answers, which would be too many otherwise."""


@dataclass(frozen=True)
class HomeQuestion:
    """A question about a view with the judge of its answers. own: whose wording."""

    family: str
    text: str
    judge: Judge
    facts: Facts
    own: int

    @property
    def cause(self) -> str:
        """What is in the way in truth; "" for nothing."""
        return self.judge.cause


@cache
def by_others(own: int = OTHERS) -> Mapping[str, tuple[str, ...]]:
    """The wordings of other people by family; none where a colour is wrong."""
    lines = Path(__file__).with_name(_FILES[own]).read_text(encoding="utf-8").splitlines()
    parts = [line.partition(" | ") for line in lines if not line.startswith("#")]
    return {name: tuple(text for each, _, text in parts if each == name) for name in FAMILIES}


def worded(family: str, slots: Mapping[str, str], rng: random.Random, own: int) -> tuple[str, dict[str, str]]:
    """A question in one of the wordings that these slots can fill, and the slots that it names."""
    texts = by_others(own)[family] if own in _FILES else WORDINGS[family][own]
    names = [(text, _names(text)) for text in texts]
    text, named = rng.choice([(text, each) for text, each in names if each <= set(slots)])
    used = {name: slots[name] for name in named}
    return text.format(**used, are="are" if used.get("item") in PAIRS_OF else "is"), used


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name and name != "are"}


def _slots(family: str, facts: Facts, rng: random.Random) -> dict[str, str]:
    """Things, surfaces and places of the view, or some that are not there in a part of the draws."""
    here = [each for each in facts.items if each.state != ABSENT]
    away = [name for name in THINGS if all(name != each.name for each in here)]
    chosen = rng.choice(here) if here and rng.random() < 0.75 else None
    cut = [each for each in here if each.state == CUT]
    if cut and family in ("find", "here", "colour", "next") and rng.random() < 0.5:
        chosen = rng.choice(cut)
    tops = [each.name for each in facts.tops if each.state != ABSENT]
    slots = {
        "item": chosen.name if chosen else rng.choice(away or THINGS),
        "surface": rng.choice(tops if tops and rng.random() < 0.8 else TOPS),
        "place": facts.place if rng.random() < 0.5 else rng.choice(PLACES),
    }
    if family == "where" and chosen and not chosen.held and rng.random() < 0.5:
        slots["surface"] = chosen.top
    if family == "wrong colour" and chosen:
        slots["colour"] = rng.choice([each for each in COLOURS if each != chosen.colour])
    elif chosen and chosen.state == SEEN and chosen.colour:
        slots["colour"] = chosen.colour
    return slots


def a_question(
    family: str,
    facts: Facts,
    rng: random.Random,
    own: int = DOCUMENTED,
    allowed: Callable[[str], bool] = lambda text: True,
) -> HomeQuestion | None:
    """A question of a family about a view, its text `allowed`; None where the draw does not suit."""
    slots = _slots(family, facts, rng)
    if own in _FILES and not by_others(own)[family]:
        return None
    if (family == "wrong colour" and "colour" not in slots) or (
        family == "place" and slots["place"] == "desk"
    ):
        return None
    text, used = worded(family, slots, rng, own)
    judge = judge_of(family, used, facts) if allowed(text) else None
    if judge is None or rng.random() > _KEPT.get(judge.cause, 1.0):
        return None
    return HomeQuestion(family, text, judge, facts, own)


def questions_about(
    facts: Facts,
    rng: random.Random,
    families: Iterable[str],
    own: int = DOCUMENTED,
    allowed: Callable[[str], bool] = lambda text: True,
    tries: int = 12,
) -> list[HomeQuestion]:
    """At most one question of each family about a view."""
    found = []
    for family in families:
        drawn = (a_question(family, facts, rng, own, allowed) for _ in range(tries))
        found += [each for each in drawn if each is not None][:1]
    return found
