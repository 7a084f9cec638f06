"""Requests that are said in one breath, with asides: each is carried out, and nothing that was not said."""

from __future__ import annotations

from typing import Any

import pytest

from host.language.meaning import THE_REST
from host.language.safety import SAFETY
from tests.host.language.test_several import requests, understood

FOUR_MINUTES = {"span": 240}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("right i've got muck going off here so stick twenty minutes on for us", [("timer", {"span": 1200})]),
        ("turn it down a bit what's the time i'm so late", [("quieter", {}), ("time", {})]),
        ("okay so cancel the timer my eggs are done what day is it", [("timer_off", {}), ("date", {})]),
        (
            "i'm knackered stop remembering now i'm going in the bathroom speak up a bit as well",
            [("memory_off", {}), ("louder", {})],
        ),
    ],
)
def test_requests_without_a_joining_word_are_found_among_asides(
    text: str, expected: list[tuple[str, Any]]
) -> None:
    assert requests(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "we did the church and then the school and then they only went and knocked the school down",
        "she says set a timer and i says no",
        "i slept through my alarm and then the bus was late and my phone was dead",
    ],
)
def test_what_is_for_nobody_is_not_divided_into_requests(text: str) -> None:
    decision = understood(text)
    assert (decision.route, decision.first) == ("unclear", ())


def test_a_question_that_cannot_be_answered_leaves_the_other_request() -> None:
    text = "what's the strength on this ampoule and could i have a four minute timer for the flush"
    assert requests(text) == [("timer", FOUR_MINUTES | {"name": "flush"}), (THE_REST, {})]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("set a timer for ten minutes is it safe to eat this mushroom", ["timer"]),
        ("turn it down a bit is it safe to cross here", []),
    ],
)
def test_a_question_of_safety_is_declined_beside_a_command(text: str, first: list[str]) -> None:
    decision = understood(text)
    intents = [each.intent for each in (*decision.first, decision)]
    assert SAFETY in intents and all(each in intents for each in first)
