"""Rules of exits and of pruning on small cases that are worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.eval.reflex import policies
from tests.eval.reflex.policies import Layered, Point
from tests.eval.reflex.pruning import WAYS, kept_number


def _layered() -> Layered:
    """Three questions, three layers."""
    return Layered(
        right=np.array([[1, 1, 1], [0, 1, 1], [0, 0, 1]], bool),
        probability=np.array([[0.9, 0.9, 0.9], [0.8, 0.6, 0.9], [0.3, 0.4, 0.5]]),
        score=np.array([[0.9, 0.9, 0.9], [0.2, 0.8, 0.9], [0.1, 0.2, 0.9]]),
        doubt=np.array([[0.1, 0.1, 0.1], [0.3, 0.6, 0.1], [2.0, 1.5, 1.0]]),
        answer=np.array([[4, 4, 4], [5, 6, 6], [1, 2, 3]]),
    )


def _chosen(rule: str, setting: float) -> list[int]:
    return policies.RULES[rule](_layered(), setting).tolist()


def test_thresholds_stop_at_the_first_layer_that_reaches_them() -> None:
    assert _chosen("score", 0.7) == [0, 1, 2]
    assert _chosen("probability", 0.7) == [0, 0, 2]
    assert _chosen("entropy", -0.5) == [0, 0, 2]
    assert _chosen("score", -np.inf) == [0, 0, 0]
    assert _chosen("score", np.inf) == [2, 2, 2]


def test_patience_waits_for_equal_answers() -> None:
    assert _chosen("patience", 0) == [0, 0, 0]
    assert _chosen("patience", 1) == [1, 2, 2]
    assert _chosen("patience", 2) == [2, 2, 2]


def test_a_fixed_layer() -> None:
    assert _chosen("fixed layer", 1) == [1, 1, 1]


def test_costs_add_up_to_the_chosen_layer() -> None:
    assert policies.costs(np.array([0, 1, 2]), [3.0, 2.0, 1.0]).tolist() == [3, 5, 6]


def test_the_curve_of_fixed_layers() -> None:
    points = policies.curve("fixed layer", _layered(), [3, 2, 1])
    assert [(point.cost, point.right) for point in points] == [
        (3, pytest.approx(1 / 3)),
        (5, pytest.approx(2 / 3)),
        (6, 1),
    ]


def test_two_settings_are_mixed_to_meet_a_cost() -> None:
    points = [Point(0, 2, 0.5), Point(1, 4, 0.7)]
    settings, shares = zip(*policies.mixture(points, 3.5), strict=True)
    assert settings == (0, 1) and shares == pytest.approx((0.25, 0.75))
    assert policies.mixture(points, 9) == [(1, 1.0)]
    assert policies.mixture(points, 1) == [(0, 1.0)]


def test_a_rule_at_a_speed_keeps_that_cost_where_validation_is_the_test() -> None:
    layered = _layered()
    for rule in policies.RULES:
        applied = policies.at_speed(rule, layered, layered, [1, 1, 1], 1.5)
        assert applied.cost.mean() == pytest.approx(2.0), rule
    best = policies.at_speed("score", layered, layered, [1, 1, 1], 1.5)
    assert best.right.tolist() == [1, 1, 1]


@pytest.mark.parametrize("number", [1, 3, 8, 12, 32, 64])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_keeps_at_most_so_many_rows(way: str, number: int) -> None:
    rng = np.random.default_rng(1)
    image, seen = rng.random((64, 4), np.float32), rng.random((64, 4), np.float32)
    kept = WAYS[way](image, seen, rng.random(64, np.float32), number, 0)
    assert kept.dtype == np.float32 and kept.shape[1] == 4
    assert 0.85 * number <= len(kept) <= number
    if number == 64:
        assert kept == pytest.approx(image)


def test_the_question_keeps_the_rows_that_it_attends_to() -> None:
    image = np.arange(8, dtype=np.float32)[:, None]
    saliency = np.array([0, 9, 0, 0, 5, 0, 7, 0], np.float32)
    assert WAYS["question (V4)"](image, image, saliency, 3, 0)[:, 0].tolist() == [1, 4, 6]
    assert WAYS["picture only"](image, image, saliency, 2, 0)[:, 0].tolist() == [0, 7]
    assert WAYS["stride"](image, image, saliency, 2, 0)[:, 0].tolist() == [2, 6]
    assert (
        WAYS["random"](image, image, saliency, 3, 5).tolist()
        == WAYS["random"](image, image, saliency, 3, 5).tolist()
    )


def test_pooling_takes_means_of_rectangles() -> None:
    image = np.arange(16, dtype=np.float32)[:, None]
    assert WAYS["pooling"](image, image, image[:, 0], 4, 0)[:, 0].tolist() == [2.5, 4.5, 10.5, 12.5]
    odd = np.arange(6, dtype=np.float32)[:, None]
    assert WAYS["pooling"](odd, odd, odd[:, 0], 2, 0)[:, 0].tolist() == [1, 4]


def test_a_ratio_keeps_at_least_one_row() -> None:
    assert [kept_number(64, ratio) for ratio in (0.001, 0.2, 1.0)] == [1, 13, 64]
