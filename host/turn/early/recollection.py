"""Seeks what the memory knows of a question while the silence that ends it is awaited.

What was said so far is transcribed at its pauses. Where that is a question to the memory, and may be whole,
its answer is sought at once, and used if the question proves to be just that; it is dropped if the wearer
speaks on. Nothing is begun that changes the memory, and nothing with room for one brick only: the recogniser
may be needed again, and would have to be loaded anew.
"""

from __future__ import annotations

import asyncio

from host.answers.recollection import Recollection
from host.language.router import Decision
from host.turn.early.look import EarlyLook
from host.turn.recalling.memory_answer import by_memory
from host.turn.tools import Tools
from host.turn.turn import Turn
from models.brick import BrickError
from models.caution import Caution
from models.process.residency import BrickBusy, BrickFailed

_FAILURES = (BrickFailed, BrickError, BrickBusy)


class EarlyRecollection:
    """What the memory tells of one question."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._work: asyncio.Task[Recollection] | None = None
        self._asked: object = None

    def begin(self, turn: Turn, look: EarlyLook, caution: Caution) -> None:
        """Asks what `turn` asks, unless that is asked already. Does nothing where it is no question to the
        memory alone, or where an answer in vain would cost too much.
        """
        alone = self._tools.power.plan.residency == "one_at_a_time"
        if (
            alone
            or turn.then is not None
            or not _only_reads(turn.decision)
            or self._asked == _key(turn, caution)
        ):
            return
        self.drop()
        self._asked = _key(turn, caution)
        self._work = asyncio.create_task(by_memory(turn, look, self._tools, caution))
        self._work.add_done_callback(_ignore_failure)

    def drop(self) -> None:
        """Ends the work, because the wearer speaks on or asks something else."""
        if self._work is not None:
            self._work.cancel()
        self._work = self._asked = None

    async def told(self, turn: Turn, look: EarlyLook, caution: Caution) -> Recollection:
        """What the memory tells: what was begun, if that was the question, or asked now. Raises `BrickFailed`
        or `BrickError`.
        """
        if self._work is not None and self._asked == _key(turn, caution):
            try:
                return await self._work
            except _FAILURES:
                pass  # asked again below, which meets the error again and raises it
        self.drop()
        return await by_memory(turn, look, self._tools, caution)

    async def close(self) -> None:
        """Ends the work and waits for its end."""
        work = self._work
        self.drop()
        if work is not None:
            await asyncio.wait([work])


def _only_reads(decision: Decision) -> bool:
    return decision.route == "memory" and decision.intent != "keep" and "forget" not in decision.intent


def _key(turn: Turn, caution: Caution) -> object:
    """What the answer depends on."""
    return turn.transcript, turn.decision, turn.recalled, caution


def _ignore_failure(work: asyncio.Task[Recollection]) -> None:
    """Marks the failure as retrieved; `told` asks again and raises."""
    if not work.cancelled():
        work.exception()
