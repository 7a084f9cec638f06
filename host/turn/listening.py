"""Hears: turns the microphone's chunks into events.

While the headband is silent, an endpointer finds wake word and questions; while it speaks, a barge-in
detector finds the wake word, a stop word, and speech that goes on with the question.
"""

from __future__ import annotations

import asyncio
import contextlib

import numpy as np

from host.config import ListenConfig
from host.event_queue import EventQueue, Performs
from host.hearing.barge_in import BargeIn, Burst
from host.hearing.endpointer import CHUNK, Endpointer, Pcm, SpeechEvent
from host.hearing.own_voice_removed import EchoFreeChunk, OwnVoiceRemover
from host.session import actions, events
from host.turn.recordings import Recordings
from host.turn.tools import Tools
from models.brick import BrickError, Transcript, Utterance
from models.process.residency import BrickFailed

_RESUMED, _RESUMES_WITHIN = 6, 32
"""A question goes on after its endpoint when `_RESUMED` chunks of speech (0.2 s) follow before the answer is
audible, the first of them within `_RESUMES_WITHIN` chunks (1 s).
"""
_NOTHING: Pcm = np.zeros(0, np.int16)


class Listening:
    """Performs the actions of hearing; `hear` takes the microphone's chunks."""

    def __init__(
        self,
        tools: Tools,
        queue: EventQueue,
        endpointer: Endpointer,
        barge: BargeIn,
        config: ListenConfig,
        recordings: Recordings,
    ) -> None:
        self._tools, self._queue, self._recordings = tools, queue, recordings
        self._endpointer, self._barge, self._config = endpointer, barge, config
        self._own_voice_remover = OwnVoiceRemover(tools.speaker.loopback)
        self._over: int | None = None
        """Number of the answer or announcement under way; None while the headband is silent."""
        self._checked = False
        """Bursts of speech over the present answer go to the recogniser."""
        self._may_go_on = False
        """Speech that follows soon is the rest of the last question."""
        self._in_wake_word = False
        self._since_endpoint: list[Pcm] = []
        self._question_pcm = _NOTHING
        """The last question, int16 [n] at 16 kHz, until its turn is over."""
        self._transcribing: asyncio.Task[None] | None = None

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {
            actions.OpenQuestion: self._open_question,
            actions.OpenAtWakeWord: self._open_at_wake_word,
            actions.ResumeQuestion: self._resume_question,
            actions.CloseQuestion: self._close_question,
            actions.JudgePause: self._judge_pause,
            actions.ListenOverSpeech: self._listen_over_speech,
            actions.CheckStopWord: self._check_stop_word,
            actions.ApplyPlan: self._apply_plan,
            actions.SetRecording: self._set_recording,
        }

    @property
    def heard_s(self) -> float:
        """Seconds of sound heard so far."""
        return self._endpointer.now_s

    def stream_restarts(self) -> None:
        """Call it when sound was not recorded for a while: the next chunk does not follow the last one."""
        self._own_voice_remover.stream_restarts()

    def hear(self, pcm: Pcm) -> None:
        """Takes the next int16 [512] chunk and posts what it ends or begins."""
        chunk = self._own_voice_remover.hear(pcm, self._tools.clock.monotonic())
        if self._over is not None:
            self._endpointer.remember(chunk.pcm)
            self._hear_over_speech(self._over, chunk)
            return
        self._in_wake_word = self._in_wake_word and self._barge.wake_word_continues(chunk)
        if self._in_wake_word:
            self._open_with_wake_word()
        event = self._endpointer.feed(chunk.pcm)
        if event is not None:
            self._queue.post(self._event(event))

    def _event(self, found: SpeechEvent) -> events.Event:
        """The endpointer's event as the session's; recordings are kept under their number."""
        if found.kind == "woken":
            return events.WakeWordHeard()
        if found.kind == "speech":
            return events.SpeechBegan()
        if found.kind == "resumed":
            return events.SpeechResumed()
        if found.kind == "timeout" or found.heard is None:
            self._question_pcm, self._may_go_on = _NOTHING, True
            return events.NothingSaid()
        recording = self._recordings.put(found.heard)
        if found.kind == "pause":
            return events.SpeechPaused(recording)
        if found.kind == "unit":
            return events.SpeechUnit(recording)
        self._question_pcm, self._may_go_on = found.heard.pcm, not found.heard.cut
        return events.SpeechEnded(recording)

    def _hear_over_speech(self, number: int, chunk: EchoFreeChunk) -> None:
        woken = self._barge.feed(chunk)
        if woken:
            self._queue.post(events.WakeWordOverSpeech(number))
        elif self._goes_on(chunk):
            self._may_go_on = False
            self._queue.post(events.QuestionWentOn(number))
        elif self._recogniser_free() and (burst := self._barge.next_burst()) is not None:
            self._transcribing = self._queue.spawn(self._check(number, burst))

    def _goes_on(self, chunk: EchoFreeChunk) -> bool:
        """True when the wearer speaks on, once, shortly after the endpoint. A question that was cut for its
        length does not go on: it would never end.
        """
        if not self._may_go_on or len(self._since_endpoint) > _RESUMES_WITHIN + _RESUMED:
            return False
        self._since_endpoint.append(chunk.pcm)
        return self._barge.speech_chunks >= _RESUMED

    def _recogniser_free(self) -> bool:
        """True when bursts are to be checked, and the recogniser is in memory and idle."""
        idle = self._transcribing is None or self._transcribing.done()
        return self._checked and idle and "stt" in self._tools.bricks.pids()

    async def _check(self, number: int, burst: Burst) -> None:
        said = self._barge.judge_transcript(burst, *await self._says_stop(burst.pcm))
        if said and burst.own is not None:
            said = not (await self._says_stop(burst.own))[0]
        if said and self._over == number:
            self._queue.post(events.StopWordOverSpeech(number))

    async def _says_stop(self, pcm: Pcm) -> tuple[bool, float]:
        """Whether the transcript of int16 [n] is a stop word, and its probability (mean over tokens)."""
        text, probability, sound = "", 0.0, pcm.astype(np.float32) / np.float32(32768)
        with contextlib.suppress(BrickFailed, BrickError):
            async for chunk in self._tools.bricks.run("stt", Utterance(sound)):
                if isinstance(chunk, Transcript):
                    text, probability = chunk.text, chunk.probability
        return self._tools.router.decide(text).intent == "stop", probability

    def _listen_over_speech(self, action: actions.ListenOverSpeech) -> None:
        self._barge.begin()
        self._since_endpoint = []
        self._over, self._checked = action.number, False

    def _check_stop_word(self, action: actions.CheckStopWord) -> None:
        self._checked = True

    def _end_over_speech(self) -> None:
        self._over, self._checked = None, False

    def _open_question(self, action: actions.OpenQuestion) -> None:
        spoken = [] if action.timeout_s is None else self._barge.unfinished_speech()
        self._endpointer.open(timeout_s=action.timeout_s, spoken=spoken)

    def _open_at_wake_word(self, action: actions.OpenAtWakeWord) -> None:
        self._end_over_speech()
        self._in_wake_word = True
        self._open_with_wake_word()

    def _open_with_wake_word(self) -> None:
        """Begins an utterance whose first sound is the rest of the wake word."""
        self._endpointer.open(pre_roll_s=self._config.pre_roll_s, tail_s=self._config.wake_tail_s)

    def _resume_question(self, action: actions.ResumeQuestion) -> None:
        self._end_over_speech()
        earlier = self._question_pcm[len(self._question_pcm) % CHUNK :]
        self._endpointer.open(spoken=[*earlier.reshape(-1, CHUNK), *self._since_endpoint])

    def _close_question(self, action: actions.CloseQuestion) -> None:
        self._end_over_speech()
        if self._transcribing is not None:
            self._transcribing.cancel()
        self._in_wake_word = False
        self._question_pcm, self._may_go_on = _NOTHING, False
        self._since_endpoint = []
        self._endpointer.close()

    def _judge_pause(self, action: actions.JudgePause) -> None:
        self._endpointer.judge(action.complete, action.known_s)

    def _apply_plan(self, action: actions.ApplyPlan) -> None:
        self._endpointer.unit_s = action.unit_s

    def _set_recording(self, action: actions.SetRecording) -> None:
        """While nothing is recorded, nothing that was recorded before is kept either."""
        if not action.on:
            self._recordings.clear()
            self._barge.begin()
