"""The rules of announcements and timers: one test each."""

from __future__ import annotations

from host.answers.timers import REPEAT_S, Now, Timers
from host.session import actions, events
from host.session.values import WearerSettings
from tests.host.session.rules_bench import Session, kinds, with_timer


def test_a_timer_is_counted_on_the_disk_before_it_is_said() -> None:
    session = Session(settings=with_timer(60))
    session.passes(60)
    taken = session.takes(events.TimerDue())
    assert kinds(taken) == [actions.WriteSettings]
    assert session.state.settings.timers.running[0].said == 1
    taken = session.ends(actions.WriteSettings)
    announced = session.last(actions.Announce)
    assert announced in taken and announced.announcement.tone == "timer" and announced.due
    session.ends(actions.Announce)
    assert session.interaction == "follow_up", "the wearer may say that it has been noticed"


def test_a_timer_waits_for_the_end_of_an_answer() -> None:
    session = Session(settings=with_timer(60))
    number = session.answers()
    session.passes(60)
    assert session.takes(events.TimerDue()) == []
    session.takes(events.AnswerEnded(number))
    taken = session.reads_battery()
    assert actions.WriteSettings in kinds(taken)
    assert actions.Announce in kinds(session.ends(actions.WriteSettings))


def test_a_timer_that_the_wearer_noticed_is_announced_no_more() -> None:
    session = Session(settings=with_timer(60))
    session.passes(60)
    session.takes(events.TimerDue())
    session.ends(actions.WriteSettings)
    number = session.last(actions.Announce).number
    taken = session.takes(events.Pressed("listen"))
    assert actions.TimersNoticed((1,)) in taken and actions.Silence(number) in taken
    session.ends(actions.Announce)
    session.passes(REPEAT_S)
    assert session.takes(events.TimerDue()) == [] and session.interaction == "standby"


def test_the_wake_word_while_a_timer_is_counted_takes_its_place() -> None:
    session = Session(settings=with_timer(60))
    session.passes(60)
    session.takes(events.TimerDue(), events.WakeWordHeard())
    assert session.interaction == "listening" and session.state.settings.timers.running == ()
    assert actions.Announce not in kinds(session.ends(actions.WriteSettings))


def test_a_damaged_program_is_told_after_the_answer_and_once() -> None:
    session = Session()
    number = session.answers()
    assert session.takes(events.ProgramDamaged(), events.ProgramDamaged()) == []
    session.takes(events.AnswerEnded(number))
    session.reads_battery()
    assert session.last(actions.Announce).announcement.kind == "program damaged"
    assert session.state.waiting == ()


def test_a_clock_that_is_set_moves_alarms_and_no_timers() -> None:
    timers = Timers().with_alarm(1e9 + 600, Now(0.0, 1e9)).with_timer(600, Now(0.0, 1e9))
    session = Session(settings=WearerSettings(timers=timers))
    session.wall_ahead_s += 300
    assert kinds(session.takes(events.ClockSet())) == [actions.WriteSettings]
    assert [timer.due_s for timer in session.state.settings.timers.running] == [300.0, 600.0]


def test_settings_that_were_damaged_are_said_and_written_anew() -> None:
    session = Session(problem="I forgot a part.")
    assert session.last(actions.WriteSettings).settings == session.state.settings
    assert session.last(actions.Announce).announcement.sentence == "I forgot a part."
