"""Hearing: chunks of sound become the session's events, and its actions set what is listened for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from host.config import ListenConfig
from host.hearing.barge_in import BargeIn, Burst
from host.hearing.endpointer import CHUNK, Endpointer, Pcm, RecordedQuestion, SpeechEvent
from host.language.router import Router
from host.session import actions, events
from host.turn.listening import Listening
from host.turn.recordings import Recordings
from host.turn.tools import Tools
from hw.emulated.clock import FakeClock
from models.brick import Transcript, Utterance
from tests.host.session.doubles import NotingQueue, perform

CONFIG = ListenConfig()
BURST = Burst(np.ones(CHUNK, np.int16), 1, whole=True)


def chunk(level: int = 0) -> Pcm:
    return np.full(CHUNK, level, np.int16)


def question(chunks: int, rest: int = 0) -> RecordedQuestion:
    return RecordedQuestion(np.full(rest + chunks * CHUNK, 5, np.int16), 0.0, 0.1, 1.0, 1.5)


class Ear:
    """An endpointer that finds what the test says."""

    def __init__(self) -> None:
        self.finds: SpeechEvent | None = None
        self.opened: list[dict[str, Any]] = []
        self.closed = 0
        self.fed = 0
        self.remembered = 0
        self.judged: list[tuple[float | None, float]] = []
        self.unit_s: float | None = None
        self.now_s = 0.0

    def feed(self, pcm: Pcm) -> SpeechEvent | None:
        self.fed += 1
        found, self.finds = self.finds, None
        return found

    def remember(self, pcm: Pcm) -> None:
        self.remembered += 1

    def open(self, **how: Any) -> None:
        self.opened.append(how)

    def close(self) -> None:
        self.closed += 1

    def judge(self, complete: float | None, at_s: float) -> None:
        self.judged.append((complete, at_s))


class Barge:
    """A barge-in detector that finds what the test says."""

    def __init__(self) -> None:
        self.begun = 0
        self.woken = False
        self.word_goes_on = False
        self.speech_chunks = 0
        self.bursts: list[Burst] = []

    def begin(self) -> None:
        self.begun += 1

    def feed(self, chunk: object) -> bool:
        return self.woken

    def wake_word_continues(self, chunk: object) -> bool:
        return self.word_goes_on

    def unfinished_speech(self) -> list[Pcm]:
        return [chunk(7)]

    def next_burst(self) -> Burst | None:
        return self.bursts.pop(0) if self.bursts else None

    def judge_transcript(self, burst: Burst, stop: bool, probability: float) -> bool:
        return stop and probability > 0.5


class Room:
    """The performer of hearing with a fake endpointer, barge-in detector and recogniser."""

    def __init__(self, transcripts: Sequence[str] = (), loaded: Sequence[str] = ("stt",)) -> None:
        clock = FakeClock()
        self.queue, self.ear, self.barge = NotingQueue(clock), Ear(), Barge()
        self.recordings = Recordings()
        self.transcripts = list(transcripts)
        self.may_transcribe = asyncio.Event()
        self.may_transcribe.set()
        bricks = SimpleNamespace(pids=lambda: dict.fromkeys(loaded, 1), run=self._transcribe)
        tools = SimpleNamespace(
            speaker=SimpleNamespace(loopback=None), clock=clock, bricks=bricks, router=Router()
        )
        self.listening = Listening(
            cast(Tools, tools),
            self.queue,
            cast(Endpointer, self.ear),
            cast(BargeIn, self.barge),
            CONFIG,
            self.recordings,
        )

    async def _transcribe(self, name: str, spoken: Utterance) -> AsyncGenerator[Transcript, None]:
        await self.may_transcribe.wait()
        yield Transcript(self.transcripts.pop(0), 0.9)

    def does(self, action: actions.Action) -> None:
        perform(self.listening, action)

    def hears(self, found: SpeechEvent | None = None, *, chunks: int = 1) -> list[events.Event]:
        """What is posted after so many chunks, in the first of which the endpointer finds `found`."""
        self.ear.finds = found
        for _ in range(chunks):
            self.listening.hear(chunk(1))
        return self.queue.taken()

    async def hears_burst(self, burst: Burst = BURST) -> list[events.Event]:
        """What is posted after a burst of speech and its transcripts."""
        self.barge.bursts = [burst]
        posted = self.hears()
        for _ in range(10):
            await asyncio.sleep(0)
        return posted + self.queue.taken()


@pytest.mark.parametrize(
    ("found", "event"),
    [
        (SpeechEvent("woken"), events.WakeWordHeard()),
        (SpeechEvent("speech"), events.SpeechBegan()),
        (SpeechEvent("resumed"), events.SpeechResumed()),
        (SpeechEvent("timeout"), events.NothingSaid()),
        (SpeechEvent("pause", question(3)), events.SpeechPaused(1)),
        (SpeechEvent("unit", question(3)), events.SpeechUnit(1)),
        (SpeechEvent("utterance", question(3)), events.SpeechEnded(1)),
    ],
)
def test_what_the_endpointer_finds_becomes_an_event_and_its_sound_is_kept(
    found: SpeechEvent, event: events.Event
) -> None:
    room = Room()
    assert room.hears() == []
    assert room.hears(found) == [event]
    if found.heard is not None:
        assert room.recordings.get(1) is found.heard


def test_over_an_answer_only_interruptions_are_listened_for() -> None:
    room = Room()
    room.does(actions.ListenOverSpeech(4))
    assert room.barge.begun == 1
    assert room.hears(SpeechEvent("woken"), chunks=3) == []
    assert (room.ear.fed, room.ear.remembered) == (0, 3), "its sound is kept for a question that begins"
    room.barge.woken = True
    assert room.hears() == [events.WakeWordOverSpeech(4)]


def test_the_question_after_an_interruption_begins_with_the_rest_of_the_wake_word() -> None:
    room = Room()
    room.does(actions.ListenOverSpeech(4))
    room.does(actions.OpenAtWakeWord())
    begun = {"pre_roll_s": CONFIG.pre_roll_s, "tail_s": CONFIG.wake_tail_s}
    assert room.ear.opened == [begun]
    room.barge.word_goes_on = True
    room.hears(chunks=2)
    assert room.ear.opened == [begun] * 3, "anew with each chunk of the word"
    room.barge.word_goes_on = False
    room.hears()
    room.barge.word_goes_on = True
    room.hears()
    assert room.ear.opened == [begun] * 3 and room.ear.fed == 4


def test_speech_soon_after_the_endpoint_goes_on_with_the_question() -> None:
    room = Room()
    room.hears(SpeechEvent("utterance", question(chunks=3, rest=40)))
    room.does(actions.ListenOverSpeech(4))
    assert room.hears(chunks=2) == []
    room.barge.speech_chunks = 6
    assert room.hears() == [events.QuestionWentOn(4)]
    assert room.hears() == [], "once"
    room.does(actions.ResumeQuestion())
    (opened,) = room.ear.opened
    assert [int(pcm[0]) for pcm in opened["spoken"]] == [5, 5, 5, 1, 1, 1]
    assert all(pcm.shape == (CHUNK,) for pcm in opened["spoken"])
    assert room.hears(SpeechEvent("speech")) == [events.SpeechBegan()]


def test_speech_long_after_the_endpoint_is_no_rest_of_the_question() -> None:
    room = Room()
    room.hears(SpeechEvent("utterance", question(chunks=3)))
    room.does(actions.ListenOverSpeech(4))
    room.hears(chunks=40)
    room.barge.speech_chunks = 6
    assert room.hears() == []


def goes_on_after(room: Room, *ends: SpeechEvent) -> bool:
    """Whether speech soon after these ends of questions is the rest of the last one."""
    for end in ends:
        room.hears(end)
    room.does(actions.ListenOverSpeech(4))
    room.barge.speech_chunks = 6
    return room.hears() == [events.QuestionWentOn(4)]


def test_a_question_that_was_cut_for_its_length_does_not_go_on() -> None:
    whole, cut = question(3), replace(question(3), cut=True)
    assert goes_on_after(Room(), SpeechEvent("utterance", whole))
    assert not goes_on_after(Room(), SpeechEvent("utterance", whole), SpeechEvent("utterance", cut))


def test_after_a_wake_without_words_late_words_follow_no_earlier_question() -> None:
    room = Room()
    assert goes_on_after(room, SpeechEvent("utterance", question(3)), SpeechEvent("timeout"))
    room.does(actions.ResumeQuestion())
    (opened,) = room.ear.opened
    assert [int(pcm[0]) for pcm in opened["spoken"]] == [1], "only what was said now"


def test_nothing_of_a_question_is_left_once_hearing_is_closed_as_by_recording_off() -> None:
    room = Room()
    room.hears(SpeechEvent("utterance", question(3)))
    room.does(actions.CloseQuestion())
    assert room.listening._question_pcm.size == 0
    assert not goes_on_after(room)


def test_recording_off_drops_what_was_recorded() -> None:
    room = Room()
    room.hears(SpeechEvent("utterance", question(3)))
    room.does(actions.SetRecording(1, on=True))
    assert len(room.recordings.get(1).pcm) and room.barge.begun == 0
    room.does(actions.SetRecording(2, on=False))
    assert not len(room.recordings.get(1).pcm)
    assert room.barge.begun == 1, "what it holds of the last two seconds is gone"


def test_a_question_after_an_answer_has_what_was_said_over_its_end() -> None:
    room = Room()
    room.does(actions.OpenQuestion())
    room.does(actions.OpenQuestion(8.0))
    after_press, follow_up = room.ear.opened
    assert (after_press["timeout_s"], after_press["spoken"]) == (None, [])
    assert follow_up["timeout_s"] == 8.0 and [int(pcm[0]) for pcm in follow_up["spoken"]] == [7]


def test_a_closed_question_leaves_the_wake_word() -> None:
    room = Room()
    room.does(actions.ListenOverSpeech(4))
    room.does(actions.CloseQuestion())
    assert room.ear.closed == 1
    assert room.hears(SpeechEvent("woken")) == [events.WakeWordHeard()]


def test_the_session_sets_the_silence_that_ends_a_question_and_the_length_of_units() -> None:
    room = Room()
    room.does(actions.JudgePause(0.9, 2.5))
    room.does(actions.ApplyPlan(1, 1, 1.5))
    assert room.ear.judged == [(0.9, 2.5)] and room.ear.unit_s == 1.5


# --- the stop word ------------------------------------------------------------------------------------------


def in_room(scene: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        await scene()

    asyncio.run(whole())


def test_a_burst_that_the_recogniser_takes_for_a_stop_word_is_told() -> None:
    async def scene() -> None:
        room = Room(["lovely", "stop"])
        room.does(actions.ListenOverSpeech(4))
        room.does(actions.CheckStopWord(4))
        assert await room.hears_burst() == []
        assert await room.hears_burst() == [events.StopWordOverSpeech(4)]

    in_room(scene)


def test_a_stop_word_that_the_headband_says_itself_does_not_count() -> None:
    async def scene() -> None:
        room = Room(["stop", "stop"])
        room.does(actions.ListenOverSpeech(4))
        room.does(actions.CheckStopWord(4))
        own = Burst(BURST.pcm, 1, whole=True, own=BURST.pcm)
        assert await room.hears_burst(own) == []

    in_room(scene)


@pytest.mark.parametrize(("checked", "loaded"), [(False, ["stt"]), (True, ["llm"])])
def test_bursts_wait_for_a_recogniser_that_is_loaded_and_not_needed(checked: bool, loaded: list[str]) -> None:
    async def scene() -> None:
        room = Room(["stop"], loaded)
        room.does(actions.ListenOverSpeech(4))
        if checked:
            room.does(actions.CheckStopWord(4))
        assert await room.hears_burst() == []
        assert room.transcripts and room.barge.bursts, "nothing was transcribed"

    in_room(scene)


@pytest.mark.parametrize("over", [actions.CloseQuestion(), actions.OpenAtWakeWord()])
def test_a_stop_word_that_is_known_too_late_stops_nothing(over: actions.Action) -> None:
    async def scene() -> None:
        room = Room(["stop"])
        room.does(actions.ListenOverSpeech(4))
        room.does(actions.CheckStopWord(4))
        room.may_transcribe.clear()
        await room.hears_burst()
        room.does(over)
        room.may_transcribe.set()
        for _ in range(10):
            await asyncio.sleep(0)
        assert room.queue.taken() == []

    in_room(scene)
