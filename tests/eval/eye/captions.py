"""A baseline of retrieval without any training on text and pictures together: the pack's decoder is asked
about every view, and a query is matched with its answers by their words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.pack.catalogue import Pack
from models.train.sight.runtime import AnswerDecoder
from tests.eval.eye.page import Lacks
from tests.eval.eye.pieces import Eye, Rgb
from tests.eval.stranger.sentences import words
from tests.eval.stranger_home.facts import PAIRS_OF, THINGS
from tests.eval.stranger_home.said import cause

ASKED = (
    "what do you see", "what room is this", "what am i holding", "read the label",
    *(f"where {'are' if name in PAIRS_OF else 'is'} my {name}" for name in THINGS),
)  # fmt: skip
_COMMON = frozenset(
    "a an the my your is are was were i you me did do on in of and to at it this that there has its put when "
    "where what which view show for looking left see am says with".split()
)
_REST = 0.1
"""What words elsewhere in a view's answers count, against those of one sentence."""


def content_words(text: str) -> frozenset[str]:
    """The words that distinguish one text from another."""
    return frozenset(word for word in words(text) if word not in _COMMON)


class Captioner:
    """The pack's decoder, asked about pictures."""

    def __init__(self, pack: Pack) -> None:
        """Raises Lacks."""
        if "llm" not in pack.bricks:
            raise Lacks(f"Pack '{pack.name}' has no decoder.")
        self._decoder = AnswerDecoder(pack.bricks["llm"].options["model"])

    def captions(self, eye: Eye, picture: Rgb) -> list[str]:
        """What the decoder affirms of a picture, a sentence for each question."""
        rows = eye.look(picture).rows
        assert rows is not None
        self._decoder.prefill_images([np.ascontiguousarray(rows, np.float32)])
        said = [self._decoder.answer(question) for question in ASKED]
        return [text for text in said if not cause(text)]


def match(queries: Sequence[str], captions: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Scores [queries, views]: shared words, rare ones counting for more, of the best sentence of a view, and
    a little of all its sentences.
    """
    sentences = [[content_words(text) for text in each] for each in captions]
    seen = Counter(word for each in sentences for word in frozenset().union(*each))
    weight = {word: math.log(1 + len(captions) / (1 + number)) for word, number in seen.items()}
    scores = np.zeros((len(queries), len(captions)), np.float32)
    for at, query in enumerate(map(content_words, queries)):
        for place, each in enumerate(sentences):
            whole = sum(weight[word] for word in query & frozenset().union(*each)) if each else 0.0
            best = max((sum(weight[word] for word in query & sentence) for sentence in each), default=0.0)
            scores[at, place] = best + _REST * whole
    return scores
