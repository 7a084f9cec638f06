"""Looks on while a question is spoken, in case it asks what happened in the last seconds.

From the wake word on a picture is kept every `clip_interval_s` of the plan, after the different views of the
seconds before it. Each is a unit of the clip: it passes the first blocks of the vision encoder and goes to
the motion brick, as it comes where the plan says so (E1 of MMEdge), else when the question proves to be about
the clip. Everything is in memory only and gone when the question ends. A picture that repeats the one before,
bit for bit, is no unit.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from dataclasses import dataclass

import numpy as np

from host.observe.timeline import Span
from host.sensing.picture_quality import quality_of
from host.sensing.view_gate import Rgb
from host.turn.tools import Tools
from models.brick import Activation, BrickError, Encode
from models.clip import MOST_UNITS, ClipAnswer, ClipQuestion, Unit
from models.process.residency import BrickBusy, BrickFailed

BEFORE_S = 4.0
"""Views from so long before the wake word belong to the clip."""
_LIVES_S = 10.0
"""An activation in the ring may be dropped after so long; the motion brick reads it at once."""
_numbers = itertools.count(1)


@dataclass(eq=False)
class _Picture:
    rgb: Rgb
    taken_s: float
    sent: bool = False


class ClipLook:
    """The clip of one question; looking begins when this is created."""

    def __init__(self, tools: Tools, interval_s: float) -> None:
        self._tools, self._interval_s = tools, interval_s
        self._number = next(_numbers)
        self._pictures: list[_Picture] = []
        self._dropped = 0
        for view in tools.recent_views.last_seconds(BEFORE_S):
            self._add(view.rgb, view.taken_s)
        self._watching = asyncio.create_task(self._watch())

    async def ask(self, family: str, thing: str, other: str) -> ClipAnswer:
        """The motion brick's answer from all units so far. Raises `BrickFailed` or `BrickError`."""
        tools, began_s = self._tools, self._tools.timeline.clock()
        await self._stop()
        late = sum(not each.sent for each in self._pictures)
        await self._send_all()
        answer: ClipAnswer | None = None
        async with contextlib.aclosing(
            tools.bricks.run("motion", ClipQuestion(family, thing, other, self._number))
        ) as chunks:
            async for chunk in chunks:
                answer = chunk
        if not isinstance(answer, ClipAnswer):
            raise BrickFailed("motion", "execute", "it gave no answer")
        ended_s = tools.timeline.clock()
        fields = {
            "family": family, "units": answer.units, "encoded_late": late, "dropped": self._dropped,
            "depth": answer.depth, "label": answer.label, "probability": round(answer.probability, 4),
            "ms": round(1e3 * (ended_s - began_s), 1),
        }  # fmt: skip
        tools.timeline.add(Span("turn", "clip", began_s, ended_s, fields))
        tools.observe("clip", fields)
        return answer

    @property
    def dark(self) -> bool:
        """Most pictures are too dark to recognise anything."""
        dark = sum(quality_of(each.rgb).cause == "dark" for each in self._pictures)
        return 2 * dark > len(self._pictures)

    def sharpest(self) -> Rgb | None:
        """The picture in which most can be recognised; None without one."""
        found: _Picture | None = None
        for each in self._pictures:
            if found is None or quality_of(each.rgb).better_than(quality_of(found.rgb)):
                found = each
        return None if found is None else found.rgb

    def abandon(self) -> None:
        """Looks no longer, because the question is about something else."""
        self._watching.cancel()
        self._pictures.clear()

    async def close(self) -> None:
        """Ends all work and forgets the pictures."""
        await self._stop()
        self._pictures.clear()

    async def _stop(self) -> None:
        self._watching.cancel()
        await asyncio.wait([self._watching])

    def _add(self, rgb: Rgb, taken_s: float) -> None:
        if self._pictures and np.array_equal(self._pictures[-1].rgb, rgb):
            return
        self._pictures.append(_Picture(rgb, taken_s))
        if len(self._pictures) > MOST_UNITS:
            self._dropped += not self._pictures.pop(0).sent

    async def _watch(self) -> None:
        async with contextlib.aclosing(self._tools.recent_views.pictures(self._interval_s)) as pictures:
            async for began_s, taken_s, rgb in pictures:
                self._tools.observe("frame", {"start_s": began_s, "end_s": taken_s, "gate": "clip"})
                self._add(rgb, taken_s)
                if self._may_encode_now():
                    with contextlib.suppress(BrickFailed, BrickError, BrickBusy):
                        await self._send_all()

    def _may_encode_now(self) -> bool:
        """The plan wants it, and both bricks are in memory: nothing is loaded for a question that may not
        need it.
        """
        bricks = self._tools.bricks
        return self._tools.power.plan.clip_on_arrival and {"vision", "motion"} <= set(bricks.pids())

    async def _send_all(self) -> None:
        """Sends every picture that was not, in order. Raises `BrickFailed` or `BrickError`."""
        for each in list(self._pictures):
            if not each.sent:
                each.sent = True
                await self._send(each)

    async def _send(self, picture: _Picture) -> None:
        bricks = self._tools.bricks
        depth = int(bricks.pack.bricks["motion"].options["depth"])
        request = Encode((picture.rgb,), depth, deadline_s=time.monotonic() + _LIVES_S)
        made: Activation | None = None
        try:
            async with contextlib.aclosing(bricks.run("vision", request)) as chunks:
                async for chunk in chunks:
                    made = chunk
            if made is not None:
                unit = Unit(made, picture.taken_s, self._number)
                async with contextlib.aclosing(bricks.run("motion", unit)) as held:
                    async for _ in held:
                        pass
        finally:
            if made is not None:
                bricks.discard(made)
