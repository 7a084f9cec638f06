"""Transcribes the question while it is being spoken, and estimates whether it is complete.

The recogniser starts at every pause, on exactly the sound that the utterance has if it ends there, so that
the transcript is ready, or nearly, when it does end. If speech goes on, that attempt is cancelled. If the
plan says so, the recogniser also runs at regular intervals between pauses, so that words appear while they
are spoken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import numpy as np

from host.hearing.endpointer import RecordedQuestion
from host.language.end_of_question import ending_probability
from host.language.follow_up import DESCRIBING
from host.language.router import Router, plain_words
from host.session.parts import Parts
from models.brick import BrickError, Transcript, Utterance
from models.process.residency import BrickFailed

SILENT = Transcript("", 0.0)
UNIT_WITHIN_S = 0.15
"""A recogniser that takes longer runs at pauses only, and leaves the processor to the vision encoder."""
OPEN_ENDS = frozenset(
    "the a an of is are was were to in on at by for from with and or but what where which who whose how many "
    "much my your its can do does did will would could than as if because".split()
)
"""Words that no English question ends with."""
_BEFORE_A_NAME = (["the"], ["a"], ["an"], ["many"])


def whole_question_probability(said: Transcript, router: Router, sure_probability: float) -> float | None:
    """Probability that a transcript is a whole question; None when unknown. Unknown as well for a transcript
    that is less probable than `sure_probability`, unless its last word shows that it is incomplete (0).
    """
    words = plain_words(said.text).split()
    if not words:
        return None
    if words[-1] in OPEN_ENDS or (words[-1] in DESCRIBING and words[-2:-1] in _BEFORE_A_NAME):
        return 0.0
    if said.probability < sure_probability:
        return None
    understood = router.decide(said.text).route not in ("open", "unclear")
    counted = ending_probability(words)
    if counted is None:
        return 1.0 if understood else None
    return None if understood and counted == 0.0 else counted


class EarlyTranscript:
    """The transcript of one utterance."""

    def __init__(
        self,
        parts: Parts,
        judge: Callable[[float | None, float], None],
        free_recogniser: Callable[[], Awaitable[None]],
    ) -> None:
        """`judge` is called after each attempt with the probability that the question is complete (None:
        unknown) and when that was known, in seconds of the microphone's stream. `free_recogniser` is awaited
        before the recogniser runs; it ends work that occupies its memory.
        """
        self._parts = parts
        self._free_recogniser = free_recogniser
        self._judge = judge
        self._work: asyncio.Task[Transcript] | None = None
        self._heard: RecordedQuestion | None = None

    def attempt(self, heard: RecordedQuestion) -> None:
        """Starts to transcribe `heard`, which may be the whole question; cancels an earlier attempt."""
        self.drop()
        self._heard = heard
        self._work = asyncio.create_task(self._attempt(heard))
        self._work.add_done_callback(_ignore_failure)

    async def settled(self) -> None:
        """Returns when the attempt under way has ended; needed when sound is fed faster than real time."""
        if self._work is not None:
            await asyncio.wait([self._work])

    def unit(self, heard: RecordedQuestion) -> None:
        """Starts to transcribe the speech so far, if the recogniser is fast and idle."""
        if (self._work is None or self._work.done()) and self._parts.transcription_s < UNIT_WITHIN_S:
            self.attempt(heard)

    def drop(self) -> None:
        """Cancels the attempt, because the wearer speaks on."""
        if self._work is not None and not self._work.done():
            self._work.cancel()
        self._work = self._heard = None

    async def transcript(self, heard: RecordedQuestion) -> Transcript:
        """The transcript of `heard`: the result of the attempt on the same sound, or a new one. Raises
        `BrickFailed` or `BrickError`.
        """
        work, self._work = self._work, None
        if work is not None and self._heard is not None and self._heard.speech_end_s == heard.speech_end_s:
            try:
                return await work
            except (BrickFailed, BrickError):
                pass  # the attempt below meets the error again and raises it
        elif work is not None:
            work.cancel()
        await self._free_recogniser()
        return await recognise(heard, self._parts)

    async def close(self) -> None:
        """Cancels work under way."""
        work, self._work = self._work, None
        if work is not None:
            work.cancel()
            await asyncio.wait([work])

    async def _attempt(self, heard: RecordedQuestion) -> Transcript:
        complete: float | None = None
        parts, answer = self._parts, self._parts.config.answer
        began_s = parts.clock.monotonic()
        try:
            await self._free_recogniser()
            started_s = parts.clock.monotonic()
            said = await recognise(heard, parts)
            self._parts.transcription_s = parts.clock.monotonic() - started_s
            parts.observe("partial", {"transcript": said.text})
            complete = whole_question_probability(said, parts.router, parts.config.listen.sure_probability)
            return said
        finally:
            known_s = heard.endpoint_s + parts.clock.monotonic() - began_s
            self._judge(1.0 if answer.fixed_route else complete, known_s)


def _ignore_failure(work: asyncio.Task[Transcript]) -> None:
    """Marks an attempt's exception as retrieved; `transcript` tries again and raises."""
    if not work.cancelled():
        work.exception()


async def recognise(heard: RecordedQuestion, parts: Parts) -> Transcript:
    """Speech to text; `SILENT` without samples. Raises `BrickFailed` or `BrickError`."""
    said = SILENT
    if len(heard.pcm):
        async for chunk in parts.bricks.run(
            "stt", Utterance(heard.pcm.astype(np.float32) / np.float32(32768))
        ):
            if isinstance(chunk, Transcript):
                said = Transcript(chunk.text.strip(), chunk.probability)
    return said
