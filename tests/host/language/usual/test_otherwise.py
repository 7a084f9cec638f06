"""Questions about things of the home that no usual wording asks stay as they are."""

from __future__ import annotations

import pytest

from host.language.usual.otherwise import is_anothers
from host.language.usual.view import usual_wording


@pytest.mark.parametrize(
    "said",
    [
        "is my wife's coat here",
        "what colour is her bag",
        "where is your book",
        "where is their old umbrella",
        "what is on my neighbour's table",
        "is she holding my cup",
        "what is he carrying",
        "what is in her left hand",
        "who is holding my cup",
        "are you holding my phone",
        "is my wife holding my phone",
        "what is that man holding",
        "can you see a cup of coffee",
    ],
)
def test_what_is_anothers_is_not_asked_of_the_wearers(said: str) -> None:
    assert usual_wording(said) == said


@pytest.mark.parametrize(
    "said",
    [
        "is my bag open",
        "is my bottle empty",
        "are my glasses broken",
        "is my phone charging",
        "is my phone on",
        "is the red cup hot",
        "is my phone face down",
        "tell me if my bag is open",
        "does my bag look heavy",
        "is this shop closed",
    ],
)
def test_how_a_thing_is_does_not_ask_whether_it_is_here(said: str) -> None:
    assert usual_wording(said) == said


@pytest.mark.parametrize(
    "said",
    [
        "am i outside the kitchen",
        "am i out of the kitchen",
        "am i near the kitchen",
        "am i leaving the kitchen",
        "am i far from the street",
        "am i in front of the shop",
        "who is in the kitchen",
        "is anything on the table apart from the cup",
        "are my keys anywhere but the table",
        "do you see anything but my keys",
        "is only my cup on the table",
        "what is in front of the sofa",
        "what is on the other table",
        "do you see the other cup",
        "which of the things isn't on the table",
        "where isn't there a star",
        "is there exactly one star",
        "is there only one star",
    ],
)
def test_a_word_that_turns_a_question_round_is_not_dropped(said: str) -> None:
    assert usual_wording(said) == said


def test_the_thing_beside_a_shape_is_not_the_shape() -> None:
    assert usual_wording("what colour is the thing next to the star") == "what is next to the star"
    assert usual_wording("what colour is the star near me") == "what colour is the star near me"
    assert usual_wording("tell me the colour of the star") == "what colour is the star"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("where's my mug", "where is my cup"),
        ("is my coat actually hanging here", "do you see my coat"),
        ("are the keys anywhere here", "do you see my keys"),
        ("is my phone right in front of me", "do you see my phone"),
        ("is my phone in the other room", "do you see my phone"),
        ("do you see a coat of mine", "do you see my coat"),
        ("tell me if my bag is in view", "do you see my bag"),
        ("is my hand holding my cup", "am i holding my cup"),
        ("is this room the kitchen", "is this the kitchen"),
        ("but where exactly are my keys", "where are my keys"),
    ],
)
def test_words_that_change_nothing_are_left_out(said: str, asked: str) -> None:
    assert usual_wording(said) == asked


@pytest.mark.parametrize(
    ("before", "anothers"),
    [
        ("where are my wife's ", True),
        ("where did she leave her red ", True),
        ("the boys' ", True),
        ("where's the ", False),
        ("what's in my ", False),
        ("everything's on the ", False),
        ("my brolly's next to the ", False),
    ],
)
def test_an_owner_stands_before_a_name(before: str, anothers: bool) -> None:
    assert is_anothers(before) is anothers
