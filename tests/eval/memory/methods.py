"""Ways to remember a day's views and to find one again, each judged on the same queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.exit_predictor import ExitPredictor
from models.train.recall.labels import first_exits
from tests.eval.eye.days import AT, Scores, found_within
from tests.eval.memory.days import Places, Remembered, as_stored

ORACLE, FULL = "oracle on the drawn truth", "every new view fully"
PREDICTED, EQUAL, LABELS = "predicted exits", "fixed exit, no shallower", "exits of the labels"
CANDIDATES = (3, 10)
"""Views of the nearest that are taken on to full depth, in throttled and in performance."""


@dataclass(frozen=True, eq=False)
class Way:
    """One way on one day. scores: [queries, views]; numbers: of each view's exit, from 0; extra_blocks:
    that a query costs.
    """

    scores: Scores
    numbers: NDArray[np.intp] | None = None
    extra_blocks: float = 0.0


@dataclass(frozen=True)
class Figures:
    """One way on one day: R@k, percent, by k; blocks a view passes, of the whole, and a query adds."""

    percent: tuple[float, ...]
    depth: float | None
    query_blocks: float

    @property
    def first(self) -> float:
        """R@1, percent."""
        return self.percent[0]


def refined(texts: Places, stored: Places, full: Places, count: int) -> Scores:
    """Scores after the `count` nearest views of a query were taken on to full depth and compared again;
    they stay before all others.
    """
    scores = texts @ stored.T
    best = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    again = np.take_along_axis(texts @ full.T, best, axis=1)
    np.put_along_axis(scores, best, again + 4, axis=1)  # a cosine is at most 1
    return scores


def ways(
    day: Remembered, texts: Places, exits: Sequence[int], predictor: ExitPredictor | None
) -> Mapping[str, Way]:
    """Every way on one day. texts: float32 [queries, embedding]."""
    stored = np.stack([as_stored(each) for each in day.places])
    views = np.arange(stored.shape[1])
    whole = len(exits) - 1

    def at(numbers: NDArray[np.intp]) -> Way:
        return Way(texts @ stored[numbers, views].T, numbers)

    found = {ORACLE: Way(day.right.astype(np.float32))}
    found |= {f"exit after block {depth}": at(np.full(len(views), n)) for n, depth in enumerate(exits)}
    found[FULL] = at(np.full(len(views), whole))
    labels = first_exits(day.places, 0)
    found[LABELS] = at(labels)
    if predictor is None:
        return found
    numbers = np.searchsorted(exits, predictor.depths(day.places[0]))
    found[PREDICTED] = at(numbers)
    mean = float(np.mean(np.array(exits)[numbers]))
    found[EQUAL] = at(np.full(len(views), int(np.searchsorted(exits, mean))))
    for name, chosen in ((PREDICTED, numbers), ("first exit", np.zeros(len(views), np.intp))):
        places = stored[chosen, views]
        for count in CANDIDATES:
            best = np.argsort(-(texts @ places.T), axis=1, kind="stable")[:, :count]
            further = exits[-1] - np.array(exits)[chosen][best]
            scores = refined(texts, places, day.places[-1], count)
            found[f"{name}, {count} nearest taken on"] = Way(scores, chosen, float(further.sum(1).mean()))
    return found


def figures(way: Way, day: Remembered, exits: Sequence[int]) -> Figures:
    """How well a way finds what the day is asked for."""
    found = [100 * float(found_within(way.scores, day.right, k).mean()) for k in AT]
    depth = None if way.numbers is None else float(np.array(exits)[way.numbers].mean()) / exits[-1]
    return Figures(tuple(found), depth, way.extra_blocks)


def depth_error(day: Remembered, predictor: ExitPredictor, exits: Sequence[int]) -> float:
    """Mean difference of the predicted depth from the label's, blocks."""
    label = np.array(exits)[first_exits(day.places, 0)]
    return float(np.abs(np.array(predictor.depths(day.places[0])) - label).mean())
