"""What the wearer says after a command changes it or takes it back."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.answers.device import DeviceState, answer_device
from host.answers.last_command import (
    GOES_ON_S,
    NOT_REMEMBERED_AGAIN,
    NOTHING_TO_UNDO,
    LastCommand,
    last_command,
)
from host.answers.timer_changes import to_be_changed
from host.answers.timer_replies import NO_ALARM, NO_TIMER, TOO_FAR, clock, timer_name
from host.answers.timers import MOST, Now
from host.language.further.command import gone_on
from host.language.further.said import Before
from host.language.router import Router
from hw.supply import BatteryReading
from power.policy.plan import Mode
from power.policy.policy import Policy

ROUTER = Router()
READING = BatteryReading(42, 3800, -400, 25.0, False, "good")
PLAN = Policy().decide(READING, 0.0)[0]
NOON = time.mktime((2026, 3, 7, 12, 0, 0, 0, 0, -1))


class Wearer:
    """Gives sentences to the device skills as time passes, each of which may go on from the last command."""

    def __init__(self) -> None:
        self.state = DeviceState(volume_percent=50)
        self.now = Now(500.0, NOON)

    def say(self, sentence: str) -> str:
        last = self.state.last
        if last is not None and self.now.mono_s >= last.until_s:
            self.state, last = replace(self.state, last=None), None
        before = Before("" if last is None else last.intent, to_be_changed(self.state.timers, self.now))
        decision = gone_on(sentence, before) or ROUTER.decide(sentence)
        assert decision.route == "device", sentence
        reply = answer_device(decision, self.state, READING, PLAN, self.now.wall_s, mono_s=self.now.mono_s)
        last = last_command([decision], self.state, reply.state, self.now.mono_s)
        self.state = replace(reply.state, last=last)
        return reply.text

    def wait(self, seconds: float) -> None:
        self.now = Now(self.now.mono_s + seconds, self.now.wall_s + seconds)

    def ring(self) -> None:
        due = self.state.timers.due(self.now)
        self.state = replace(self.state, timers=self.state.timers.after_announcement(due, self.now))

    @property
    def left_s(self) -> list[float]:
        """Seconds to the end of each timer and alarm, in the order they were set."""
        return [timer.left_s(self.now) for timer in self.state.timers.running]

    @property
    def names(self) -> list[str]:
        return [timer_name(timer) for timer in self.state.timers.running]


def test_a_timer_is_corrected() -> None:
    wearer = Wearer()
    wearer.say("set a timer for forty minutes")
    wearer.wait(10)
    said = wearer.say("make that forty five")
    assert said == "Your timer for 45 minutes is running instead of your 40 minute timer."
    assert wearer.left_s == [2700]
    wearer.say("no five")
    assert wearer.left_s == [300]
    wearer.say("i meant an hour")
    assert wearer.left_s == [3600]
    wearer.say("make it two")
    assert wearer.left_s == [7200], "a number is in the unit of the last timer"


@pytest.mark.parametrize(
    ("timer", "then", "seconds"),
    [
        ("set a timer for thirty seconds", "make that forty five", 45),
        ("set a timer for ninety seconds", "make that sixty", 60),
        ("set a timer for sixty minutes", "make that fifty", 3000),
        ("set a timer for one hour", "make that three", 10800),
        ("set a timer for one hour", "make that forty five", 2700),
        ("set a timer for ten minutes", "make that one hour", 3600),
    ],
)
def test_a_number_is_in_the_unit_of_the_timer(timer: str, then: str, seconds: int) -> None:
    wearer = Wearer()
    wearer.say(timer)
    wearer.say(then)
    assert wearer.left_s == [seconds]


def test_after_some_minutes_nothing_is_corrected() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.wait(GOES_ON_S)
    with pytest.raises(AssertionError):
        wearer.say("make that five")
    assert wearer.say("undo that") == NOTHING_TO_UNDO
    assert wearer.left_s == [480]


def test_the_last_timer_is_corrected_and_not_the_one_before() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.say("set a timer for twenty minutes")
    wearer.say("make that thirty")
    assert wearer.names == ["10 minute timer", "30 minute timer"]


def test_a_timer_that_has_ended_meanwhile_is_set_as_it_was_meant() -> None:
    wearer = Wearer()
    wearer.say("set a timer for five seconds")
    wearer.wait(6)
    wearer.ring()
    assert wearer.say("no fifty") == "Your timer for 50 seconds is running."
    assert wearer.names == ["50 second timer"]


def test_a_timer_is_longer_and_shorter() -> None:
    wearer = Wearer()
    assert wearer.say("ten more minutes") == NO_TIMER
    wearer.say("set a timer for half an hour")
    wearer.wait(600)
    said = wearer.say("ten more minutes on the loaf timer")
    assert said == "Your 30 minute timer is now a 40 minute timer with 30 minutes left."
    said = wearer.say("five minutes less")
    assert said == "Your 40 minute timer is now a 35 minute timer with 25 minutes left."
    assert wearer.left_s == [1500]
    said = wearer.say("take half an hour off the timer")
    assert said == "Your 35 minute timer has only 25 minutes left." and wearer.left_s == [1500]


def test_of_several_timers_the_last_is_changed_or_the_one_that_is_named() -> None:
    wearer = Wearer()
    for minutes in ("ten", "twenty", "five"):
        wearer.say(f"set a timer for {minutes} minutes")
    wearer.wait(GOES_ON_S)
    assert wearer.say("add one minute").startswith("Your 5 minute timer is now a 6 minute timer")
    said = wearer.say("add five minutes to the twenty minute timer")
    assert said.startswith("Your 20 minute timer is now a 25 minute timer")
    assert wearer.say("add one minute to the second timer").startswith("Your 10 minute timer is now an 11")
    assert wearer.say("add one minute to the fifty minute timer") == "There is no timer for 50 minutes."
    assert wearer.say("add one minute to the fourth timer").startswith("There are not so many.")
    assert sorted(wearer.names) == ["11 minute timer", "25 minute timer", "6 minute timer"]


def test_more_time_after_a_timer_has_rung_is_a_new_timer() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.say("set a timer for fifty minutes")
    wearer.wait(605)
    wearer.ring()
    assert wearer.say("five more minutes") == "Your timer for 5 minutes is running."
    assert wearer.left_s == [2395, 300]


def test_an_alarm_is_corrected_to_the_nearest_such_time() -> None:
    wearer = Wearer()
    wearer.say("wake me at seven in the morning")
    said = wearer.say("make that eight")
    assert (
        said == "Your alarm is set for eight o'clock in the morning instead of seven o'clock in the morning."
    )
    wearer.say("no half past seven")
    assert wearer.say("make it forty five").startswith(
        "Your alarm is set for seven forty-five in the morning"
    )
    assert wearer.say("i meant nine in the evening").startswith("Your alarm is set for nine o'clock at night")
    assert (
        wearer.say("make it twenty five") == "Your alarm is set for nine twenty-five at night instead of "
        "nine o'clock at night."
    )
    assert len(wearer.left_s) == 1


def test_an_alarm_is_moved() -> None:
    wearer = Wearer()
    assert wearer.say("push the alarm back by an hour") == NO_ALARM
    wearer.say("wake me at seven in the evening")
    assert wearer.say("an hour later").startswith(
        "Your alarm is set for eight o'clock in the evening instead"
    )
    assert wearer.say("half an hour earlier").startswith("Your alarm is set for seven thirty in the evening")
    wearer.wait(GOES_ON_S)
    assert wearer.say("wake me ten minutes earlier").startswith(
        "Your alarm is set for seven twenty in the ev"
    )
    assert wearer.say("wake me ten hours earlier").startswith(
        "That time is over, so your alarm stays set for"
    )
    assert wearer.say("make the alarm twenty hours later") == TOO_FAR
    assert wearer.names == ["alarm for seven twenty in the evening"]


def test_two_alarms_at_one_time_are_one() -> None:
    wearer = Wearer()
    wearer.say("wake me at seven")
    wearer.say("wake me at eight")
    wearer.say("make that seven")
    assert wearer.names == [f"alarm for {clock(NOON + 7 * 3600)}"]


@pytest.mark.parametrize("taken_back", ["cancel it", "cancel that", "never mind that", "undo that"])
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("set a timer for ten minutes", "I have cancelled your 10 minute timer."),
        ("wake me at seven in the evening", "I have cancelled your alarm for seven o'clock in the evening."),
        ("louder", "The volume is back at 50 percent."),
        ("set the volume to ninety", "The volume is back at 50 percent."),
        ("slower", "I speak as I did before."),
        ("save power", "I choose the mode by the battery again."),
    ],
)
def test_the_last_thing_that_was_set_is_taken_back(command: str, said: str, taken_back: str) -> None:
    wearer = Wearer()
    wearer.say("what time is it")
    before = wearer.state
    wearer.say(command)
    assert wearer.state != before
    wearer.say("what time is it")
    assert wearer.say(taken_back) == said
    after = replace(wearer.state, last=None)
    assert replace(after, timers=before.timers) == before and after.timers.running == before.timers.running


def test_an_earlier_mode_comes_back() -> None:
    wearer = Wearer()
    wearer.say("save power")
    wearer.say("use full power")
    assert wearer.say("undo that") == "I save power again."
    assert wearer.state.request is Mode.CASCADE


def test_a_changed_timer_becomes_what_it_was_or_ends() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.wait(60)
    wearer.say("five more minutes")
    said = wearer.say("undo that")
    assert (
        said == "Your 10 minute timer is running again instead of your 15 minute timer, with 9 minutes left."
    )
    assert wearer.left_s == [540]
    assert wearer.say("cancel that") == "I have cancelled your 10 minute timer."
    assert wearer.left_s == []
    wearer.say("set a timer for ten minutes")
    wearer.say("make that five")
    assert wearer.say("cancel it") == "I have cancelled your 5 minute timer."
    assert wearer.left_s == []
    assert wearer.say("undo that") == "Your 5 minute timer is running again, with 5 minutes left."


def test_what_was_cancelled_runs_again() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    wearer.say("wake me at seven in the evening")
    wearer.say("cancel the timer")
    wearer.wait(30)
    assert (
        wearer.say("undo that")
        == "Your 10 minute timer is running again, with 9 minutes and 30 seconds left."
    )
    wearer.say("cancel the alarm")
    assert wearer.say("undo that") == "Your alarm is set for seven o'clock in the evening again."
    assert sorted(wearer.left_s) == [570, 7 * 3600 - 30]


def test_what_could_not_be_set_is_not_taken_back_for_something_else() -> None:
    wearer = Wearer()
    for _ in range(MOST + 1):
        wearer.say("set a timer for ten minutes")
    assert wearer.say("undo that") == NOTHING_TO_UNDO
    assert len(wearer.left_s) == MOST


def test_forgetting_is_never_taken_back() -> None:
    wearer = Wearer()
    wearer.say("set a timer for ten minutes")
    forgot = LastCommand("forget_everything", wearer.now.mono_s + GOES_ON_S, forgot=True)
    wearer.state = replace(wearer.state, last=forgot)
    assert wearer.say("undo that") == NOT_REMEMBERED_AGAIN
    wearer.state = replace(wearer.state, last=forgot)
    assert wearer.say("never mind that") == NOT_REMEMBERED_AGAIN
    assert wearer.left_s == [600]


def test_remembering_ends_and_does_not_begin() -> None:
    wearer = Wearer()
    wearer.say("remember what you see")
    assert wearer.say("undo that") == "I remember nothing new from now on." and not wearer.state.memory
    wearer.say("remember what you see")
    wearer.say("stop remembering")
    assert wearer.say("undo that") == "That I cannot take back." and not wearer.state.memory


def test_the_volume_changes_by_so_much_and_once_more() -> None:
    wearer = Wearer()
    for sentence, percent in (
        ("twenty percent louder", 70), ("a bit more", 85), ("too loud now", 70), ("more", 55),
        ("another ten percent", 45), ("less", 60), ("set the volume to thirty", 30), ("make it forty", 40),
        ("turn it down by ninety percent", 10),
    ):  # fmt: skip
        wearer.say(sentence)
        assert wearer.state.volume_percent == percent, sentence


def test_speech_is_slower_by_so_much_up_to_a_limit() -> None:
    wearer = Wearer()
    wearer.say("speak ten percent slower")
    assert wearer.state.slowness == pytest.approx(1.1)
    wearer.say("a bit more")
    assert wearer.state.slowness == pytest.approx(1.32)
    assert wearer.say("slow down by ninety percent") == "I speak like this now."
    assert wearer.say("even slower") == "I cannot speak any slower."


LENGTHS = st.sampled_from(["five", "ten", "thirty", "forty five"])
SENTENCES = st.one_of(
    LENGTHS.map("set a timer for {} minutes".format),
    LENGTHS.map("set a timer for {} seconds".format),
    LENGTHS.map("make that {}".format),
    LENGTHS.map("no {} minutes".format),
    LENGTHS.map("{} more minutes".format),
    LENGTHS.map("{} minutes less".format),
    LENGTHS.map("{} minutes later".format),
    LENGTHS.map("add one minute to the {} minute timer".format),
    LENGTHS.map("cancel the {} minute timer".format),
    st.sampled_from(["seven", "eight", "nine"]).map("wake me at {} in the evening".format),
    st.sampled_from(["cancel it", "cancel that", "undo that", "cancel the timer", "cancel the alarm"]),
    st.sampled_from(["louder", "what time is it", "half an hour earlier"]),
)
SPOKEN = (
    (r"Your timer for (?P<length>.+) is running(?: instead of your (?P<gone>.+))?\."),
    (r"Your (?P<gone>.+ timer) is now an? (?P<set>.+ timer) with .+ left\."),
    (r"Your (?P<set>.+ timer) is running again(?: instead of your (?P<gone>.+ timer))?, with .+ left\."),
    (r"Your alarm is set for (?P<at>.+) again instead of your (?P<gone>.+)\."),
    (r"Your alarm is set for (?P<at>.+) again\."),
    (r"Your alarm is set for (?P<at>.+) instead of (?P<was>.+)\."),
    (r"Your alarm is set for (?P<at>.+)\."),
    (r"I have cancelled your (?P<gone>.+)\."),
)
"""Replies that tell what is set and what no longer is."""


def told(known: Counter[str], said: str) -> Counter[str]:
    """What the wearer knows to run, by the names of timers and alarms; two alarms at one time are one."""
    match = next((match for form in SPOKEN if (match := re.fullmatch(form, said))), None)
    if match is None:
        return known
    found = match.groupdict()
    gone = found.get("gone") or (f"alarm for {found['was']}" if found.get("was") else "")
    known = known - Counter([gone]) if gone else known
    set_ = found.get("set") or ""
    if found.get("length"):
        set_ = re.sub(r"(hour|minute|second)s", r"\1", found["length"]) + " timer"
    if found.get("at"):
        set_ = f"alarm for {found['at']}"
        set_ = "" if known[set_] else set_
    return known + Counter([set_]) if set_ else known


@settings(max_examples=200)
@given(st.lists(st.tuples(SENTENCES, st.sampled_from([0.0, 0.0, 7.0, GOES_ON_S + 1])), max_size=14))
def test_the_timers_are_those_that_the_replies_told_of(chain: list[tuple[str, float]]) -> None:
    wearer, known = Wearer(), Counter[str]()
    for sentence, seconds in chain:
        last = wearer.state.last
        within = last is not None and wearer.now.mono_s < last.until_s
        before = Before(last.intent) if last is not None and within else Before()
        if gone_on(sentence, before) is None and ROUTER.decide(sentence).route != "device":
            continue  # it is asked again
        said = wearer.say(sentence)
        known = told(known, said)
        assert Counter(wearer.names) == known, (sentence, said)
        if wearer.left_s and min(wearer.left_s) > seconds:
            wearer.wait(seconds)
