"""Which questions are closed, which are read twice, and how an answer that is not sure is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.answers.reflex import ClosedResult, closed, matters, thinking
from models.closed_question import ClosedAnswer
from models.train.world import grammar
from models.train.world.home.questions import TEMPLATES


@pytest.mark.parametrize(
    "text",
    ["describe the picture", "What do you see?", "can you tell me what you are looking at",
     "list what is on the table", "why is the cup red", "tell me about the room", "what is happening here",
     "how does it work", "what colour is the cup and where is it", "is there a cup and is it red",
     "what colour and shape is that", ""],
)  # fmt: skip
def test_descriptions_lists_reasons_and_two_questions_at_once_are_not_closed(text: str) -> None:
    assert not closed(text)


@pytest.mark.parametrize(
    "text",
    ["is my phone here", "What colour is that?", "how many cups are there", "what does the sign say",
     "where is the cup", "do you see a cup and a plate", "is the cup red or blue",
     "what do you see on the table", "is there a shopping list on the table"],
)  # fmt: skip
def test_what_has_one_short_answer_is_closed(text: str) -> None:
    assert closed(text)


def test_of_the_two_worlds_only_descriptions_are_not_closed() -> None:
    families = {each.family for each in (*grammar.TEMPLATES, *TEMPLATES)
                if each.route == "now" and not closed(each.text)}  # fmt: skip
    assert families == {"describe", "see"}


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ("what does the sign say", True), ("read the label to me", True), ("which medicine is this", True),
        ("what is the price", True), ("what number is on the bus", True), ("how much money is this", True),
        ("how many cups are there", False), ("what is the number of stars", False),
        ("would you say the star is red", False), ("where is my phone", False),
    ],
)  # fmt: skip
def test_what_may_do_harm_is_read_twice(text: str, twice: bool) -> None:
    assert matters(text) is twice


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Your phone is on the shelf.", "I think your phone is on the shelf."),
        ("Yes, there is a cup.", "I think so: there is a cup."),
        ("No, there is no cup.", "I think not: there is no cup."),
        ("Yes.", "I think so."), ("No.", "I think not."), ("Red.", "I think red."),
        ("The sign says EXIT.", "I think the sign says EXIT."), ("EXIT.", "I think EXIT."),
        ("I see two cups.", "I think I see two cups."),
        ("I cannot see a sign.", "I cannot see a sign."),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_sure_is_said_so(sentence: str, said: str) -> None:
    assert thinking(sentence) == said


def test_only_what_matters_and_was_not_seen_twice_is_doubted() -> None:
    def said(matters: bool, agreed: bool | None, advice: bool = False) -> str:
        answer = ClosedAnswer("It is red.", 0.9, 0.9, advice=advice)
        return ClosedResult(answer, matters, agreed).sentence

    assert said(False, None) == said(True, True) == "It is red."
    assert said(True, False) == said(True, None) == "I think it is red."
    assert said(True, None, advice=True) == "It is red."
    assert ClosedResult().sentence == ClosedResult(ClosedAnswer("", 0.1, 0.9)).sentence == ""


def test_what_is_there_instead_is_told_by_the_language_model() -> None:
    advice = ClosedAnswer("I do not see one like that here.", 0.9, 0.1, cause="false premise", advice=True)
    assert ClosedResult(advice).sentence == ""
    assert ClosedResult(replace(advice, cause="dark")).sentence == advice.text
