"""Chooses how a clip is looked at: the best predicted accuracy within a time limit (E9 of MMEdge).

Every permitted configuration is tried, so that none is better by the predictor. Of those that it cannot tell
apart the one of the least work is taken, because work is battery.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.sensing.accuracy import AccuracyPredictor
from models.sensing.configuration import Configuration
from models.sensing.features import Floats
from models.sensing.latency import Load

INDISTINCT = 0.001
"""Predicted accuracies this near are alike."""


@dataclass(frozen=True)
class Choice:
    """accuracy: predicted, 0 to 1. load: predicted, of the configuration. reason: for the journal."""

    configuration: Configuration
    accuracy: float
    load: Load
    reason: str


def choose(
    predictor: AccuracyPredictor,
    configurations: Sequence[Configuration],
    loads: Sequence[Load],
    *,
    view: Floats | None,
    family: str | None,
    limit_s: float,
) -> Choice:
    """The best of one or more configurations, whose loads are given in their order. limit_s: from the end of
    speech to the motion brick's answer. Where none is within it, the fastest is taken.
    """
    chances = predictor.probabilities(view, family, configurations)
    at, reason = best_within(chances, loads, limit_s)
    return Choice(configurations[at], float(chances[at]), loads[at], reason)


def best_within(chances: Floats, loads: Sequence[Load], limit_s: float) -> tuple[int, str]:
    """The number of the best of one or more, and why; see `choose`. chances: of a right answer, 0 to 1."""
    within = [at for at, load in enumerate(loads) if load.latency_s <= limit_s]
    if not within:
        at = min(range(len(loads)), key=lambda each: loads[each].latency_s)
        return at, f"none is within {limit_s:.2f} s"
    best = float(np.max(chances[within]))
    alike = [each for each in within if chances[each] >= best - INDISTINCT]
    at = min(alike, key=lambda each: (loads[each].work_s, loads[each].latency_s))
    return at, f"{len(within)} of {len(loads)} within {limit_s:.2f} s, {len(alike)} as good as the best"
