"""Transcribes the question while it is being spoken, and estimates whether it is complete.

The recogniser starts at every pause, on exactly the sound that the utterance has if it ends there, so that
the transcript is ready, or nearly, when it does end. If speech goes on, that attempt is cancelled. If the
plan says so, the recogniser also runs at regular intervals between pauses, so that words appear while they
are spoken.

A transcript that is not sure, of what may be the whole question, is heard again at other paces, where the
pack says so (`models.listening.hearing_again`); in the silence that ends the question, as far as it lasts.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from host.hearing.endpointer import RecordedQuestion
from host.language.end_of_question import ending_probability
from host.language.follow_up import DESCRIBING
from host.language.router import Router, plain_words
from host.observe.timeline import Span
from host.turn.tools import Tools
from models.brick import UNKNOWN_WORD, BrickError, Transcript, Utterance
from models.listening.hearing_again import likeliest, played
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
    if said.probability < sure_probability or UNKNOWN_WORD in said.text:
        return None
    understood = router.decide(said.text).route not in ("open", "unclear")
    counted = ending_probability(words)
    if counted is None:
        return 1.0 if understood else None
    return None if understood and counted == 0.0 else counted


@dataclass
class RecogniserSpeed:
    """How fast the recogniser is."""

    transcription_s: float = float("inf")
    """Seconds that the last early transcription took."""


class EarlyTranscript:
    """The transcript of one utterance."""

    def __init__(
        self,
        tools: Tools,
        speed: RecogniserSpeed,
        free_recogniser: Callable[[], Awaitable[None]],
    ) -> None:
        """`free_recogniser` is awaited before the recogniser runs; it ends work that occupies its memory."""
        self._tools, self._speed = tools, speed
        self._free_recogniser = free_recogniser
        self._work: asyncio.Task[Transcript] | None = None
        self._again: asyncio.Task[Transcript] | None = None
        """What comes of the attempt after other hearings; None until they begin."""
        self._heard: RecordedQuestion | None = None

    def attempt(self, heard: RecordedQuestion) -> asyncio.Task[Transcript]:
        """Starts to transcribe `heard`, which may be the whole question; cancels an earlier attempt."""
        self.drop()
        self._heard = heard
        self._work = asyncio.create_task(self._attempt(heard))
        self._work.add_done_callback(_ignore_failure)
        return self._work

    def unit(self, heard: RecordedQuestion) -> asyncio.Task[Transcript] | None:
        """Starts to transcribe the speech so far, if the recogniser is fast and idle."""
        idle = self._work is None or self._work.done()
        return self.attempt(heard) if idle and self._speed.transcription_s < UNIT_WITHIN_S else None

    def hear_again(self) -> None:
        """Starts the other hearings of an attempt that has ended without an error, where it wants any."""
        work, heard = self._work, self._heard
        if work is None or heard is None or not work.done():
            return
        if work.cancelled() or work.exception() is not None:
            return
        self._again = asyncio.create_task(heard_again(work.result(), heard, self._tools))
        self._again.add_done_callback(_ignore_failure)

    def drop(self) -> None:
        """Cancels the attempt, because the wearer speaks on."""
        for work in (self._work, self._again):
            if work is not None:
                work.cancel()
        self._work = self._again = self._heard = None

    async def transcript(self, heard: RecordedQuestion) -> Transcript:
        """The transcript of `heard`: the result of the attempt on the same sound, or a new one. Raises
        `BrickFailed` or `BrickError`.
        """
        work, again = self._work, self._again
        if work is not None and self._heard is not None and self._heard.speech_end_s == heard.speech_end_s:
            self._work = self._again = self._heard = None
            try:
                return await (heard_again(await work, heard, self._tools) if again is None else again)
            except (BrickFailed, BrickError):
                pass  # the attempt below meets the error again and raises it
        self.drop()
        await self._free_recogniser()
        return await heard_again(await recognise(heard, self._tools), heard, self._tools)

    async def close(self) -> None:
        """Cancels work under way."""
        under_way = [work for work in (self._work, self._again) if work is not None]
        self.drop()
        if under_way:
            await asyncio.wait(under_way)

    async def _attempt(self, heard: RecordedQuestion) -> Transcript:
        tools = self._tools
        await self._free_recogniser()
        started_s = tools.clock.monotonic()
        said = await recognise(heard, tools)
        self._speed.transcription_s = tools.clock.monotonic() - started_s
        tools.observe("partial", {"transcript": said.text})
        return said


def _ignore_failure(work: asyncio.Task[Transcript]) -> None:
    """Marks an attempt's exception as retrieved; `transcript` tries again and raises."""
    if not work.cancelled():
        work.exception()


async def recognise(heard: RecordedQuestion, tools: Tools) -> Transcript:
    """Speech to text; `SILENT` without samples. Raises `BrickFailed` or `BrickError`."""
    if not len(heard.pcm):
        return SILENT
    return await _transcribed(heard.pcm.astype(np.float32) / np.float32(32768), tools)


async def heard_again(said: Transcript, heard: RecordedQuestion, tools: Tools) -> Transcript:
    """The likeliest transcript of the whole question, where the first, `said`, is not sure enough for the
    pack; not with room for one brick only, where the recogniser may have to be loaded again. A hearing that
    fails ends them, and what is known so far counts.
    """
    hearings, alone = tools.bricks.pack.hearings, tools.power.plan.residency == "one_at_a_time"
    if alone or not hearings.wanted(said):
        return said
    began_s, found = tools.timeline.clock(), [said]
    pcm = heard.pcm.astype(np.float32) / np.float32(32768)
    with contextlib.suppress(BrickFailed, BrickError):
        for pace in hearings.paces:
            if hearings.wanted(likeliest(found)):
                found.append(await _transcribed(played(pcm, pace), tools))
    best = likeliest(found)
    fields = {
        "hearings": len(found),
        "before": round(said.probability, 4),
        "probability": round(best.probability, 4),
    }
    tools.timeline.add(Span("turn", "hearing again", began_s, tools.timeline.clock(), fields))
    tools.observe("heard_again", {**fields, "first": said.text})
    return best


async def _transcribed(pcm: NDArray[np.float32], tools: Tools) -> Transcript:
    said = SILENT
    async for chunk in tools.bricks.run("stt", Utterance(pcm)):
        if isinstance(chunk, Transcript):
            said = replace(chunk, text=chunk.text.strip())
    return said
