"""The rules of recording: one test each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.session import actions, events
from host.session.values import PlanRules, WearerSettings
from hw.device import LightPattern
from tests.host.session.rules_bench import ONE_BRICK, PLAN, Session, kinds


def test_recording_off_drops_a_question() -> None:
    session = Session()
    session.takes(events.WakeWordHeard())
    question = session.last(actions.PrepareAnswer).question
    taken = session.takes(events.SwitchMoved(True))
    assert actions.ForgetQuestion(question) in taken
    assert session.last(actions.SetRecording).on is False
    assert session.last(actions.Announce).announcement.kind == "switch off"


def test_recording_off_while_a_question_is_being_understood_gives_it_up() -> None:
    session = Session()
    number = session.hears_question()
    taken = session.takes(events.SwitchMoved(True))
    assert actions.Cancel(number, "recording off") in taken
    assert "recording is off" in session.causes
    session.takes(events.AnswerEnded(number))
    assert session.last(actions.Announce).announcement.kind == "switch off"


def test_recording_off_lets_an_answer_end_and_no_question_follow() -> None:
    session = Session()
    number = session.answers()
    taken = session.takes(events.SwitchMoved(True))
    assert actions.Cancel not in kinds(taken) and session.interaction == "speaking"
    session.takes(events.AnswerEnded(number))
    session.reads_battery()
    assert session.last(actions.Announce).announcement.kind == "switch off"
    session.ends(actions.Announce)
    assert session.interaction == "standby"
    assert session.last(actions.SetLight).pattern is LightPattern.RECORDING_OFF


@pytest.mark.parametrize("plan", [PLAN, ONE_BRICK])
def test_an_answer_can_be_interrupted_again_once_recording_is_on_again(plan: PlanRules) -> None:
    session = Session(plan=plan)
    number = session.answers()
    taken = session.takes(events.SwitchMoved(True))
    assert actions.CloseQuestion() in taken and session.interaction == "speaking"
    taken = session.takes(events.SwitchMoved(False))
    assert actions.ListenOverSpeech(number) in taken
    assert (actions.CheckStopWord(number) in taken) == (plan is PLAN)
    session.takes(events.StopWordOverSpeech(number))
    assert session.last(actions.Silence).number == number


def test_recording_off_releases_the_bricks_once_all_is_said() -> None:
    session = Session()
    number = session.answers()
    session.takes(events.SwitchMoved(True), events.AnswerEnded(number))
    session.reads_battery()
    assert session.last(actions.Announce).announcement.kind == "switch off"
    assert actions.ReleaseBricks not in kinds(session.begun)
    session.ends_all()
    assert actions.ReleaseBricks in kinds(session.begun)
    session.ends(actions.ReleaseBricks)
    assert not session.state.keeps_bricks


def test_stop_recording_is_carried_out_and_saved_before_it_is_said() -> None:
    session = Session()
    number = session.hears_question()
    session.takes(events.Understood(number, "device", "stop_recording"))
    taken = session.takes(events.Replied(number, replace(session.state.settings, recording=False)))
    assert {actions.WriteSettings, actions.SetRecording} <= set(kinds(taken))
    assert actions.Answer not in kinds(session.ends(actions.SetRecording))
    assert session.ends(actions.WriteSettings) == [actions.Answer(number, 1.0)]
    session.takes(events.AnswerBegan(number), events.AnswerEnded(number))
    session.reads_battery()
    assert not session.state.waiting, "the answer said so already"


def test_without_recording_nothing_is_heard() -> None:
    session = Session()
    session.takes(events.SwitchMoved(True))
    session.ends(actions.Announce)
    for event in (events.WakeWordHeard(), events.QuestionOpened("a test"), events.SpeechBegan()):
        assert session.takes(event) == []


def test_a_press_switches_recording_on_unless_the_switch_is_at_off() -> None:
    session = Session(settings=WearerSettings(recording=False))
    session.ends(actions.Announce)
    session.takes(events.Pressed("listen"))
    assert session.last(actions.SetRecording).on
    assert session.last(actions.Announce).announcement.kind == "recording on"
    session.ends(actions.Announce)
    session.takes(events.SwitchMoved(True))
    session.ends(actions.Announce)
    session.takes(events.Pressed("listen"))
    assert not session.state.recording
    assert session.last(actions.Announce).announcement.kind == "switch off"


def test_a_command_is_acknowledged_when_it_is_carried_out_and_saved() -> None:
    session = Session()
    session.takes(events.RecordingRequested(False))
    assert actions.AcknowledgeRequest() not in session.ends(actions.SetRecording)
    assert actions.AcknowledgeRequest() in session.ends(actions.WriteSettings)


@pytest.mark.parametrize("wanted", [True, False])
def test_a_switch_that_can_be_read_again_was_not_moved(wanted: bool) -> None:
    """What the wearer said before it was lost counts."""
    session = Session()
    session.takes(events.RecordingRequested(wanted))
    session.takes(events.SwitchMoved(True, unread=True))
    assert not session.state.recording
    session.takes(events.SwitchMoved(False))
    assert session.state.recording is wanted and session.state.settings.recording is wanted
    session.takes(events.SwitchMoved(True), events.SwitchMoved(False))
    assert session.state.recording


def test_a_switch_that_was_at_off_when_it_could_be_read_again_is_moved_to_on_by_hand() -> None:
    session = Session()
    session.takes(events.RecordingRequested(False))
    session.takes(events.SwitchMoved(True, unread=True), events.SwitchMoved(True), events.SwitchMoved(False))
    assert session.state.recording
