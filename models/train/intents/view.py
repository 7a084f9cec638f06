"""Sentences with the kind of question about the view that they ask: wordings that people wrote, with their
slots filled, and those that the decoder is taught; and, as "other", what names the same things and asks no
such question, and what people say for every other purpose; and how a recogniser mishears them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from host.language.classifier.view import OTHER
from models.train.intents.data import Sentence, from_templates, overheard, said_by_people
from models.train.world import grammar
from models.train.world.said.asked_of_view import ASKED, HEARD, NOT_ASKED, filled, read_lines
from models.train.world.wording.home import TRAINED

_TAUGHT, _NOT_ASKED, _OVERHEARD, _OF_OTHERS, _MADE = 0.3, 0.5, 0.1, 0.02, 0.01
"""How much a wording that the decoder is taught, a sentence that asks no such question, one that is said to
others, what people say otherwise and a random sentence count; a wording of the file counts 1. There are many
more of the others.
"""
_HEARD, _OTHER_HEARD = 0.3, 0.2
"""How much a misheard wording counts, and misheard speech that asks nothing of the view."""
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
    found += [replace(each, kind=OTHER, weight=_OVERHEARD) for each in overheard()]
    found += [
        Sentence(each.text, OTHER, _OF_OTHERS)
        for each in said_by_people()
        if each.kind not in _MAY_BE_OF_VIEW
    ]
    found += [
        Sentence(each.text, OTHER, _MADE) for each in from_templates() if each.kind not in _MAY_BE_OF_VIEW
    ]
    found += [
        Sentence(text, kind, _OTHER_HEARD if kind == OTHER else _HEARD) for kind, text in read_lines(HEARD)
    ]
    found += [Sentence(grammar.sample_text(rng, "train")[0], OTHER, _OF_SHAPES) for _ in range(1500)]
    return tuple(found)


def _lines(path: Path, rng: random.Random) -> Iterator[Sentence]:
    for kind, text in read_lines(path):
        for _ in range(_FILLED):
            yield Sentence(filled(text, rng), kind, 1.0 / _FILLED)
