"""The rules of plan, farewell and sleep: one test each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.session import actions, events
from host.session.power import BOTH_LISTEN_S, MOST_IN_VAIN
from host.session.values import PlanRules, WearerSettings
from host.states import InteractionState
from power.policy.plan import Mode
from tests.host.session.rules_bench import FAREWELL, PLAN, Session, kinds


def test_a_plan_waits_until_the_turn_is_over() -> None:
    session = Session()
    number = session.answers()
    plan = PlanRules(2, Mode.THROTTLED, "the battery is at half")
    assert session.takes(events.PlanDecided(plan)) == []
    assert session.state.plan == PLAN
    session.takes(events.AnswerEnded(number))
    taken = session.reads_battery(plan)
    applied = session.last(actions.ApplyPlan)
    assert taken == [applied] and applied.plan == 2
    assert session.interaction == "speaking", "the turn is over when the plan is obeyed"
    session.ends(actions.ApplyPlan)
    assert session.interaction == "follow_up" and session.state.regions.power == "throttled"


def test_in_standby_a_plan_is_obeyed_at_once() -> None:
    session = Session()
    session.takes(events.PlanDecided(PlanRules(2, Mode.THROTTLED, "the battery is at half")))
    assert session.last(actions.ApplyPlan).plan == 2


def test_an_empty_battery_asks_for_the_farewell() -> None:
    session = Session()
    taken = session.takes(events.PlanDecided(PlanRules(2, Mode.CUTOFF, "the battery is empty")))
    assert actions.SwitchOff("the battery is empty") in taken


@pytest.mark.parametrize("before", ["standby", "listening", "thinking", "speaking", "follow_up"])
def test_the_farewell_comes_over_everything_and_then_the_program_ends(before: InteractionState) -> None:
    session = Session()
    number = 0
    if before == "listening":
        session.takes(events.WakeWordHeard())
    elif before == "thinking":
        number = session.hears_question()
    elif before in ("speaking", "follow_up"):
        number = session.answers()
        if before == "follow_up":
            session.takes(events.AnswerEnded(number))
            session.reads_battery()
            number = 0
    assert session.interaction == before
    taken = session.takes(FAREWELL)
    if number:
        assert actions.Silence(number) in taken and actions.Cancel(number, "switch off") in taken
        session.takes(events.AnswerEnded(number))
        session.reads_battery()
    announced = session.last(actions.Announce)
    assert announced.announcement.sentence == "Goodbye."
    session.ends(actions.Announce)
    assert session.interaction == "stopping"
    session.ends_all()
    assert session.state.ended and session.begun[-1] == actions.End()


def test_the_farewell_does_not_wait_for_a_question_that_waited_itself() -> None:
    session = Session()
    first = session.answers()
    session.takes(events.WakeWordOverSpeech(first), events.SpeechEnded(2))
    question = session.last(actions.PrepareAnswer).question
    taken = session.takes(FAREWELL)
    assert actions.ForgetQuestion(question) in taken
    taken = session.takes(events.AnswerEnded(first))
    assert actions.Announce in kinds(taken) and actions.Understand not in kinds(taken)


def test_a_farewell_is_said_once_and_the_wake_word_only_silences_it() -> None:
    session = Session()
    session.takes(FAREWELL)
    number = session.last(actions.Announce).number
    assert session.takes(events.SwitchOffAsked("Again.", "a second request")) == []
    assert session.takes(events.WakeWordOverSpeech(number)) == [actions.Silence(number)]
    assert session.interaction == "speaking"


def test_the_program_ends_when_nothing_is_under_way() -> None:
    session = Session()
    number = session.hears_question()
    taken = session.takes(events.StopAsked("the script is over"))
    assert session.interaction == "stopping" and actions.End() not in taken
    session.ends(actions.PlayTone)
    assert session.takes(events.AnswerEnded(number)) == [actions.End()]


@pytest.mark.parametrize("memory", [False, True])
def test_after_quiet_time_the_computer_sleeps_unless_something_begins(memory: bool) -> None:
    """Also while it remembers what it sees, on which `power.remembering` rests."""
    settings = WearerSettings(memory=memory)
    session = Session(plan=replace(PLAN, suspend_between_events=True), settings=settings)
    reminder = session.last(actions.Remind)
    assert reminder.at_s == 10.0 - BOTH_LISTEN_S
    session.passes(reminder.at_s)
    assert kinds(session.takes(events.Reminded(reminder.number))) == [actions.ListenBeside, actions.Remind]
    last = session.last(actions.Remind)
    assert last.at_s == 10.0 and session.takes(events.Reminded(reminder.number)) == []
    assert kinds(session.takes(events.Reminded(last.number))) == [actions.PrepareSleep]
    session.takes(events.WakeWordHeard())
    assert session.ends(actions.PrepareSleep) == [actions.Watch()]


def test_what_begins_while_both_listen_begins_the_quiet_time_anew() -> None:
    session = Session(plan=replace(PLAN, suspend_between_events=True))
    session.takes(events.Reminded(session.last(actions.Remind).number))
    last = session.last(actions.Remind)
    session.takes(events.WakeWordHeard())
    assert session.takes(events.Reminded(last.number)) == []
    assert not session.state.both_listen and session.state.reminder is None


def test_a_reminder_from_before_a_question_puts_nobody_to_sleep() -> None:
    session = Session(plan=replace(PLAN, suspend_between_events=True))
    reminder = session.last(actions.Remind)
    session.takes(events.WakeWordHeard())
    assert session.takes(events.Reminded(reminder.number)) == []


@pytest.mark.parametrize("by_sound", [False, True])
@pytest.mark.parametrize("recording", [False, True])
def test_only_a_sound_has_the_camera_ready_for_a_question(by_sound: bool, recording: bool) -> None:
    session = Session(plan=replace(PLAN, suspend_between_events=True))
    number = asleep(session)
    if not recording:
        session.takes(events.SwitchMoved(True))
    taken = session.takes(events.Awoke(number, by_sound=by_sound))
    assert (actions.ReadyCamera() in taken) == (by_sound and recording)
    assert actions.Watch() in taken


def test_sounds_that_bring_no_question_do_not_go_on_having_the_camera_ready() -> None:
    session = Session(plan=replace(PLAN, suspend_between_events=True))

    def readied() -> bool:
        taken = session.takes(events.Awoke(asleep(session), by_sound=True))
        session.reads_battery()
        return actions.ReadyCamera() in taken

    assert [readied() for _ in range(4)] == [True] * MOST_IN_VAIN + [False] * (4 - MOST_IN_VAIN)
    session.takes(events.AnswerEnded(session.answers()))
    session.reads_battery()
    session.takes(events.NothingSaid())
    session.ends_all()
    assert session.state.at_rest and readied()


def asleep(session: Session) -> int:
    """Lets the computer sleep; returns the number of the sleep."""
    for _ in range(2):
        session.takes(events.Reminded(session.last(actions.Remind).number))
    session.ends(actions.PrepareSleep)
    number = session.last(actions.Sleep).number
    session.takes(events.FellAsleep(number))
    return number
