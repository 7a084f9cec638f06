"""Timers with names as the wearer sets, asks after, changes and cancels them, and hears them ring."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from host.answers.device import DeviceState, answer_device
from host.answers.last_command import before_of, last_command
from host.answers.timer_changes import ENDED
from host.answers.timer_replies import ended, farewell
from host.answers.timers import Now
from host.language.router import Router
from hw.supply import BatteryReading
from models.brick import Transcript
from power.policy.policy import Policy
from tests.eval.understood.judge import CERTAINTY, turn_of

ROUTER = Router()
READING = BatteryReading(42, 3800, -400, 25.0, False, "good")
PLAN = Policy().decide(READING, 0.0)[0]
NOON = time.mktime((2026, 3, 7, 12, 0, 0, 0, 0, -1))


class Wearer:
    """Says sentences that are heard word for word, and hears replies and announcements, as time passes."""

    def __init__(self, *sentences: str) -> None:
        self.state = DeviceState(volume_percent=50)
        self.now = Now(500.0, NOON)
        for sentence in sentences:
            self.say(sentence)

    def say(self, sentence: str) -> str:
        last = self.state.last
        if last is not None and self.now.mono_s >= last.until_s:
            self.state = replace(self.state, last=None)
        before = before_of(self.state.last, self.state.timers, self.now)
        words = (CERTAINTY,) * len(sentence.split())
        turn = turn_of(Transcript(sentence, CERTAINTY, words=words), ROUTER, usual=True, before=before)
        assert turn.decision.route == "device", sentence
        reply = answer_device(
            turn.decision, self.state, READING, PLAN, self.now.wall_s, mono_s=self.now.mono_s
        )
        decisions = (*turn.decision.first, turn.decision)
        last = last_command(decisions, self.state, reply.state, self.now.mono_s)
        self.state = replace(reply.state, last=last)
        return reply.text

    def wait(self, seconds: float) -> None:
        self.now = Now(self.now.mono_s + seconds, self.now.wall_s + seconds)

    def hear(self) -> str:
        """The announcement of the timers that are due."""
        due = self.state.timers.due(self.now)
        self.state = replace(self.state, timers=self.state.timers.after_announcement(due, self.now))
        return ended(due, self.now)

    @property
    def left_s(self) -> dict[str, float]:
        """Name -> seconds left."""
        return {each.name: each.left_s(self.now) for each in self.state.timers.running}


PASTA, EGG = "set a timer for the pasta for ten minutes", "set a five minute egg timer"


def test_a_timer_is_told_by_its_name_from_its_beginning_to_its_end() -> None:
    wearer = Wearer()
    assert wearer.say(PASTA) == "Your pasta timer for 10 minutes is running."
    wearer.wait(360)
    assert wearer.say("how long on the pasta timer") == "Your pasta timer has 4 minutes left."
    assert wearer.say("how much time is left") == "Your pasta timer has 4 minutes left."
    assert farewell(wearer.state.timers, wearer.now, kept=True).startswith("I keep your pasta timer, but")
    wearer.wait(240)
    assert wearer.hear() == "Your pasta timer is done."
    assert wearer.say("cancel the pasta timer") == "Your pasta timer is off."
    assert wearer.say("how long on the pasta timer") == "No timer is running."


def test_of_two_timers_the_one_that_is_named_is_meant() -> None:
    wearer = Wearer(PASTA, EGG)
    assert wearer.say("how long have the eggs got") == "Your egg timer has 5 minutes left."
    assert wearer.say("five more minutes on the pasta") == "Your pasta timer has 15 minutes left now."
    assert wearer.say("how much time is left") == (
        "You have an egg timer with 5 minutes left and a pasta timer with 15 minutes left."
    )
    assert wearer.say("change the egg timer to six minutes") == (
        "Your egg timer is set for 6 minutes instead of 5 minutes."
    )
    assert wearer.say("cancel the pasta") == "I have cancelled your pasta timer."
    assert wearer.left_s == {"egg": 360}


@pytest.mark.parametrize(
    "sentence",
    [
        "cancel the rice timer", "five more minutes on the rice", "give the rice two more minutes",
        "change the rice timer to six minutes", "take two minutes off the rice timer",
        "how long on the rice timer", "i do not need the rice timer any more",
    ],
)  # fmt: skip
@pytest.mark.parametrize("later_s", [1, 200])
def test_a_name_that_no_timer_has_changes_none(sentence: str, later_s: float) -> None:
    one, two = Wearer(EGG), Wearer(PASTA, EGG)
    for wearer in (one, two):
        wearer.wait(later_s)
        before = wearer.left_s
        assert wearer.say(sentence).startswith("You have no rice timer. You")
        assert wearer.left_s == before
    assert one.say("cancel the rice timer").startswith("You have no rice timer. Your egg timer has ")


def test_a_single_timer_without_a_name_is_meant_by_any() -> None:
    wearer = Wearer("set a timer for ten minutes")
    assert wearer.say("how long on the pasta timer") == "Your 10 minute timer has 10 minutes left."
    assert wearer.say("five more minutes on the pasta") == (
        "Your 10 minute timer is now a 15 minute timer with 15 minutes left."
    )
    wearer.say(EGG)
    assert wearer.say("cancel the pasta timer").startswith("You have no pasta timer. You have an egg timer")


def test_of_several_without_a_name_it_is_asked_which_and_the_name_is_an_answer() -> None:
    wearer = Wearer(PASTA, EGG)
    assert wearer.say("cancel the timer") == (
        "You have an egg timer and a pasta timer. "
        "Name the one to cancel, or ask once more and I cancel the first to end."
    )
    assert wearer.say("the pasta") == "I have cancelled your pasta timer."
    wearer.wait(100)
    assert wearer.say("the egg timer") == "Your egg timer has 3 minutes and 20 seconds left."


def test_two_timers_of_one_name_are_told_apart_by_their_lengths() -> None:
    wearer = Wearer("set a ten minute tea timer", "set a five minute tea timer")
    assert wearer.say("how long on the tea timer") == (
        "You have a 5 minute tea timer with 5 minutes left and a 10 minute tea timer with 10 minutes left."
    )
    assert wearer.say("cancel the tea timer").startswith("You have a 5 minute tea timer and a 10 minute tea")
    assert wearer.say("cancel the ten minute tea timer") == "I have cancelled your tea timer."
    assert wearer.left_s == {"tea": 300}


def test_a_timer_is_given_a_name_afterwards() -> None:
    wearer = Wearer("set a timer for thirty seconds")
    assert wearer.say("call it pasta") == "Your 30 second timer is now your pasta timer."
    assert (
        wearer.say("make that forty five") == "Your pasta timer is set for 45 seconds instead of 30 seconds."
    )
    assert wearer.say("rename the pasta timer to spaghetti") == (
        "Your pasta timer is now your spaghetti timer."
    )
    assert wearer.left_s == {"spaghetti": 45}
    assert wearer.say("undo that") == (
        "Your pasta timer is running again instead of your spaghetti timer, with 45 seconds left."
    )


def test_a_name_for_a_timer_that_has_ended_goes_to_no_other() -> None:
    wearer = Wearer(PASTA, "set a timer for ten seconds")
    wearer.wait(11)
    assert wearer.hear() == "Your 10 second timer is done."
    assert wearer.say("call it egg") == ENDED
    assert list(wearer.left_s) == ["pasta"]


def test_more_time_after_a_timer_has_rung_is_for_that_of_its_name() -> None:
    wearer = Wearer(PASTA, EGG)
    wearer.wait(301)
    assert wearer.hear() == "Your egg timer is done."
    assert wearer.say("two more minutes on the pasta") == (
        "Your pasta timer has 6 minutes and 59 seconds left now."
    )
    assert wearer.say("two more minutes on the eggs") == "Your egg timer for 2 minutes is running."
    wearer.wait(121)
    assert wearer.hear() == "Your egg timer is done."
    assert wearer.say("two more minutes") == "Your egg timer for 2 minutes is running."


def test_silencing_a_timer_by_its_name_leaves_one_without_a_name_running() -> None:
    wearer = Wearer(EGG, "set a timer for ten minutes")
    wearer.wait(301)
    wearer.hear()
    assert wearer.say("cancel the egg timer") == "Your egg timer is off."
    assert wearer.left_s == {"": 299}


def test_taking_back_and_ending_keep_to_the_names() -> None:
    wearer = Wearer(EGG, PASTA, "five more minutes on the pasta")
    assert wearer.say("undo that") == "Your pasta timer is running again, with 10 minutes left."
    wearer.say("five more minutes on the pasta")
    for sentence in ("pause the egg timer", "reset the egg timer"):
        with pytest.raises(AssertionError):
            wearer.say(sentence)
    assert wearer.say("i do not need the egg timer any more") == "I have cancelled your egg timer."
    assert wearer.left_s == {"pasta": 900}


def test_a_timer_that_is_set_by_the_name_of_a_running_one_is_that() -> None:
    wearer = Wearer(PASTA)
    assert wearer.say("set the pasta timer to twelve minutes") == (
        "Your pasta timer is set for 12 minutes instead of 10 minutes."
    )
    assert wearer.say("set the egg timer to five minutes") == "Your egg timer for 5 minutes is running."
    assert wearer.left_s == {"pasta": 720, "egg": 300}
