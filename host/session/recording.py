"""Rules of recording: whether microphone and camera may be used.

Recording goes off by voice ("stop recording"), by the switch or by a command, and on by the button, the
switch or a command, never by voice.
"""

from __future__ import annotations

from dataclasses import replace

from host.session.actions import (
    AcknowledgeRequest,
    Cancel,
    CloseQuestion,
    ListenOverSpeech,
    SetRecording,
    Silence,
)
from host.session.draft import Draft
from host.session.events import RecordingRequested, SwitchMoved
from host.session.questions import abandon_question, check_stop_word, drop_queued
from host.session.state import ANSWERING
from host.session.values import Announcement, AnnouncementKind

_RECORDING_NEWS: tuple[AnnouncementKind, ...] = (
    "recording on",
    "recording off",
    "switch off",
    "switch unread",
    "recording unsaved",
)


def switch_moved(draft: Draft, event: SwitchMoved) -> None:
    """At off nothing is recorded, whatever else is set; at on recording is on. A switch at on that could not
    be read was not moved: what was set counts.
    """
    moved = not draft.state.switch_unread
    draft.set(switch_off=event.off, switch_unread=event.unread)
    if not event.off and moved:
        draft.change(replace(draft.state.settings, recording=True))
    off = "the switch can't be read" if event.unread else "the switch is at off"
    on = "the switch was moved to on" if moved else "the switch can be read again"
    apply_recording(draft, off if event.off else on)


def recording_requested(draft: Draft, event: RecordingRequested) -> None:
    """A command is obeyed unless the switch is at off, and acknowledged when it is applied and saved."""
    awaits: frozenset[int] = frozenset()
    if not draft.state.switch_off:
        awaits = draft.change(replace(draft.state.settings, recording=event.on))
        awaits |= apply_recording(draft, "the command line asked for it")
    draft.set(unacknowledged=(draft.state.unacknowledged or frozenset()) | awaits)
    acknowledge_request(draft, 0)


def acknowledge_request(draft: Draft, number: int) -> None:
    """Tells the command line when the last of the actions that it waits for has ended."""
    awaits = draft.state.unacknowledged
    if awaits is None:
        return
    draft.set(unacknowledged=awaits - {number})
    if not draft.state.unacknowledged:
        draft.set(unacknowledged=None)
        draft.act(AcknowledgeRequest())


def apply_recording(draft: Draft, cause: str, *, announce: bool = True) -> frozenset[int]:
    """Switches recording as settings and switch say; returns the numbers of the actions to wait for."""
    state = draft.state
    on = state.settings.recording and not state.switch_off
    if on == state.recording:
        return frozenset()
    draft.switch_recording("start_recording" if on else "stop_recording", cause)
    if on:
        _hear_over_speech(draft)
    else:
        _hear_nothing_more(draft)
        draft.set(bricks_used=True)  # released as soon as nothing is under way
    if announce:
        off_kind: AnnouncementKind = "switch unread" if state.switch_unread else "switch off"
        kind = "recording on" if on else off_kind if state.switch_off else "recording off"
        others = tuple(each for each in draft.state.waiting if each.kind not in _RECORDING_NEWS)
        draft.set(waiting=(*others, Announcement(kind, cause=cause)))
    return frozenset({draft.begin(lambda number: SetRecording(number, on))})


def _hear_over_speech(draft: Draft) -> None:
    """What is being said can be interrupted again."""
    speech, state = draft.state.speech, draft.state
    if speech is not None and state.interaction in ANSWERING:
        draft.act(ListenOverSpeech(speech.number))
        if state.interaction == "speaking":
            check_stop_word(draft, speech.number)


def _hear_nothing_more(draft: Draft) -> None:
    """What is being said may end; a question that is not understood yet is dropped."""
    abandon_question(draft, "recording is off")
    draft.act(CloseQuestion())
    speech = draft.state.speech
    if speech is None or speech.announcement is not None or speech.stage not in ("queued", "understanding"):
        return
    if speech.stage == "queued":
        drop_queued(draft, "recording is off")
        return
    draft.set(speech=None, cancelled=draft.state.cancelled | {speech.number})
    draft.act(Silence(speech.number), Cancel(speech.number, "recording off"))
    if draft.state.interaction == "thinking":
        draft.interact("dismissed", "recording is off")
