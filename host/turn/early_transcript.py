"""Reading what the wearer says while it is still being said, and whether it sounds finished.

The recogniser starts at every pause, on exactly the sound that the utterance will hold if it ends there;
when it does, its text is ready or nearly so. Speech that goes on makes the attempt worthless and ends it.
Where the plan says so it also reads at a fixed cadence between pauses, so that words show while they are
spoken.
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
UNIT_COST_S = 0.15
"""A recogniser that takes longer than this reads at pauses only: the picture is taken in meanwhile."""
OPEN_ENDS = frozenset(
    "the a an of is are was were to in on at by for from with and or but what where which who whose how many "
    "much my your its can do does did will would could than as if because".split()
)
"""Words after which an English question goes on."""
_BEFORE_A_NAME = (["the"], ["a"], ["an"], ["many"])


def whole_question_probability(said: Transcript, router: Router, sure_probability: float) -> float | None:
    """How probable it is that a transcript is a whole question; None where that cannot be told."""
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
    """The transcript of one utterance. `judged` is told of each attempt how probably it is complete, and when
    that was known, in seconds of the microphone's stream.
    """

    def __init__(
        self,
        parts: Parts,
        judged: Callable[[float | None, float], None],
        way: Callable[[], Awaitable[None]],
    ) -> None:
        """`way` is awaited before the recogniser is needed: whatever stands in its way has gone then."""
        self._parts = parts
        self._way = way
        self._judged = judged
        self._work: asyncio.Task[Transcript] | None = None
        self._heard: RecordedQuestion | None = None

    def attempt(self, heard: RecordedQuestion) -> None:
        """The wearer pauses: read what there is, as it may be all."""
        self.drop()
        self._heard = heard
        self._work = asyncio.create_task(self._attempt(heard))
        self._work.add_done_callback(_heard)

    async def settled(self) -> None:
        """Returns when the attempt under way has ended: for sound that comes faster than it was spoken."""
        if self._work is not None:
            await asyncio.wait([self._work])

    def unit(self, heard: RecordedQuestion) -> None:
        """The wearer speaks on: read what there is so far, where that takes little and nothing else is at
        work.
        """
        if (self._work is None or self._work.done()) and self._parts.transcription_s < UNIT_COST_S:
            self.attempt(heard)

    def drop(self) -> None:
        """The wearer speaks on: what was read is not all."""
        if self._work is not None and not self._work.done():
            self._work.cancel()
        self._work = self._heard = None

    async def transcript(self, heard: RecordedQuestion) -> Transcript:
        """What was said; waits for the attempt on this very sound, or reads it now. Raises as the brick."""
        work, self._work = self._work, None
        if work is not None and self._heard is not None and self._heard.speech_end_s == heard.speech_end_s:
            try:
                return await work
            except (BrickFailed, BrickError):
                pass  # it is read again, and what is wrong is said then
        elif work is not None:
            work.cancel()
        await self._way()
        return await read(heard, self._parts)

    async def close(self) -> None:
        """Ends work that nobody waits for any more."""
        work, self._work = self._work, None
        if work is not None:
            work.cancel()
            await asyncio.wait([work])

    async def _attempt(self, heard: RecordedQuestion) -> Transcript:
        over: float | None = None
        parts, answer = self._parts, self._parts.config.answer
        began_s = parts.clock.monotonic()
        try:
            await self._way()
            read_s = parts.clock.monotonic()
            said = await read(heard, parts)
            self._parts.transcription_s = parts.clock.monotonic() - read_s
            parts.observe("partial", {"transcript": said.text})
            over = whole_question_probability(said, parts.router, parts.config.listen.sure_probability)
            return said
        finally:
            known_s = heard.endpoint_s + parts.clock.monotonic() - began_s
            self._judged(1.0 if answer.fixed_route else over, known_s)


def _heard(work: asyncio.Task[Transcript]) -> None:
    """A failure that nobody waits for any more is no news: what is still wanted is read again."""
    if not work.cancelled():
        work.exception()


async def read(heard: RecordedQuestion, parts: Parts) -> Transcript:
    """Speech to text."""
    said = SILENT
    if len(heard.pcm):
        async for chunk in parts.bricks.run(
            "stt", Utterance(heard.pcm.astype(np.float32) / np.float32(32768))
        ):
            if isinstance(chunk, Transcript):
                said = Transcript(chunk.text.strip(), chunk.probability)
    return said
