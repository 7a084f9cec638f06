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


def test_a_doubtful_name_is_left_out_where_the_words_before_it_were_surely_heard() -> None:
    def doubted(text: str, *words: float) -> Decision:
        heard = Transcript(text, 0.8, doubtful=True, words=words)
        return sure_enough(ROUTER.decide(text, remembers=True), heard, 0.5, remembers=True)

    kept_without = Decision("memory", "keep", {"unheard": True})
    assert doubted("remember this as black twelve", 0.9, 0.99, 0.95, 0.3, 0.9) == kept_without
    assert doubted("remember this as black twelve", 0.9, 0.3, 0.95, 0.9, 0.9).route == "unclear"
    assert doubted("remember this view", 0.9, 0.9, 0.4).route == "unclear", "it has no name"
    assert doubted("remember this as black twelve").route == "unclear", "nothing is known of its words"


@pytest.mark.parametrize(
    "text", ["remember this place is ?? nine", "so remember this of ??", "okay hey remember that as ??"]
)
def test_the_words_before_the_name_may_be_others(text: str) -> None:
    assert decided(text) == Decision("memory", "keep", {"unheard": True})
    assert ROUTER.decide("remember this place is parking").slots == {"rest": "parking"}
