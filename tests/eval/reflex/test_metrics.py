"""Measures against cases that are worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.eval.reflex.metrics import (
    Interval,
    _precisions,
    answered_at,
    average_precision,
    highest_coverage,
    precision,
    ratio,
    resampled,
    risk_coverage,
    share,
)


def test_average_precision_of_four() -> None:
    """Positives in places 1 and 3: (1/1 + 2/3) / 2."""
    scores = np.array([0.9, 0.8, 0.7, 0.1])
    assert average_precision(scores, np.array([1, 0, 1, 0], bool)) == pytest.approx(5 / 6)
    assert average_precision(scores, np.array([0, 0, 0, 1], bool)) == pytest.approx(1 / 4)
    assert average_precision(scores, np.array([1, 1, 0, 0], bool)) == 1
    assert np.isnan(average_precision(scores, np.zeros(4, bool)))


def test_equal_scores_give_the_prevalence() -> None:
    positive = np.array([1, 0, 0, 1, 0], bool)
    assert average_precision(np.zeros(5), positive) == pytest.approx(2 / 5)
    assert average_precision(np.zeros(5), positive[::-1]) == pytest.approx(2 / 5)


def test_equal_scores_in_the_middle_have_no_order() -> None:
    """One positive first; then three of one score with one positive: 1/2 * 1 + 1/2 * 2/4."""
    positive = np.array([1, 0, 0, 1], bool)
    assert average_precision(np.array([0.9, 0.5, 0.5, 0.5]), positive) == pytest.approx(0.75)


def test_the_bootstrap_draws_whole_pictures() -> None:
    """Two pictures, all right and all wrong: a draw has none, one or both of each, so 0, 1/2 or 1."""
    hits = np.array([1] * 10 + [0] * 10, bool)
    assert share([0] * 10 + [1] * 10, hits) == Interval(0.5, 0, 1)
    weights = resampled([7, 7, 9], rounds=50)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 0] + weights[:, 2] == 2).all()


def test_ratios_of_several_networks_are_averaged() -> None:
    """1/2 and 1/1; the third network has nothing to divide by."""
    top, bottom = np.array([[1, 0], [1, 0], [0, 0]]), np.array([[1, 1], [1, 0], [0, 0]])
    assert ratio([0, 0], top, bottom).value == pytest.approx(0.75)
    assert np.isnan(ratio([0, 0], top[2], bottom[2]).value)


def test_drawing_every_row_twice_changes_no_precision() -> None:
    """The weighted measure is the plain one of the rows repeated."""
    rng = np.random.default_rng(3)
    scores, positive = rng.integers(0, 6, 40).astype(float), rng.random(40) < 0.4
    weights = rng.integers(0, 3, (5, 40)).astype(float)
    for round_weights in weights:
        times = round_weights.astype(int)
        repeated = average_precision(np.repeat(scores, times), np.repeat(positive, times))
        assert _precisions(scores, positive, round_weights[None])[0] == pytest.approx(repeated)
    found = precision([*range(40)], [scores, scores], positive)
    assert found.value == pytest.approx(average_precision(scores, positive))
    assert found.low < found.value < found.high


def test_the_interval_of_a_share_without_misses_is_one() -> None:
    assert share([0, 1, 2], np.ones(3, bool)) == Interval(1, 1, 1)
    assert share([], np.ones(0, bool)).percent() == "-"


def test_risk_and_coverage_by_hand() -> None:
    """In order of confidence: right, wrong, right, right."""
    confidence, right = np.array([0.2, 0.9, 0.6, 0.7]), np.array([1, 1, 1, 0], bool)
    curve = risk_coverage(confidence, right)
    assert curve.coverage == pytest.approx([0.25, 0.5, 0.75, 1])
    assert curve.risk == pytest.approx([0, 1 / 2, 1 / 3, 1 / 4])
    assert curve.area() == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert answered_at(confidence, right, 0.6) == pytest.approx((0.75, 1 / 3))
    coverage, risk = answered_at(confidence, right, 0.95)
    assert coverage == 0 and np.isnan(risk)


def test_the_confidence_that_keeps_the_risk_within_bounds() -> None:
    confidence, right = np.array([0.9, 0.7, 0.6, 0.2]), np.array([1, 0, 1, 1], bool)
    assert highest_coverage(confidence, right, 0.0) == 0.9
    assert highest_coverage(confidence, right, 0.34) == 0.2
    assert highest_coverage(confidence, right, 0.25) == 0.2
    assert highest_coverage(confidence, np.zeros(4, bool), 0.5) == float("inf")


def test_answers_of_one_confidence_are_given_together() -> None:
    confidence, right = np.array([0.9, 0.5, 0.5]), np.array([1, 1, 0], bool)
    assert highest_coverage(confidence, right, 0.1) == 0.9
    assert highest_coverage(confidence, right, 0.34) == 0.5
