"""`step`: the one function that decides what happens next, and the table of its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from host.session import announcements, answers, events, power, questions, recording
from host.session.actions import Action, End, ReadBattery, ReleaseBricks, SetLight, WriteSettings
from host.session.draft import Draft
from host.session.events import Event
from host.session.state import State
from host.session.values import Announcement
from hw.device import LightPattern

Rule = Callable[[Draft, Any], None]


def started(draft: Draft, event: events.Started) -> None:
    """Takes over options, saved settings and the first plan."""
    draft.set(options=event.options, settings=event.settings, next_plan=event.plan)
    if event.problem:
        damaged = Announcement("settings damaged", event.problem, cause="settings were damaged")
        draft.set(waiting=(damaged,))
        draft.begin(lambda number: WriteSettings(number, event.settings))
    if event.went_back:
        draft.set(waiting=(*draft.state.waiting, announcements.WENT_BACK))
    recording.apply_recording(draft, "it was so before the restart")


def settings_written(draft: Draft, event: events.SettingsWritten) -> None:
    """What waited for the settings goes on: a reply, an announcement of timers, a command. The wearer is told
    when they cannot be written any more, and each time when recording off cannot.
    """
    if event.off_lost and not draft.state.off_lost:
        draft.set(waiting=(*draft.state.waiting, announcements.RECORDING_UNSAVED))
    elif event.failed and draft.state.kept:
        draft.set(waiting=(*draft.state.waiting, announcements.SETTINGS_UNSAVED))
    draft.set(kept=event.kept, off_lost=event.off_lost)
    recording.acknowledge_request(draft, event.number)
    _go_on(draft, event)


def recording_applied(draft: Draft, event: events.RecordingApplied) -> None:
    """What waited for microphone and camera goes on: a reply, a command."""
    recording.acknowledge_request(draft, event.number)
    _go_on(draft, event)


def bricks_released(draft: Draft, event: events.BricksReleased) -> None:
    """The end of the turn goes on with the battery; an announcement is over."""
    _go_on(draft, event)


def plan_decided(draft: Draft, event: events.PlanDecided) -> None:
    """A new plan is obeyed as soon as nothing is under way; cut-off asks for the farewell."""
    power.take_plan(draft, event)
    _go_on(draft, event)


def plan_applied(draft: Draft, event: events.PlanApplied) -> None:
    """The plan is obeyed; a turn that waited for it is over."""
    draft.set(applying=None)
    _go_on(draft, event)


def ended(draft: Draft, event: Event) -> None:
    """Nothing else depends on it."""


RULES: Mapping[type[Event], Rule] = {
    events.Started: started,
    events.StopAsked: announcements.stop_asked,
    events.SwitchOffAsked: announcements.switch_off_asked,
    events.QuestionOpened: questions.question_opened,
    events.WakeWordHeard: questions.wake_word_heard,
    events.SpeechBegan: questions.speech_began,
    events.SpeechPaused: questions.speech_paused,
    events.SpeechResumed: questions.speech_resumed,
    events.SpeechUnit: questions.speech_unit,
    events.SpeechEnded: questions.speech_ended,
    events.NothingSaid: questions.nothing_said,
    events.WakeWordOverSpeech: questions.wake_word_over_speech,
    events.StopWordOverSpeech: answers.stop_word_over_speech,
    events.QuestionWentOn: questions.question_went_on,
    events.MicrophoneFailed: announcements.microphone_failed,
    events.ProgramDamaged: announcements.program_damaged,
    events.MemoryStopped: announcements.memory_stopped,
    events.TranscriptTried: questions.transcript_tried,
    events.QuestionForgotten: questions.question_forgotten,
    events.Understood: answers.understood,
    events.Replied: answers.replied,
    events.AnswerBegan: answers.answer_began,
    events.Sounding: answers.sounding,
    events.AnswerFailed: answers.answer_failed,
    events.AnswerEnded: answers.answer_ended,
    events.AnnouncementEnded: announcements.announcement_ended,
    events.TonePlayed: ended,
    events.BricksReleased: bricks_released,
    events.SettingsWritten: settings_written,
    events.TimerDue: announcements.timer_due,
    events.ClockSet: announcements.clock_set,
    events.SwitchMoved: recording.switch_moved,
    events.RecordingRequested: recording.recording_requested,
    events.RecordingApplied: recording_applied,
    events.Pressed: announcements.pressed,
    events.PlanDecided: plan_decided,
    events.PlanApplied: plan_applied,
    events.Reminded: power.reminded,
    events.ReadyToSleep: power.ready_to_sleep,
    events.FellAsleep: power.fell_asleep,
    events.SleepRefused: power.sleep_refused,
    events.Awoke: power.awoke,
}
"""Event -> rule."""

ENDINGS: tuple[type[Event], ...] = (
    events.TranscriptTried, events.QuestionForgotten, events.AnswerEnded, events.AnnouncementEnded,
    events.TonePlayed, events.BricksReleased, events.SettingsWritten, events.RecordingApplied,
    events.PlanDecided, events.PlanApplied, events.ReadyToSleep, events.SleepRefused,
    events.Awoke,
)  # fmt: skip
"""Events that end an action. One whose action is not under way is late and changes nothing, except a plan
that nobody waited for and settings that were written at another try (number 0).
"""


def step(state: State, event: Event) -> tuple[State, tuple[Action, ...]]:
    """The state after `event`, and the actions to begin, in order. Time comes from `event.at`. After `End`
    nothing follows.
    """
    draft = Draft(state, event.at)
    if state.ended:
        return state, ()
    if isinstance(event, ENDINGS) and not _end(draft, event):
        return state, ()
    RULES[type(event)](draft, event)
    _begin_next(draft)
    power.manage_sleep(draft)
    _show(draft)
    return draft.state, tuple(draft.actions)


def _end(draft: Draft, event: Event) -> bool:
    """Removes the action that `event` ends; returns False for a late event."""
    number: int = event.question if isinstance(event, events.QuestionForgotten) else event.number  # type: ignore
    known = number in draft.state.running
    draft.set(running=draft.state.running - {number})
    return known or (isinstance(event, events.PlanDecided | events.SettingsWritten) and number == 0)


def _go_on(
    draft: Draft,
    event: events.SettingsWritten
    | events.RecordingApplied
    | events.BricksReleased
    | events.PlanDecided
    | events.PlanApplied,
) -> None:
    """Goes on with what is being said if it waited for the action that ended."""
    if not answers.awaited(draft, event):
        return
    speech = draft.state.speech
    assert speech is not None
    if speech.stage == "settling":
        answers.settled(draft)
    elif speech.stage == "saving":
        announcements.timers_counted(draft)
    elif speech.announcement is not None:
        announcements.finish_announcement(draft)
    elif isinstance(event, events.BricksReleased):
        draft.set_speech(awaits=frozenset({draft.begin(ReadBattery)}))
    elif draft.state.next_plan is not None and draft.state.applying is None:
        draft.set_speech(awaits=frozenset({power.apply_plan(draft)}))
    else:
        answers.finish_turn(draft)


def _begin_next(draft: Draft) -> None:
    """Begins what waited, most urgent first, when nothing is under way."""
    state = draft.state
    if state.interaction == "stopping":
        if not state.running and not state.ended:
            draft.set(ended=True)
            draft.act(End())
    elif not state.quiet:
        return
    elif state.farewell is not None:
        announcements.begin_announcement(draft, state.farewell)
    elif state.next_plan is not None:
        power.apply_plan(draft)
    elif state.waiting:
        draft.set(waiting=state.waiting[1:])
        announcements.begin_announcement(draft, state.waiting[0])
    elif not announcements.begin_timers(draft) and state.at_rest and state.keeps_bricks:
        draft.begin(ReleaseBricks)


def _show(draft: Draft) -> None:
    """Sets the light when its pattern changes."""
    pattern = _pattern(draft.state)
    if pattern is not None and pattern is not draft.state.light:
        draft.set(light=pattern)
        draft.act(SetLight(pattern))


def _pattern(state: State) -> LightPattern | None:
    """What the light has to show; None for no change."""
    speech = state.speech
    if speech is not None and speech.sounding:
        return LightPattern.SPEAKING
    if speech is not None and speech.failed:
        return LightPattern.ERROR
    if state.interaction == "thinking":
        return LightPattern.THINKING
    if state.interaction in ("standby", "listening", "follow_up"):
        if not state.recording:
            return LightPattern.RECORDING_OFF
        if state.interaction != "standby":
            return LightPattern.LISTENING
        return LightPattern.REMEMBERING if state.settings.memory else LightPattern.STANDBY
    return None
