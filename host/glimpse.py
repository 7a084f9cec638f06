"""What the wearer looks at while asking, taken in while the question is still spoken.

The view at the wake word is encoded and, where the plan says so, given to the language model at once, so that
only the question's own words are left when it ends. As long as that takes less than `UNIT_S` a newer view
takes its place, until the wearer has finished.
"""

from __future__ import annotations

import asyncio
import contextlib

from host.eyes import View
from host.parts import Parts
from hw.device import DeviceError
from models.brick import BrickError, Embedding, Frame, Prefill
from models.lifecycle import BrickFailed

UNIT_S = 0.3
"""A view whose encoding takes longer is not exchanged for a newer one: the answer would wait for it."""
_LOOK_AGAIN_S = 0.1


class Glimpse:
    """The view of one question and its image rows."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.view: View | None = None
        self._rows: Embedding | None = None
        self._frozen = asyncio.Event()
        self._work = asyncio.create_task(self._ahead())

    async def rows(self) -> Embedding | None:
        """The image rows of the view, encoded now unless that has happened already; None without a picture.
        Raises as the brick.
        """
        self._frozen.set()
        await self._work
        if self._rows is None and self.view is not None:
            self._rows = await encode(self.view, self._parts)
        return self._rows

    def leave(self) -> None:
        """The question is not about the view: stop working on it."""
        self._work.cancel()

    async def close(self) -> None:
        """Waits for work under way and gives up rows that nobody read, so that nothing outlives the turn."""
        self._frozen.set()
        await asyncio.gather(self._work, return_exceptions=True)
        self._discard()

    async def _ahead(self) -> None:
        plan, parts = self._parts.plan, self._parts
        try:
            view = await parts.eyes.look()
        except DeviceError:
            return
        self.view = view
        while plan.encode_ahead:
            began_s = parts.timeline.clock()
            rows = await encode(view, parts)
            self._discard()
            self.view, self._rows = view, rows
            if plan.prefill_ahead:
                await self._prefill(rows)
            if parts.timeline.clock() - began_s > UNIT_S:
                return
            newer = await self._newer(view)
            if newer is None:
                return
            view = newer

    async def _prefill(self, rows: Embedding) -> None:
        """Has the language model take the picture in; where it cannot, it will say so when it is asked."""
        try:
            async for _ in self._parts.bricks.run("llm", Prefill((rows,))):
                pass
        except (BrickFailed, BrickError):
            return

    async def _newer(self, view: View) -> View | None:
        """The next view unlike this one; None once the question has ended."""
        while not self._frozen.is_set():
            newer = self._parts.eyes.newer(view)
            if newer is not None:
                return newer
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._frozen.wait(), _LOOK_AGAIN_S)
        return None

    def _discard(self) -> None:
        rows, self._rows = self._rows, None
        if rows is not None:
            self._parts.bricks.discard(rows)


async def encode(view: View, parts: Parts) -> Embedding:
    """One view through the vision encoder."""
    result: Embedding | None = None
    async for chunk in parts.bricks.run("vision", Frame(view.rgb)):
        result = chunk
    if result is None:
        raise BrickFailed("vision", "execute", "The vision encoder gave no result.")
    return result
