"""The evaluation of the chain takes an answer that is said with a doubt for what it says."""

from __future__ import annotations

import pytest

from models.train.world.truth import BLURRED, DARK
from tests.eval.chain import tells_nothing, with_doubt


@pytest.mark.parametrize(
    ("said", "true"),
    [
        ("I think so: it is white.", "Yes, it is white."),
        ("I think I see three circles.", "I see three circles."),
        (f"{BLURRED} But I am not sure of that.", BLURRED),
        ("I think it is too dark to see.", DARK),
    ],
)
def test_a_doubt_does_not_make_an_answer_wrong(said: str, true: str) -> None:
    assert with_doubt(said, true)


@pytest.mark.parametrize(
    ("said", "true"),
    [
        ("I think not: it is red.", "Yes, it is white."),
        ("I think the picture is blurred.", DARK),
        ("I am not sure enough to say.", "The ring is red."),
        ("I do not see a label.", "Nothing is below the ring."),
    ],
)
def test_another_answer_with_a_doubt_is_wrong(said: str, true: str) -> None:
    assert not with_doubt(said, true)


def test_who_says_what_is_in_the_way_tells_nothing() -> None:
    assert tells_nothing(DARK) and tells_nothing("I think the picture is blurred.")
    assert tells_nothing("I cannot see a circle.") and not tells_nothing("The star is green.")
