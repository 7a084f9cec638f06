"""E8: what the accuracy predictor knows of clips that nothing was trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from models.sensing.accuracy import AccuracyPredictor
from models.train.motion.choosing.rows import configurations_of, view_of
from models.train.motion.choosing.tried import Tried

Floats = NDArray[np.float64]


def predictions(predictor: AccuracyPredictor, clips: Sequence[Tried]) -> Floats:
    """Of each question with each way, [questions, ways]."""
    ways = configurations_of(predictor.depths)
    found = []
    for clip in clips:
        view = view_of(clip)
        found += [predictor.probabilities(view, each.family, ways) for each in clip.questions]
    return np.stack(found).astype(np.float64)


def rights(clips: Sequence[Tried]) -> Floats:
    """1 where the answer was right, [questions, ways]."""
    return np.concatenate([clip.right for clip in clips]).astype(np.float64)


def explained(actual: Floats, told: Floats) -> float:
    """R2: one minus the squared errors over those of the mean."""
    return 1.0 - float(((actual - told) ** 2).sum() / ((actual - actual.mean()) ** 2).sum())


def by_class(clips: Sequence[Tried], actual: Floats, told: Floats) -> tuple[float, float]:
    """R2 over classes, as published: the accuracy of each family with each configuration. And where the one
    error that all classes have in common is taken out: styles that nothing was trained on are harder, and
    that changes no choice.
    """
    families = np.array([each.family for clip in clips for each in clip.questions])
    each_family = sorted(set(families))
    seen, said = (
        np.concatenate([values[families == family].mean(axis=0) for family in each_family])
        for values in (actual, told)
    )
    return explained(seen, said), explained(seen, said - said.mean() + seen.mean())


def within(
    clips: Sequence[Tried], actual: Floats, told: Floats, key: Callable[[str], Hashable]
) -> tuple[float, float]:
    """R2 for single questions after the mean of each configuration, within each group of families, is taken
    out of both; and as much with the best factor on what is told, which cannot be below 0.
    """
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for row, family in enumerate(each.family for clip in clips for each in clip.questions):
        groups[key(family)].append(row)
    left, right = [], []
    for rows in groups.values():
        left.append((actual[rows] - actual[rows].mean(axis=0)).ravel())
        right.append((told[rows] - told[rows].mean(axis=0)).ravel())
    one, other = np.concatenate(left), np.concatenate(right)
    factor = float(one @ other / max(1e-12, float(other @ other)))
    return explained(one, other), explained(one, factor * other)
