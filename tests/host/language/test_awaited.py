"""A timer or an alarm is asked for without its time, and the time is said afterwards."""

from __future__ import annotations

import pytest

from host.answers.asked_back import ASKED_BACK
from host.language.awaited import LENGTH, TIME_OF_DAY, told, without_its_time
from host.language.router import Router
from tests.eval.understood.judge import all_understood, understood

ROUTER = Router()


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("set a timer", LENGTH),
        ("could you start a countdown for me", LENGTH),
        ("i need a timer for the rice", LENGTH),
        ("wake me up tomorrow", TIME_OF_DAY),
        ("set an alarm please", TIME_OF_DAY),
    ],
)
def test_what_is_missing_is_asked_for(text: str, intent: str) -> None:
    found = understood(text, ROUTER)
    assert (found.route, found.intent) == ("device", intent)
    assert intent in ASKED_BACK


@pytest.mark.parametrize(
    "text",
    [
        "how do i set a timer", "do not set a timer", "set a timer for ten minutes", "cancel the timer",
        "my timer is in the kitchen drawer", "set an alarm for seven",
    ],
)  # fmt: skip
def test_nothing_is_asked_for_otherwise(text: str) -> None:
    assert without_its_time(text) is None
    assert understood(text, ROUTER).intent not in ASKED_BACK


def test_cancel_by_itself_is_silence() -> None:
    assert understood("cancel", ROUTER).intent == understood("please cancel", ROUTER).intent == "stop"
    assert understood("cancel the timer", ROUTER).intent == "timer_off"


def test_it_is_asked_for_beside_another_request() -> None:
    intents = [each.intent for each in all_understood("set a timer and turn the volume down", ROUTER)]
    assert sorted(intents) == sorted([LENGTH, "quieter"])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("ten minutes", 600), ("for ten please", 600), ("make it half an hour", 1800),
        ("um let's say six", 360), ("an hour and a half", 5400), ("thirty seconds", 30),
    ],
)  # fmt: skip
def test_a_length_completes_a_timer(text: str, seconds: int) -> None:
    found = told(LENGTH, text)
    assert found is not None and (found.intent, found.slots) == ("timer", {"span": seconds})


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("seven", {"hour": 7}),
        ("half past six please", {"hour": 6, "offset": 30}),
        ("at eight tomorrow morning", {"hour": 8, "tomorrow": True, "part": "am"}),
    ],
)
def test_a_time_of_day_completes_an_alarm(text: str, slots: dict[str, object]) -> None:
    found = told(TIME_OF_DAY, text)
    assert found is not None and (found.intent, found.slots) == ("alarm", slots)


def test_an_alarm_after_some_time_is_a_timer() -> None:
    found = told(TIME_OF_DAY, "in two hours")
    assert found is not None and (found.intent, found.slots) == ("timer", {"span": 7200})


@pytest.mark.parametrize(
    "text", ["what time is it", "five eggs", "never mind", "where are my keys", "the red one", "zero minutes"]
)
def test_anything_else_completes_nothing(text: str) -> None:
    assert told(LENGTH, text) is None and told(TIME_OF_DAY, text) is None


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("remind me in two hours to take my drops", "timer", {"span": 7200}),
        ("could you remind me at eight to take my pills", "alarm", {"hour": 8}),
        ("remind me to take my tablets", TIME_OF_DAY, {}),
        ("remind me if it is safe to take my pills at eight", "safety", {}),
        ("remind me what dose i take at eight", "safety", {}),
    ],
)
def test_to_be_reminded_of_a_medicine_is_no_question_of_safety(
    text: str, intent: str, slots: dict[str, object]
) -> None:
    found = understood(text, ROUTER)
    assert (found.intent, found.slots) == (intent, slots)


def test_what_is_asked_after_a_reminder_is_not_lost() -> None:
    for text in (
        "remind me at eight to call home turn it down a bit",
        "remind me at eight to call home and turn it down",
    ):
        assert {"alarm", "quieter"} == {each.intent for each in all_understood(text, ROUTER)}
