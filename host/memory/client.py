"""The main process's side of the memory: it fetches the key, and asks the memory brick.

Everything is done in turn, so that nothing is remembered while everything is being forgotten.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from host.config import MemoryConfig
from host.memory.files import files
from host.memory.key import DATABASE, LOST, forget_everything, is_lost, known_key, new_or_known_key
from host.memory.requests import (
    Access,
    Begun,
    Between,
    Find,
    ForgetSince,
    Named,
    Picture,
    Place,
    Remember,
    Retain,
    Rgb,
    Shallow,
    Surest,
    ThingsOf,
    TimeNow,
)
from host.memory.things import SeenThing
from host.memory.values import Match, MemoryProblem, Moment, Placed, Row
from host.to_its_end import to_its_end
from hw.key_page import KeyPage
from models.brick import Activation, BrickSpec, Placement, Recall
from models.pack.chain import RECALL_EYE, REFLEX, reflex_eye
from models.process.bricks import Bricks

BRICK = BrickSpec("memory", Placement.CPU, 60, "host.memory.brick")
ITS_MODELS = (RECALL_EYE, "text")
"""Bricks of a pack that only the memory uses, but for an eye that the reflex brick reads."""
NOWHERE = "I cannot remember what I see, because nothing is kept here."
NO_KEY_PAGE = "I cannot remember what I see, because no microcontroller keeps the key of my memory."
NO_TOWER = "I cannot remember what I see, because this model pack cannot search pictures by words."


class MemoryClient:
    """Every method raises `MemoryProblem`, `BrickError` or `BrickFailed`."""

    def __init__(
        self,
        bricks: Bricks,
        folder: Path | None,
        page: KeyPage | None,
        config: MemoryConfig,
        now: Callable[[], Moment],
    ) -> None:
        """folder: of what is kept; None: nothing is kept. `now` reads both clocks."""
        self._bricks, self._folder, self._page, self._config = bricks, folder, page, config
        self.now = now
        self._key: bytes | None = None
        self._lock = asyncio.Lock()
        self.on = False
        """Whether the wearer wants what is seen to be remembered."""
        self._forgot_s = -math.inf
        self.opened = 0
        """How many stores there have been: each numbers its views from 1."""
        self.switch(False)

    def switch(self, on: bool) -> None:
        """Follows the wearer's setting; while it is off, what only the memory uses is loaded when needed."""
        self.on = on
        bricks = self._bricks.pack.bricks
        shared = {reflex_eye(bricks)} if REFLEX in bricks else set()
        self._bricks.load_when_needed(() if on else set(ITS_MODELS) - shared)

    @property
    def impossible(self) -> str:
        """Why nothing can be remembered, as a sentence; "" where it can. With a pack that can't search, what
        is remembered can be told by its time, and forgotten.
        """
        return self._closed or ("" if "text" in self._bricks.pack.bricks else NO_TOWER)

    @property
    def _closed(self) -> str:
        """Why there can be no memory, as a sentence; "" where there can."""
        if self._folder is None:
            return NOWHERE
        return NO_KEY_PAGE if self._page is None else ""

    @property
    def exists(self) -> bool:
        """Whether there is a memory to ask, which then says whether it can be opened."""
        try:
            return self._folder is not None and bool(files(self._folder / DATABASE))
        except MemoryProblem:
            return True

    @property
    def tells(self) -> bool:
        """Whether it can be asked what was seen: what is remembered stays while the wearer has it off."""
        return self.exists and not self.impossible

    async def remember(
        self,
        rgb: Rgb,
        taken: Moment,
        reason: str,
        place: Recall | None,
        kept: bool = False,
        name: str = "",
        activation: Activation | None = None,
        things: tuple[SeenThing, ...] | None = None,
    ) -> int:
        """The number of a view, which survives a cut of the power now; 0 for one that was taken before the
        wearer had something forgotten, and is not remembered.
        """
        vector, depth, encoder = (
            (None, 0, "") if place is None else (place.vector, place.depth, place.encoder)
        )
        async with self._lock:
            if taken.monotonic_s < self._forgot_s and not kept:
                return 0
            access = await self._access(make=True)
            made = Remember(
                access, rgb, taken, reason, vector, depth, encoder, kept, name, activation, things
            )
            return int(await self._ask(made))

    async def find(
        self,
        place: Recall,
        count: int,
        since_s: float | None = None,
        until_s: float | None = None,
        thing: str = "",
        colour: str = "",
    ) -> tuple[Match, ...]:
        """The views that are most like a phrase, and the latest in which a thing was found."""
        async with self._lock:
            access = await self._access()
            query = place.vector, place.encoder, count, since_s, until_s
            return tuple(await self._ask(Find(access, *query, thing, colour)))

    async def place(self, placed: Mapping[int, Placed], opened: int) -> tuple[int, ...]:
        """Replaces places of views, all of one depth, by number, and what was found in them where they were
        looked through; the numbers of those that are not gone. opened: `opened` when the views were read, so
        that no other store's views get their places.
        """
        places = {number: each.place for number, each in placed.items() if each.place is not None}
        things = {number: each.things for number, each in placed.items() if each.things is not None}
        async with self._lock:
            access = await self._access()
            if opened != self.opened or not places:
                return ()
            one = next(iter(places.values()))
            vectors = {number: place.vector for number, place in places.items()}
            return tuple(await self._ask(Place(access, vectors, one.depth, one.encoder, things)))

    async def shallow(
        self, encoder: str, depth: int, before: int, count: int, *, look_through: bool = False
    ) -> tuple[int, ...]:
        """Views before the number `before` that this encoder has not placed after so many blocks, and with
        `look_through` those that no object detector saw, the newest first.
        """
        async with self._lock:
            access = await self._access()
            return tuple(await self._ask(Shallow(access, encoder, depth, before, count, look_through)))

    async def rows(self, since_s: float | None = None, until_s: float | None = None) -> tuple[Row, ...]:
        """The views of these times, oldest first."""
        async with self._lock:
            return tuple(await self._ask(Between(await self._access(), since_s, until_s)))

    async def surest(
        self, parts: int, since_s: float | None = None, until_s: float | None = None
    ) -> tuple[Row, ...]:
        """Of each of so many parts of these times the view that shows the wearer's things most surely, the
        latest first; none of a part in which the object detector found nothing.
        """
        async with self._lock:
            return tuple(await self._ask(Surest(await self._access(), parts, since_s, until_s)))

    async def things(self, numbers: Sequence[int]) -> dict[int, tuple[SeenThing, ...]]:
        """What the object detector found in views, by number; without those that it did not see."""
        async with self._lock:
            return dict(await self._ask(ThingsOf(await self._access(), tuple(numbers))))

    async def named(self, since_s: float | None = None, until_s: float | None = None) -> tuple[Row, ...]:
        """The views of these times that the wearer has given a name, oldest first."""
        async with self._lock:
            return tuple(await self._ask(Named(await self._access(), since_s, until_s)))

    async def picture(self, number: int) -> Rgb | None:
        """A view's picture, uint8 [h, w, 3]; None if it is gone or damaged."""
        async with self._lock:
            found: Rgb | None = await self._ask(Picture(await self._access(), number))
            return found

    async def begun(self, numbers: Sequence[int], encoder: str) -> dict[int, Activation | Rgb]:
        """What views are taken on from, by number: a view's activation, where one of this encoder is stored,
        else its picture; without those that are gone, or whose picture is damaged.
        """
        async with self._lock:
            request = Begun(await self._access(), tuple(numbers), encoder)
            chunks = [chunk async for chunk in self._bricks.run(BRICK.name, request)]
            return {number: found for number, found in chunks if found is not None}

    async def time_s(self) -> float:
        """The present time, seconds since 1970, on the clock of the rows."""
        async with self._lock:
            return float(await self._ask(TimeNow(await self._access())))

    async def forget_since(
        self, *, ago_s: float | None = None, since_s: float | None = None, until_s: float | None = None
    ) -> int:
        """Forgets the views of the last seconds, or since a time, up to another, and what was taken until
        then and is not stored yet; returns how many there were. Cancelled on the way, it goes on to its end
        all the same.
        """

        async def forget() -> int:
            async with self._lock:
                if until_s is None:
                    self._forgot_s = self.now().monotonic_s
                return int(await self._ask(ForgetSince(await self._access(), ago_s, since_s, until_s)))

        return await to_its_end(forget())

    async def retain(self) -> int:
        """Deletes what is older or larger than the settings allow, if there is a memory; returns how many
        views, of which more may be left unless it is 0. While the memory is off, its process ends afterwards.
        """
        async with self._lock:
            if self._folder is None or self._page is None or not self.exists:
                return 0
            if await asyncio.to_thread(is_lost, self._page, self._folder):
                return 0  # who asks or remembers next is told, and it is deleted then
            access = await self._access()
            try:
                return int(await self._ask(Retain(access)))
            finally:
                if not self.on:
                    await self._bricks.release(BRICK.name)

    async def forget_everything(self) -> None:
        """Destroys the key, and deletes what it sealed. Cancelled on the way, it goes on to its end all the
        same.
        """
        folder, page = self._folder, self._page
        if folder is None or page is None:
            raise MemoryProblem(self._closed)

        async def forget() -> None:
            async with self._lock:
                self._key, self._forgot_s = None, self.now().monotonic_s
                self.opened += 1
                if BRICK.name in self._bricks.names:
                    await self._bricks.release(BRICK.name)
                await asyncio.to_thread(forget_everything, page, folder)

        await to_its_end(forget())

    async def _access(self, *, make: bool = False) -> Access:
        """make: with a new key where there is none."""
        problem = self.impossible if make else self._closed
        if problem:
            raise MemoryProblem(problem)
        assert self._folder is not None and self._page is not None
        if self._key is None or not files(self._folder / DATABASE):
            lost = await asyncio.to_thread(is_lost, self._page, self._folder)
            fetch = new_or_known_key if make else known_key
            self._key = await asyncio.to_thread(fetch, self._page, self._folder)
            self.opened += 1
            if lost and not make:
                raise MemoryProblem(LOST)
        if self._key is None:
            raise MemoryProblem("I do not remember anything yet.")
        self._bricks.add(BRICK)
        return Access(str(self._folder / DATABASE), self._key, self._config, self.now())

    async def _ask(self, request: object) -> Any:
        answer: Any = None
        async for chunk in self._bricks.run(BRICK.name, request):
            answer = chunk
        return answer
