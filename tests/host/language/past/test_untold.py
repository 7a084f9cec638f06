"""A time that is named by what happened then is told from one that a clock or a calendar tells."""

from __future__ import annotations

import time

import pytest

from host.language.past.questions import past_question
from host.language.past.untold import untold_time, without_untold

NOW_S = time.mktime((2026, 6, 10, 20, 0, 0, 0, 0, -1))


@pytest.mark.parametrize(
    "text",
    [
        "was my handbag by the chair when the vicar called",
        "where did i put my keys before handover",
        "did i still have my coat after the match",
        "while my sister was here did anyone put the lamp on",
        "where was my phone during the meeting",
        "where were my keys on the third of june",
        "where were my keys between two and four",
        "where were my keys from nine to ten",
        "where were my keys in march",
        "where were my keys the night before",
        "where were my keys hours ago",
        "what did i see between lunch and dinner",
    ],
)
def test_what_happened_then_is_no_known_time(text: str) -> None:
    assert untold_time(text, NOW_S)


@pytest.mark.parametrize(
    "text",
    [
        "when did i last see my keys",
        "tell me when i last saw my glasses",
        "where were my keys before lunch",
        "have you seen my cup since midnight",
        "was the lamp on when i left",
        "and before that",
        "where did i leave my bag",
        "where was my book after ten this morning",
        "how long has it been since i was in the attic",
        "where were my keys until noon",
        "where were my keys on monday between two and three",
        "was my cup between the book and the bottle",
        "where did i leave the second",
        "where were my keys a while ago",
    ],
)
def test_what_a_clock_tells_and_what_names_no_time_is_known(text: str) -> None:
    assert not untold_time(text, NOW_S)


def test_the_thing_is_asked_of_without_what_happened_then() -> None:
    asked = past_question("when did i last see my cup during the meeting")
    assert asked is not None and asked.rest == "my cup"
    for said in ("on the third of june", "between two and four", "in march", "hours ago", "the night before"):
        assert without_untold(f"where were my keys {said}") == "where were my keys"
    assert without_untold("where did i put my keys a little while ago") == (
        "where did i put my keys a little while ago"
    )
    assert without_untold("where was my coat before lunch") == "where was my coat before lunch"
