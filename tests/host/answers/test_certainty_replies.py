"""What is said to "are you sure?" and "why?"."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from host.answers.certainty_replies import (
    MODEL_SURE,
    MODEL_WHY,
    NOT_ANSWERED,
    NOT_JUDGED,
    NOT_SEEN,
    NOTHING_ANSWERED,
    WHY_NOT_JUDGED,
    Grounds,
    how_sure,
    looked_at,
    why,
)
from host.answers.reflex import ClosedResult
from host.turn.dialogue import Dialogue, after_answer
from models.closed_question import ClosedAnswer
from tests.host.turn.test_follow_up_question import Talk

ANSWER = ClosedAnswer("It is red.", 0.93, 0.99, values={"colour": "red", "item": "cup"})


def reflex(answer: ClosedAnswer, matters: bool = False, agreed: bool | None = None) -> Grounds:
    return Grounds("reflex", ClosedResult(answer, matters, agreed))


@pytest.mark.parametrize(
    ("confidence", "said"),
    [
        (1.0, "I am very sure, about 99 percent."), (0.93, "I am quite sure, about 93 percent."),
        (0.8, "I am fairly sure, about 80 percent."), (0.55, "I am not very sure, about 55 percent."),
        (0.0, "I am not very sure, about 1 percent."),
    ],
)  # fmt: skip
def test_how_sure_follows_the_confidence(confidence: float, said: str) -> None:
    assert how_sure(reflex(replace(ANSWER, confidence=confidence))) == said


def test_two_pictures_are_told() -> None:
    assert how_sure(reflex(ANSWER, True, True)).endswith("percent. Two pictures gave the same answer.")
    assert how_sure(reflex(ANSWER, True, False)).endswith("did not give the same answer.")
    assert how_sure(reflex(ANSWER, True)).endswith("such things I want to see twice.")


def test_advice_is_as_sure_as_the_picture_is_bad() -> None:
    dark = ClosedAnswer("It is too dark.", 0.0, 0.05, "dark", advice=True)
    assert how_sure(reflex(dark)) == (
        "I cannot tell, because it is too dark. Of that I am quite sure, about 95 percent."
    )
    assert why(reflex(dark)) == "I could not tell from the picture, because it is too dark."


def test_why_says_where_it_looked_and_what_it_made_out() -> None:
    saliency = np.zeros(64, np.float32)
    saliency[63] = 1.0
    said = why(reflex(replace(ANSWER, saliency=saliency)))
    assert said == (
        "I looked mostly at the lower right of the picture, and made out: red, cup. "
        "I am quite sure, about 93 percent."
    )
    assert why(reflex(ANSWER)).startswith("I looked at the whole picture, and made out: red, cup.")


@pytest.mark.parametrize(
    ("tokens", "where"), [(196, (3, 7, "top")), (576, (12, 1, "left")), (64, (4, 4, "middle"))]
)
def test_the_part_that_it_attended_to_has_a_name(tokens: int, where: tuple[int, int, str]) -> None:
    side = int(tokens**0.5)
    row, column, name = where
    saliency = np.full((side, side), 0.01, np.float32)
    saliency[row, column] = 1.0
    assert looked_at(replace(ANSWER, saliency=saliency.ravel())) == name


def test_where_it_looked_everywhere_or_the_tokens_are_no_grid_no_part_is_named() -> None:
    assert looked_at(replace(ANSWER, saliency=np.ones(64, np.float32))) == ""
    assert looked_at(replace(ANSWER, saliency=np.zeros(64, np.float32))) == ""
    assert looked_at(replace(ANSWER, saliency=np.eye(1, 608, dtype=np.float32)[0])) == ""


def test_others_do_not_say_how_sure_they_are() -> None:
    assert (how_sure(None), why(None)) == (NOTHING_ANSWERED, NOTHING_ANSWERED)
    model = Grounds("language model", ClosedResult(replace(ANSWER, text="")))
    assert (how_sure(model), why(model)) == (MODEL_SURE, MODEL_WHY)
    assert how_sure(Grounds()) == why(Grounds()) == NOT_ANSWERED
    assert how_sure(Grounds("device")) == why(Grounds("device"))


@pytest.mark.parametrize(
    ("asked", "sure", "because"),
    [
        ("is it safe to cross the street", NOT_JUDGED, WHY_NOT_JUDGED),
        ("where is the", NOT_ANSWERED, NOT_ANSWERED),
        ("what time is it", NOT_SEEN, NOT_SEEN),
    ],
)
def test_what_was_declined_was_not_judged(asked: str, sure: str, because: str) -> None:
    turn = Talk().decided(asked)
    answered = replace(turn, answer="Some words.", answered_by="device")
    past = after_answer(Dialogue(), answered, silenced=False, now_s=0.0).past_answer
    assert past is not None
    assert (how_sure(past.grounds), why(past.grounds)) == (sure, because)
