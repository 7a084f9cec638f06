"""Encodes the view while the question is still being spoken, and prefills the language model with it.

The view at the wake word is encoded in every mode: most questions are about it, and one second less awake
saves more energy than an unused encoding costs. If the plan says so, the language model is prefilled at once,
so that only the words of the question are left when it ends. While one view takes less than
`REPLACE_WITHIN_S`, a newer view replaces it until the question ends.

With room for one brick only, the bricks run one after the other during the question: vision encoder, language
model, recogniser. The language model's state after the prefill is saved for its next process.
"""

from __future__ import annotations

import asyncio
import contextlib
import time

from host.sensing.recent_views import View
from host.turn.tools import Tools
from hw.device import DeviceError, DeviceMissing
from models.brick import BrickError, Embedding, Frame, Prefill, Prefilled
from models.process.residency import BrickFailed

REPLACE_WITHIN_S = 0.3
"""A view that takes longer is not replaced by a newer one, because the answer would wait for it."""
ANSWER_S = 60.0
"""Longest time from the end of a question until the language model uses the view."""
_CHECK_S = 0.1
"""Interval of checks for a newer view."""


class EarlyLook:
    """The view of one question and its embedding; work begins when this is created."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self.view: View | None = None
        self.no_camera = False
        """With `view` None: True when there is no camera, False when it failed."""
        self._rows: Embedding | None = None
        self.ahead: Prefilled | None = None
        """The language model's saved state after the prefill, when its process had to end."""
        self._prefilling: asyncio.Task[None] | None = None
        self._yielded = False
        self._question_ended = asyncio.Event()
        self._work = asyncio.create_task(self._work_ahead())

    async def rows(self) -> Embedding | None:
        """The embedding of the view, encoded now unless that is done; None without a picture. Raises
        `BrickFailed` or `BrickError`.
        """
        self._question_ended.set()
        await self._work
        if self._rows is None and self.view is not None:
            self._rows = await encode(self.view, self._tools)
        return self._rows

    async def yield_to_recogniser(self) -> None:
        """Returns when the recogniser may load: with room for one brick only, ends work on the view."""
        self._yielded = True
        if self._tools.power.plan.residency == "one_at_a_time":
            if self._prefilling is not None:
                self._prefilling.cancel()
            await asyncio.wait([self._work])

    def abandon(self) -> None:
        """Cancels the work, because the question is not about the view."""
        if self._prefilling is not None:
            self._prefilling.cancel()
        self._work.cancel()

    async def close(self) -> None:
        """Waits for work under way and frees an embedding that was not used."""
        self._question_ended.set()
        await asyncio.gather(self._work, return_exceptions=True)
        self._discard()

    async def _work_ahead(self) -> None:
        """Encodes one view after the other; with room for one brick only, one view, and then loads the
        recogniser.
        """
        tools = self._tools
        alone = tools.power.plan.residency == "one_at_a_time"
        try:
            view: View | None = await tools.recent_views.look()
            while view is not None:
                began_s = tools.clock.monotonic()
                self.view = view
                await self._encode_and_prefill(view)
                if alone or tools.clock.monotonic() - began_s > REPLACE_WITHIN_S:
                    return
                view = await self._newer(view)
        except DeviceError as error:
            self.no_camera = isinstance(error, DeviceMissing)
        finally:
            if alone:
                for brick in ("vision", "llm"):
                    await tools.bricks.release(brick)
                tools.bricks.prepare("stt")

    async def _encode_and_prefill(self, view: View) -> None:
        rows = await encode(view, self._tools)
        self._discard()
        self._rows = rows
        plan, bricks = self._tools.power.plan, self._tools.bricks
        if not plan.prefill_ahead:
            return
        if plan.residency == "one_at_a_time":
            if self._yielded:
                return
            await bricks.release("vision")
            self._prefilling = asyncio.create_task(self._prefill(rows, state=True))
            await asyncio.wait([self._prefilling])
        elif bricks.fit_together("stt", "vision", "llm"):
            await self._prefill(rows, state=False)

    async def _prefill(self, rows: Embedding, *, state: bool) -> None:
        """Prefills the language model with the picture. Ignores errors: the answer meets them again."""
        prefill = self._tools.bricks.run("llm", Prefill((rows,), state))
        with contextlib.suppress(BrickFailed, BrickError):
            async with contextlib.aclosing(prefill) as steps:
                async for step in steps:
                    self.ahead = step if state else None

    async def _newer(self, view: View) -> View | None:
        """The next view that differs from `view`; None when the question ends first."""
        while not self._question_ended.is_set():
            newer = self._tools.recent_views.newer(view)
            if newer is not None:
                return newer
            await self._pause(_CHECK_S)
        return None

    async def _pause(self, seconds: float) -> None:
        """Returns after `seconds`, or when the question ends."""
        waits = [
            asyncio.ensure_future(w) for w in (self._question_ended.wait(), self._tools.clock.sleep(seconds))
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    def _discard(self) -> None:
        rows, self._rows = self._rows, None
        if rows is not None:
            self._tools.bricks.discard(rows)


async def encode(view: View, tools: Tools) -> Embedding:
    """The embedding of a view. It expires when no question can use it any more. Raises `BrickFailed` or
    `BrickError`.
    """
    listen = tools.config.listen
    lives_s = listen.start_timeout_s + listen.max_utterance_s + ANSWER_S
    result: Embedding | None = None
    async for chunk in tools.bricks.run("vision", Frame(view.rgb, deadline_s=time.monotonic() + lives_s)):
        result = chunk
    if result is None:
        raise BrickFailed("vision", "execute", "The vision encoder gave no result.")
    return result
