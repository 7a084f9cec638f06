"""Fits the classifier's weights: multinomial logistic regression with a quadratic penalty, by Adam over all
sentences at once. Nothing in it is random, so the same sentences give the same weights on one machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from host.language.classifier.features import BUCKETS, features
from host.language.classifier.model import Model
from host.language.classifier.words import marked
from models.train.intents.data import Sentence

STEPS = 100
RATE = 0.3
PENALTY = 3e-6
"""Half of the weight of the squares, of the mean loss of a sentence. Of 3e-6 to 3e-5 it names most kinds of
sentences rightly of a third of the speakers, left out at a time.
"""
PENALTY_OF_VIEW = 3e-5
"""The same of the classifier of questions about the view."""
PENALTY_OF_CLIP = 3e-5
"""The same of the classifier of questions about the last seconds. Of 1e-6 to 3e-4 it and 1e-4 name most of
them rightly, of a fifth of the speakers, left out at a time.
"""
PENALTY_OF_FURTHER = 3e-5
"""The same of the classifier of sentences that go on from a command."""
_BETA1, _BETA2, _EPSILON = 0.9, 0.99, 1e-8

_Floats = NDArray[np.float32]
_Numbers = NDArray[np.int64]
_AT_ONCE = 512
"""Sums that are made at once."""


def checksum(sentences: Sequence[Sentence]) -> int:
    """Of the texts, kinds and weights, in order."""
    said = "\n".join(f"{each.kind} {each.weight} {each.text}" for each in sentences)
    return zlib.crc32(said.encode())


def fit(
    sentences: Sequence[Sentence],
    steps: int = STEPS,
    reads: Callable[[str], list[str]] = marked,
    penalty: float = PENALTY,
) -> Model:
    """The model of these sentences, its weights in eight bits. reads: the words that it counts. penalty: half
    of the weight of the squares.
    """
    kinds = tuple(sorted({each.kind for each in sentences}))
    counted = _Counted.of([features(reads(each.text)) for each in sentences])
    true = np.zeros((len(sentences), len(kinds)), np.float32)
    true[np.arange(len(sentences)), [kinds.index(each.kind) for each in sentences]] = 1
    share = np.array([each.weight for each in sentences], np.float32)
    weights, bias = _fitted(counted, true, share / share.sum(), steps, penalty)
    scale = np.maximum(np.abs(weights).max(axis=0), 1e-6) / np.float32(127)
    return Model(kinds, np.rint(weights / scale).astype(np.int8), scale, bias, checksum(sentences))


@dataclass(frozen=True)
class _Counted:
    """The features of all sentences, of which each has few: weight: float32 [sentences]; buckets: those of
    one sentence after the other, beginning at `starts`; rows: the sentences that have each bucket of `some`,
    one bucket after the other, beginning at `begins`.
    """

    weight: _Floats
    buckets: _Numbers
    starts: _Numbers
    rows: _Numbers
    some: _Numbers
    begins: _Numbers

    @classmethod
    def of(cls, found: Sequence[tuple[list[int], float]]) -> _Counted:
        """Of the buckets and the weight of each sentence."""
        buckets = np.array([bucket for each, _ in found for bucket in each], np.int64)
        counts = np.array([len(each) for each, _ in found], np.int64)
        order = np.argsort(buckets, kind="stable")
        some, begins = np.unique(buckets[order], return_index=True)
        weight = np.array([weight for _, weight in found], np.float32)
        rows = np.repeat(np.arange(len(found)), counts)[order]
        return cls(weight, buckets, np.cumsum(counts) - counts, rows, some, begins)

    def scores(self, weights: _Floats) -> _Floats:
        """Of weights [buckets, kinds], the sum of each sentence, [sentences, kinds]."""
        return self.weight[:, None] * _sums(weights, self.buckets, self.starts)

    def slopes(self, wrong: _Floats) -> _Floats:
        """The same the other way: [sentences, kinds] to [buckets, kinds]."""
        found = np.zeros((BUCKETS, wrong.shape[1]), np.float32)
        found[self.some] = _sums(wrong * self.weight[:, None], self.rows, self.begins)
        return found


def _sums(values: _Floats, numbers: _Numbers, starts: _Numbers) -> _Floats:
    """The sum of the values of these numbers from each start to the next."""
    ends = np.append(starts[1:], len(numbers))
    found = np.empty((len(starts), values.shape[1]), np.float32)
    for first in range(0, len(starts), _AT_ONCE):
        last = min(first + _AT_ONCE, len(starts))
        some = values[numbers[starts[first] : ends[last - 1]]]
        found[first:last] = np.add.reduceat(some, starts[first:last] - starts[first], axis=0)
    return found


def _fitted(
    counted: _Counted, true: _Floats, share: _Floats, steps: int, penalty: float
) -> tuple[_Floats, _Floats]:
    fitted = [np.zeros((BUCKETS, true.shape[1]), np.float32), np.zeros(true.shape[1], np.float32)]
    mean = [np.zeros_like(each) for each in fitted]
    square = [np.zeros_like(each) for each in fitted]
    for step in range(1, steps + 1):
        scores = counted.scores(fitted[0]) + fitted[1]
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        wrong = (likely - true) * share[:, None]
        slopes = (counted.slopes(wrong) + np.float32(penalty) * fitted[0], wrong.sum(axis=0))
        rate = RATE * (1 - (step - 1) / steps)
        for index, slope in enumerate(slopes):
            mean[index] = _BETA1 * mean[index] + (1 - _BETA1) * slope
            square[index] = _BETA2 * square[index] + (1 - _BETA2) * slope**2
            moved = mean[index] / (1 - _BETA1**step)
            fitted[index] -= rate * moved / (np.sqrt(square[index] / (1 - _BETA2**step)) + _EPSILON)
    return fitted[0], fitted[1]
