"""Simple ways to say whether a question can be answered: from its words alone, or from the picture alone.

Both are logistic regressions that are fitted on validation cases, so they are no worse for want of training.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.eval.reflex.collect import Asked

_WORD = re.compile(r"[a-z']+|\d+")
_RIDGE = 1.0
_STEPS = 30


def fitted(features: NDArray[np.float64], labels: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights of a ridge logistic regression, the last one the intercept, by Newton's method."""
    inputs = np.hstack([features, np.ones((len(features), 1))])
    weights = np.zeros(inputs.shape[1])
    penalty = np.full(inputs.shape[1], _RIDGE)
    penalty[-1] = 1e-6
    for _ in range(_STEPS):
        shares = probabilities(weights, features)
        slope = inputs.T @ (shares - labels) + penalty * weights
        curvature = (inputs * np.maximum(shares * (1 - shares), 1e-6)[:, None]).T @ inputs
        change = np.linalg.solve(curvature + np.diag(penalty), slope)
        weights -= change
        if np.abs(change).max() < 1e-6:
            break
    return weights


def probabilities(weights: NDArray[np.float64], features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of being answerable."""
    return 1 / (1 + np.exp(-np.clip(features @ weights[:-1] + weights[-1], -30, 30)))


def _words(text: str) -> list[str]:
    found = _WORD.findall(text.lower())
    return [*found, *(f"{first} {second}" for first, second in itertools.pairwise(found))]


def by_question(validation: Sequence[Asked], test: Sequence[Asked]) -> NDArray[np.float64]:
    """Probability of each test case from its single words and pairs of words."""
    known = sorted({word for each in validation for word in _words(each.case.text)})
    counts: dict[str, int] = dict.fromkeys(known, 0)
    for each in validation:
        for word in set(_words(each.case.text)):
            counts[word] += 1
    common = sorted(known, key=lambda word: (-counts[word], word))[:400]
    place = {word: at for at, word in enumerate(common)}

    def bags(asked: Sequence[Asked]) -> NDArray[np.float64]:
        bag = np.zeros((len(asked), len(place)))
        for at, each in enumerate(asked):
            bag[at, [place[word] for word in _words(each.case.text) if word in place]] = 1
        return bag

    return probabilities(fitted(bags(validation), _labels(validation)), bags(test))


def by_picture(validation: Sequence[Asked], test: Sequence[Asked]) -> NDArray[np.float64]:
    """Probability of each test case from the mean and the spread of the picture's rows."""

    def pooled(asked: Sequence[Asked]) -> NDArray[np.float64]:
        return np.stack([np.concatenate([each.rows.mean(0), each.rows.std(0)]) for each in asked]).astype(
            float
        )

    known = pooled(validation)
    middle, spread = known.mean(0), known.std(0) + 1e-6
    weights = fitted((known - middle) / spread, _labels(validation))
    return probabilities(weights, (pooled(test) - middle) / spread)


def _labels(asked: Sequence[Asked]) -> NDArray[np.bool_]:
    return np.array([each.case.answerable for each in asked], bool)
