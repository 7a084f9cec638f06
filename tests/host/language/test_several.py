"""Several requests in one sentence: each is carried out and said, or none is."""

from __future__ import annotations

from typing import Any

import pytest

from host.language.awaited import LENGTH
from host.language.meaning import THE_REST, Abilities, meaning
from host.language.router import Decision, Router
from models.brick import Transcript

ROUTER = Router()


def understood(text: str, *, doubtful: bool = False) -> Decision:
    heard = Transcript(text, 0.97, doubtful, (0.97,) * len(text.split()))
    return meaning(heard, ROUTER, Abilities(0.5, remembers=True, clips=True, usual=True)).decision


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what colour is the cup and where did i leave my keys", ["what colour is my cup", "my keys"]),
        ("where are my keys and what is on the table", ["my keys", "what is on the table"]),
        ("forget everything and remember this", ["forget_everything", "keep"]),
    ],
)
def test_two_questions_are_answered_one_after_the_other(text: str, expected: list[str]) -> None:
    heard = Transcript(text, 0.97, words=(0.97,) * len(text.split()))
    found = meaning(heard, ROUTER, Abilities(0.5, remembers=True, clips=True, usual=True))
    assert found.then is not None and found.then.then is None
    told = [
        one.question if one.decision.route == "now" else one.decision.slots.get("rest", one.decision.intent)
        for one in (found, found.then)
    ]
    assert told == expected


def test_a_question_with_words_that_nobody_knows_leaves_the_other_requests() -> None:
    decision = understood("set a timer for five minutes and what colour is the wombat")
    assert (decision.route, decision.intent) == ("unclear", THE_REST)
    assert [(each.intent, each.slots) for each in decision.first] == [("timer", FIVE)]
    heard = Transcript("where are my keys and where did i put my wombat", 0.97, words=(0.97,) * 10)
    found = meaning(heard, ROUTER, Abilities(0.5, remembers=True, clips=True, usual=True))
    assert found.decision.route == "memory" and found.then is not None
    assert (found.then.decision.route, found.then.decision.intent) == ("unclear", THE_REST)
    assert understood("what colour is the wombat and where is the gnu").intent != THE_REST


def requests(text: str) -> list[tuple[str, dict[str, Any]]]:
    decision = understood(text)
    return [(each.intent, each.slots) for each in (*decision.first, decision)]


FIVE, TEN = {"number": 5, "unit": 60}, {"number": 10, "unit": 60}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Set a timer for five minutes and stop remembering.", [("timer", FIVE), ("memory_off", {})]),
        ("please turn it down and then slow down", [("quieter", {}), ("slower", {})]),
        ("what time is it and how is the battery", [("time", {}), ("battery", {})]),
        ("what day is it and what time", [("date", {}), ("time", {})]),
        (
            "how full up are you and are you plugged in and will you last till bedtime",
            [("battery", {}), ("charging", {}), ("lasting", {})],
        ),
        (
            "gie me five minutes for ma tea and speak up",
            [("timer", {"span": 300, "name": "tea"}), ("louder", {})],
        ),
        ("cancel the timer and set a new one for ten minutes", [("timer_off", {}), ("timer", TEN)]),
        ("set a timer for five minutes and another for ten minutes", [("timer", FIVE), ("timer", TEN)]),
        ("set an alarm for seven and a timer for ten minutes", [("alarm", {"hour": 7}), ("timer", TEN)]),
        ("wake me at seven and at eight", [("alarm", {"hour": 7}), ("alarm", {"hour": 8})]),
        ("cancel my timer and my alarm", [("timer_off", {}), ("alarm_off", {})]),
        ("cancel all timers and alarms", [("timer_off", {"all": "all"}), ("alarm_off", {"all": "all"})]),
        ("what time is it now and how many minutes remain", [("time", {}), ("timer_left", {})]),
        ("tell me the time the date and the battery", [("time", {}), ("date", {}), ("battery", {})]),
        ("what's the date what's the time", [("date", {}), ("time", {})]),
        ("when is my alarm set for and would you cancel it", [("alarm_when", {}), ("alarm_off", {})]),
        ("kill the timer and do ten minutes instead", [("timer_off", {}), ("timer", TEN)]),
        (
            "wake me at seven and put another one on for eight",
            [("alarm", {"hour": 7}), ("alarm", {"hour": 8})],
        ),
        ("set a timer for six no ten minutes and turn it down", [("timer", TEN), ("quieter", {})]),
        ("turn it up and um anyway what time is it", [("louder", {}), ("time", {})]),
        ("speak louder and more slowly", [("louder", {}), ("slower", {})]),
        ("set a timer for five minutes and stop", [("stop", {}), ("timer", FIVE)]),
        (
            "set a timer for one hour and ten minutes and turn the volume down",
            [("timer", {"number": 1, "unit": 3600, "number2": 10, "unit2": 60}), ("quieter", {})],
        ),
        ("stop remembering and forget everything", [("memory_off", {}), ("forget_everything", {})]),
        (
            "remember this as parking and set a timer for ten minutes",
            [("timer", TEN), ("keep", {"rest": "parking"})],
        ),
        ("is the cup red and what time is it", [("time", {}), ("now", {"rest": "is my cup"})]),
        (
            "what time is it and what day is it and how is the battery",
            [("time", {}), ("date", {}), ("battery", {})],
        ),
    ],
)
def test_each_request_of_a_sentence_is_understood(text: str, expected: list[tuple[str, Any]]) -> None:
    assert requests(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set a timer for one hour and ten minutes", "timer"),
        ("remember this as salt and time", "keep"),
        ("remember this as bed and breakfast", "keep"),
        ("where did i leave my keys and when", "memory"),
        ("is there a cup and a book", "now"),
        ("remember this and forget everything", ""),
        ("is the cup on the table and is it red", "now"),
        ("what colour is the cross and where is the star", "now"),
        ("don't stop the timer and turn the volume up", ""),
    ],
)
def test_other_sentences_with_and_are_one_request(text: str, expected: str) -> None:
    assert [intent for intent, _ in requests(text)] == [expected]


def test_of_a_sentence_in_doubt_nothing_is_carried_out() -> None:
    decision = understood("set a timer for five minutes and stop remembering", doubtful=True)
    assert (decision.route, decision.first) == ("unclear", ())


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("stop recording at noon", "not_later", {}),
        ("remember what you see at noon", "not_later", {}),
        ("turn off the camera at once", "recording_off", {}),
        ("save power from now on", "save_power", {}),
        ("start remembering what you see if you can", "memory_on", {}),
        ("stop remembering for an hour", "memory_off", {"for_a_time": True}),
        ("save power until six", "save_power", {"for_a_time": True}),
        ("cancel the second timer", "timer_off", {"place": 2}),
        ("cancel the first alarm", "alarm_off", {"place": 1}),
        ("cancel the thirty second timer", "timer_off", {"number": 30, "unit": 1}),
    ],
)
def test_what_is_switched_is_switched_at_once_or_not_at_all(text: str, intent: str, slots: Any) -> None:
    found = understood(text)
    assert (found.intent, found.slots) == (intent, slots)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wake me at seven in the morning and again at eight", [(7, "am"), (8, "am")]),
        ("wake me at six and again at half past six in the morning", [(6, "am"), (6, "am")]),
        ("set an alarm for eight thirty tomorrow and another one for nine", [(8, "am"), (9, "am")]),
        ("set an alarm for seven in the evening and another for eight", [(7, "pm"), (8, "pm")]),
        ("set an alarm for eleven in the morning and another for two", [(11, "am"), (2, "pm")]),
        ("set an alarm for ten in the evening and another for six", [(10, "pm"), (6, "am")]),
        ("set an alarm for eleven and another for one in the morning", [(11, "pm"), (1, "am")]),
        ("set an alarm for noon and another for half past five", [(12, "pm"), (5, "pm")]),
        ("wake me at six and again at seven", [(6, ""), (7, "")]),
        ("set an alarm for five and another for nineteen thirty", [(5, ""), (19, "")]),
    ],
)
def test_alarms_of_one_sentence_are_of_one_day(text: str, expected: list[tuple[int, str]]) -> None:
    found = understood(text)
    alarms = [*found.first, found]
    assert [(each.slots["hour"], each.slots.get("part", "")) for each in alarms] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "set an alarm for a quarter past six and cancel the one at seven",
            [("alarm", {"hour": 6, "offset": 15}), ("alarm_off", {"hour": 7})],
        ),
        (
            "set a timer for ten minutes and cancel the five minute one",
            [("timer", {"number": 10, "unit": 60}), ("timer_off", {"span": 300})],
        ),
        (
            "cancel the alarm for six and the one for seven",
            [("alarm_off", {"hour": 6}), ("alarm_off", {"hour": 7})],
        ),
        ("wake me at six and delete my other alarm", [("alarm_off", {}), ("alarm", {"hour": 6})]),
        (
            "set a timer for ten minutes and cancel the other one",
            [("timer_off", {}), ("timer", {"number": 10, "unit": 60})],
        ),
    ],
)
def test_what_is_ended_beside_what_is_set_is_the_other_one(
    text: str, expected: list[tuple[str, dict[str, Any]]]
) -> None:
    found = understood(text)
    assert [(each.intent, each.slots) for each in (*found.first, found)] == expected


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("set a timer for three minutes for the eggs and ten for the potatoes", [180, 600]),
        ("set a timer for twenty minutes and another six for the chips", [1200, 360]),
        ("timer for thirty seconds and forty five on the second one", [30, 45]),
    ],
)
def test_a_number_after_a_timer_has_its_unit(text: str, seconds: list[int]) -> None:
    found = understood(text)
    timers = [*found.first, found]
    assert [each.intent for each in timers] == ["timer"] * len(seconds)
    assert [
        each.slots["span"] if "span" in each.slots else each.slots["number"] * each.slots["unit"]
        for each in timers
    ] == seconds


def test_one_for_something_is_no_number() -> None:
    asked = understood("set a timer for ten minutes and one for the oven")
    assert [each.slots for each in asked.first] == [{"number": 10, "unit": 60}]
    assert asked.intent == LENGTH, "how long the other is to be"
