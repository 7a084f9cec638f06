"""A view that is kept by a name which the recogniser does not know."""

from __future__ import annotations

import pytest

from host.answers.memory_replies import kept
from host.language.doubt import sure_enough
from host.language.router import Decision, Router
from models.brick import Transcript

ROUTER = Router()


def decided(text: str, probability: float = 0.9, *, remembers: bool = True) -> Decision:
    """What becomes of a transcript with a word that is not known."""
    heard = Transcript(text, probability, doubtful=True)
    asked = ROUTER.decide(text, remembers=remembers)
    return sure_enough(asked, heard, 0.5, remembers=remembers)


@pytest.mark.parametrize(
    "text",
    [
        "remember this as ??", "remember this as the ??", "remember that as my ??", "remember that is ??",
        "please remember this as ?? nine", "remember this place as ??", "remember this as gate ??",
    ],
)  # fmt: skip
def test_a_view_is_kept_without_a_name_that_was_not_understood(text: str) -> None:
    assert decided(text) == Decision("memory", "keep", {"unheard": True})
    assert kept("", unheard=True) == "I will keep this view. I did not catch the name."


@pytest.mark.parametrize("text", ["?? this as parking", "remember ?? as parking", "remember the ??", "??"])
def test_it_is_not_kept_where_more_than_the_name_was_not_understood(text: str) -> None:
    assert decided(text).route == "unclear"


def test_it_is_not_kept_by_a_guess_or_while_nothing_is_remembered() -> None:
    assert decided("remember this as ??", 0.4).route == "unclear"
    assert decided("remember this as ??", remembers=False).route == "unclear"
