"""Listens while answering: the turn runs as a task, and the microphone's chunks are processed meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from host.config import BargeConfig
from host.hearing.barge_in import BargeIn, Burst
from host.hearing.endpointer import Pcm
from host.hearing.own_voice_removed import EchoFreeChunk, OwnVoiceRemover
from host.session.parts import Parts, Turn
from models.brick import BrickError, Transcript, Utterance
from models.process.residency import BrickFailed

Interruption = Literal["wake word", "stop word", "rest of the question"]
_RESUMED, _RESUMES_WITHIN = 6, 32
"""A question goes on after its endpoint when `_RESUMED` chunks of speech (0.2 s) follow before the answer is
audible, the first of them within `_RESUMES_WITHIN` chunks (1 s).
"""
_GRACE_S = 0.1
"""How long a silenced answer may take to end by itself, with a complete `Turn`, before it is cancelled,
seconds.
"""


class InterruptibleAnswer:
    """Runs one answer or announcement at a time, and interrupts it by voice."""

    def __init__(
        self,
        parts: Parts,
        barge: BargeIn,
        config: BargeConfig,
        on_wake: Callable[[], None],
        on_question_resumed: Callable[[list[Pcm]], None],
    ) -> None:
        """`on_wake` is called when the wake word has silenced an answer; `on_question_resumed` when the
        question goes on after its endpoint, with the chunks since then, int16 [512] each.
        """
        self.own_voice_remover = OwnVoiceRemover(parts.speaker.loopback)
        self.possible = parts.speaker.loopback is not None and (config.wake_word or config.stop_word)
        """True when the speaker plays in real time and interruptions are switched on."""
        self.interruption: Interruption | None = None
        """What silenced the present answer, or the last."""
        self._parts, self._barge, self._config = parts, barge, config
        self._on_wake, self._on_question_resumed = on_wake, on_question_resumed
        self._since_endpoint: list[Pcm] = []
        self._answering: asyncio.Task[Any] | None = None
        self._interrupted: asyncio.Task[Any] | None = None
        self._turn: asyncio.Task[Turn] | None = None
        self._cancelling: set[asyncio.Task[None]] = set()
        self._transcribing: asyncio.Task[None] | None = None
        self._in_wake_word = False

    @property
    def answering(self) -> bool:
        """True while an answer is under way. Raises the exception that ended it, if any."""
        if self._answering is not None and self._answering.done():
            task, self._answering = self._answering, None
            task.result()
        return self._answering is not None

    def begin(self, answer: Coroutine[Any, Any, Turn]) -> None:
        """Starts an answer as a task."""
        self._barge.begin()
        self._since_endpoint.clear()
        self._answering = asyncio.create_task(answer)

    async def run_announcement(
        self, saying: Coroutine[Any, Any, None], hear_chunk: Callable[[], Awaitable[bool]]
    ) -> None:
        """Runs an announcement to its end. `hear_chunk` processes one more chunk meanwhile and returns False
        when nothing can be heard.
        """
        self.interruption = None
        if not self.possible:
            return await saying
        self._barge.begin()
        self._since_endpoint.clear()
        self._answering = asyncio.create_task(saying)
        while self.answering and await hear_chunk():
            pass
        await self.wait_until_idle()
        return None

    async def run_turn(self, turn: Coroutine[Any, Any, Turn], unanswered: Turn) -> Turn:
        """Runs a turn and returns it, with the words that were played as its answer when it was silenced.
        Returns `unanswered` when the turn was interrupted before it had a result.
        """
        parts, before = self._parts, self._parts.device.last_answer
        self.interruption = None
        parts.playback.clear()
        self._turn = asyncio.create_task(turn)
        try:
            taken = await self._turn
        except asyncio.CancelledError:
            if not self._cancelled_by_wearer():
                raise
            taken = unanswered
        finally:
            self._turn = None
        taken = self._with_interruption(taken)
        if parts.silenced:
            heard = parts.playback.heard
            taken = replace(taken, answer=heard)
            parts.device = replace(parts.device, last_answer=heard or before)
        return taken

    def _with_interruption(self, turn: Turn) -> Turn:
        if self.interruption is None:
            return turn
        return replace(turn, notes=(*turn.notes, f"interrupted by the {self.interruption}"))

    def _cancelled_by_wearer(self) -> bool:
        """For a cancelled turn: True when an interruption cancelled it, and not the task that awaits it."""
        task = asyncio.current_task()
        return self.interruption is not None and not (task is not None and task.cancelling())

    def feed(self, chunk: EchoFreeChunk) -> None:
        """Processes the next chunk while an answer is under way."""
        woken = self._barge.feed(chunk)
        if self.interruption is not None or self._parts.silenced:
            return
        if woken and self._config.wake_word:
            self._interrupt("wake word")
        elif self._question_resumes(chunk):
            self._interrupt("rest of the question")
        elif (
            self._config.stop_word
            and self._recogniser_free()
            and (burst := self._barge.next_burst()) is not None
        ):
            self._transcribing = asyncio.create_task(self._check_stop_word(burst))

    def _question_resumes(self, chunk: EchoFreeChunk) -> bool:
        """True when the wearer goes on with the question before the answer is audible."""
        if (
            len(self._since_endpoint) > _RESUMES_WITHIN + _RESUMED
            or self._parts.machine.interaction != "thinking"
        ):
            return False
        self._since_endpoint.append(chunk.pcm)
        return self._config.go_on and self._barge.speech_chunks >= _RESUMED

    def wake_word_continues(self, chunk: EchoFreeChunk) -> bool:
        """For each chunk after the wake word silenced an answer: whether that word still goes on."""
        self._in_wake_word = self._in_wake_word and self._barge.wake_word_continues(chunk)
        return self._in_wake_word

    def unfinished_speech(self) -> list[Pcm]:
        """The chunks of a sentence that the wearer was saying when the answer ended: the beginning of a
        question.
        """
        return self._barge.unfinished_speech() if self.possible else []

    async def wait_until_idle(self) -> None:
        """Returns when no answer is under way, including silenced ones that have not ended yet."""
        for task in (self._answering, self._interrupted, *self._cancelling, self._transcribing):
            if task is not None and task is not asyncio.current_task():
                await asyncio.wait([task])

    async def close(self) -> None:
        """Cancels everything under way."""
        for task in (self._answering, self._interrupted, self._transcribing):
            if task is not None:
                task.cancel()
        await self.wait_until_idle()

    async def wait_for_previous(self) -> None:
        """Returns when the silenced answer before this one has ended."""
        if self._interrupted is not None and self._interrupted is not asyncio.current_task():
            await asyncio.wait([self._interrupted])
            self._interrupted = None

    def _interrupt(self, by: Interruption) -> None:
        self.interruption = by
        self._parts.silence()
        if self._turn is not None:
            grace_s = _GRACE_S if self._parts.machine.interaction == "speaking" else 0.0
            helper = asyncio.create_task(self._cancel_after(self._turn, grace_s))
            self._cancelling.add(helper)
            helper.add_done_callback(self._cancelling.discard)
        if by != "stop word":
            self._interrupted, self._answering = self._answering, None
            self._in_wake_word = by == "wake word"
        if by == "wake word":
            self._on_wake()
        elif by == "rest of the question":
            self._on_question_resumed(self._since_endpoint.copy())

    @staticmethod
    async def _cancel_after(turn: asyncio.Task[Turn], grace_s: float) -> None:
        await asyncio.wait([turn], timeout=grace_s)
        turn.cancel()

    def _recogniser_free(self) -> bool:
        """True when the recogniser is in memory, stays there and is idle."""
        idle = self._transcribing is None or self._transcribing.done()
        speaking = self._parts.machine.interaction == "speaking"
        stays = self._parts.plan.residency != "one_at_a_time" and "stt" in self._parts.bricks.pids()
        return idle and speaking and stays

    async def _check_stop_word(self, burst: Burst) -> None:
        said = self._barge.judge_transcript(burst, *await self._says_stop(burst.pcm))
        if said and burst.own is not None:
            said = not (await self._says_stop(burst.own))[0]
        if said and self._answering is not None and self.interruption is None:
            self._interrupt("stop word")

    async def _says_stop(self, pcm: Pcm) -> tuple[bool, float]:
        """Whether the transcript of int16 [n] is a stop word, and its probability (mean over tokens)."""
        text, probability, sound = "", 0.0, pcm.astype(np.float32) / np.float32(32768)
        with contextlib.suppress(BrickFailed, BrickError):
            async for chunk in self._parts.bricks.run("stt", Utterance(sound)):
                if isinstance(chunk, Transcript):
                    text, probability = chunk.text, chunk.probability
        return self._parts.router.decide(text).intent == "stop", probability
