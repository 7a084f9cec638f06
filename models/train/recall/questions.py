"""What a day of training or validation is asked in words, from its truth, to choose between predictors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.brick import Brick, Phrase
from models.train.world.home.captions import spot
from models.train.world.home.truth import PLACE_KNOWN, truth_of
from models.train.world.home.views import View


@dataclass(frozen=True, eq=False)
class Asked:
    """texts: float32 [questions, embedding]; right: bool [questions, views]."""

    texts: NDArray[np.float32]
    right: NDArray[np.bool_]

    def hits(self, places: NDArray[np.float32]) -> NDArray[np.bool_]:
        """[questions]: whether the nearest view is right, of places [views, embedding]."""
        nearest = (self.texts @ places.T).argmax(axis=1)
        return np.asarray(self.right[np.arange(len(nearest)), nearest], np.bool_)


def answers(view: View) -> set[str]:
    """The phrases that a view answers: things, where they lie, and the place."""
    truth = truth_of(view)
    found = {thing.kind for thing in truth.seen}
    for thing in truth.seen:
        where = "in the hand" if thing.held else spot(truth.place, thing.surface)
        found.add(f"{thing.kind} {where}")
    return found | ({f"the {truth.place}"} if truth.landmark >= PLACE_KNOWN else set())


def asked(tower: Brick, views: Sequence[View]) -> Asked:
    """Every phrase that a view of the day answers."""
    by_view = [answers(view) for view in views]
    phrases = sorted(set().union(*by_view))
    texts = np.stack([next(iter(tower.execute(Phrase(phrase)))).vector for phrase in phrases])
    return Asked(texts, np.array([[phrase in each for each in by_view] for phrase in phrases]))
