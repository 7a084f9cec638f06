"""The evaluation of spoken commands: what counts as right, and that none is left out."""

from __future__ import annotations

import random

import pytest

from host.language.router import Decision, Router
from models.brick import Transcript
from tests.eval.hearing.commands import MATTERS, outcome, spoken_commands


def test_every_command_is_said_in_words_that_mean_it() -> None:
    router = Router()
    said = list(spoken_commands(random.Random(3), 4))
    for intent, text in said:
        found = router.decide(text, remembers=True).intent
        assert found == intent or {found, intent} == {"memory", "looked_at"}, text
    assert {intent for intent, _ in said} >= MATTERS


@pytest.mark.parametrize(
    ("heard", "doubtful", "found"),
    [
        ("forget everything", False, "right"),
        ("forget everything", True, "asked back"),
        ("forget ??", False, "asked back"),
        ("", False, "asked back"),
        ("forget it", False, "another"),
        ("forget today", False, "another"),
        ("for every thing", False, "no command"),
    ],
)
def test_what_counts_as_right(heard: str, doubtful: bool, found: str) -> None:
    router = Router()
    wanted, got = router.decide("forget everything", remembers=True), router.decide(heard, remembers=True)
    assert outcome("forget_everything", wanted, Transcript(heard, 0.9, doubtful=doubtful), got) == found


def test_another_number_is_another_command() -> None:
    router = Router()
    wanted, got = (router.decide(f"set a timer for {number} minutes") for number in ("fifteen", "fifty"))
    assert outcome("timer", wanted, Transcript("set a timer for fifty minutes", 0.9), got) == "another"


def test_words_that_the_router_takes_for_another_command_are_not_right_in_every_word() -> None:
    heard, wrong = Transcript("cancel the timer", 0.95), Decision("device", "timer")
    assert outcome("timer_off", wrong, heard, wrong) == "another"
    nothing = Decision("open")
    assert outcome("timer_off", nothing, heard, nothing) == "no command"
