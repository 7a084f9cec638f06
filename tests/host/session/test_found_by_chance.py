"""Sequences that random events found, or that are too rare for them, each with what a wearer would notice."""

from __future__ import annotations

from dataclasses import replace

from host.answers.timers import Now, Timers
from host.session import actions as a
from host.session import events as e
from host.session.reply_settings import with_reply
from host.session.state import State
from host.session.step import step
from host.session.values import Options, PlanRules, WearerSettings

START = Now(10.0, 1000.0)
FAREWELL = e.SwitchOffAsked("Goodbye.", "a long press")


class Session:
    """A started session in performance mode; `after` feeds events and returns the actions of the last."""

    def __init__(self, timers: Timers | None = None) -> None:
        self.state = State()
        settings = WearerSettings(timers=timers or Timers())
        self.after(e.Started(Options(follow_up_s=8.0), settings, PlanRules(1)))
        self.after(e.PlanApplied(1))

    def after(self, *events: e.Event, at: Now = START) -> tuple[a.Action, ...]:
        """Feeds the events."""
        actions: tuple[a.Action, ...] = ()
        for event in events:
            self.state, actions = step(self.state, replace(event, at=at))
        return tuple(each for each in actions if not isinstance(each, a.Record | a.SetLight))

    def asked(self) -> int:
        """Asks a question; returns the number of its turn."""
        self.after(e.WakeWordHeard(), e.SpeechEnded(1))
        assert self.state.speech is not None
        return self.state.speech.number

    def answered(self) -> int:
        """Asks a question, which is answered aloud; returns the number of the turn."""
        turn = self.asked()
        self.after(e.Understood(turn, "now"), e.AnswerBegan(turn))
        return turn

    def follow_up(self) -> None:
        """Asks a question; its answer is over."""
        self.after(e.AnswerEnded(self.answered()))
        self.after(e.PlanDecided(self.state.plan, max(self.state.running)))
        assert self.state.interaction == "follow_up"


def kinds(actions: tuple[a.Action, ...]) -> set[type[a.Action]]:
    return {type(each) for each in actions}


def test_an_interrupted_turn_that_fails_has_ended() -> None:
    session = Session()
    turn = session.answered()
    session.after(e.WakeWordOverSpeech(turn), e.SpeechEnded(2))
    actions = session.after(e.AnswerFailed(turn, "a brick has failed"))
    assert kinds(actions) == {a.Understand}, "the second question is answered"
    assert turn not in session.state.running


def test_an_announcement_waits_for_the_end_of_what_gave_way() -> None:
    session = Session()
    turn = session.asked()
    assert a.Announce not in kinds(session.after(e.SwitchMoved(off=True)))
    assert a.Announce in kinds(session.after(e.AnswerEnded(turn)))


def test_a_reply_does_not_undo_what_changed_while_it_was_worked_out() -> None:
    session = Session()
    turn = session.asked()
    [reply] = session.after(e.Understood(turn, "device", "volume"))
    assert isinstance(reply, a.Reply)
    session.after(e.RecordingRequested(on=False))
    session.after(e.Replied(turn, replace(reply.settings, volume_percent=20)))
    assert session.state.settings.volume_percent == 20
    assert not session.state.settings.recording and not session.state.recording


def test_a_timer_that_was_noticed_during_a_reply_stays_gone() -> None:
    running = Timers().with_timer(5, START).with_timer(7, START)
    before = WearerSettings(timers=running.after_announcement(running.running[:1], START))
    present = replace(before, timers=before.timers.acknowledged(START))
    after = replace(before, timers=before.timers.with_timer(60, START))
    timers = with_reply(present, before, after).timers
    assert [timer.seconds for timer in timers.running] == [7, 60]
    assert [timer.seconds for timer in timers.off] == [5]


def test_speech_in_a_follow_up_counts_while_a_plan_is_applied() -> None:
    session = Session()
    session.follow_up()
    session.after(e.PlanDecided(PlanRules(2, sleep_within_s=1.0)))
    assert session.state.applying is not None
    assert a.Understand in kinds(session.after(e.SpeechEnded(2)))


def test_a_press_counts_while_a_plan_is_applied() -> None:
    session = Session()
    session.after(e.PlanDecided(PlanRules(2, sleep_within_s=1.0)))
    assert session.state.applying is not None
    assert a.OpenQuestion in kinds(session.after(e.Pressed("listen")))


def test_a_due_timer_ends_the_follow_up_before_it_is_counted() -> None:
    session = Session(Timers().with_timer(5, START))
    session.follow_up()
    later = Now(START.mono_s + 6, START.wall_s + 6)
    assert {a.CloseQuestion, a.WriteSettings} <= kinds(session.after(e.TimerDue(), at=later))
    assert session.state.interaction == "standby"
    assert session.state.speech is not None
    written = e.SettingsWritten(min(session.state.speech.awaits))
    assert a.Announce in kinds(session.after(written, at=later))


def test_switching_off_drops_a_question_that_waits() -> None:
    session = Session()
    turn = session.answered()
    session.after(e.WakeWordOverSpeech(turn), e.SpeechEnded(2))
    assert a.ForgetQuestion in kinds(session.after(FAREWELL))
    assert a.Announce in kinds(session.after(e.AnswerEnded(turn)))


def test_switching_off_ends_a_turn_that_is_about_to_go_on() -> None:
    session = Session()
    turn = session.asked()
    assert a.Cancel in kinds(session.after(FAREWELL))
    assert session.after(e.Understood(turn, "now")) == ()
    session.after(e.AnswerEnded(turn))
    session.after(e.PlanDecided(session.state.plan, max(session.state.running)))
    assert session.state.interaction == "speaking", "the farewell"


def test_a_wake_word_does_not_delay_the_farewell() -> None:
    session = Session()
    session.after(e.PlanDecided(PlanRules(2, sleep_within_s=1.0)), FAREWELL)
    assert session.after(e.WakeWordHeard()) == ()
    assert a.Announce in kinds(session.after(e.PlanApplied(max(session.state.running))))


def test_words_of_an_earlier_question_judge_no_pause() -> None:
    session = Session()
    session.after(e.WakeWordHeard(), e.SpeechPaused(1))
    tried = max(session.state.running)
    turn = session.state.question
    assert turn is not None
    session.after(e.SpeechEnded(1), e.WakeWordOverSpeech(turn))
    assert session.after(e.TranscriptTried(tried, 0.9, 1.0)) == ()


def test_a_microphone_that_fails_again_ends_the_question() -> None:
    session = Session()
    session.after(e.PlanDecided(PlanRules(2, sleep_within_s=1.0)), e.MicrophoneFailed())
    session.after(e.WakeWordHeard(), e.MicrophoneFailed())
    assert session.state.question is None and len(session.state.waiting) == 1


def test_after_the_end_nothing_happens() -> None:
    session = Session()
    assert kinds(session.after(e.StopAsked("SIGTERM"))) == {a.End}
    assert session.after(e.RecordingRequested(on=False)) == session.after(e.Pressed("listen")) == ()


def test_an_end_of_an_announcement_does_not_end_an_answer() -> None:
    session = Session()
    turn = session.answered()
    session.after(e.AnnouncementEnded(turn))
    assert session.state.speech is not None
    assert session.state.speech.number == turn
