"""Of a sentence with a reason only the command is read."""

from __future__ import annotations

from typing import Any

import pytest

from host.language.classifier.clause import without_purpose
from host.language.classifier.readout import read


@pytest.mark.parametrize(
    ("said", "clock"),
    [
        ("my train goes at nine so wake me at seven", {"hour": 7}),
        ("shift begins at four so i need you to wake me at three ten", {"hour": 3, "minute": 10}),
        ("get me up at quarter to five so i'm on shift for six", {"hour": 5, "offset": -15}),
        ("set the alarm for eight the library opens at nine", {"hour": 8}),
        ("make a noise at ten my shop closes at eleven", None),
        ("wake me at seven and get me up at eight", None),
        ("my alarm goes off at six so wake me at seven", None),
        ("wake me at seven or at eight", None),
        ("shift the alarm to seven", None),
    ],
)
def test_an_alarm_rings_at_the_time_that_it_is_told(said: str, clock: dict[str, Any] | None) -> None:
    found = read("alarm", said)
    assert (found and found.slots) == clock


@pytest.mark.parametrize(
    ("said", "length_s"),
    [
        ("i've paid for an hour so ping me in fifty minutes", 3000),
        ("start a ninety second timer i want to see one ride", 90),
        ("plank for one minute thirty go", 90),
        ("set a timer for one hour twenty please", 4800),
        ("i go in after twelve minutes so count twenty for me", None),
        ("set a timer for ten minutes and start another for five minutes", None),
        ("a timer of thirty seconds twenty", None),
    ],
)
def test_a_timer_counts_the_length_that_it_is_told(said: str, length_s: int | None) -> None:
    found = read("timer", said)
    assert (found and found.slots.get("span")) == length_s


@pytest.mark.parametrize(
    ("kind", "said", "intent"),
    [
        ("memory_on", "begin remembering what you see so i can check later", "memory_on"),
        ("memory_on", "i want to ask you later so remember what you see from now", "memory_on"),
        ("memory_on", "start remembering in case i drop something tonight", "memory_on"),
        ("memory_on", "start remembering later", "not_later"),
        ("recording_off", "stop recording at noon so i can rest", "not_later"),
    ],
)
def test_what_a_switch_is_for_is_no_time_of_it(kind: str, said: str, intent: str) -> None:
    found = read(kind, said)
    assert found is not None and found.intent == intent


def test_what_has_no_command_left_is_read_whole() -> None:
    assert without_purpose("i said no camera so many times") == "i said no camera so many times"
    assert without_purpose("it is private so turn the camera off") == "turn the camera off"


def test_a_view_is_kept_whatever_it_is() -> None:
    found = read("keep", "keep this one forever it is my grandson's first turban")
    assert found is not None and (found.intent, found.slots) == ("keep", {})
    assert read("keep", "keep the turban it is nice") is None


@pytest.mark.parametrize("said", ["kill the six forty five one", "scrub that six forty five alarm"])
def test_an_alarm_is_ended_by_its_time(said: str) -> None:
    found = read("alarm_off", said)
    assert found is not None and (found.intent, found.slots) == ("alarm_off", {"hour": 6, "minute": 45})


@pytest.mark.parametrize(
    ("kind", "said", "wanted"),
    [
        ("slower", "that is too slow for me", "faster"),
        ("faster", "you are speaking too fast", "slower"),
        ("louder", "that is too loud", "quieter"),
        ("volume", "the volume is too low", "louder"),
        ("save_power", "turn off low power mode", "full_power"),
        ("full_power", "stop saving power", "full_power"),
        ("save_power", "save power", "save_power"),
        ("less_careful", "guess less", "more_careful"),
        ("alarm", "drop the alarm for ten", "alarm_off"),
    ],
)
def test_what_is_too_much_says_what_is_wanted(kind: str, said: str, wanted: str) -> None:
    found = read(kind, said)
    assert found is not None and found.intent == wanted
