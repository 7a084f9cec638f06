"""Retrieval without a text tower: a query is what views of training days that answer it have in common.

The encoder is the same; no text takes part. A query's direction is Fisher's linear discriminant between the
pooled activations of the training views that answer it and those of the others, one covariance for all.
It needs the drawn truth of thousands of views for every query, which a wearer's day does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.brick import Activation
from models.train.world.home.day import FEWEST, day
from tests.eval.eye.held_home import facts_of_view, picture_of
from tests.eval.eye.pieces import Eye
from tests.eval.eye.queries import Query
from tests.eval.stranger_home.facts import Facts

_RIDGE = 0.02
"""Share of the mean variance that is added to the covariance's diagonal."""
_BATCH = 16
Vectors = NDArray[np.float64]


def pooled(activations: Sequence[Activation]) -> Vectors:
    """The mean over the tokens of each activation, [activations, width]."""
    rows = [each.rows for each in activations if each.rows is not None]
    return np.stack([each.mean(0, dtype=np.float64) for each in rows])


@dataclass(frozen=True)
class Examples:
    """Views of training days: what they show, and their pooled activations [views, width]."""

    facts: tuple[Facts, ...]
    vectors: Vectors

    def directions(self, queries: Sequence[Query]) -> Vectors:
        """A direction for each query, [queries, width]; zero where no training view answers it."""
        mean = self.vectors.mean(0)
        centred = self.vectors - mean
        covariance = centred.T @ centred / len(centred)
        covariance += np.eye(len(mean)) * _RIDGE * np.trace(covariance) / len(mean)
        wanted = np.zeros((len(queries), len(mean)))
        for row, query in zip(wanted, queries, strict=True):
            hits = np.array([query.hits(each) for each in self.facts])
            if hits.any():
                row[:] = centred[hits].mean(0)
        return np.asarray(np.linalg.solve(covariance, wanted.T).T)


def examples(eye: Eye, depth: int, days: int, views: int, first_seed: int = 1) -> Examples:
    """The views of training days, encoded to `depth`."""
    facts: list[Facts] = []
    vectors: list[Vectors] = []
    for seed in range(first_seed, first_seed + days):
        seen = day(seed, max(views, FEWEST), "train").views
        facts += [facts_of_view(view) for view in seen]
        for start in range(0, len(seen), _BATCH):
            pictures = [picture_of(view) for view in seen[start : start + _BATCH]]
            vectors.append(pooled(eye.encode(pictures, depth)))
    return Examples(tuple(facts), np.concatenate(vectors))
