"""What is said of something that the reflex brick does not see."""

from __future__ import annotations

import pytest

from host.answers.absent import naming_what_is_absent
from host.answers.reflex import ClosedResult
from models.closed_question import ClosedAnswer

NOT_THERE = ClosedAnswer("I do not see that here.", 0.9, 0.1, cause="absent", advice=True)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("where are my keys", "I do not see your keys here."),
        ("could you find my orange brolly", "I do not see your orange umbrella here."),
        ("is my cup red", "I do not see your cup here."),
        ("is my cup on the shelf", "I do not see your cup here."),
        ("what colour is the ring", "I cannot see a ring."),
        ("is the orange ring large", "I cannot see an orange ring."),
        ("is the star green", "I cannot see a star."),
        ("how many green things are there", "I cannot see anything green."),
        ("what is on the shelf", "I do not see a shelf here."),
        ("read the sign", "I cannot see a sign."),
        ("could you read the label for me", "I do not see a label."),
        ("read that out to me", "I cannot see a sign."),
        ("what does it say", "I cannot see a sign."),
    ],
)
def test_what_is_not_to_be_seen_is_named(question: str, said: str) -> None:
    assert naming_what_is_absent(ClosedResult(NOT_THERE), question).sentence == said


@pytest.mark.parametrize(
    "question",
    [
        "is the ring above the star",
        "what does the label on the bottle say",
        "what is next to the sign and the star",
        "is my cup next to my wallet",
    ],
)
def test_of_several_things_the_language_model_says_which_is_absent(question: str) -> None:
    assert naming_what_is_absent(ClosedResult(NOT_THERE), question).sentence == ""


def test_a_question_that_names_nothing_is_answered_as_before() -> None:
    assert naming_what_is_absent(ClosedResult(NOT_THERE), "what is that").sentence == NOT_THERE.text


def test_another_answer_stays_as_it_is() -> None:
    dark = ClosedAnswer("It is too dark to see.", 0.9, 0.1, cause="dark", advice=True)
    for answer in (dark, ClosedAnswer("It is red.", 0.9, 0.1), None):
        result = ClosedResult(answer)
        assert naming_what_is_absent(result, "what colour is the ring") == result
