"""Other looks show the same picture, and what they do not confirm loses support."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.sensing.looking_again import MOST, Looks, other_looks, support

PICTURE = np.random.default_rng(3).integers(0, 200, (120, 160, 3), dtype=np.uint8)
chances = st.floats(0, 1)
looks = st.lists(st.tuples(st.sampled_from(("red", "blue")), chances), max_size=3)


def test_a_look_is_the_picture_moved_by_a_few_pixels() -> None:
    for look in other_looks(PICTURE, MOST):
        assert look.shape == PICTURE.shape and look.dtype == np.uint8
        errors = {
            (down, across): np.abs(
                look[20:100, 20:140].astype(int) - PICTURE[20 - down : 100 - down, 20 - across : 140 - across]
            ).mean()
            for down in range(-6, 7)
            for across in range(-6, 7)
        }
        best = min(errors, key=lambda moved: errors[moved])
        assert best != (0, 0)
        assert errors[best] < 6


def test_only_so_many_looks_are_made() -> None:
    assert [len(list(other_looks(PICTURE, number))) for number in range(1, MOST + 1)] == list(range(MOST))


@given(chances, looks)
def test_support_is_no_more_than_the_looks_agree(probability: float, others: list[tuple[str, float]]) -> None:
    found = support("red", probability, others)
    agreeing = 1 + sum(text == "red" for text, _ in others)
    assert 0 <= found <= agreeing / (1 + len(others)) + 1e-9
    assert support("red", probability, []) == probability
    assert support("red", probability, [*others, ("blue", 1.0)]) <= found + 1e-9


@pytest.mark.parametrize(
    ("asked", "probability", "wanted"),
    [(Looks(), 0.1, False), (Looks(3, 0.9), 0.89, True), (Looks(3, 0.9), 0.9, False)],
)
def test_a_certain_answer_needs_one_look(asked: Looks, probability: float, wanted: bool) -> None:
    assert asked.wanted(probability, "It is red.") == wanted
    assert not asked.wanted(probability, "I do not see your keys here.")
    assert not asked.wanted(probability, "I see only part of your cup, turn left.")


def test_what_is_said_first_counts() -> None:
    said = "Your keys are on the table, left of the cup."
    assert support(said, 0.8, [("Your keys are on the table, right of the book.", 0.6)]) == pytest.approx(0.7)
    assert support(said, 0.8, [("Your keys are on the shelf, left of the cup.", 0.6)]) == pytest.approx(0.4)
