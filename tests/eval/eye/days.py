"""Held-out days as candidate views with queries, and how well scores find the right views."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.train.world.home.day import FEWEST, day
from models.train.world.home.views import View
from tests.eval.eye.held_home import facts_of_view, picture_of
from tests.eval.eye.pieces import Rgb
from tests.eval.eye.queries import KINDS, Query, queries_of
from tests.eval.stranger_home.facts import Facts

AT = (1, 5)
"""The k of R@k: share of queries with a right view among the k nearest."""
Scores = NDArray[np.floating]


@dataclass(frozen=True)
class Candidates:
    """A held-out day. right: bool [queries, views]."""

    seed: int
    views: tuple[View, ...]
    facts: tuple[Facts, ...]
    queries: tuple[Query, ...]
    right: NDArray[np.bool_]

    def pictures(self, start: int, stop: int) -> list[Rgb]:
        """The pictures of some views."""
        return [picture_of(view) for view in self.views[start:stop]]


def candidates(seed: int, views: int, most_queries: int | None = None) -> Candidates:
    """The held-out day of that seed with its queries; `views` at least 100."""
    today = day(seed, max(views, FEWEST), "held")
    facts = tuple(facts_of_view(view) for view in today.views)
    rng = random.Random(f"queries {seed}")
    queries = queries_of(facts, rng)
    if most_queries is not None:
        queries = rng.sample(queries, min(most_queries, len(queries)))
    right = np.array([[query.hits(each) for each in facts] for query in queries])
    return Candidates(seed, today.views, facts, tuple(queries), right)


def nearest(scores: Scores, number: int) -> NDArray[np.intp]:
    """Places of the best views of each query, the best first, [queries, number]; equal scores in an order
    that is fixed and by chance.
    """
    order = np.random.default_rng(0).permutation(scores.shape[1])
    ranked: NDArray[np.intp] = order[np.argsort(-scores[:, order], axis=1, kind="stable")[:, :number]]
    return ranked


def found_within(scores: Scores, right: NDArray[np.bool_], number: int) -> NDArray[np.bool_]:
    """For each query whether a right view is among the best."""
    return np.asarray(np.take_along_axis(right, nearest(scores, number), axis=1).any(axis=1), np.bool_)


@dataclass(frozen=True)
class Recalled:
    """R@k of one method on one day, percent, by k, and by kind of query for the largest k."""

    percent: tuple[float, ...]
    by_kind: dict[str, list[bool]]


def recalled(scores: Scores, day_: Candidates) -> Recalled:
    """R@k of these scores."""
    found = [found_within(scores, day_.right, number) for number in AT]
    by_kind: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for query, hit in zip(day_.queries, found[-1], strict=True):
        by_kind[query.kind].append(bool(hit))
    return Recalled(tuple(100 * float(each.mean()) for each in found), by_kind)


def by_chance(day_: Candidates) -> tuple[float, ...]:
    """The expected R@k of views drawn at random, percent."""
    total = len(day_.views)
    return tuple(
        100 * float(np.mean([_drawn(int(row.sum()), total, number) for row in day_.right])) for number in AT
    )


def _drawn(right: int, total: int, number: int) -> float:
    """Probability of a right view among `number` different ones."""
    if total - right < number:
        return 1.0
    return 1 - math.comb(total - right, number) / math.comb(total, number)


def without_view(days: Sequence[Candidates]) -> int:
    """Queries that no view of their day answers."""
    return sum(int((~each.right.any(axis=1)).sum()) for each in days)
