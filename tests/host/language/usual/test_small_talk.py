"""What a small language model is asked without a picture."""

from __future__ import annotations

import pytest

from host.language.meaning import Abilities, meaning
from host.language.router import Router
from host.language.usual.small_talk import asks_for_help, is_small_talk, usual_small_talk
from models.brick import Transcript
from models.train.world.wording.device import SMALL_TALK

ROUTER = Router()


@pytest.mark.parametrize("text", SMALL_TALK)
def test_all_that_it_was_taught_is_small_talk(text: str) -> None:
    assert is_small_talk(text) and is_small_talk(f"please {text}")


@pytest.mark.parametrize("text", ["what seven times eight", "why do people drink milk"])
def test_other_sentences_that_no_template_knows_are_not_answered(text: str) -> None:
    heard = Transcript(text, 0.97, words=(0.97,) * len(text.split()))
    assert meaning(heard, ROUTER, Abilities(0.5, usual=True)).decision.route == "unclear"
    assert meaning(heard, ROUTER, Abilities(0.5)).decision.route == "open", "a larger model is asked"
    hello = Transcript("hello there", 0.97, words=(0.97, 0.97))
    assert meaning(hello, ROUTER, Abilities(0.5, usual=True)).decision.route == "open"


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("thanks so much for your help", "thank you"),
        ("i really appreciate it", "thank you"),
        ("how's it going", "how are you"),
        ("hey there headband", "hello"),
        ("what should i call you", "what is your name"),
        ("am i speaking with a real person", "what are you"),
        ("good evening to you", "good evening"),
    ],
)
def test_small_talk_in_other_words_is_put_into_those_that_it_was_taught(text: str, usual: str) -> None:
    assert usual_small_talk(text) == usual and usual in SMALL_TALK
    found = meaning(_heard(text), ROUTER, Abilities(0.5, usual=True))
    assert (found.decision.route, found.question) == ("open", usual)
    assert meaning(_heard(text), ROUTER, Abilities(0.5)).question != usual, (
        "a larger model is asked as it was"
    )


@pytest.mark.parametrize(
    "text",
    [
        "thanks what is on the table", "no thanks i do not need the timer", "change your name to bob",
        "are you looking at a computer", "hello where are my keys", "how is the traffic",
        "that is enough thank you",
    ],
)  # fmt: skip
def test_what_asks_for_something_is_no_small_talk(text: str) -> None:
    assert usual_small_talk(text) == ""


@pytest.mark.parametrize(
    "text",
    ["what can i ask you", "what are you able to help me with", "help", "what kinds of things can you do"],
)
def test_who_asks_what_it_can_do_is_told(text: str) -> None:
    assert asks_for_help(text)
    for usual in (True, False):
        found = meaning(_heard(text), ROUTER, Abilities(0.5, usual=usual)).decision
        assert (found.route, found.intent) == ("device", "help")


@pytest.mark.parametrize(
    "text", ["can you help me find my keys", "what can you see", "what do you know about this building"]
)
def test_a_question_about_the_view_asks_for_no_help(text: str) -> None:
    assert not asks_for_help(text)


def _heard(text: str) -> Transcript:
    return Transcript(text, 0.97, words=(0.97,) * len(text.split()))
