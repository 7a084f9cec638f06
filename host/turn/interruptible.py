"""Hearing while answering: the turn runs as a task of its own, and the microphone goes on beside it."""

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
_GOES_ON, _SOON = 6, 32
"""A question that seemed over goes on when so many chunks of speech (0.2 s) follow it before anything is said
in answer, the first of them within a second.
"""
_GRACE_S = 0.1
"""How long a silenced answer may take to end by itself, which keeps its record; then it is cancelled."""


class InterruptibleAnswer:
    """One answer at a time, interrupted by what is heard meanwhile."""

    def __init__(
        self,
        parts: Parts,
        barge: BargeIn,
        config: BargeConfig,
        on_wake: Callable[[], None],
        on_rest: Callable[[list[Pcm]], None],
    ) -> None:
        """`on_wake` is called at the moment when the wake word silenced an answer, `on_rest` with what was
        heard since its question seemed to be over when that question goes on.
        """
        self.own_voice_remover = OwnVoiceRemover(parts.speaker.loopback)
        self.possible = parts.speaker.loopback is not None and (config.wake_word or config.stop_word)
        """Does the speaker keep the clock's pace, and may it be interrupted?"""
        self.interruption: Interruption | None = None
        """What silenced the present answer, or the last."""
        self._parts, self._barge, self._config = parts, barge, config
        self._on_wake, self._on_rest = on_wake, on_rest
        self._since: list[Pcm] = []
        self._answering: asyncio.Task[Any] | None = None
        self._ending: asyncio.Task[Any] | None = None
        self._turn: asyncio.Task[Turn] | None = None
        self._helpers: set[asyncio.Task[None]] = set()
        self._reading: asyncio.Task[None] | None = None
        self._word = False

    @property
    def answering(self) -> bool:
        """Is an answer under way? Raises what it ended with when that was an error."""
        if self._answering is not None and self._answering.done():
            task, self._answering = self._answering, None
            task.result()
        return self._answering is not None

    def begin(self, answer: Coroutine[Any, Any, Turn]) -> None:
        """Answer beside the microphone from now on."""
        self._barge.begin()
        self._since.clear()
        self._answering = asyncio.create_task(answer)

    async def beside(self, saying: Coroutine[Any, Any, None], chunk: Callable[[], Awaitable[bool]]) -> None:
        """Says something that answers no question. `chunk` hands over the next one meanwhile, or says that
        nothing can be heard.
        """
        self.interruption = None
        if not self.possible:
            return await saying
        self._barge.begin()
        self._since.clear()
        self._answering = asyncio.create_task(saying)
        while self.answering and await chunk():
            pass
        await self.settle()
        return None

    async def take(self, turn: Coroutine[Any, Any, Turn], otherwise: Turn) -> Turn:
        """Runs a turn; what it said is what was heard of it. `otherwise` when it was interrupted before it
        had an outcome.
        """
        parts, before = self._parts, self._parts.device.last_answer
        self.interruption = None
        parts.playback.clear()
        self._turn = asyncio.create_task(turn)
        try:
            taken = await self._turn
        except asyncio.CancelledError:
            if not self._cut_by_wearer():
                raise
            taken = otherwise
        finally:
            self._turn = None
        taken = self._noted(taken)
        if parts.silenced:
            heard = parts.playback.heard
            taken = replace(taken, answer=heard)
            parts.device = replace(parts.device, last_answer=heard or before)
        return taken

    def _noted(self, turn: Turn) -> Turn:
        if self.interruption is None:
            return turn
        return replace(turn, notes=(*turn.notes, f"interrupted by the {self.interruption}"))

    def _cut_by_wearer(self) -> bool:
        """Of a cancelled turn: was it that alone, and not the whole answer?"""
        task = asyncio.current_task()
        return self.interruption is not None and not (task is not None and task.cancelling())

    def overhear(self, chunk: EchoFreeChunk) -> None:
        """The next chunk while an answer is under way."""
        woken = self._barge.feed(chunk)
        if self.interruption is not None or self._parts.silenced:
            return
        if woken and self._config.wake_word:
            self._interrupt("wake word")
        elif self._goes_on(chunk):
            self._interrupt("rest of the question")
        elif self._config.stop_word and self._readable() and (burst := self._barge.next_burst()) is not None:
            self._reading = asyncio.create_task(self._read(burst))

    def _goes_on(self, chunk: EchoFreeChunk) -> bool:
        """The wearer paused, and says the rest while nothing is said in answer yet."""
        if len(self._since) > _SOON + _GOES_ON or self._parts.machine.interaction != "thinking":
            return False
        self._since.append(chunk.pcm)
        return self._config.go_on and self._barge.speech_chunks >= _GOES_ON

    def wake_word_continues(self, chunk: EchoFreeChunk) -> bool:
        """The next chunk after the wake word silenced an answer: is the word not over yet?"""
        self._word = self._word and self._barge.wake_word_continues(chunk)
        return self._word

    def unfinished_speech(self) -> list[Pcm]:
        """What the wearer was saying when the answer ended: the beginning of a further question."""
        return self._barge.unfinished_speech() if self.possible else []

    async def settle(self) -> None:
        """Returns when no answer is under way any more, not even one that was silenced."""
        for task in (self._answering, self._ending, *self._helpers, self._reading):
            if task is not None and task is not asyncio.current_task():
                await asyncio.wait([task])

    async def close(self) -> None:
        """Cancels what is under way."""
        for task in (self._answering, self._ending, self._reading):
            if task is not None:
                task.cancel()
        await self.settle()

    async def settled_before(self) -> None:
        """Returns when the answer that was silenced before this one has ended."""
        if self._ending is not None and self._ending is not asyncio.current_task():
            await asyncio.wait([self._ending])
            self._ending = None

    def _interrupt(self, by: Interruption) -> None:
        self.interruption = by
        self._parts.silence()
        if self._turn is not None:
            patience_s = _GRACE_S if self._parts.machine.interaction == "speaking" else 0.0
            helper = asyncio.create_task(self._wind_down(self._turn, patience_s))
            self._helpers.add(helper)
            helper.add_done_callback(self._helpers.discard)
        if by != "stop word":
            self._ending, self._answering = self._answering, None
            self._word = by == "wake word"
        if by == "wake word":
            self._on_wake()
        elif by == "rest of the question":
            self._on_rest(self._since.copy())

    @staticmethod
    async def _wind_down(turn: asyncio.Task[Turn], patience_s: float) -> None:
        await asyncio.wait([turn], timeout=patience_s)
        turn.cancel()

    def _readable(self) -> bool:
        """The recogniser is at hand: it is in memory and may stay, and no reading or question is in it."""
        idle = self._reading is None or self._reading.done()
        speaking = self._parts.machine.interaction == "speaking"
        stays = self._parts.plan.residency != "one_at_a_time" and "stt" in self._parts.bricks.pids()
        return idle and speaking and stays

    async def _read(self, burst: Burst) -> None:
        said = self._barge.judge_transcript(burst, *await self._says_stop(burst.pcm))
        if said and burst.own is not None:
            said = not (await self._says_stop(burst.own))[0]
        if said and self._answering is not None and self.interruption is None:
            self._interrupt("stop word")

    async def _says_stop(self, pcm: Pcm) -> tuple[bool, float]:
        """Does the recogniser read that as a stop word, and how probable is that?"""
        text, probability, sound = "", 0.0, pcm.astype(np.float32) / np.float32(32768)
        with contextlib.suppress(BrickFailed, BrickError):
            async for chunk in self._parts.bricks.run("stt", Utterance(sound)):
                if isinstance(chunk, Transcript):
                    text, probability = chunk.text, chunk.probability
        return self._parts.router.decide(text).intent == "stop", probability
