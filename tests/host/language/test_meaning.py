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
