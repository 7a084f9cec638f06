"""Sentences with the kind of question about the view that they ask: wordings that people wrote, with their
slots filled, and those that the decoder is taught; and, as "other", what names the same things and asks no
such question, and what people say for every other purpose.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from host.language.classifier.view import OTHER
from host.language.usual.view import PLACES, PLURAL, SURFACES, THINGS
from models.train.intents.data import Sentence, from_templates, said_by_people
from models.train.world import grammar
from models.train.world.wording.home import TRAINED

_FOLDER = Path(__file__).parents[1] / "world" / "wording"
ASKED, NOT_ASKED = _FOLDER / "asked_of_view.txt", _FOLDER / "not_of_view.txt"
_TAUGHT, _NOT_ASKED, _OF_OTHERS, _MADE = 0.3, 0.5, 0.05, 0.01
"""How much a wording that the decoder is taught, a sentence that asks no such question, what people say
otherwise and a random sentence count; a wording of the file counts 1. There are many more of the others.
"""
_OF_SHAPES = 0.1
"""How much a question about drawn shapes counts, which the decoder is taught as it is."""
_FILLED = 2
"""Sentences of each wording."""
_KINDS = (
    "find", "here", "on", "where", "holding", "in hand", "room", "place", "next", "label", "sign", "colour",
    "see",
)  # fmt: skip
_MAY_BE_OF_VIEW = ("view", "thing")
"""Kinds of the first classifier whose sentences may ask about the view too."""


def view_sentences(seed: int = 1) -> tuple[Sentence, ...]:
    """All of them; the same for the same seed."""
    rng = random.Random(seed)
    found = [*_lines(ASKED, rng)]
    for kind in _KINDS:
        taught = [text for text in TRAINED.get(kind, ()) for _ in range(_FILLED)]
        found += [Sentence(filled(text, rng), kind, _TAUGHT) for text in taught]
    found += [Sentence(text, OTHER, _NOT_ASKED) for _, text in read_lines(NOT_ASKED)]
    found += [
        Sentence(each.text, OTHER, _OF_OTHERS)
        for each in said_by_people()
        if each.kind not in _MAY_BE_OF_VIEW
    ]
    found += [
        Sentence(each.text, OTHER, _MADE) for each in from_templates() if each.kind not in _MAY_BE_OF_VIEW
    ]
    found += [Sentence(grammar.sample_text(rng, "train")[0], OTHER, _OF_SHAPES) for _ in range(1500)]
    return tuple(found)


def _lines(path: Path, rng: random.Random) -> Iterator[Sentence]:
    for kind, text in read_lines(path):
        for _ in range(_FILLED):
            yield Sentence(filled(text, rng), kind, 1.0 / _FILLED)


def read_lines(path: Path) -> list[tuple[str, str]]:
    """Kind and text of each line, "kind | text"."""
    lines = path.read_text(encoding="utf-8").splitlines()
    parts = [line.partition(" | ") for line in lines if line and not line.startswith("#")]
    return [(kind, text) for kind, _, text in parts]


def filled(text: str, rng: random.Random) -> str:
    """A wording with a random thing, surface, place and colour."""
    item = rng.choice(sorted(THINGS))
    return text.format(
        item=item, are="are" if item in PLURAL else "is", surface=rng.choice(sorted(SURFACES)),
        place=rng.choice([place for place in PLACES if place != "desk"]), colour=rng.choice(grammar.COLOURS),
    )  # fmt: skip
