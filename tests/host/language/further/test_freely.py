"""What goes on from a command is understood in people's own words, and nothing else is taken for it."""

from __future__ import annotations

import pytest

from host.language.further.command import gone_on_in_any_words
from host.language.further.freely import freely
from host.language.further.said import NOTHING, Before, spoken
from host.language.further.values import Slots, clock_in, length_in
from host.language.router import Decision
from host.language.understanding import Understood

TIMER, ALARM, LOUDER = Before("timer", True, 600), Before("alarm"), Before("louder")


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("oh give it a quarter of an hour would you", {"seconds": 900}),
        ("one hour is too much no keep fifty", {"number": 50}),
        ("er no um what was it fifteen yes fifteen", {"number": 15}),
        ("not ten but fourteen minutes", {"seconds": 840}),
        ("i wanted eight minutes not five", {"seconds": 480}),
        ("hour and twenty now i look at it", {"seconds": 4800}),
        ("a minute and a half is plenty", {"seconds": 90}),
        ("i said ten minutes and it is four i need", {"number": 4}),
        ("no such thing", None),
    ],
)
def test_the_length_that_is_meant(text: str, slots: Slots | None) -> None:
    assert length_in(text, 600) == slots


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("quarter past not half past", {"minute": 15}),
        ("god no half five", {"offset": 30, "hour": 5}),
        ("six forty five is better the train is packed", {"hour": 6, "minute": 45}),
        ("a quarter to eight i meant", {"offset": -15, "hour": 8}),
        ("make that forty five", {"minute": 45}),
        ("leave it be", None),
    ],
)
def test_the_time_of_day_that_is_meant(text: str, slots: Slots | None) -> None:
    assert clock_in(text) == slots


@pytest.mark.parametrize(
    ("text", "before", "intent", "slots"),
    [
        ("nah love let it have a quarter of an hour", TIMER, "timer_to", {"seconds": 900}),
        ("sorry that ought to have been twenty minutes", TIMER, "timer_to", {"seconds": 1200}),
        ("could you pop another five minutes on there please", TIMER, "timer_by", {"seconds": 300}),
        ("knock three minutes off that would you", TIMER, "timer_by", {"seconds": -180}),
        ("i don't need the timer any more thanks", TIMER, "undo", {"whole": True}),
        ("actually quarter past seven would be better", ALARM, "alarm_to", {"offset": 15, "hour": 7}),
        ("let me sleep half an hour longer than that", ALARM, "alarm_by", {"seconds": 1800}),
        ("i still can't hear you very well", LOUDER, "louder", {}),
        ("ooh far too much bring it down again", LOUDER, "quieter", {}),
        ("ooh far too much bring it down again", Before("quieter"), "quieter", {}),
        ("now you drag it out speed up", Before("slower"), "faster", {}),
        ("please put it back to how it was before", LOUDER, "undo", {}),
    ],
)
def test_it_goes_on_from_the_command(text: str, before: Before, intent: str, slots: Slots) -> None:
    assert freely(spoken(text), before) == Decision("device", intent, slots)


@pytest.mark.parametrize(
    "text",
    [
        "ten more people came to the party than we thought",
        "the bus is twenty minutes late again",
        "thank you very much that is lovely",
        "where are my keys",
        "they cancelled our train this morning",
    ],
)
@pytest.mark.parametrize(
    "before", [TIMER, ALARM, LOUDER, NOTHING, Before("timer_off")], ids=lambda each: each.last
)
def test_other_sentences_change_nothing(text: str, before: Before) -> None:
    assert freely(spoken(text), before) is None


def test_of_loudness_nothing_is_taken_for_the_pace() -> None:
    assert freely("now you drag it out speed up", LOUDER) is None


def test_what_a_template_knows_or_has_several_requests_is_left_alone() -> None:
    said = "could you pop another five minutes on there please"
    assert gone_on_in_any_words(said, TIMER, Understood(Decision("unclear"), said)) is not None
    timer = Decision("device", "timer", {"seconds": 300})
    assert gone_on_in_any_words(said, TIMER, Understood(timer, said)) is None
    several = Understood(Decision("unclear"), said, Understood(timer, said))
    assert gone_on_in_any_words(said, TIMER, several) is None
