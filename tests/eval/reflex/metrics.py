"""Measures of scores and of decisions, on arrays. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Places = NDArray[np.intp]
ROUNDS = 1000
"""Of the bootstrap."""


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float

    def percent(self, digits: int = 1) -> str:
        """ "81.2 % [79.0, 83.1]"; "-" for a value that the data does not give."""
        if np.isnan(self.value):
            return "-"
        shown = (f"{100 * each:.{digits}f}" for each in (self.value, self.low, self.high))
        return "{} % [{}, {}]".format(*shown)

    def points(self) -> str:
        """A difference of shares: "+0.6 points [-0.1, +1.3]"."""
        if np.isnan(self.value):
            return "-"
        shown = (f"{100 * each:+.1f}" for each in (self.value, self.low, self.high))
        return "{} points [{}, {}]".format(*shown)

    def number(self, digits: int = 3) -> str:
        """ "0.962 [0.951, 0.971]"."""
        if np.isnan(self.value):
            return "-"
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def average_precision(scores: NDArray[np.floating], positive: Bools) -> float:
    """Mean precision over the positives, in falling order of score: the sum over distinct scores of (gain of
    recall) * (precision at that score), so equal scores have no order. nan without positives.
    """
    return float(_precisions(scores, positive, np.ones((1, len(scores))))[0])


def _precisions(scores: NDArray[np.floating], positive: Bools, weights: Floats) -> Floats:
    """Average precision where each row counts so many times. weights: [rounds, n]; gives [rounds]."""
    order = np.argsort(-np.asarray(scores, float), kind="stable")
    ranked = np.asarray(scores)[order]
    last_of_score = np.append(ranked[1:] != ranked[:-1], True)
    counts = weights[:, order]
    hits = np.cumsum(counts * positive[order], 1)[:, last_of_score]
    seen = np.cumsum(counts, 1)[:, last_of_score]
    gain = np.diff(hits, prepend=0, axis=1)
    total = hits[:, -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.sum(gain * hits / np.maximum(seen, 1), 1) / np.where(total > 0, total, np.nan)
    return found


def resampled(groups: Sequence[int] | Places, rounds: int = ROUNDS, seed: int = 0) -> Floats:
    """How often each row is drawn in each round of a bootstrap over whole groups (pictures): [rounds, n]."""
    _, number = np.unique(np.asarray(groups), return_inverse=True)
    count = int(number.max()) + 1
    drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=rounds)
    return drawn[:, number].astype(float)


def _with_interval(value: float, drawn: Floats) -> Interval:
    """Rounds in which the measure is nan do not count."""
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return Interval(value, value, value)
    low, high = np.percentile(known, (2.5, 97.5))
    return Interval(value, float(low), float(high))


def _mean_known(values: Floats) -> Floats:
    """Mean over the first axis of what is no nan; nan where all is."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        averaged: Floats = np.where(known, values, 0).sum(0) / known.sum(0)
    return averaged


def ratio(groups: Sequence[int] | Places, top: NDArray, bottom: NDArray) -> Interval:
    """Sum of `top` over sum of `bottom`, averaged over networks. top, bottom: [networks, n]."""
    above, below = np.atleast_2d(np.asarray(top, float)), np.atleast_2d(np.asarray(bottom, float))
    if not above.shape[1]:
        return Interval(float("nan"), float("nan"), float("nan"))

    def averaged(weights: Floats) -> Floats:
        sums = weights @ below.T
        with np.errstate(invalid="ignore", divide="ignore"):
            return _mean_known((weights @ above.T / np.where(sums > 0, sums, np.nan)).T)

    value = float(averaged(np.ones((1, above.shape[1])))[0])
    return _with_interval(value, averaged(resampled(groups)))


def precision(
    groups: Sequence[int] | Places, scores: Sequence[NDArray[np.floating]], positive: Bools
) -> Interval:
    """Average precision, averaged over networks. scores: of each network, [n]."""
    value = mean(np.array([average_precision(each, positive) for each in scores]))
    weights = resampled(groups)
    return _with_interval(
        value, _mean_known(np.stack([_precisions(each, positive, weights) for each in scores]))
    )


def mean(values: NDArray) -> float:
    """nan without values, and no warning."""
    return float(values.mean()) if len(values) else float("nan")


def share(groups: Sequence[int] | Places, hits: Bools) -> Interval:
    """Share of hits."""
    return ratio(groups, hits, np.ones(len(hits)))


@dataclass(frozen=True)
class RiskCoverage:
    """How many questions are answered, and how many of those wrongly, as the confidence to answer falls.

    coverage, risk: float64 [n], at each of the n confidences in falling order.
    """

    confidence: Floats
    coverage: Floats
    risk: Floats

    def area(self) -> float:
        """Mean risk over all coverages: lower is better."""
        return mean(self.risk)


def risk_coverage(confidence: NDArray[np.floating], right: Bools) -> RiskCoverage:
    """The curve over all confidences."""
    order = np.argsort(-np.asarray(confidence, float), kind="stable")
    answered = np.arange(1, len(order) + 1)
    wrong = np.cumsum(~right[order])
    return RiskCoverage(
        np.asarray(confidence[order], np.float64), answered / max(1, len(order)), wrong / answered
    )


def answered_at(confidence: NDArray[np.floating], right: Bools, least: float) -> tuple[float, float]:
    """(coverage, risk) where an answer is given from that confidence on; the risk is nan without answers."""
    given = confidence >= least
    return mean(given), mean(~right[given])


def highest_coverage(confidence: NDArray[np.floating], right: Bools, most_risk: float) -> float:
    """The least confidence at which the share of wrong answers stays within `most_risk`; inf for none."""
    curve = risk_coverage(confidence, right)
    last_of_value = np.append(curve.confidence[1:] != curve.confidence[:-1], True)
    fits = np.flatnonzero((curve.risk <= most_risk) & last_of_value & np.isfinite(curve.confidence))
    return float(curve.confidence[fits[-1]]) if len(fits) else float("inf")
