"""The rules of questions, answers and announcements, one test each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.answers.timers import REPEAT_S, Now, Timers
from host.session import actions, events
from host.session.values import Interruption, PlanRules, WearerSettings
from host.states import InteractionState
from hw.device import LightPattern
from power.policy.plan import Mode
from tests.host.session.rules_bench import ONE_BRICK, OPTIONS, PLAN, Session, kinds

FAREWELL = events.SwitchOffAsked("Goodbye.", "the button was pressed for long")


def with_timer(seconds: int) -> WearerSettings:
    return WearerSettings(timers=Timers().with_timer(seconds, Now(0.0, 1e9)))


# --- a question ---------------------------------------------------------------------------------------------


def test_the_wake_word_opens_a_question_and_prepares_its_answer() -> None:
    session = Session()
    taken = session.takes(events.WakeWordHeard())
    assert session.interaction == "listening"
    assert kinds(taken) == [
        actions.NotePresence, actions.PlayTone, actions.PrepareAnswer, actions.SetLight,
    ]  # fmt: skip
    assert session.last(actions.PlayTone).name == "woken"
    assert session.last(actions.SetLight).pattern is LightPattern.LISTENING
    prepared = session.last(actions.PrepareAnswer)
    assert prepared.look and prepared.recogniser


def test_the_wake_word_said_again_is_the_same_question_and_one_look() -> None:
    session = Session()
    session.takes(events.WakeWordHeard())
    first = session.last(actions.PrepareAnswer)
    session.takes(events.WakeWordHeard())
    again = session.last(actions.PrepareAnswer)
    assert again.question == first.question and not again.look


def test_with_room_for_one_brick_the_look_comes_before_the_recogniser() -> None:
    session = Session(plan=ONE_BRICK)
    session.takes(events.WakeWordHeard())
    assert not session.last(actions.PrepareAnswer).recogniser


def test_a_question_becomes_a_turn_with_its_number() -> None:
    session = Session()
    session.takes(events.WakeWordHeard())
    question = session.last(actions.PrepareAnswer).question
    taken = session.takes(events.SpeechEnded(7))
    assert taken == [
        actions.ListenOverSpeech(question),
        actions.Understand(question, 7),
        actions.SetLight(LightPattern.THINKING),
    ]


def test_silence_instead_of_a_question_is_answered_too() -> None:
    session = Session()
    session.takes(events.WakeWordHeard(), events.NothingSaid())
    assert session.interaction == "thinking"
    assert session.last(actions.Understand).recording is None


def test_a_pause_is_transcribed_and_judged_by_how_complete_the_words_are() -> None:
    session = Session()
    taken = session.takes(events.WakeWordHeard(), events.SpeechPaused(3))
    attempt = session.last(actions.TryTranscript)
    assert taken == [attempt] and attempt.recording == 3 and not attempt.unit
    taken = session.takes(events.TranscriptTried(attempt.number, 0.9, 2.5))
    assert taken == [actions.JudgePause(0.9, 2.5)]


def test_a_unit_of_speech_is_transcribed_only_by_a_recogniser_that_is_idle() -> None:
    session = Session()
    session.takes(events.WakeWordHeard(), events.SpeechUnit(3))
    assert session.last(actions.TryTranscript).unit


def test_speech_after_a_pause_drops_the_early_transcript() -> None:
    session = Session()
    taken = session.takes(events.WakeWordHeard(), events.SpeechPaused(3), events.SpeechResumed())
    assert taken == [actions.DropTranscript(session.last(actions.PrepareAnswer).question)]


def test_an_early_transcript_that_comes_after_the_endpoint_judges_nothing() -> None:
    session = Session()
    session.takes(events.WakeWordHeard(), events.SpeechPaused(3))
    attempt = session.last(actions.TryTranscript)
    session.takes(events.SpeechEnded(4))
    assert session.takes(events.TranscriptTried(attempt.number, 0.9, 2.5)) == []


def test_speech_outside_a_question_changes_nothing() -> None:
    session = Session()
    before = session.state
    for event in (events.SpeechPaused(1), events.SpeechUnit(1), events.SpeechResumed(), events.NothingSaid(),
                  events.SpeechBegan(), events.SpeechEnded(1)):  # fmt: skip
        assert session.takes(event) == []
    assert session.state == before


def test_a_microphone_that_fails_ends_the_question_and_is_announced() -> None:
    session = Session()
    session.takes(events.WakeWordHeard())
    question = session.last(actions.PrepareAnswer).question
    taken = session.takes(events.MicrophoneFailed())
    assert actions.ForgetQuestion(question) in taken and actions.CloseQuestion() in taken
    assert session.last(actions.Announce).announcement.kind == "no microphone"


# --- an answer ----------------------------------------------------------------------------------------------


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


# --- interruptions ------------------------------------------------------------------------------------------


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


# --- the button ---------------------------------------------------------------------------------------------


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


# --- recording ----------------------------------------------------------------------------------------------


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


# --- announcements and timers -------------------------------------------------------------------------------


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


# --- power and farewell -------------------------------------------------------------------------------------


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


def test_after_quiet_time_the_computer_sleeps_unless_something_begins() -> None:
    session = Session(plan=replace(PLAN, suspend_between_events=True))
    reminder = session.last(actions.Remind)
    assert reminder.at_s == 10.0
    assert kinds(session.takes(events.Reminded(reminder.number))) == [actions.PrepareSleep]
    session.takes(events.WakeWordHeard())
    assert session.ends(actions.PrepareSleep) == [actions.Watch()]


def test_a_reminder_from_before_a_question_puts_nobody_to_sleep() -> None:
    session = Session(plan=replace(PLAN, suspend_between_events=True))
    reminder = session.last(actions.Remind)
    session.takes(events.WakeWordHeard())
    assert session.takes(events.Reminded(reminder.number)) == []
