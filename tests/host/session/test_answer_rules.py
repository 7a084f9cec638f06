"""The rules of an answer: one test each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.session import actions, events
from hw.device import LightPattern
from power.policy.plan import Mode
from tests.host.session.rules_bench import ONE_BRICK, Session, kinds


def test_an_answer_is_spoken_and_a_further_question_may_follow() -> None:
    session = Session()
    number = session.hears_question()
    assert session.takes(events.Understood(number, "now")) == [actions.Answer(number, 1.0)]
    assert session.takes(events.AnswerBegan(number)) == [actions.CheckStopWord(number)]
    assert session.takes(events.Sounding(number)) == [actions.SetLight(LightPattern.SPEAKING)]
    assert kinds(session.takes(events.AnswerEnded(number))) == [actions.ReadBattery]
    taken = session.reads_battery()
    assert session.interaction == "follow_up"
    assert taken == [
        actions.CloseQuestion(), actions.OpenQuestion(8.0), actions.SetLight(LightPattern.LISTENING),
    ]  # fmt: skip


def test_with_room_for_one_brick_the_bricks_are_released_before_the_battery_is_read() -> None:
    session = Session(plan=ONE_BRICK)
    number = session.answers()
    assert kinds(session.takes(events.AnswerEnded(number))) == [actions.ReleaseBricks]
    assert kinds(session.ends(actions.ReleaseBricks)) == [actions.ReadBattery]
    session.reads_battery()
    assert session.interaction == "standby", "without a follow-up in cascade"


@pytest.mark.parametrize("route", ["unclear", None])
def test_after_an_answer_that_was_none_no_question_follows(route: str | None) -> None:
    session = Session()
    number = session.hears_question()
    if route is not None:
        session.takes(events.Understood(number, "unclear"), events.AnswerBegan(number))
    session.takes(events.AnswerEnded(number))
    session.reads_battery()
    assert session.interaction == "standby"


def test_a_follow_up_begins_with_speech_and_without_the_wake_word() -> None:
    session = Session()
    session.takes(events.AnswerEnded(session.answers()))
    session.reads_battery()
    session.takes(events.SpeechBegan())
    assert session.interaction == "listening"
    assert session.causes[-1] == "the wearer spoke on without the wake word"


def test_a_follow_up_without_a_question_ends_with_a_tone() -> None:
    session = Session()
    session.takes(events.AnswerEnded(session.answers()))
    session.reads_battery()
    session.takes(events.NothingSaid())
    assert session.interaction == "standby" and session.last(actions.PlayTone).name == "closed"


def test_a_device_reply_is_said_when_what_it_changed_is_saved() -> None:
    session = Session()
    number = session.hears_question()
    taken = session.takes(events.Understood(number, "device", "louder"))
    assert taken == [actions.Reply(number, session.state.settings)]
    louder = replace(session.state.settings, volume_percent=90)
    taken = session.takes(events.Replied(number, louder))
    assert kinds(taken) == [actions.SetVolume, actions.WriteSettings]
    assert session.ends(actions.WriteSettings) == [actions.Answer(number, 1.0)]


def test_a_mode_that_the_wearer_asks_for_is_requested_and_not_saved() -> None:
    session = Session()
    number = session.hears_question()
    session.takes(events.Understood(number, "device", "mode"))
    asked = replace(session.state.settings, request=Mode.THROTTLED)
    assert session.takes(events.Replied(number, asked)) == [
        actions.RequestMode("throttled"), actions.Answer(number, 1.0),
    ]  # fmt: skip


def test_after_stop_no_question_follows() -> None:
    session = Session()
    number = session.hears_question()
    session.takes(events.Understood(number, "device", "stop"))
    session.takes(events.Replied(number, session.state.settings), events.AnswerBegan(number))
    session.takes(events.AnswerEnded(number))
    session.reads_battery()
    assert session.interaction == "standby"


@pytest.mark.parametrize("speaking", [False, True])
def test_a_turn_that_fails_ends_with_an_apology_and_in_standby(speaking: bool) -> None:
    session = Session()
    number = session.answers() if speaking else session.hears_question()
    taken = session.takes(events.AnswerFailed(number, "the voice died"))
    assert taken == [actions.Apologise(number, 1.0), actions.SetLight(LightPattern.ERROR)]
    session.takes(events.AnswerEnded(number))
    session.reads_battery()
    assert session.interaction == "standby"
