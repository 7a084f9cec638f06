"""Where in a sentence another request or an aside begins, with a word that joins or without: "level down a
bit what's the time i'm so late". A convolutional network over the words, whose weights
`python -m models.train.intents.parts` writes, says for each word how probable that is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.language.classifier.convolution import Weights, read_weights

WEIGHTS = Path(__file__).with_name("parts.bin")
SPACINGS = (1, 2, 4)
"""Of the layers after the first, so that the last reads 17 words."""
LONGEST = 60
"""Words of the longest sentence that is divided."""
_MAY_BEGIN = 0.1
"""Least probability of a word with which a part may begin."""
_MOST_BEGINNINGS = 6
_MOST_DIVISIONS = 8
_SURELY = 1e-4
"""No word begins a part more or less surely than this tells."""


@dataclass(frozen=True)
class Division:
    """A sentence in its parts, and the logarithm of how probable it is that they are these."""

    parts: tuple[str, ...]
    log_probability: float


def beginnings(weights: Weights, words: Sequence[str]) -> NDArray[np.float64]:
    """The probability of each word that a part begins with it, float64 [words]; the first begins one."""
    rows = weights.convolved("first", weights.vectors(words))
    for number, spacing in enumerate(SPACINGS):
        rows = rows + weights.convolved(f"further{number}", rows, spacing)
    scores = weights.summed("begins", rows)[:, 0].astype(np.float64)
    return np.asarray(1 / (1 + np.exp(-scores)), np.float64)


def divisions(text: str) -> list[Division]:
    """The most probable ways to divide a sentence (lower case, without punctuation), the most probable first;
    one of them leaves it whole.
    """
    words = text.split()
    if not words or len(words) > LONGEST:
        return []
    likely = np.clip(beginnings(packed_parts(), words), _SURELY, 1 - _SURELY)
    surest = sorted(range(1, len(words)), key=lambda at: -likely[at])[:_MOST_BEGINNINGS]
    may_begin = sorted(at for at in surest if likely[at] > _MAY_BEGIN)
    whole = float(np.log(1 - likely[1:]).sum())
    gains = [math.log(likely[at] / (1 - likely[at])) for at in may_begin]
    found = []
    for begins in itertools.product((False, True), repeat=len(may_begin)):
        starts = [0, *itertools.compress(may_begin, begins)]
        parts = (" ".join(words[start:end]) for start, end in itertools.pairwise([*starts, len(words)]))
        found.append(Division(tuple(parts), whole + sum(itertools.compress(gains, begins))))
    found.sort(key=lambda each: -each.log_probability)
    return found[:_MOST_DIVISIONS]


@cache
def packed_parts() -> Weights:
    """The network that the headband uses, read once by a process."""
    return read_weights(WEIGHTS)
