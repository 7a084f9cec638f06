"""Looks on while a question is spoken, in case it asks what happened in the last seconds.

From the wake word on a picture is kept every so often, after the different views of the seconds before it.
Each is a unit of the clip: it passes the first blocks of the vision encoder and goes to the motion brick, as
it comes where the plan says so (E1 of MMEdge), else when the question proves to be about the clip. After the
first few it is chosen how the rest is looked at, and once more when the words are known; when the pictures so
far suffice, the camera stops (`ClipChooser`). Everything is in memory only and gone when the question ends. A
picture that repeats the one before, bit for bit, is no unit.
"""

from __future__ import annotations

import asyncio
import contextlib

import numpy as np

from host.answers.motion import READ, ClipAsked, asked_first
from host.observe.purpose import CLIP, working_for
from host.observe.timeline import Span
from host.sensing.view_gate import Rgb
from host.turn.clip.chooser import Sent
from host.turn.clip.stopping import Stopping
from host.turn.clip.units import ClipUnits, Picture
from host.turn.tools import Tools
from models.brick import BrickError
from models.clip import MOST_UNITS, ClipAnswer
from models.process.residency import BrickBusy, BrickFailed
from models.sensing.choice import Choice
from models.sensing.configuration import AT_THE_END, TOGETHER, Configuration
from models.sensing.features import FIRST_UNITS, Floats, luma_of, view_features
from models.sensing.picture_quality import quality_of

BEFORE_S = 4.0
"""Views from so long before the wake word belong to the clip."""
_FAILURES = (BrickFailed, BrickError, BrickBusy)


class ClipLook:
    """The clip of one question; looking begins when this is created."""

    def __init__(self, tools: Tools, interval_s: float) -> None:
        assert tools.clip_chooser is not None
        self._tools, self._chooser = tools, tools.clip_chooser
        self._way = self._chooser.usual(tools.power.plan, interval_s)
        self._units = ClipUnits(tools.bricks)
        self._stopping = Stopping(self._chooser.gate, tools.timeline.clock)
        self._pictures: list[Picture] = []
        self._taken = self._dropped = 0
        self._view: Floats | None = None
        self._chosen_early = self._held = False
        self._asked = False
        """The question has been spoken, or is about something else: the camera looks on for it no more."""
        self._came, self._turn = asyncio.Event(), asyncio.Lock()
        for view in tools.recent_views.last_seconds(BEFORE_S):
            self._add(Picture(view.rgb, view.taken_s, before=True))
        with working_for(CLIP):
            self._watching = asyncio.create_task(self._watch())
            self._encoding = asyncio.create_task(self._encode())

    async def ask(self, asked: ClipAsked) -> ClipAnswer:
        """The motion brick's answer from all pictures that it needs. Raises `BrickFailed` or `BrickError`."""
        tools, began_s = self._tools, self._tools.timeline.clock()
        self._asked = True
        await _ended(self._watching)
        async with self._turn:  # what is on its way into the motion brick arrives
            self._choose_at_the_end(asked.family)
            late = len(self._waiting())
            with working_for(CLIP):
                answer = await self._answer(asked)
        ended_s = tools.timeline.clock()
        fields = {
            "family": asked.family, "label": answer.label, "probability": round(answer.probability, 4),
            "units": answer.units, "depth": answer.depth, "interval_s": self._way.interval_s,
            "encoded_late": late, "dropped": self._dropped, "not_encoded": len(self._waiting()),
            "not_sensed": self._stopping.not_sensed(began_s, self._way.interval_s),
            "ms": round(1e3 * (ended_s - began_s), 1),
        }  # fmt: skip
        tools.timeline.add(Span("turn", "clip", began_s, ended_s, fields))
        tools.observe("clip", fields)
        return answer

    def hold(self, held: bool) -> None:
        """Whether no picture is encoded for now, because the recogniser works; pictures are still taken."""
        self._held = held
        if not held:
            self._came.set()

    async def consider(self, asked: ClipAsked | None) -> None:
        """The words so far ask this, or nothing of the last seconds: the camera stops if the pictures so far
        are enough to answer it, and looks again where it had stopped for another question.
        """
        asked = None if asked is None else asked_first(asked)
        self._look_on_unless_stopped_for(asked)
        if asked is None or asked.family == READ:
            return
        if self._asked or self._watching.done() or not self._may_encode_now():
            return
        with contextlib.suppress(*_FAILURES):
            async with self._turn:
                with working_for(CLIP):
                    await self._send_waiting()
                    answer = await self._ask(asked)
            if self._stopping.enough(asked, answer, self._way.interval_s) and not self._asked:
                self._watching.cancel()
            self._look_on_unless_stopped_for(asked)  # earlier words may have stopped it meanwhile

    def _look_on_unless_stopped_for(self, asked: ClipAsked | None) -> None:
        if not self._asked and self._stopping.stopped_for not in (None, asked):
            self.go_on()

    def go_on(self) -> None:
        """The wearer speaks on: the words so far were no whole question, so the camera looks again."""
        if self._stopping.revoked() and not self._asked:
            with working_for(CLIP):
                self._watching = asyncio.create_task(self._watch())

    @property
    def dark(self) -> bool:
        """Most pictures are too dark to recognise anything."""
        dark = sum(quality_of(each.rgb).cause == "dark" for each in self._pictures)
        return 2 * dark > len(self._pictures)

    def sharpest(self) -> Rgb | None:
        """The picture in which most can be recognised; None without one."""
        found: Picture | None = None
        for each in self._pictures:
            if found is None or quality_of(each.rgb).better_than(quality_of(found.rgb)):
                found = each
        return None if found is None else found.rgb

    def abandon(self) -> None:
        """Looks no longer, because the question is about something else."""
        self._asked = True
        self._watching.cancel()
        self._encoding.cancel()
        self._pictures.clear()

    async def close(self) -> None:
        """Ends all work and forgets the pictures, also in the motion brick."""
        self._asked = True
        await _ended(self._watching)
        await _ended(self._encoding)
        self._pictures.clear()
        async with self._turn:  # what is on its way into the motion brick is forgotten too
            with contextlib.suppress(*_FAILURES):
                await self._units.forget()

    def _add(self, picture: Picture) -> None:
        if self._pictures and np.array_equal(self._pictures[-1].rgb, picture.rgb):
            return
        self._pictures.append(picture)
        if len(self._pictures) > MOST_UNITS:
            self._dropped += not self._pictures.pop(0).sent
        self._came.set()

    async def _watch(self) -> None:
        """Takes pictures until it is cancelled, and tells the timeline how long the camera went on for it."""
        tools, taken = self._tools, self._taken
        began_s, since_s = tools.timeline.clock(), tools.clock.monotonic()
        try:
            await self._take_pictures()
        finally:
            fields = {
                "for": CLIP, "interval_s": self._way.interval_s, "pictures": self._taken - taken,
                "sensed_s": round(tools.clock.monotonic() - since_s, 4),
            }  # fmt: skip
            tools.timeline.add(Span("camera", "clip", began_s, tools.timeline.clock(), fields))

    async def _take_pictures(self) -> None:
        tools = self._tools
        async with contextlib.aclosing(tools.recent_views.pictures(lambda: self._way.interval_s)) as pictures:
            async for began_s, taken_s, rgb in pictures:
                tools.observe("frame", {"start_s": began_s, "end_s": taken_s, "gate": "clip"})
                self._taken += 1
                self._add(Picture(rgb, taken_s))

    async def _encode(self) -> None:
        """Sends pictures while the question is spoken, in groups of the configuration's length."""
        while not self._asked:
            await self._came.wait()
            self._came.clear()
            while self._may_encode_now() and len(self._waiting()) >= self._way.length:
                with contextlib.suppress(*_FAILURES):
                    async with self._turn:
                        if not self._asked:
                            await self._send_waiting(self._way.length)
            async with self._turn:  # no clip is begun anew while pictures are on their way into it
                self._choose_early()

    def _may_encode_now(self) -> bool:
        """The plan wants it, and both bricks are in memory: nothing is loaded for a question that may not
        need it.
        """
        bricks = self._tools.bricks
        wanted = self._way.length < AT_THE_END and not self._asked and not self._held
        return wanted and {"vision", "motion"} <= set(bricks.pids())

    def _unsent(self) -> list[Picture]:
        """Pictures after the newest that was sent, in order: the brick takes units in the order of time."""
        sent = max((at for at, each in enumerate(self._pictures) if each.sent), default=-1)
        return self._pictures[sent + 1 :]

    def _waiting(self) -> list[Picture]:
        """Those of them that an answer can be read from."""
        return self._unsent()[-self._way.units :]

    async def _send_waiting(self, most: int = MOST_UNITS) -> None:
        """Sends so many of the waiting pictures. Raises `BrickFailed` or `BrickError`."""
        waiting = self._waiting()[:most]
        for at in range(0, len(waiting), TOGETHER):
            if not self._pictures:  # the question is about something else, or over
                return
            group = waiting[at : at + TOGETHER]
            await self._units.send(group, self._way.depth, place_at=self._chooser.places_at)

    async def _answer(self, asked: ClipAsked) -> ClipAnswer:
        """From the waiting pictures too, unless those before them prove to be enough."""
        total = len(self._pictures[-self._way.units :])
        for units in self._stopping.checkpoints(total):
            more = units - (total - len(self._waiting()))
            if more > 0:
                await self._send_waiting(more)
                answer = await self._ask(asked)
                if self._stopping.enough_of(asked, answer, units, total):
                    return answer
        await self._send_waiting()
        return await self._ask(asked)

    async def _ask(self, asked: ClipAsked) -> ClipAnswer:
        return await self._units.ask(asked.family, asked.thing, asked.other, self._way.units)

    def _choose_early(self) -> None:
        """Once, when the first units have their places."""
        first = [each for each in self._pictures if each.place is not None]
        if self._chosen_early or self._asked or len(first) < FIRST_UNITS:
            return
        self._chosen_early = True
        places = np.stack([each.place for each in first if each.place is not None])
        sharpness = [quality_of(each.rgb).sharpness for each in first]
        self._view = view_features([luma_of(each.rgb) for each in first], sharpness, places)
        choice = self._chooser.early(self._tools.power.plan, self._view)
        self._take(choice, "spoken")

    def _choose_at_the_end(self, family: str) -> None:
        waiting = len(self._unsent())
        depth = self._way.depth if self._units.depth is None else self._units.depth
        sent = Sent(len(self._pictures), waiting, depth)
        plan = self._tools.power.plan
        self._take(self._chooser.at_the_end(plan, self._view, family, self._way, sent), "asked")

    def _take(self, choice: Choice | None, when: str) -> None:
        """Goes on as it was chosen, and says why."""
        if choice is not None:
            self._change(choice.configuration)
        way, now_s = self._way, self._tools.timeline.clock()
        why_not = self._chooser.why_not or "there is no picture"
        fields = {
            "when": when, "interval_s": way.interval_s, "depth": way.depth, "units": way.units,
            "length": way.length, "reason": why_not if choice is None else choice.reason,
        }  # fmt: skip
        if choice is not None:
            fields |= {
                "accuracy": round(choice.accuracy, 3),
                "predicted_ms": round(1e3 * choice.load.latency_s, 1),
                "limit_s": round(self._chooser.limit_s(self._tools.power.plan), 3),
            }
        self._tools.timeline.add(Span("turn", "configuration", now_s, now_s, fields))
        self._tools.observe("configuration", fields)

    def _change(self, to: Configuration) -> None:
        if self._units.depth not in (None, to.depth):
            self._units.begin_anew()
            for each in self._pictures:
                each.sent = False
        self._way = to


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
