"""Lengths and times as recognisers write them mean what they say."""

from typing import Any

import pytest

from host.language.meaning import Abilities, meaning
from host.language.router import Router
from host.language.usual.lengths import with_usual_lengths
from models.brick import Transcript

_CAN = Abilities(0.3, remembers=True)


def _slots(text: str) -> tuple[str, dict[str, Any]]:
    decision = meaning(Transcript(text, 0.95, False, ()), Router(), _CAN).decision
    return decision.intent, dict(decision.slots)


def _length_s(text: str) -> float:
    intent, slots = _slots(text)
    assert intent == "timer"
    if "span" in slots:
        return float(slots["span"])
    first = float(slots["number"] * slots["unit"])
    return first + float(slots.get("number2", 0) * slots.get("unit2", 0))


@pytest.mark.parametrize(
    ("said", "length_s"),
    [
        ("Set a timer for 1,200 seconds.", 1200),
        ("Set a timer for 2.25 minutes.", 135),
        ("Set a timer for 1.75 hours.", 6300),
        ("Set a timer for 1.15 minutes.", 69),
        ("Set a 1.5-hour timer.", 5400),
        ("Set a timer for 150 minutes.", 9000),
        ("Set a 150-minute timer.", 9000),
        ("set a timer for a hundred and twenty seconds", 120),
        ("Set a timer for 2 hrs 15 mins.", 8100),
        ("Set a timer for 20min.", 1200),
        ("Set a timer for 1h20min.", 4800),
        ("Set a timer for 90 s.", 90),
        ("Set a timer for 3/4 of an hour.", 2700),
        ("wake me in 400 minutes", 24000),
    ],
)
def test_a_length_is_set_however_it_is_written(said: str, length_s: float) -> None:
    assert _length_s(said) == length_s


@pytest.mark.parametrize(
    ("said", "hour", "minute"),
    [
        ("Wake me at 0730.", 7, 30),
        ("Set an alarm for 1630.", 16, 30),
        ("Set an alarm for 16:30 hours.", 16, 30),
        ("Set an alarm for 16h30.", 16, 30),
        ("Remind me at 1745 to ring mum.", 17, 45),
    ],
)
def test_a_time_of_day_is_set_however_it_is_written(said: str, hour: int, minute: int) -> None:
    intent, slots = _slots(said)
    assert (intent, slots["hour"], slots["minute"]) == ("alarm", hour, minute)


@pytest.mark.parametrize(
    "said",
    [
        "how many hours are 150 minutes",
        "tell me what happened in 1945",
        "set a timer for ten minutes",
        "set a timer for 0.333 seconds",
        "set a timer for the 3 hens",
    ],
)
def test_other_sentences_stay_as_they_are(said: str) -> None:
    heard = Transcript(said, 0.95, False, (0.9,) * len(said.split()))
    assert with_usual_lengths(heard) is heard


def test_a_changed_transcript_tells_of_no_single_word() -> None:
    heard = with_usual_lengths(Transcript("wake me in 400 minutes", 0.95, False, (0.9,) * 5))
    assert (heard.text, heard.words) == ("wake me in 6 hours and 40 minutes", ())
