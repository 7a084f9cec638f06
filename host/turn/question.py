"""A question from its first word to the end of its answer, as far as its answer is worked on."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from host.language.router import Decision
from host.session.values import Interruption
from host.turn.answer_player import AnswerPlayer
from host.turn.clip.look import ClipLook
from host.turn.early.look import EarlyLook
from host.turn.early.recollection import EarlyRecollection
from host.turn.early.transcript import EarlyTranscript
from host.turn.turn import Turn
from models.brick import BrickError
from models.process.residency import BrickFailed


@dataclass
class Question:
    """One question from its first word to the end of its answer."""

    look: EarlyLook
    transcript: EarlyTranscript
    recollection: EarlyRecollection
    clip: ClipLook | None = None
    """Looks on while it is spoken; None where the pack or the plan has no use for that."""
    turn: Turn | None = None
    """None until the question has ended."""
    unanswered: Turn | None = None
    """The turn as it began."""
    second: Decision | None = None
    """Of two questions in one sentence the second, once that is answered."""
    sentence: str = ""
    """The reply of a device skill, or the apology."""
    player: AnswerPlayer | None = None
    silenced: bool = False
    cancelled_by: Interruption | None = None
    work: asyncio.Task[None] | None = None
    tokens: int | None = None
    probability: float | None = None
    hesitated: bool | None = None

    def hold_clip(self, held: bool) -> None:
        """Whether the pictures of the last seconds wait to be encoded, where it has any."""
        if self.clip is not None:
            self.clip.hold(held)

    async def end_work(self) -> None:
        """Ends look, early transcript and early recollection, and frees what they hold."""
        if self.clip is not None:
            await self.clip.close()
        if self.turn is None:
            self.look.abandon()
        await self.recollection.close()
        with contextlib.suppress(BrickFailed, BrickError):
            try:
                await self.transcript.close()
            finally:
                await self.look.close()
