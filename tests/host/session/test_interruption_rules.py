"""The rules of interruptions: one test each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.answers.timers import Now, Timers
from host.session import actions, events
from host.session.values import Interruption
from tests.host.session.rules_bench import ONE_BRICK, OPTIONS, Session, kinds


def test_the_wake_word_over_an_answer_silences_it_and_listens() -> None:
    session = Session()
    number = session.answers()
    taken = session.takes(events.WakeWordOverSpeech(number))
    assert session.interaction == "listening"
    assert taken[:3] == [
        actions.Silence(number), actions.Cancel(number, "wake word"), actions.OpenAtWakeWord(),
    ]  # fmt: skip
    question = session.last(actions.PrepareAnswer).question
    assert question != number

    taken = session.takes(events.SpeechEnded(2))
    assert actions.Understand not in kinds(taken), "the answer before has not ended yet"
    assert session.takes(events.AnswerEnded(number)) == [actions.Understand(question, 2)]


def test_the_wake_word_over_the_end_of_a_turn_keeps_the_bricks() -> None:
    session = Session(plan=ONE_BRICK)
    number = session.answers()
    session.takes(events.AnswerEnded(number))
    taken = session.takes(events.WakeWordOverSpeech(number))
    assert session.interaction == "listening" and actions.KeepBricks() in taken
    assert session.ends(actions.ReleaseBricks) == [], "and the end of that turn goes no further"


def test_where_it_is_switched_off_the_wake_word_interrupts_nothing() -> None:
    session = Session(replace(OPTIONS, wake_word=False))
    assert session.takes(events.WakeWordOverSpeech(session.answers())) == []


def test_a_stop_word_silences_and_ends_the_answer() -> None:
    session = Session()
    number = session.answers()
    taken = session.takes(events.StopWordOverSpeech(number))
    assert taken == [actions.Silence(number), actions.Cancel(number, "stop word")]
    assert session.takes(events.StopWordOverSpeech(number)) == [], "once"
    session.takes(events.AnswerEnded(number))
    session.reads_battery()
    assert session.interaction == "standby", "without a follow-up"


def test_nobody_listens_for_a_stop_word_with_room_for_one_brick() -> None:
    session = Session(plan=ONE_BRICK)
    session.answers()
    assert not [action for action in session.begun if isinstance(action, actions.CheckStopWord)]


def test_a_question_that_goes_on_is_taken_up_again_before_anything_is_said() -> None:
    session = Session()
    number = session.hears_question()
    taken = session.takes(events.QuestionWentOn(number))
    assert session.interaction == "listening"
    by: Interruption = "rest of the question"
    assert taken[:3] == [actions.Silence(number), actions.Cancel(number, by), actions.ResumeQuestion()]
    assert actions.PlayTone not in kinds(taken)


def test_a_command_that_is_carried_out_is_not_carried_out_again_with_the_rest_of_the_question() -> None:
    session = Session()
    number = session.hears_question()
    session.takes(events.Understood(number, "device", "timer"))
    timers = Timers().with_timer(600, Now(0.0, 1e9))
    session.takes(events.Replied(number, replace(session.state.settings, timers=timers)))
    assert session.interaction == "thinking", "the timer is being saved"
    assert session.takes(events.QuestionWentOn(number)) == []
    assert session.ends(actions.WriteSettings) == [actions.Answer(number, 1.0)]


@pytest.mark.parametrize(("intent", "goes_on"), [("forget_last", False), ("keep", False), ("memory", True)])
def test_what_is_kept_or_forgotten_is_so_once_and_a_question_to_the_memory_may_go_on(
    intent: str, goes_on: bool
) -> None:
    session = Session()
    number = session.hears_question()
    session.takes(events.Understood(number, "memory", intent))
    assert bool(session.takes(events.QuestionWentOn(number))) is goes_on


def test_a_command_that_is_not_carried_out_yet_may_go_on() -> None:
    session = Session()
    number = session.hears_question()
    session.takes(events.Understood(number, "device", "timer"), events.QuestionWentOn(number))
    assert session.interaction == "listening"


def test_once_an_answer_is_said_speech_is_no_rest_of_the_question() -> None:
    session = Session()
    assert session.takes(events.QuestionWentOn(session.answers())) == []


def test_a_question_that_goes_on_while_it_waits_keeps_its_look() -> None:
    session = Session()
    first = session.answers()
    session.takes(events.WakeWordOverSpeech(first), events.SpeechEnded(2))
    question = session.last(actions.PrepareAnswer).question
    taken = session.takes(events.QuestionWentOn(question))
    again = session.last(actions.PrepareAnswer)
    assert (again.question, again.look) == (question, False)
    assert actions.Cancel not in kinds(taken)


@pytest.mark.parametrize("late", [events.Understood(9, "now"), events.AnswerBegan(9), events.Sounding(9),
                                  events.AnswerFailed(9, "gone"), events.WakeWordOverSpeech(9),
                                  events.StopWordOverSpeech(9), events.QuestionWentOn(9),
                                  events.AnswerEnded(9), events.AnnouncementEnded(9),
                                  events.TranscriptTried(9)])  # fmt: skip
def test_what_comes_late_from_an_earlier_answer_changes_nothing(late: events.Event) -> None:
    session = Session()
    number = session.answers()
    assert number != 9
    before = session.state
    assert session.takes(late) == [] and session.state == before
