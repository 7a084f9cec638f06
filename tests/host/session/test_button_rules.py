"""The rules of the button: one test each."""

from __future__ import annotations

import pytest

from host.session import actions, events
from host.session.values import PlanRules
from tests.host.session.rules_bench import ONE_BRICK, PLAN, Session


def test_a_short_press_listens() -> None:
    session = Session()
    taken = session.takes(events.Pressed("listen"))
    assert session.interaction == "listening" and actions.OpenQuestion() in taken


def test_a_short_press_leaves_an_answer_alone_and_a_double_press_silences_it() -> None:
    session = Session()
    number = session.answers()
    assert session.takes(events.Pressed("listen")) == [actions.NotePresence()]
    assert session.takes(events.Pressed("choice")) == [actions.NotePresence(), actions.Silence(number)]


def test_a_double_press_silences_an_answer_that_waits_for_the_end_of_an_earlier_one() -> None:
    session = Session()
    first = session.answers()
    session.takes(events.WakeWordOverSpeech(first), events.SpeechEnded(2), events.Pressed("choice"))
    question = session.last(actions.PrepareAnswer).question
    taken = session.takes(events.AnswerEnded(first))
    assert taken == [actions.Understand(question, 2), actions.Silence(question)]


@pytest.mark.parametrize("plan", [PLAN, ONE_BRICK])
def test_a_short_press_while_a_turn_is_wound_up_listens(plan: PlanRules) -> None:
    session = Session(plan=plan)
    number = session.answers()
    session.takes(events.AnswerEnded(number))
    taken = session.takes(events.Pressed("listen"))
    assert session.interaction == "listening" and actions.KeepBricks() in taken
    heard = [actions.CloseQuestion(), actions.OpenQuestion()]
    assert [action for action in taken if action in heard] == heard, "the microphone hears a question again"
    session.takes(events.SpeechEnded(2))
    assert session.last(actions.Understand).recording == 2


def test_a_double_press_while_a_turn_is_wound_up_repeats_the_answer() -> None:
    session = Session()
    session.takes(events.AnswerEnded(session.answers()), events.Pressed("choice"))
    session.reads_battery()
    assert session.last(actions.Announce).announcement.kind == "last answer"


@pytest.mark.parametrize("press", ["listen", "choice"])
def test_any_press_silences_an_announcement(press: str) -> None:
    session = Session()
    number = session.announces()
    taken = session.takes(events.Pressed("listen" if press == "listen" else "choice"))
    assert taken == [actions.NotePresence(), actions.Silence(number)]


def test_a_double_press_repeats_the_last_answer() -> None:
    session = Session()
    session.takes(events.Pressed("choice"))
    assert session.last(actions.Announce).announcement.kind == "last answer"
    session.ends(actions.Announce)
    assert session.interaction == "standby"
