"""What a reflex brick reads of the view that has another eye than the language model: the memory's, on the
cores, which has finished long before the one on the NPU.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from host.sensing.view_gate import Rgb
from host.turn.tools import Tools
from models.brick import BrickError, Embedding
from models.process.residency import BrickFailed


class ClosedLook:
    """The rows of one picture at a time, begun ahead of the question's end."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._rgb: Rgb | None = None
        self._work: asyncio.Task[Embedding] | None = None

    async def begin(self, rgb: Rgb) -> None:
        """Begins to encode a picture, uint8 [h, w, 3], in place of another one."""
        if rgb is self._rgb:
            return
        await self.end()
        self._rgb = rgb
        self._work = asyncio.create_task(self._tools.view_places.rows(rgb))

    async def rows(self, rgb: Rgb) -> Embedding:
        """The rows of the picture. Raises `BrickFailed` or `BrickError`."""
        await self.begin(rgb)
        assert self._work is not None
        return await asyncio.shield(self._work)

    def cancel(self) -> None:
        """Stops the work, because nobody will ask for it."""
        self._rgb = None
        if self._work is not None:
            self._work.cancel()

    async def end(self) -> None:
        """Ends the work, and gives the rows back."""
        work, self._work, self._rgb = self._work, None, None
        if work is None:
            return
        work.cancel()
        await asyncio.wait([work])
        with suppress(asyncio.CancelledError, BrickFailed, BrickError):
            self._tools.bricks.discard(work.result())
