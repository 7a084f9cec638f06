"""What the wearer looks at while asking, taken in while the question is still spoken.

The view at the wake word is encoded in every mode: most questions are about it, and a second less awake
saves more than a picture in vain costs. Where the plan says so the language model takes it in at once, so
that only the question's own words are left when it ends. As long as all that takes less than `UNIT_S` a newer
view takes its place, until the wearer has finished.

Where there is room for one brick only, they follow one another while the question is spoken: eyes, language
model, recogniser; what the language model made of the picture by then is kept for its next process.
"""

from __future__ import annotations

import asyncio
import contextlib
import time

from host.sensing.recent_views import View
from host.session.parts import Parts
from hw.device import DeviceError, DeviceMissing
from models.brick import BrickError, Embedding, Frame, Prefill, Prefilled
from models.process.residency import BrickFailed

UNIT_S = 0.3
"""A view whose encoding takes longer is not exchanged for a newer one: the answer would wait for it."""
ANSWER_S = 60.0
"""The longest that a question waits, once it is asked, until the language model reads the view."""
_LOOK_AGAIN_S = 0.1


class EarlyLook:
    """The view of one question and its image rows."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.view: View | None = None
        self.no_camera = False
        """There is no view, because there is no camera; otherwise because it failed."""
        self._rows: Embedding | None = None
        self.ahead: Prefilled | None = None
        """What the language model made of the view before it had to go."""
        self._prefilling: asyncio.Task[None] | None = None
        self._way_made = False
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

    async def make_way(self) -> None:
        """The recogniser is wanted now: where there is room for one brick only, whatever is there goes."""
        self._way_made = True
        if self._parts.plan.residency == "one_at_a_time":
            if self._prefilling is not None:
                self._prefilling.cancel()
            await asyncio.wait([self._work])

    def leave(self) -> None:
        """The question is not about the view: stop working on it."""
        if self._prefilling is not None:
            self._prefilling.cancel()
        self._work.cancel()

    async def close(self) -> None:
        """Waits for work under way and gives up rows that nobody read, so that nothing outlives the turn."""
        self._frozen.set()
        await asyncio.gather(self._work, return_exceptions=True)
        self._discard()

    async def _ahead(self) -> None:
        """Takes in one view after the other; where there is room for one brick only, makes it for the
        recogniser then.
        """
        parts = self._parts
        alone = parts.plan.residency == "one_at_a_time"
        try:
            view: View | None = await parts.recent_views.look()
            while view is not None:
                began_s = parts.clock.monotonic()
                self.view = view
                await self._take_in(view)
                if alone or parts.clock.monotonic() - began_s > UNIT_S:
                    return
                view = await self._newer(view)
        except DeviceError as error:
            self.no_camera = isinstance(error, DeviceMissing)
        finally:
            if alone:
                for brick in ("vision", "llm"):
                    await parts.bricks.release(brick)
                parts.bricks.prepare("stt")

    async def _take_in(self, view: View) -> None:
        rows = await encode(view, self._parts)
        self._discard()
        self._rows = rows
        plan, bricks = self._parts.plan, self._parts.bricks
        if not plan.prefill_ahead:
            return
        if plan.residency == "one_at_a_time":
            if self._way_made:
                return
            await bricks.release("vision")
            self._prefilling = asyncio.create_task(self._prefill(rows, state=True))
            await asyncio.wait([self._prefilling])
        elif bricks.fit_together("stt", "vision", "llm"):
            await self._prefill(rows, state=False)

    async def _prefill(self, rows: Embedding, *, state: bool) -> None:
        """Has the language model take the picture in; where it cannot, it will say so when it is asked."""
        prefill = self._parts.bricks.run("llm", Prefill((rows,), state))
        with contextlib.suppress(BrickFailed, BrickError):
            async with contextlib.aclosing(prefill) as steps:
                async for step in steps:
                    self.ahead = step if state else None

    async def _newer(self, view: View) -> View | None:
        """The next view unlike this one; None once the question has ended."""
        while not self._frozen.is_set():
            newer = self._parts.recent_views.newer(view)
            if newer is not None:
                return newer
            await self._pause(_LOOK_AGAIN_S)
        return None

    async def _pause(self, seconds: float) -> None:
        """Returns after that long, or once the question has ended."""
        waits = [asyncio.ensure_future(w) for w in (self._frozen.wait(), self._parts.clock.sleep(seconds))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    def _discard(self) -> None:
        rows, self._rows = self._rows, None
        if rows is not None:
            self._parts.bricks.discard(rows)


async def encode(view: View, parts: Parts) -> Embedding:
    """One view through the vision encoder; its rows are gone when no question can want them any more."""
    listen = parts.config.listen
    lives_s = listen.start_timeout_s + listen.max_utterance_s + ANSWER_S
    result: Embedding | None = None
    async for chunk in parts.bricks.run("vision", Frame(view.rgb, deadline_s=time.monotonic() + lives_s)):
        result = chunk
    if result is None:
        raise BrickFailed("vision", "execute", "The vision encoder gave no result.")
    return result
