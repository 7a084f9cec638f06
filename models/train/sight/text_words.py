"""The text tower's vocabulary: whole words, taken from everything that the worlds can say or ask."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.train.world import grammar
from models.train.world.caption_truth import altered, of_scene, of_view
from models.train.world.grammar import NUMBER_WORDS, SIGN_WORDS, SLOT_VALUES
from models.train.world.home import questions as home_questions
from models.train.world.home.layouts import SURFACES
from models.train.world.home.random_views import random_view
from models.train.world.home.splits import KINDS, PLACES
from models.train.world.home.truth import truth_of
from models.train.world.scenes import random_scene

LENGTH = 24
"""Words of a sentence; the rest is cut off."""
PADDING, UNKNOWN = 0, 1


def split(text: str) -> list[str]:
    """Lower-case words without punctuation."""
    return text.lower().replace(",", " ").replace(".", " ").replace("?", " ").split()


def _sentences() -> Iterator[str]:
    rng = random.Random(5)
    yield from (*KINDS, *PLACES, *SURFACES, *SIGN_WORDS, *NUMBER_WORDS)
    for values in SLOT_VALUES.values():
        yield from values
    for template in (*grammar.TEMPLATES, *home_questions.TEMPLATES):
        yield re.sub(r"\{[^}]*\}", " ", template.text)
    for index in range(600):
        if index % 3:
            view = random_view(rng, "train")
            captions = of_view(view, truth_of(view)).true
        else:
            captions = of_scene(random_scene(rng, "train")).true
        yield from sorted(captions)
        yield from (altered(caption, rng) for caption in sorted(captions))


class TextWords:
    """Sentences to ids: 0 is behind the last word, 1 an unknown word."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._ids = {word: index for index, word in enumerate(self.words)}

    @classmethod
    def collect(cls) -> TextWords:
        """All words of the worlds, sorted."""
        return cls(("", "?", *sorted({word for text in _sentences() for word in split(text)})))

    @classmethod
    def load(cls, path: Path) -> TextWords:
        """Reads what `save` wrote."""
        return cls(json.loads(path.read_text())["words"])

    def save(self, path: Path) -> None:
        """Writes {"length": 24, "words": [...]}; a word's place in the list is its id."""
        path.write_text(json.dumps({"length": LENGTH, "words": self.words}, indent=0))

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, text: str) -> NDArray[np.int64]:
        """int64 [24]."""
        ids = [self._ids.get(word, UNKNOWN) for word in split(text)[:LENGTH]]
        return np.asarray(ids + [PADDING] * (LENGTH - len(ids)), np.int64)
