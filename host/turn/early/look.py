"""Encodes the view while the question is still being spoken, and prefills the language model with it.

The plan says, from what it takes on this board (`power.placement.ahead`), whether the view at the wake word
is encoded at once or only for a question about it, and whether the language model is then prefilled, so that
only the words of the question are left when it ends. What was chosen is in the trace. While one view takes
less than `REPLACE_WITHIN_S`, a newer view replaces it until the question ends, but no clear one by one that
is dark or blurred. Where the picture at the wake word is not clear, as when the head turns, the camera looks
again while the wearer speaks, and the sharpest picture counts.

With room for one brick only, the bricks run one after the other during the question: vision encoder, language
model, recogniser. The language model's state after the prefill is saved for its next process. In a pack that
answers closed questions without the language model, that one is left out there: it may not be needed. Where
recogniser and encoder fit together and there is no such prefill, neither waits for the other.
"""

from __future__ import annotations

import asyncio
import contextlib

from host.observe.timeline import Span
from host.sensing.kept_views import Encoded, View
from host.sensing.recent_views import LOOK_AGAIN_S
from host.sensing.view_gate import Rgb
from host.turn.early.closed_look import ClosedLook
from host.turn.tools import Tools
from hw.device import DeviceError, DeviceMissing
from models.brick import BrickError, Embedding, Prefill, Prefilled
from models.pack.chain import EYE, REFLEX
from models.process.residency import BrickFailed

REPLACE_WITHIN_S = 0.3
"""A view that takes longer is not replaced by a newer one, because the answer would wait for it."""
_CHECK_S = 0.1
"""Interval of checks for a newer view."""


class EarlyLook:
    """The view of one question and its embedding; work begins when this is created."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self.view: View | None = None
        self.no_camera = False
        """With `view` None: True when there is no camera, False when it failed."""
        self._encoded: tuple[View, Encoded] | None = None
        self.ahead: Prefilled | None = None
        """The language model's saved state after the prefill, when its process had to end."""
        self._prefilling: asyncio.Task[None] | None = None
        self._prefill_began = asyncio.Event()
        """Set while the language model takes in the newest view."""
        self._yielded = False
        self._question_ended, self._viewed = asyncio.Event(), asyncio.Event()
        own_eye = tools.asks_reflex and tools.reflex_has_own_eye
        self._closed = ClosedLook(tools) if own_eye else None
        """What the reflex brick reads, where that is not what the language model reads."""
        plan = tools.power.plan
        self._at_once = plan.ahead.picture == "wake word"
        self._alone = plan.residency == "one_at_a_time"
        prefills = self._at_once and plan.ahead.prefill and not tools.asks_reflex
        self._beside = self._alone and not prefills and tools.bricks.fit_together(EYE, "stt")
        """There is room for one brick only, but the recogniser is loaded beside the encoder."""
        tools.view_encoder.begin_question(self)
        self._note_plan()
        self._work = asyncio.create_task(self._work_ahead())

    async def rows(self, *, own: bool = False) -> Embedding | None:
        """The embedding of the view, encoded now unless that is done; None without a picture. `own`: of this
        very picture, not of an earlier one that shows the same. Raises `BrickFailed` or `BrickError`.
        """
        self._question_ended.set()
        await self._worked()
        if self.view is None:
            return None
        lent = self._lent
        if lent is None or (own and lent.measured is not self.view.verdict.measured):
            return await self._encode(self.view, own=own)
        return _embedding(lent)

    async def _worked(self) -> None:
        """Returns when the work on the view is done, also where an answer that needed none of it ended it."""
        await asyncio.wait([self._work])
        if not self._work.cancelled():
            self._work.result()

    @property
    def _lent(self) -> Encoded | None:
        """What is encoded of the view, unless the ring has dropped it."""
        encoded = None if self._encoded is None else self._encoded[1]
        return encoded if encoded is not None and self._tools.bricks.still_has(encoded.data) else None

    async def rows_at_once(self) -> Embedding | None:
        """As `rows`, without waiting for the prefill: the language model may be reading the same rows."""
        self._question_ended.set()
        await self._work_or(self._prefill_began)
        lent = self._lent
        return await self.rows() if self._work.done() or lent is None else _embedding(lent)

    async def closed_rows(self) -> Embedding | None:
        """What a reflex brick with an eye of its own reads of the view; None without a picture. Raises
        `BrickFailed` or `BrickError`.
        """
        assert self._closed is not None
        self._question_ended.set()
        await self._work_or(self._viewed)
        return None if self.view is None else await self._closed.rows(self.view.rgb)

    async def viewed(self) -> View | None:
        """The view, without waiting for its encoding; None without a picture."""
        self._question_ended.set()
        return await self.viewed_so_far()

    async def viewed_so_far(self) -> View | None:
        """The same while the wearer may speak on: a newer view may still take its place."""
        await self._work_or(self._viewed)
        return self.view

    async def _work_or(self, event: asyncio.Event) -> None:
        """Returns when the work on the view is done, or the event is set."""
        waited = asyncio.create_task(event.wait())
        try:
            await asyncio.wait([self._work, waited], return_when=asyncio.FIRST_COMPLETED)
        finally:
            waited.cancel()

    async def rows_of_picture(self, rgb: Rgb) -> Embedding:
        """The embedding of another picture, which takes the place of the view. Raises `BrickFailed` or
        `BrickError`.
        """
        self._question_ended.set()
        await self._worked()
        self.view = self._tools.recent_views.kept.view(rgb, self._tools.clock.monotonic())
        return await self._encode(self.view, own=True)

    def answered(self) -> None:
        """Ends the prefill, because the language model is not asked, and what its eye does where the reflex
        brick has another one.
        """
        self._end_prefill()
        if self._closed is not None:
            self._work.cancel()

    def _end_prefill(self) -> None:
        if self._prefilling is not None:
            self._prefilling.cancel()

    async def yield_to_recogniser(self) -> None:
        """Returns when the recogniser may load: with room for one brick only, ends work on the view."""
        self._yielded = True
        if self._alone and not self._beside:
            self._end_prefill()
            await asyncio.wait([self._work])

    def abandon(self) -> None:
        """Cancels the work, because the question is not about the view."""
        self._end_prefill()
        self._work.cancel()
        if self._closed is not None:
            self._closed.cancel()

    async def close(self) -> None:
        """Waits for work under way; what is encoded may serve the next question."""
        self._question_ended.set()
        work = (self._work, self._prefilling)
        try:
            await asyncio.gather(*(each for each in work if each is not None), return_exceptions=True)
        finally:
            if self._closed is not None:
                await self._closed.end()
            self._tools.view_encoder.end_question(self)
            self._give_back()

    def _note_plan(self) -> None:
        """Puts the way that was chosen into the trace."""
        now_s, ahead = self._tools.timeline.clock(), self._tools.power.plan.ahead
        self._tools.timeline.add(
            Span(
                "turn", "ahead", now_s, now_s,
                {
                    "picture": ahead.picture, "prefill": ahead.prefill, "sensor": ahead.sensor,
                    "reason": ahead.reason,
                },
            )
        )  # fmt: skip

    async def _work_ahead(self) -> None:
        """Encodes one view after the other; with room for one brick only, one view, and then loads the
        recogniser, if not before.
        """
        tools = self._tools
        if self._alone:
            self._prepare()
        try:
            view: View | None = await tools.recent_views.look_until_clear(self._still_asking)
            while view is not None:
                began_s = tools.clock.monotonic()
                self.view = view
                self._viewed.set()
                if not self._at_once:
                    return
                if self._closed is not None and not self._alone:
                    await self._closed.begin(view.rgb)
                await self._encode_and_prefill(view)
                if self._alone or tools.clock.monotonic() - began_s > REPLACE_WITHIN_S:
                    return
                view = await self._newer(view)
        except DeviceError as error:
            self.no_camera = isinstance(error, DeviceMissing)
        finally:
            if self._alone and self._at_once:
                for brick in (EYE, "llm"):
                    await tools.bricks.release(brick)
                if not self._beside:
                    tools.bricks.prepare("stt")

    def _prepare(self) -> None:
        """With room for one brick only: begins to load what is needed first, while the camera takes the
        picture, and has the files read of what is needed next.
        """
        bricks = self._tools.bricks
        if self._at_once and self._tools.recent_views.camera.use.frames:  # there is a camera
            bricks.prepare(EYE)
        if self._beside or not self._at_once:
            bricks.prepare("stt")
        for brick in ("stt", EYE, *(() if self._tools.asks_reflex else ("llm",))):
            bricks.read_ahead(brick)

    async def _still_asking(self) -> bool:
        await self._pause(LOOK_AGAIN_S)
        return not self._question_ended.is_set()

    async def _encode_and_prefill(self, view: View) -> None:
        rows = await self._encode(view)
        plan, bricks = self._tools.power.plan, self._tools.bricks
        if self._tools.asks_reflex and not self._alone:
            bricks.prepare(REFLEX)
        if not plan.ahead.prefill:
            return
        if self._alone:
            if self._yielded or self._tools.asks_reflex:
                return
            await bricks.release(EYE)
            await self._prefilled(rows, state=True)
        elif bricks.fit_together(
            "stt", EYE, "llm", *(self._tools.only_for_reflex if self._tools.asks_reflex else ())
        ):
            await self._prefilled(rows, state=False)

    async def _prefilled(self, rows: Embedding, *, state: bool) -> None:
        """Prefills as a task of its own, which can be cancelled without the rest of the work."""
        self._prefilling = asyncio.create_task(self._prefill(rows, state=state))
        self._prefill_began.set()
        try:
            await asyncio.wait([self._prefilling])
        finally:
            self._prefill_began.clear()

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
            if newer is not None and (newer.quality.clear or not view.quality.clear):
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

    async def _encode(self, view: View, *, own: bool = False) -> Embedding:
        encoded = await self._tools.view_encoder.rows(view, own=own)
        self._give_back()
        self._encoded = view, encoded
        return _embedding(encoded)

    def _give_back(self) -> None:
        lent, self._encoded = self._encoded, None
        if lent is not None:
            self._tools.view_encoder.give_back(*lent)


def _embedding(encoded: Encoded) -> Embedding:
    assert isinstance(encoded.data, Embedding)
    return encoded.data
