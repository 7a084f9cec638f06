"""The sentences of `eval understood` are well formed, and its judge takes for right what was meant."""

from __future__ import annotations

import re
import time

import pytest

from host.language.past.times import times_of
from host.language.router import Decision, Router
from models.brick import Transcript
from models.train.intents.data import said_by_people
from models.train.world.said.speakers import spoken
from tests.eval.understood import aloud, judge
from tests.eval.understood.__main__ import GROUPS, OTHERS, main
from tests.eval.understood.sayings import MEMORY, SAYINGS, THINGS, Saying
from tests.eval.understood.tried import now, tried

HOUR_S = 3600.0
HOURS_AGO = {
    "ten minutes ago": (1 / 6, 1.0), "half an hour ago": (0.5, 3.0), "an hour ago": (1.0, 5.0),
    "this morning": (11.0, 2.0), "this afternoon": (5.0, 13.0), "today": (2.0, 26.0),
    "last night": (21.0, 12.0), "yesterday evening": (25.0, 35.0), "yesterday": (32.0, 3.0),
    "yesterday morning": (35.0, 27.0), "yesterday afternoon": (29.0, 36.0), "two days ago": (48.0, 5.0),
    "this week": (30.0, 24.0 * 9),
}  # fmt: skip
"""Time in words: hours before `judge.NOW_S` that it means, and that it does not."""
PLAIN = {
    "timer": "set a timer for one minute", "timer_off": "cancel the timer", "alarm": "wake me at seven",
    "timer_left": "how long is left on the timer", "alarm_off": "cancel the alarm",
    "volume": "set the volume to fifty",
    "louder": "louder", "quieter": "quieter", "slower": "slower", "faster": "faster", "why": "why",
    "battery": "how much battery is left", "charging": "is it charging", "lasting": "how long will you last",
    "time": "what time is it", "date": "what is the date", "repeat": "say that again", "stop": "stop",
    "sure": "how sure are you", "why_short": "why was that answer short", "save_power": "save power",
    "cost": "how much energy did that answer use", "full_power": "use full power",
}  # fmt: skip
"""Intent of a command to the device: a plain form of it."""


def test_the_sentences_are_distinct_and_as_a_transcript_has_them() -> None:
    texts = [said.text for said in SAYINGS]
    assert len(set(texts)) == len(texts) >= 240
    assert all(re.fullmatch(r"[a-z']+( [a-z']+)*", text) for text in texts)
    assert len({said.speaker for said in SAYINGS}) >= 12
    assert all(any(belongs(said) for said in SAYINGS) for title, belongs in GROUPS.items() if title != OTHERS)


@pytest.mark.parametrize("said", SAYINGS, ids=lambda said: said.text)
def test_each_meaning_is_well_formed(said: Saying) -> None:
    assert said.kind in (*MEMORY, "view", "motion", *PLAIN)
    assert (said.thing in THINGS) == (said.kind == "thing")
    assert said.thing == "" or said.kind in ("thing", "keep")
    assert said.time in ("", *HOURS_AGO) or (said.kind == "forget" and said.time == "everything")
    assert (said.value is not None) == (
        said.kind in ("timer", "volume", "alarm") or (said.kind == "forget" and not said.time)
    )


@pytest.mark.parametrize("intent", PLAIN)
def test_a_plain_form_of_each_command_has_that_intent(intent: str) -> None:
    assert judge.taken_for(judge.understood(PLAIN[intent], Router())) == intent


@pytest.mark.parametrize("words", HOURS_AGO)
def test_the_times_asked_of_mean_what_a_clock_says(words: str) -> None:
    since_s, until_s, _ = times_of(words, judge.NOW_S)
    inside, outside = (judge.NOW_S - hours * HOUR_S for hours in HOURS_AGO[words])
    holds = [(since_s or 0.0) <= at_s <= (until_s or judge.NOW_S) for at_s in (inside, outside)]
    assert holds == [True, False], [time.ctime(at_s or 0) for at_s in (since_s, until_s)]


def test_the_judge_wants_kind_thing_time_and_value() -> None:
    keys = Saying("", "", "thing", "keys", "this morning")
    found = Decision("memory", "memory", {"rest": "my keys this morning"})
    assert judge.right(keys, found)
    for rest in ("my keys", "my keys yesterday", "my book this morning", "my keys and my book this morning"):
        assert not judge.right(keys, Decision("memory", "memory", {"rest": rest}))
    assert not judge.right(keys, Decision("now", "now", {"rest": "my keys this morning"}))
    assert not judge.right(Saying("", "", "thing", "keys"), found)
    kept = Saying("", "", "keep", "the garage")
    assert judge.right(kept, Decision("memory", "keep", {"rest": "garage"}))
    assert not judge.right(kept, Decision("memory", "keep", {"rest": "garden"}))
    hour = Saying("", "", "forget", value=3600)
    assert judge.right(hour, Decision("memory", "forget_last", {"span_one": 3600}))
    assert not judge.right(hour, Decision("memory", "forget_everything"))
    alarm = Saying("", "", "alarm", value=390)
    assert judge.right(alarm, Decision("device", "alarm", {"hour": 6, "offset": 30}))
    assert not judge.right(alarm, Decision("device", "alarm", {"hour": 6}))


def test_the_command_says_what_was_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert all(title in printed for title in GROUPS if title != OTHERS) and "not right:" not in printed
    assert OTHERS not in printed, "nothing was said to somebody else"
    (heads, *_), (whole, *_) = (
        [line for line in printed.splitlines() if line.lstrip().startswith(start)]
        for start in ("right ", "all ")
    )
    assert "the headband" in heads and "templates and rules" in heads and "templates alone" in heads
    assert whole.count("/270 = ") == 3


def test_the_tried_sentences_are_others_than_those_that_judge_and_that_train() -> None:
    texts = [said.text for said in tried()]
    assert len(set(texts)) == len(texts) >= 400 and len({said.speaker for said in tried()}) >= 10
    assert not set(texts) & {said.text for said in SAYINGS}
    assert not set(texts) & {each.text for each in spoken()}
    assert all(said.kind != "thing" or said.thing in THINGS for said in tried())


def test_what_eight_others_say_now_is_in_no_training() -> None:
    texts = [said.text for said in now()]
    assert len(set(texts)) == len(texts) == 256 and {said.kind for said in now()} == {
        "view",
        "motion",
        "none",
    }
    assert not set(texts) & {each.text for each in said_by_people()}
    assert not set(texts) & {said.text for said in (*SAYINGS, *tried())}


def test_the_command_asks_them_with_words_that_the_model_knows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--now"]) == 0
    printed = capsys.readouterr().out
    assert OTHERS in printed and "to the device" not in printed


def test_groups_in_which_nothing_was_said_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    said = Saying("anybody", "what am i holding", "view")
    aloud.show([aloud.Heard(said, Transcript(said.text, 1.0), Decision("now"), Decision("now"))])
    printed = capsys.readouterr().out
    assert "about the view" in printed and OTHERS not in printed


def test_what_is_for_nobody_is_right_where_it_is_not_understood() -> None:
    said = Saying("anybody", "good night my darling wherever you are", "none")
    assert judge.right(said, Decision("unclear")) and not judge.right(said, Decision("memory", "keep"))
