"""Only what a headband takes for a question about the present view is put to the eye and the decoder."""

from __future__ import annotations

import pytest

from host.language.router import Decision, Router
from host.turn.steps import NOT_CAUGHT
from models.pack.catalogue import load_pack
from models.train.pack import PACK
from tests.eval.eye.answers import of_held_home
from tests.eval.eye.routes import NOT_OF_THE_VIEW, as_understood, without_view
from tests.eval.stranger_home.said import cause

MICRO = load_pack(PACK)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what is on the table", ""),
        ("where is my cup", ""),
        ("set a timer for five minutes", NOT_OF_THE_VIEW),
        ("which way did my cup move", NOT_OF_THE_VIEW),
    ],
)
def test_other_questions_are_not_answered_from_the_picture(text: str, said: str) -> None:
    for rules_alone in (False, True):
        decision = as_understood(text, Router(), MICRO, rules_alone=rules_alone).decision
        assert without_view(decision, rules_alone=rules_alone) == said


def test_what_is_not_understood_is_said_not_to_be_caught() -> None:
    assert without_view(Decision("unclear")) == NOT_CAUGHT
    assert without_view(Decision("open")) == NOT_OF_THE_VIEW
    assert not without_view(Decision("open"), rules_alone=True), "the rules know nothing else to do with it"


def test_what_stands_for_other_answers_is_right_for_no_question() -> None:
    assert not cause(NOT_OF_THE_VIEW)
    assert not any(each.question.judge(NOT_OF_THE_VIEW) for each in of_held_home(60, 1))
