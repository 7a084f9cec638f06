"""Rules of announcements: what waits, what is said first, and how it ends.

An announcement is a turn without a question: the wake word, "stop" and the button silence it as they silence
an answer.
"""

from __future__ import annotations

from dataclasses import replace

from host.answers.timers import Timer
from host.session.actions import (
    Announce,
    Cancel,
    CloseQuestion,
    KeepBricks,
    ListenOverSpeech,
    NotePresence,
    OpenQuestion,
    ReleaseBricks,
    Silence,
)
from host.session.answers import follow, may_follow
from host.session.draft import Draft
from host.session.events import (
    AnnouncementEnded,
    ClockSet,
    MemoryStopped,
    MicrophoneFailed,
    Pressed,
    ProgramDamaged,
    StopAsked,
    SwitchOffAsked,
    TimerDue,
)
from host.session.questions import (
    abandon_question,
    begin_question,
    check_stop_word,
    drop_queued,
    leave_unsaid,
    start_turn,
)
from host.session.recording import apply_recording
from host.session.state import ANSWERING, Speech
from host.session.values import Announcement

TIMERS = Announcement("timers", tone="timer", cause="a timer is due")
NO_MICROPHONE = Announcement("no microphone", cause="the microphone does not answer")
LAST_ANSWER = Announcement("last answer", cause="the button was pressed twice")
WENT_BACK = Announcement("went back", cause="the release before runs again")
PROGRAM_DAMAGED = Announcement("program damaged", cause="files of the program are damaged")
SETTINGS_UNSAVED = Announcement("settings unsaved", cause="the settings cannot be written")
RECORDING_UNSAVED = Announcement("recording unsaved", cause="that recording is off cannot be written")
SOMETHING_ELSE = "something has to be announced"


def timer_due(draft: Draft, event: TimerDue) -> None:
    """Timers are announced as soon as nothing else is under way; see `begin_timers`."""


def clock_set(draft: Draft, event: ClockSet) -> None:
    """Timers keep their remaining seconds, alarms their time of day."""
    timers = draft.state.settings.timers.adjusted(draft.now)
    if timers is not draft.state.settings.timers:
        draft.change(replace(draft.state.settings, timers=timers))


def microphone_failed(draft: Draft, event: MicrophoneFailed) -> None:
    """The wearer is told, and the present question is given up."""
    if draft.state.recording:
        abandon_question(draft, "the microphone does not answer")
        if NO_MICROPHONE not in draft.state.waiting:
            draft.set(waiting=(*draft.state.waiting, NO_MICROPHONE))


def program_damaged(draft: Draft, event: ProgramDamaged) -> None:
    """The wearer is told, as only a deploy can repair it."""
    if PROGRAM_DAMAGED not in draft.state.waiting:
        draft.set(waiting=(*draft.state.waiting, PROGRAM_DAMAGED))


def memory_stopped(draft: Draft, event: MemoryStopped) -> None:
    """Memory is off until the wearer switches it on again, and says why once."""
    if draft.state.settings.memory:
        draft.change(replace(draft.state.settings, memory=False))
        told = Announcement("memory stopped", event.problem, cause="nothing more can be remembered")
        draft.set(waiting=(*draft.state.waiting, told))


def pressed(draft: Draft, event: Pressed) -> None:
    """Any press silences an announcement; a double press silences an answer, or repeats the last one; a short
    press listens, or switches recording on.
    """
    draft.act(NotePresence())
    leave_unsaid(draft)
    draft.acknowledge_timers()
    speech, state = draft.state.speech, draft.state
    said = speech is not None and speech.stage == "ending"
    free = state.free or (said and state.interaction in ANSWERING and state.farewell is None)
    if speech is not None and not said:
        if speech.announcement is not None or event.press == "choice":
            silence(draft, speech)
    elif event.press == "choice":
        if free and LAST_ANSWER not in state.waiting:
            draft.set(waiting=(*state.waiting, LAST_ANSWER))
    elif not state.recording:
        _switch_recording_on(draft)
    elif free:
        if speech is not None:
            draft.set(speech=None)
            draft.act(KeepBricks(), CloseQuestion())
        draft.act(OpenQuestion())
        begin_question(draft, "the button was pressed")


def _switch_recording_on(draft: Draft) -> None:
    state = draft.state
    if state.switch_off:
        kind = Announcement(
            "switch unread" if state.switch_unread else "switch off", cause="the button was pressed"
        )
        if kind not in state.waiting:
            draft.set(waiting=(*state.waiting, kind))
        return
    draft.change(replace(state.settings, recording=True))
    apply_recording(draft, "the button was pressed")


def silence(draft: Draft, speech: Speech) -> None:
    """Silences what is being said; it ends by itself."""
    if not speech.silenced:
        draft.set_speech(silenced=True)
    draft.act(Silence(speech.number))


def switch_off_asked(draft: Draft, event: SwitchOffAsked) -> None:
    """Silences everything, then says farewell. The first request counts."""
    if draft.state.farewell is not None or draft.state.interaction == "stopping":
        return
    draft.set(farewell=Announcement("farewell", event.farewell, cause=event.cause), waiting=())
    abandon_question(draft, SOMETHING_ELSE)
    leave_unsaid(draft)
    speech = draft.state.speech
    if speech is None:
        return
    if speech.stage == "queued":
        drop_queued(draft, event.cause)
        return
    silence(draft, speech)
    if speech.stage != "ending":
        draft.act(Cancel(speech.number, "switch off"))


def stop_asked(draft: Draft, event: StopAsked) -> None:
    """Nothing new begins; the program ends when what is under way has ended."""
    stop(draft, event.cause)


def stop(draft: Draft, cause: str) -> None:
    """Takes the interaction to stopping."""
    if draft.state.interaction == "stopping":
        return
    leave_unsaid(draft)
    speech = draft.state.speech
    if speech is not None and speech.stage == "queued":
        draft.set(speech=None, question=speech.number)
    abandon_question(draft, cause)
    draft.interact("stop", cause)
    draft.set(waiting=())


def begin_announcement(draft: Draft, announcement: Announcement, due: tuple[Timer, ...] = ()) -> None:
    """In standby and follow-up: says something unasked."""
    if draft.state.interaction != "standby":
        abandon_question(draft, SOMETHING_ELSE)
    state = draft.state
    draft.interact("announce", announcement.cause)
    number = draft.begin(lambda number: Announce(number, announcement, state.settings, due, state.kept))
    draft.set(speech=Speech(number, "answering", announcement))
    draft.act(ListenOverSpeech(number))
    check_stop_word(draft, number)


def begin_timers(draft: Draft) -> bool:
    """Counts an announcement of the due timers on the disk; it is said when that is done, so that a restart
    in the middle never makes one more of it. Returns whether timers are due.
    """
    settings = draft.state.settings
    due = settings.timers.due(draft.now)
    if not due:
        return False
    abandon_question(draft, SOMETHING_ELSE)
    awaits = draft.change(replace(settings, timers=settings.timers.after_announcement(due, draft.now)))
    draft.set(speech=Speech(0, "saving", TIMERS, awaits=awaits, due=due))
    return True


def timers_counted(draft: Draft) -> None:
    """Says the announcement that was counted."""
    speech = draft.state.speech
    assert speech is not None and speech.announcement is not None
    draft.set(speech=None)
    begin_announcement(draft, speech.announcement, speech.due)


def announcement_ended(draft: Draft, event: AnnouncementEnded) -> None:
    """Releases the bricks when there is room for one only; an interruption counts as the wearer's notice."""
    if draft.give_way_ended(event.number):
        start_turn(draft)
        return
    speech = draft.answer_to(event.number)
    if speech is None or speech.announcement is None:
        return
    if speech.silenced:
        draft.acknowledge_timers()
    if draft.state.plan.one_at_a_time and draft.state.interaction != "stopping":
        draft.set_speech(stage="ending", awaits=frozenset({draft.begin(ReleaseBricks)}))
    else:
        finish_announcement(draft)


def finish_announcement(draft: Draft) -> None:
    """After one with a tone the wearer may reply; after a farewell the headband stops."""
    speech = draft.state.speech
    assert speech is not None and speech.announcement is not None
    draft.set(speech=None)
    if draft.state.interaction == "stopping":
        return
    draft.act(CloseQuestion())
    if speech.announcement.tone and not speech.silenced and may_follow(draft):
        follow(draft, "the announcement may be answered")
        return
    draft.interact("closed", "the announcement is over")
    if speech.announcement.kind == "farewell":
        stop(draft, speech.announcement.cause)
