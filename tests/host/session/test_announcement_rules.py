"""The rules of announcements and timers: one test each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.answers.timers import REPEAT_S, TIMES, Now, Timers
from host.session import actions, events
from host.session.uncounted import uncounted
from host.session.values import WearerSettings
from tests.host.session.rules_bench import FAREWELL, Session, kinds, with_timer


def test_that_nothing_can_be_saved_is_said_once_after_what_was_set() -> None:
    session = Session(settings=with_timer(60))
    for _ in range(2):
        session.passes(60)
        session.takes(events.TimerDue())
        session.takes(events.SettingsWritten(session.last(actions.WriteSettings).number, False, True))
        session.ends_all()
        session.ends_all()
    said = [action.announcement.kind for action in session.begun if isinstance(action, actions.Announce)]
    assert said == ["timers", "settings unsaved", "timers"]


def test_where_nothing_is_to_be_saved_nothing_is_said_of_it() -> None:
    session = Session(settings=with_timer(60))
    session.passes(60)
    session.takes(events.TimerDue())
    session.takes(events.SettingsWritten(session.last(actions.WriteSettings).number, kept=False))
    session.ends_all()
    assert session.last(actions.Announce).announcement.kind == "timers" and session.interaction == "follow_up"


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


@pytest.mark.parametrize("woken", [events.WakeWordHeard(), events.Pressed("listen")])
@pytest.mark.parametrize("said", [0, TIMES - 1])
def test_a_timer_that_was_not_said_yet_is_said_after_what_the_wearer_asks_meanwhile(
    woken: events.Event, said: int
) -> None:
    settings = with_timer(60)
    (timer,) = settings.timers.running
    settings = replace(settings, timers=replace(settings.timers, running=(replace(timer, said=said),)))
    session = Session(settings=settings)
    session.passes(60)
    session.takes(events.TimerDue(), woken)
    assert session.interaction == "listening" and actions.Announce not in kinds(session.begun)
    if said:
        assert session.last(actions.TimersNoticed).numbers == (1,), "it was said before"
        return
    assert session.last(actions.WriteSettings).settings.timers.running[0].said == 0
    session.ends_all()
    session.takes(events.SpeechEnded(1))
    number = session.last(actions.Understand).number
    session.takes(events.Understood(number, "now"), events.AnswerBegan(number), events.AnswerEnded(number))
    session.reads_battery()
    session.ends(actions.WriteSettings)
    assert session.last(actions.Announce).due[0].number == 1


def test_a_double_press_while_a_timer_is_counted_repeats_the_last_answer_and_then_it_is_said() -> None:
    session = Session(settings=with_timer(60))
    session.passes(60)
    session.takes(events.TimerDue(), events.Pressed("choice"))
    assert session.last(actions.Announce).announcement.kind == "last answer"
    session.ends(actions.Announce)
    session.ends(actions.WriteSettings)
    assert session.last(actions.Announce).announcement.kind == "timers"


def test_the_last_announcement_of_a_timer_is_given_back_whole() -> None:
    now = Now(60.0, 1e9 + 60.0)
    before = Timers().with_timer(60, Now(0.0, 1e9)).with_timer(90, Now(0.0, 1e9))
    last = replace(before, running=(replace(before.running[0], said=TIMES - 1), before.running[1]))
    counted = last.after_announcement(last.due(now), now)
    assert [timer.seconds for timer in counted.running] == [90]
    assert uncounted(counted, last.due(now)) == replace(last, off_s=60.0)


def test_switching_off_leaves_a_timer_that_was_not_said_to_the_next_start() -> None:
    session = Session(settings=with_timer(60))
    session.passes(60)
    session.takes(events.TimerDue(), FAREWELL)
    assert session.last(actions.Announce).announcement.kind == "farewell"
    session.takes(events.Pressed("listen"))
    assert session.last(actions.WriteSettings).settings.timers.running[0].said == 0


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
