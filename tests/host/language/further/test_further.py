"""Sentences that go on from the last command, and those that do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from host.language.further.command import gone_on
from host.language.further.said import Before
from host.language.router import Router
from tests.eval.understood.judge import understood

ROUTER = Router()
TIMER, ALARM, NOTHING = Before("timer", timer=True), Before("alarm"), Before()
RUNS = Before(timer=True)
WORDING = Path(__file__).parents[4] / "models" / "train" / "world" / "wording"
FILES = ("overheard", "near_misses", "not_of_view", "other_assistants")
"""Of sentences that are said to somebody else, or command nothing."""


def found(text: str, before: Before) -> tuple[str, dict[str, Any]] | None:
    decision = gone_on(text, before)
    return None if decision is None else (decision.intent, decision.slots)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("make that forty five", {"number": 45}),
        ("Make it forty five minutes, please.", {"seconds": 2700}),
        ("change it to 45 minutes", {"seconds": 2700}),
        ("no, five", {"number": 5}),
        ("no wait fifteen", {"number": 15}),
        ("i meant six", {"number": 6}),
        ("for seven not six", {"number": 7}),
        ("not six but seven minutes", {"seconds": 420}),
        ("no make it half an hour", {"seconds": 1800}),
        ("an hour and a half instead", {"seconds": 5400}),
        ("it should be five minutes", {"seconds": 300}),
        ("hang on make it twelve", {"number": 12}),
        ("eight minutes instead of seven", {"seconds": 480}),
    ],
)
def test_another_length_is_told_after_a_timer(text: str, slots: dict[str, int]) -> None:
    assert found(text, TIMER) == ("timer_to", slots)
    assert found(text, NOTHING) is None and found(text, RUNS) is None
    assert found(text, Before("louder", timer=True)) is None


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("make that eight", {"hour": 8}),
        ("no half past seven", {"hour": 7, "offset": 30}),
        ("for seven not six", {"hour": 7}),
        ("i meant seven in the evening", {"hour": 7, "part": "pm"}),
        ("make it forty five", {"minute": 45}),
    ],
)
def test_another_time_is_told_after_an_alarm(text: str, slots: dict[str, Any]) -> None:
    assert found(text, ALARM) == ("alarm_to", slots)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("ten more minutes", {"seconds": 600}),
        ("ten more minutes on the loaf", {"seconds": 600, "name": "loaf"}),
        ("another half hour", {"seconds": 1800}),
        ("add five minutes to the egg timer", {"seconds": 300, "name": "egg"}),
        ("add five minutes to the ten minute timer", {"seconds": 300, "span": 600}),
        ("make the second timer five minutes longer", {"seconds": 300, "place": 2}),
        ("five minutes less", {"seconds": -300}),
        ("take two minutes off the timer", {"seconds": -120}),
        ("give the loaf ten more minutes", {"seconds": 600, "name": "loaf"}),
        ("the loaf needs ten more minutes", {"seconds": 600, "name": "loaf"}),
        ("stick another five minutes on it", {"seconds": 300}),
        ("make it longer by an hour and a half", {"seconds": 5400}),
        ("let it run for another minute", {"seconds": 60}),
        ("knock five minutes off", {"seconds": -300}),
    ],
)
def test_a_timer_is_longer_or_shorter_at_any_time(text: str, slots: dict[str, Any]) -> None:
    assert found(text, RUNS) == found(text, TIMER) == ("timer_by", slots)


@pytest.mark.parametrize("text", ["half an hour earlier", "ten minutes less on the clock", "an hour sooner"])
def test_what_is_less_or_earlier_sets_no_timer(text: str) -> None:
    assert understood(text, ROUTER).intent not in ("timer", "alarm")


@pytest.mark.parametrize("text", ["another ten minutes", "ten more minutes on the loaf"])
def test_what_may_ask_for_a_new_timer_changes_none_where_none_runs(text: str) -> None:
    assert found(text, NOTHING) is None


def test_for_another_thing_a_timer_of_its_own_may_be_meant() -> None:
    assert found("another eight minutes for the rice", TIMER) is None
    of_rice = "timer_by", {"seconds": 480, "name": "rice"}
    assert found("eight more minutes for the rice timer", TIMER) == of_rice
    assert found("another eight minutes for the rice", Before(timer=True, names=("rice",))) == of_rice


def test_a_number_alone_has_the_unit_of_the_last_timer_only_after_it() -> None:
    assert found("five more", TIMER) == ("timer_by", {"number": 5})
    assert found("five more", RUNS) is None


def test_an_alarm_is_moved() -> None:
    assert found("an hour later", ALARM) == ("alarm_by", {"seconds": 3600})
    assert found("make it half an hour earlier", ALARM) == ("alarm_by", {"seconds": -1800})
    assert found("an hour later", NOTHING) is None
    assert found("wake me half an hour earlier", NOTHING) == ("alarm_by", {"seconds": -1800})
    assert found("push the alarm back by ten minutes", NOTHING) == ("alarm_by", {"seconds": 600})
    assert found("change the alarm to eight", NOTHING) == ("alarm_to", {"hour": 8})
    assert found("five minutes earlier", TIMER) == ("timer_by", {"seconds": -300})


@pytest.mark.parametrize(
    "text", ["cancel that", "never mind that", "undo that", "no cancel it", "scratch that"]
)
@pytest.mark.parametrize("last", ["timer", "alarm", "louder", "save_power", "forget_everything"])
def test_the_last_command_is_taken_back(text: str, last: str) -> None:
    decision = gone_on(text, Before(last))
    assert decision is not None and decision.intent == "undo"
    assert decision.slots == ({"whole": True} if "it" in text.split() else {})


def test_only_undo_is_said_of_nothing_and_brings_back_what_was_ended() -> None:
    for before in (NOTHING, Before("timer_off")):
        assert found("undo that", before) == ("undo", {})
        assert found("cancel it", before) is None and found("never mind that", before) is None


@pytest.mark.parametrize(
    ("text", "last", "intent", "slots"),
    [
        ("a bit more", "louder", "louder", {}),
        ("more", "quieter", "quieter", {}),
        ("more", "volume", "louder", {}),
        ("a bit less", "quieter", "louder", {}),
        ("even more", "slower", "slower", {}),
        ("even louder", "louder", "louder", {}),
        ("too loud now", "louder", "quieter", {}),
        ("too fast now", "faster", "slower", {}),
        ("that's too much", "louder", "quieter", {}),
        ("not that loud", "quieter", "quieter", {}),
        ("back down a bit", "louder", "quieter", {}),
        ("still not loud enough", "louder", "louder", {}),
        ("another ten percent", "quieter", "quieter", {"by": 10}),
        ("make it fifty", "volume", "volume", {"number": 50}),
        ("no thirty percent", "louder", "volume", {"number": 30, "percent": True}),
    ],
)
def test_loudness_and_pace_go_on(text: str, last: str, intent: str, slots: dict[str, int]) -> None:
    assert found(text, Before(last)) == (intent, slots)
    assert found(text, NOTHING) is None


@pytest.mark.parametrize(
    ("text", "intent", "by"),
    [
        ("turn the volume down twenty percent", "quieter", 20),
        ("turn it up by ten percent", "louder", 10),
        ("turn it down by two", "quieter", 20),
        ("volume up thirty percent", "louder", 30),
        ("twenty percent louder", "louder", 20),
        ("lower the volume by a further five percent", "quieter", 5),
        ("speak twenty percent faster", "faster", 20),
        ("slow down by ten percent", "slower", 10),
        ("could you raise the sound by fifteen percent", "louder", 15),
    ],
)
def test_by_how_much_is_no_level(text: str, intent: str, by: int) -> None:
    decision = understood(text, ROUTER)
    assert (decision.intent, decision.slots) == (intent, {"by": by})


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("turn the volume down to twenty percent", 20),
        ("turn it up to eighty percent", 80),
        ("volume forty percent", 40),
    ],
)
def test_a_level_is_a_level(text: str, level: int) -> None:
    decision = understood(text, ROUTER)
    assert (decision.intent, decision.slots["number"]) == ("volume", level)


def test_by_how_much_is_said_beside_another_request() -> None:
    decision = understood("turn the volume down twenty percent and set a timer for five minutes", ROUTER)
    assert {each.intent: each.slots.get("by") for each in (*decision.first, decision)} == {
        "quieter": 20,
        "timer": None,
    }


@pytest.mark.parametrize(
    "text",
    [
        "no one", "sorry one second", "wait a minute", "no wait a minute", "hang on a second", "no",
        "make it louder", "never mind", "forget it", "cancel", "what time is it", "where are my keys",
        "five more minutes mummy", "set a timer for ten minutes", "no the red one", "i meant the keys",
        "make it snappy", "change it", "wait ten more minutes",
    ],
)  # fmt: skip
def test_anything_else_goes_on_from_nothing(text: str) -> None:
    for last in ("", "timer", "alarm", "louder", "volume", "save_power", "forget_everything"):
        assert gone_on(text, Before(last, timer=True)) is None


def sentences() -> list[str]:
    lines = (line for name in FILES for line in (WORDING / f"{name}.txt").read_text().splitlines())
    return [line.rsplit(" | ", 1)[-1] for line in lines if line and not line.startswith("#")]


def test_what_is_said_to_somebody_else_changes_nothing() -> None:
    said = sentences()
    assert len(said) > 11_000
    assert [each for each in said if gone_on(each, NOTHING) is not None] == []
    for last in ("", "timer", "alarm", "volume", "faster", "save_power", "forget_everything"):
        changing = [each for each in said if gone_on(each, Before(last, timer=True)) is not None]
        assert len(changing) < 0.005 * len(said), (last, changing)
