"""Nothing about the home is claimed from a picture that is dark or blurred, whoever claims it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from host.answers.certainty_replies import Grounds, how_sure
from host.answers.reflex import ClosedResult
from host.sensing.kept_views import View
from host.turn import reflex_answer
from models.closed_question import ClosedAnswer
from models.sensing.picture_quality import Quality
from tests.host.turn.fake_reflex import SURE
from tests.host.turn.test_read_answer import answer, reading

BLURRED, CLEAR = Quality(120.0, 200.0, 0.001), Quality(120.0, 200.0, 0.2)


@pytest.mark.parametrize(
    ("quality", "said"), [(BLURRED, "The picture is blurred."), (CLEAR, "The label says door.")]
)
def test_the_language_models_answer_gives_way(
    monkeypatch: pytest.MonkeyPatch, quality: Quality, said: str
) -> None:
    monkeypatch.setattr(View, "quality", property(lambda self: quality))
    assert answer(monkeypatch, reading())[:2] == (said, "language model")


@pytest.mark.parametrize(
    ("quality", "text", "said"),
    [
        (BLURRED, "Your cup is red.", "The picture is blurred."),
        (CLEAR, "Your cup is red.", "Your cup is red."),
        (BLURRED, "The star is red.", "The star is red."),
    ],
)
def test_so_does_that_of_the_reflex_brick(quality: Quality, text: str, said: str) -> None:
    known: Any = SURE
    result = ClosedResult(answer=replace(ClosedAnswer(**known), text=text))
    look: Any = SimpleNamespace(view=SimpleNamespace(quality=quality))
    assert reflex_answer._of_unclear(result, look).sentence == said
    assert reflex_answer._of_unclear(result, SimpleNamespace(view=None)).sentence == text  # type: ignore[arg-type]
    assert reflex_answer._of_unclear(ClosedResult(problem="late"), look).sentence == ""
    guess = replace(result, answer=replace(ClosedAnswer(**known), text="", guess=text))
    assert reflex_answer._of_unclear(guess, look).sentence == "", "handed over"


def test_of_a_picture_that_is_measured_to_be_blurred_it_is_sure_that_it_is() -> None:
    known: Any = SURE
    result = ClosedResult(answer=replace(ClosedAnswer(**known), text="Your cup is red."))
    look: Any = SimpleNamespace(view=SimpleNamespace(quality=BLURRED))
    told = reflex_answer._of_unclear(result, look)
    assert how_sure(Grounds("reflex", told)) == (
        "I cannot tell, because the picture is blurred. Of that I am very sure, about 99 percent."
    )
