"""A question with words that the recogniser does not know is asked back, or not understood."""

from __future__ import annotations

import pytest

from host.language.misheard.unknown_words import ONE_WORD, asked_back


@pytest.mark.parametrize(
    ("heard", "reply"),
    [
        ("what colour is the ??", "What colour is what?"),
        ("where is the ??", "Where is what?"),
        ("is there a ?? on the table", "Is there what?"),
        ("set a timer for ?? minutes", "Set a timer for what?"),
    ],
)
def test_it_asks_for_the_word_it_does_not_know(heard: str, reply: str) -> None:
    assert asked_back(heard) == reply


def test_it_does_not_repeat_words_that_would_change_sides() -> None:
    assert asked_back("what am i ?? now") == ONE_WORD
    assert asked_back("do you see the ??") == ONE_WORD


@pytest.mark.parametrize("heard", ["??", "the ?? of ??", "?? a ?? to ??", "is ??", "?? is on the table"])
def test_too_little_to_ask_about(heard: str) -> None:
    assert asked_back(heard) == ""


@pytest.mark.parametrize("heard", ["", "where is the star", "Where is the star?", "what?? now"])
def test_known_words_are_not_asked_back(heard: str) -> None:
    assert asked_back(heard) is None
