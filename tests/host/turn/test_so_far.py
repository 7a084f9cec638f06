"""What is asked about the last seconds is known while the question is spoken, in any words."""

from __future__ import annotations

import pytest

from host.answers.motion import ClipAsked
from host.language.router import Router
from host.turn.clip.so_far import asked_so_far
from models.brick import Transcript

ROUTER = Router()


@pytest.mark.parametrize(
    ("said", "asked", "another"),
    [
        ("which way did the cup go", ClipAsked("direction", "cup"), False),
        ("at what sort of speed did my mobile slide along", ClipAsked("speed", "phone"), False),
        ("at what sort of speed did that trolley of hers slide along", None, False),
        ("have those two jackets been swapped about on me", ClipAsked("swapped"), False),
        ("what time is it", None, True),
        ("i was out all day and", None, False),
    ],
)
def test_it_is_asked_of_the_pictures_so_far(said: str, asked: ClipAsked | None, another: bool) -> None:
    assert asked_so_far(Transcript(said, 0.97), ROUTER, 0.5) == (asked, another)


def test_words_that_are_not_understood_ask_nothing() -> None:
    heard = Transcript("have those two jackets been swapped about on me", 0.2)
    assert asked_so_far(heard, ROUTER, 0.5) == (None, False)
