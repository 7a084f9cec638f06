"""A follow-up question is completed from the one before it."""

import pytest

from host.language.follow_up import resolve


@pytest.mark.parametrize(
    ("before", "further", "meant"),
    [
        ("where is the blue circle", "red one", "where is the red circle"),
        ("what colour is the square", "circle", "what colour is the circle"),
        ("what colour is the small square", "heart", "what colour is the small heart"),
        ("what shape is the blue thing", "red one", "what shape is the red thing"),
        ("which shape is blue", "green one", "which shape is green"),
        ("how many circles are there", "cross", "how many crosses are there"),
        ("how many blue things are there", "red one", "how many red things are there"),
        ("how many blue things are there", "star", "how many stars are there"),
        ("where is the circle", "red one", "where is the red circle"),
        ("where is the large red circle", "star", "where is the large red star"),
        ("is there a blue ring", "orange one", "is there an orange ring"),
        ("do you see an orange star", "red one", "do you see a red star"),
        ("which way did the square move", "ring", "which way did the ring move"),
        ("what is left of the red cross", "star", "what is left of the red star"),
        ("is the circle above the star", "red heart", "is the circle above the red heart"),
    ],
)
def test_a_further_question_takes_the_shape_of_the_one_before(before: str, further: str, meant: str) -> None:
    assert resolve(further, before) == meant


@pytest.mark.parametrize(
    ("before", "further"),
    [
        ("", "red one"),
        ("what does the sign say", "circle"),
        ("hello", "red one"),
        ("where is the ring", "one"),
        ("where is the ring", "old man by the sea"),
    ],
)
def test_what_does_not_fit_is_not_guessed(before: str, further: str) -> None:
    assert resolve(further, before) is None


def test_a_chain_goes_on() -> None:
    second = resolve("red one", "where is the blue circle")
    assert second is not None
    assert resolve("star", second) == "where is the red star"
