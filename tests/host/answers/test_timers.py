"""Timers and alarms as the wearer sets, asks for and cancels them."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from host.answers.device import DeviceState, answer_device
from host.answers.timer_replies import NO_ALARM, NO_TIMER, clock, ended, farewell, next_time, span
from host.answers.timers import MOST, REPEAT_S, TIMES, Now, Timers, after_restart
from host.language.router import Decision, Router
from hw.supply import BatteryReading
from models.train.world import grammar
from power.policy.policy import Policy

ROUTER = Router()
READING = BatteryReading(42, 3800, -400, 25.0, False, "good")
PLAN = Policy().decide(READING, 0.0)[0]
NOON = time.mktime((2026, 3, 7, 12, 0, 0, 0, 0, -1))


class Wearer:
    """Gives sentences to the device skills as time passes."""

    def __init__(self) -> None:
        self.state = DeviceState(volume_percent=50)
        self.now = Now(500.0, NOON)

    def say(self, sentence: str) -> str:
        decision = ROUTER.decide(sentence)
        assert decision.route == "device", sentence
        reply = answer_device(decision, self.state, READING, PLAN, self.now.wall_s, mono_s=self.now.mono_s)
        self.state = reply.state
        return reply.text

    def wait(self, seconds: float) -> None:
        self.now = Now(self.now.mono_s + seconds, self.now.wall_s + seconds)

    def hear(self) -> str:
        """The announcement of the timers that are due."""
        due = self.state.timers.due(self.now)
        self.state = replace(self.state, timers=self.state.timers.after_announcement(due, self.now))
        return ended(due, self.now)


def test_every_timer_sentence_of_the_micro_packs_recogniser_does_something() -> None:
    texts = [each.text for each in grammar.TEMPLATES if "timer" in each.text or "time is left" in each.text]
    assert len(texts) == 4
    for text in texts:
        for number in grammar.SLOT_VALUES["number"]:
            wearer = Wearer()
            assert "cannot" not in wearer.say(text.format(number=number))
            assert bool(wearer.state.timers.running) == ("set" in text)


def test_one_timer_is_set_asked_for_announced_and_silenced() -> None:
    wearer = Wearer()
    assert wearer.say("set a timer for ten minutes") == "Your timer for 10 minutes is running."
    wearer.wait(330)
    assert wearer.say("how much time is left") == "There are 4 minutes and 30 seconds left."
    assert wearer.hear() == ""
    wearer.wait(270)
    assert wearer.hear() == "Your 10 minute timer is done."
    wearer.state = replace(wearer.state, timers=wearer.state.timers.acknowledged(wearer.now))
    assert wearer.say("cancel the timer") == "Your 10 minute timer is off."
    assert wearer.say("how much time is left") == NO_TIMER
    assert wearer.say("cancel the timer") == NO_TIMER


def test_speaking_of_a_timer_that_was_announced_silences_it() -> None:
    wearer = Wearer()
    wearer.say("set a timer for two minutes")
    wearer.wait(120)
    wearer.hear()
    assert wearer.say("stop the timer") == "Your 2 minute timer is off."
    assert not wearer.state.timers.running


def test_what_nobody_acknowledges_is_announced_a_few_times_and_says_how_late_it_is() -> None:
    wearer = Wearer()
    wearer.say("set a timer for one minutes")
    wearer.wait(60)
    heard = []
    for _ in range(2 * TIMES):
        heard.append(wearer.hear())
        wearer.wait(REPEAT_S)
    assert [text for text in heard if text] == [
        "Your 1 minute timer is done.",
        "Your 1 minute timer is done.",
        "Your 1 minute timer ended 1 minute ago.",
        "Your 1 minute timer ended 1 minute and 30 seconds ago.",
    ]
    assert not wearer.state.timers.running


def test_silencing_one_timer_does_not_cancel_another() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.say("set a timer for five minutes")
    wearer.wait(300)
    assert wearer.hear() == "Your 5 minute timer is done."
    wearer.state = replace(wearer.state, timers=wearer.state.timers.acknowledged(wearer.now))
    assert wearer.say("cancel the timer") == "Your 5 minute timer is off."
    assert wearer.say("how much time is left") == "There are 5 minutes left."


def test_of_several_timers_one_is_cancelled_by_name_or_by_asking_once_more() -> None:
    wearer = Wearer()
    for minutes in ("ten", "five", "eight"):
        wearer.say(f"set a timer for {minutes} minutes")
    assert wearer.say("how much time is left") == (
        "You have a 5 minute timer with 5 minutes left, an 8 minute timer with 8 minutes left "
        "and a 10 minute timer with 10 minutes left."
    )
    assert wearer.say("cancel the eight minute timer") == "I have cancelled your 8 minute timer."
    assert wearer.say("cancel the two minute timer") == "There is no timer for 2 minutes."
    assert wearer.say("cancel the timer").startswith("You have a 5 minute timer and a 10 minute timer. Name")
    assert len(wearer.state.timers.running) == 2
    assert wearer.say("cancel the timer") == "I have cancelled your 5 minute timer."
    assert wearer.say("cancel the timer") == "I have cancelled your 10 minute timer."
    for _ in range(2):
        wearer.say("set a timer for ten minutes")
    wearer.wait(120)
    assert "Name the one" in wearer.say("cancel the timer")
    assert wearer.say("cancel all timers") == "I have cancelled them."
    assert not wearer.state.timers.running


@pytest.mark.parametrize(("first", "other"), [("timer", "alarm"), ("alarm", "timer")])
def test_what_was_asked_of_timers_cancels_no_alarm_and_the_reverse(first: str, other: str) -> None:
    wearer = Wearer()
    for minutes in ("ten", "five"):
        wearer.say(f"set a timer for {minutes} minutes")
    for hour in ("seven", "eight"):
        wearer.say(f"wake me at {hour}")
    assert wearer.say(f"cancel the {first}").startswith("You have ")
    assert wearer.say(f"cancel the {other}").startswith("You have ")
    assert len(wearer.state.timers.running) == 4
    assert wearer.say(f"cancel the {other}").startswith("I have cancelled your ")
    assert len(wearer.state.timers.running) == 3


def test_timers_of_the_same_length_are_two_timers() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.wait(60)
    wearer.say("set a timer for ten minutes")
    wearer.wait(540)
    assert wearer.hear() == "Your 10 minute timer is done."
    assert len(wearer.state.timers.running) == 2
    assert wearer.say("cancel the ten minute timer") == "Your 10 minute timer is off."
    assert [timer.number for timer in wearer.state.timers.running] == [2]
    assert wearer.say("cancel the ten minute timer") == "I have cancelled your 10 minute timer."
    assert not wearer.state.timers.running


def test_there_is_a_limit_and_nonsense_is_refused() -> None:
    wearer = Wearer()
    assert wearer.say("set a timer for zero minutes") == "I cannot set a timer for no time."
    for _ in range(MOST):
        wearer.say("set a timer for one hour and 20 minutes")
    assert wearer.say("set a timer for half an hour") == f"I cannot keep more than {MOST} timers and alarms."
    assert len(wearer.state.timers.running) == MOST
    assert (
        Wearer().say("wake me at 22 in the morning").startswith("Your alarm is set for ten o'clock at night")
    )


def test_alarms_are_set_asked_for_announced_and_cancelled() -> None:
    wearer = Wearer()
    assert wearer.say("wake me at seven") == "Your alarm is set for seven o'clock in the evening."
    assert wearer.say("Wake me up at 7:30 a.m.") == "Your alarm is set for seven thirty in the morning."
    assert wearer.say("when is my alarm") == (
        "Your alarms are set for seven o'clock in the evening and seven thirty in the morning."
    )
    wearer.wait(7 * 3600)
    assert wearer.hear() == "This is your alarm. It is seven o'clock in the evening."
    wearer.state = replace(wearer.state, timers=wearer.state.timers.acknowledged(wearer.now))
    assert wearer.say("cancel the alarm") == "Your alarm for seven o'clock in the evening is off."
    assert wearer.say("cancel the alarm") == "I have cancelled your alarm for seven thirty in the morning."
    assert wearer.say("cancel the alarm") == NO_ALARM


@pytest.mark.parametrize(
    ("hour", "minute", "part", "said"),
    [
        (7, 0, "", "seven o'clock in the evening"),
        (7, 0, "am", "seven o'clock in the morning"),
        (12, 0, "pm", "noon"),
        (12, 0, "am", "midnight"),
        (11, 5, "", "eleven oh five at night"),
        (0, 30, "", "twelve thirty at night"),
        (13, 0, "am", "one o'clock in the afternoon"),
    ],
)
def test_a_time_of_day_is_the_next_one(hour: int, minute: int, part: str, said: str) -> None:
    at_s = next_time(hour, minute, part, NOON)
    assert NOON < at_s <= NOON + 86_400
    assert clock(at_s) == said


def test_an_alarm_that_is_set_twice_rings_once_and_is_cancelled_at_once() -> None:
    wearer = Wearer()
    for sentence in ("wake me at seven", "set an alarm for seven in the evening"):
        assert wearer.say(sentence) == "Your alarm is set for seven o'clock in the evening."
    assert wearer.say("when is my alarm") == "Your alarm is set for seven o'clock in the evening."
    assert wearer.say("cancel the alarm") == "I have cancelled your alarm for seven o'clock in the evening."
    assert wearer.say("cancel the alarm") == NO_ALARM


@pytest.mark.parametrize("sentence", ["wake me at quarter to one", "set an alarm for 12:45"])
def test_a_quarter_to_one_is_before_one(sentence: str) -> None:
    assert Wearer().say(sentence) == "Your alarm is set for twelve forty-five in the afternoon."


@pytest.mark.parametrize(
    ("said", "hears"),
    [
        ("twelve at night", "midnight"),
        ("half past twelve at night", "twelve thirty at night"),
        ("three tonight", "three o'clock in the morning"),
        ("seven tonight", "seven o'clock in the evening"),
        ("eleven at night", "eleven o'clock at night"),
    ],
)
def test_at_night_is_the_night_on_both_sides_of_midnight(said: str, hears: str) -> None:
    assert Wearer().say(f"wake me at {said}") == f"Your alarm is set for {hears}."


def test_an_alarm_rings_within_a_day_of_a_clock_that_was_set_back() -> None:
    """By a year, or to the beginning, as a real-time clock without power; asked for, with the same words."""
    wearer = Wearer()
    wearer.say("wake me at seven in the evening")
    (timer,) = wearer.state.timers.running
    for wall_s in (time.mktime((2025, 3, 7, 18, 0, 0, 0, 0, -1)), 86_400.0):
        back = Now(wearer.now.mono_s, wall_s)
        (moved,) = wearer.state.timers.adjusted(back).running
        assert 0 < moved.left_s(back) <= 86_400 and clock(moved.ends_s) == "seven o'clock in the evening"
        assert Timers((moved,)).adjusted(back).running == (moved,)
        restarted = after_restart(timer, wearer.now, Now(3.0, wall_s), same_clock=False)
        assert 0 < restarted.left_s(Now(3.0, wall_s)) <= 86_400


def test_all_timers_are_cancelled_while_one_rings() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten seconds")
    wearer.wait(11)
    timers = wearer.state.timers
    wearer.state = replace(wearer.state, timers=timers.after_announcement(timers.due(wearer.now), wearer.now))
    assert wearer.say("cancel all timers") == "Your 10 second timer is off."
    assert wearer.say("cancel all timers") == NO_TIMER


def test_of_several_alarms_no_name_is_asked_for_because_none_is_understood() -> None:
    wearer = Wearer()
    wearer.say("wake me at seven in the evening")
    wearer.say("wake me at eight in the evening")
    assert wearer.say("cancel my alarm") == (
        "You have an alarm for seven o'clock in the evening and an alarm for eight o'clock in the evening. "
        "Ask once more and I cancel the first to end."
    )
    assert wearer.say("cancel my alarm") == "I have cancelled your alarm for seven o'clock in the evening."


def test_a_clock_that_is_set_moves_alarms_and_leaves_timers_alone() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.say("wake me at seven in the evening")
    jumped = Now(wearer.now.mono_s, wearer.now.wall_s + 3600)
    timers = wearer.state.timers.adjusted(jumped)
    assert [timer.left_s(jumped) for timer in timers.running] == [600.0, 6 * 3600.0]
    assert timers.running[0].ends_s == jumped.wall_s + 600
    assert timers.adjusted(jumped) is timers


def test_the_farewell_says_what_is_kept_and_what_is_lost() -> None:
    wearer = Wearer()
    assert farewell(Timers(), wearer.now, kept=True) == ""
    wearer.say("set a timer for ten minutes")
    assert farewell(wearer.state.timers, wearer.now, kept=True) == (
        "I keep your 10 minute timer, but I cannot tell you while I am off. It ends in 10 minutes."
    )
    wearer.say("set a timer for five minutes")
    assert farewell(wearer.state.timers, wearer.now, kept=False) == (
        "Your 10 minute timer and 5 minute timer are lost, because I cannot save them."
    )
    wearer.wait(700)
    assert farewell(wearer.state.timers, wearer.now, kept=True) == ""


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "no time"),
        (1, "1 second"),
        (61, "1 minute and 1 second"),
        (3599, "1 hour"),
        (3900, "1 hour and 5 minutes"),
        (7200, "2 hours"),
    ],
)
def test_spans_are_said_as_people_say_them(seconds: float, said: str) -> None:
    assert span(seconds) == said


def test_a_timer_is_cancelled_by_its_place_in_the_order_of_their_ends() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.say("set a timer for five minutes")
    for place, said in (
        (3, "There are not so many. You have a 5 minute timer and a 10 minute timer."),
        (2, "I have cancelled your 10 minute timer."),
        (1, "I have cancelled your 5 minute timer."),
        (1, NO_TIMER),
    ):
        decision = Decision("device", "timer_off", {"place": place})
        reply = answer_device(decision, wearer.state, READING, PLAN, wearer.now.wall_s, mono_s=500.0)
        wearer.state = reply.state
        assert reply.text == said
