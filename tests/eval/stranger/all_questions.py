"""All families of questions, and a reproducible series of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from tests.eval.stranger.about_device import NUMBERS, charging
from tests.eval.stranger.about_nothing import PREMISES, SPEECH, is_there
from tests.eval.stranger.about_one import ASKED_BY_EVERYBODY, KNOWN
from tests.eval.stranger.about_two import CHANGES
from tests.eval.stranger.questions import Question

GROUPS: Mapping[str, Mapping[str, Callable[[random.Random], Question | None]]] = {
    "what it says it knows": {**KNOWN, "is there": is_there, **CHANGES},
    "numbers": NUMBERS,
    "asked by everybody": {**ASKED_BY_EVERYBODY, "is it charging": charging},
    "not in view": PREMISES,
    "other speech": SPEECH,
}
FAMILIES = {family: writer for writers in GROUPS.values() for family, writer in writers.items()}
GOOD = (*GROUPS["what it says it knows"], *GROUPS["numbers"])
"""Families of which no question may be refused."""


def questions(number: int, seed: int, families: Sequence[str] = ()) -> Iterator[Question]:
    """That many questions, the families in turn. Question n of a seed does not depend on `number`."""
    wanted = list(families or FAMILIES)
    for place in range(number):
        family = wanted[place % len(wanted)]
        yield one_of(family, random.Random(f"stranger {seed} {place // len(wanted)} {family}"))


def one_of(family: str, rng: random.Random) -> Question:
    """A question of that family."""
    while True:
        question = FAMILIES[family](rng)
        if question is not None:
            return question
