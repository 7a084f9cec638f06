"""A time in the past is not answered from what is in view."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.language.meaning import Abilities, meaning
from host.language.router import Router
from models.brick import Transcript

ROUTER = Router()
CAN = Abilities(0.5, remembers=True, clips=True, usual=True)


def route(text: str, can: Abilities = CAN) -> str:
    words = (0.97,) * len(text.split())
    return meaning(Transcript(text, 0.97, words=words), ROUTER, can).decision.route


@pytest.mark.parametrize("usual", [True, False])
@pytest.mark.parametrize(
    "said",
    [
        "what changed since yesterday",
        "has anything changed since this morning",
        "did the cup move yesterday",
        "what disappeared last night",
        "what colour was my cup yesterday",
        "did the lamp move an hour ago",
    ],
)
def test_a_time_of_which_no_picture_tells_is_asked_back(said: str, usual: bool) -> None:
    for remembers in (True, False):
        assert route(said, replace(CAN, remembers=remembers, usual=usual)) == "unclear"


@pytest.mark.parametrize(
    ("said", "to"),
    [
        ("what changed just now", "frames"),
        ("what moved a moment ago", "frames"),
        ("did the cup move two seconds ago", "frames"),
        ("what was there before and is gone", "frames"),
        ("what do you see at three o'clock", "now"),
        ("did my bag move this morning", "memory"),
    ],
)
def test_the_last_seconds_and_what_the_memory_takes_are_not(said: str, to: str) -> None:
    assert route(said) == to


def test_with_the_memory_off_what_it_would_seek_is_sought_in_view() -> None:
    said = "yo where'd i chuck my phone like an hour ago"
    assert route(said) == "memory"
    assert route(said, replace(CAN, remembers=False)) == "now"


def meant(text: str, last_question: str = "", can: Abilities = CAN) -> tuple[str, str, str]:
    """Route and intent, and the thing and time that the memory is asked about."""
    heard = Transcript(text, 0.97, words=(0.97,) * len(text.split()))
    found = meaning(heard, ROUTER, can, last_question).decision
    return found.route, found.intent, str(found.slots.get("rest", ""))


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("this morning where did i put my cup", "my cup this morning"),
        ("in the last hour have i seen my wallet", "my wallet in the last hour"),
        ("at three where was my bag", "my bag at three"),
        ("where did i leave my keys an hour or two ago", "my keys one or two hours ago"),
    ],
)
def test_a_time_counts_wherever_it_is_said(said: str, rest: str) -> None:
    assert meant(said) == ("memory", "memory", rest)


@pytest.mark.parametrize(
    "said",
    [
        "where did i leave it",
        "when did i see it",
        "how many cups did i see today",
        "where was my bag at three and where is it now",
    ],
)
def test_the_memory_is_not_asked_about_what_is_no_thing(said: str) -> None:
    assert route(said) == "unclear"


@pytest.mark.parametrize("before", ["where did i leave my keys", "where are my keys"])
@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("where was it yesterday", "my keys yesterday"),
        ("and when did i last see them", "my keys"),
        ("where did i leave them last night", "my keys last night"),
    ],
)
def test_it_is_the_thing_of_the_question_before(before: str, said: str, rest: str) -> None:
    assert meant(said, before) == ("memory", "memory", rest)
    assert meant("where was it before", before)[1] == "before"


@pytest.mark.parametrize(
    "said",
    ["the label said dry clean only and my dad boiled it", "the tulips are three days early this year"],
)
def test_what_is_surely_said_to_somebody_else_is_not_asked_of_the_view(said: str) -> None:
    assert route(said, replace(CAN, usual=False)) == "open"


@pytest.mark.parametrize("said", ["the label what does it say", "is my coat on the hook"])
def test_what_may_be_asked_of_the_view_is(said: str) -> None:
    assert route(said, replace(CAN, usual=False)) == "now"


@pytest.mark.parametrize(
    "said",
    [
        "forget today actually no",
        "delete the last hour just kidding",
        "forget the last ten minutes i take that back",
        "cancel the timer never mind",
        "cancel the timer actually leave it",
        "stop recording oh never mind",
        "stop remembering oh no keep going",
        "stop recording no keep recording",
        "cancel my alarm wait no i need it",
        "wake me at seven no forget it",
        "set a timer for ten minutes scratch that",
        "set a timer for five minutes actually cancel that",
        "remember this as home no actually don't",
        "turn it up a bit oh never mind",
    ],
)
def test_a_command_that_is_taken_back_is_not_carried_out(said: str) -> None:
    assert route(said) == route(said, replace(CAN, usual=False)) == "unclear"


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("never mind the timer cancel it", "timer_off"),
        ("all of today please forget it", "forget_today"),
        ("keep this and never forget it", "keep"),
        ("cancel the timer i'm not kidding", "timer_off"),
        ("no wait set a timer for ten minutes", "timer"),
        ("forget it", "stop"),
        ("oh no never mind", "stop"),
    ],
)
def test_words_that_take_something_back_may_be_a_command(said: str, intent: str) -> None:
    assert meant(said)[1] == intent
