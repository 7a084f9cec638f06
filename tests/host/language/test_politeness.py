"""What a question asks does not depend on how politely it is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.language.politeness import without_politeness
from host.language.router import Router

ROUTER = Router()


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("excuse me what is on the shelf", "what is on the shelf"),
        ("Excuse me, what is on the shelf, please?", "what is on the shelf?"),
        ("sorry what colour is the star thank you", "what colour is the star"),
        ("well okay could you read the sign if you can", "could you read the sign"),
        ("what do you see right now", "what do you see"),
        ("Where are my keys?", "Where are my keys?"),
        ("has anything changed thank you", "has anything changed"),
        ("wellington", "wellington"),
        ("is the light so bright", "is the light so bright"),
    ],
)
def test_polite_words_are_left_out_at_both_ends_only(said: str, asked: str) -> None:
    assert without_politeness(said) == asked


@pytest.mark.parametrize("said", ["thank you", "thanks", "hey", "Sorry?", "okay then", ""])
def test_polite_words_alone_stay(said: str) -> None:
    assert without_politeness(said) == said


@given(st.lists(st.sampled_from(["please", "now", "excuse", "me", "so", "what", "thank", "you"])))
def test_something_always_remains_and_is_the_same_again(words: list[str]) -> None:
    said = " ".join(words)
    bare = without_politeness(said)
    assert bare in said
    assert without_politeness(bare) == bare
    assert bool(bare) == bool(said)


def test_thanks_after_a_question_are_not_answered_in_its_place() -> None:
    assert ROUTER.decide("did anything change thank you") == ROUTER.decide("did anything change")
    assert ROUTER.decide("excuse me what time is it").route == "device"
