"""Takes the pictures of a clip through the encoder into the motion brick, and asks it."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from host.sensing.view_gate import Rgb
from models.brick import Activation, Embed, Encode, Recall, Resume
from models.clip import MOST_UNITS, ClipAnswer, ClipQuestion, Forget, SmallPicture, Unit, read_at
from models.process.answers import answers
from models.process.bricks import Bricks
from models.process.residency import BrickFailed
from models.sensing.features import FIRST_UNITS, Floats
from models.sensing.registration import small_picture

_LIVES_S = 10.0
"""An activation in the ring may be dropped after so long; the motion brick reads it at once."""
_FORGOTTEN_WITHIN_S = 5.0
"""A motion brick that takes longer to drop a clip counts as stuck."""
_numbers = itertools.count(1)


@dataclass(eq=False)
class Picture:
    """rgb: uint8 [h, w, 3]. taken_s: on the board's monotonic clock. before: from before the wake word. sent:
    it is a unit of the present clip. place: in the recall space, where it was asked for. small: by which the
    turn of the head is told, of one that is sent.
    """

    rgb: Rgb
    taken_s: float
    before: bool = False
    sent: bool = False
    place: Floats | None = None
    small: SmallPicture | None = None


class ClipUnits:
    """The units of one question's clip, as the motion brick has them."""

    def __init__(self, bricks: Bricks) -> None:
        self._bricks = bricks
        self._number = next(_numbers)
        self._resize = str(bricks.pack.bricks["vision"].options.get("resize", "pad"))
        self._placed = 0
        self._held: set[int] = set()
        """Numbers of the clips of which the motion brick may have units, which has them of one at a time."""
        self.depth: int | None = None
        """Blocks that the units have passed; None before the first."""

    def begin_anew(self) -> None:
        """The next picture is the first of another clip."""
        self._number, self.depth = next(_numbers), None

    async def send(self, pictures: Sequence[Picture], depth: int, *, place_at: int | None = None) -> None:
        """Sends one to `TOGETHER` pictures, in order, after `depth` blocks and, where the pack says so, after
        fewer on the way. place_at: the exit at which the clip's first units get their place. Raises
        `BrickFailed` or `BrickError`.
        """
        if self.depth not in (None, depth):
            raise ValueError("the units of a clip have one depth")
        self.depth = depth
        for each in pictures:
            each.sent = True
            each.small = small_picture(each.rgb, self._resize)
        deadline_s = time.monotonic() + _LIVES_S
        placing = place_at is not None and place_at <= depth and any(map(self._wants_place, pictures))
        read = read_at(self._bricks.pack.bricks["motion"].options, depth)
        stops = sorted({*read, place_at}) if placing and place_at is not None else read
        made: list[Activation] = []
        try:
            for stop in stops:
                seen = tuple(made)
                encode = Encode(tuple(each.rgb for each in pictures), stop, deadline_s=deadline_s)
                request = Resume(seen, stop, deadline_s=deadline_s) if seen else encode
                made += await answers(self._bricks, "vision", request)
                for activation in seen:  # the ring has room for few
                    made.remove(activation)
                    self._bricks.discard(activation)
                for picture, activation in zip(pictures, tuple(made), strict=False):
                    if placing and stop == place_at and self._wants_place(picture):
                        picture.place = await self._place(activation)
                        self._placed += 1
                    if stop in read:
                        await self._take_in(Unit(activation, picture.taken_s, self._number, picture.small))
        finally:
            for activation in made:
                self._bricks.discard(activation)

    async def forget(self) -> None:
        """The motion brick drops what it has of the clip; one that has ended has nothing of it. Raises
        `BrickFailed`, `BrickError` or `BrickBusy`.
        """
        while self._held and "motion" in self._bricks.pids():
            forget = Forget(max(self._held))
            run = self._bricks.run("motion", forget, timeout_s=_FORGOTTEN_WITHIN_S)
            async with contextlib.aclosing(run) as nothing:
                async for _ in nothing:
                    pass
            self._held.discard(forget.clip)

    async def _take_in(self, unit: Unit) -> None:
        self._held.add(unit.clip)  # one that is cancelled may be taken in, or leave the clip before it there
        async with contextlib.aclosing(self._bricks.run("motion", unit)) as held:
            async for _ in held:
                pass
        self._held = {unit.clip}

    def _wants_place(self, picture: Picture) -> bool:
        return not picture.before and self._placed < FIRST_UNITS

    async def ask(self, family: str, thing: str, other: str, units: int = MOST_UNITS) -> ClipAnswer:
        """The motion brick's answer from the newest units so far. Raises `BrickFailed` or `BrickError`."""
        question = ClipQuestion(family, thing, other, self._number, units)
        answer: ClipAnswer | None = None
        async with contextlib.aclosing(self._bricks.run("motion", question)) as chunks:
            async for chunk in chunks:
                answer = chunk
        if not isinstance(answer, ClipAnswer):
            raise BrickFailed("motion", "execute", "it gave no answer")
        return answer

    async def _place(self, activation: Activation) -> Floats | None:
        found: Floats | None = None
        async with contextlib.aclosing(self._bricks.run("vision", Embed((activation,)))) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, Recall):
                    found = np.asarray(chunk.vector, np.float32)
        return found
