"""Places views in the recall space, for the memory: as deep as each needs, views together where they can be.
Where the object detector reads the same eye it is shown what has passed all of it.

The pack says which eye does that (`models.pack.chain.memory_eye`). Where it is the eye that looks for the
language model, what an earlier look encoded is continued, and one of the two works at a time; a second eye,
which the memory has for itself, begins at the picture.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from host.memory.things import SeenThing, named_in, things_of
from host.memory.values import Placed
from host.observe.observer import Observer
from host.sensing.kept_views import KeptViews, View
from host.sensing.view_gate import Rgb
from host.turn.view_encoder import ViewEncoder
from models.brick import Activation, BrickError, Embed, Embedding, Encode, Frame, Recall, Resume, Rows
from models.detection import Detect
from models.exit_predictor import PackPredictor
from models.pack.chain import EYE, PREDICTOR, REFLEX, chain_of, memory_eye, reflex_eye
from models.pack.things_file import Things
from models.process.answers import answers
from models.process.bricks import Bricks
from models.process.residency import BrickFailed
from models.ring.ring import SlotGone


class ViewPlaces:
    """Places views, one batch at a time. `encoder` knows what is asked and what was begun."""

    def __init__(self, bricks: Bricks, kept: KeptViews, encoder: ViewEncoder, observe: Observer) -> None:
        self._bricks, self._kept, self._encoder, self._observe = bricks, kept, encoder, observe
        self.eye = memory_eye(bricks.pack.bricks)
        """The brick that places views."""
        spec = bricks.pack.bricks.get(self.eye)
        options = {} if spec is None else spec.options
        chain = chain_of(options)
        self.exits: tuple[int, ...] = () if chain is None else chain.exit_depths
        """Depths after which a view can be placed, rising; none without such exits."""
        self.identity = str(options.get("encoder", ""))
        """The encoder's identity, by which the store knows whose places are alike; "" without an eye."""
        self._fixed_exit = int(options.get("remember_depth", 0))
        self._predictor = PackPredictor(str(options.get(PREDICTOR, "")), options, self.exits)
        self._lock = encoder.lock if self.eye == EYE else asyncio.Lock()
        detects = bricks.pack.detection is not None and REFLEX in bricks.pack.bricks
        self._detects = detects and reflex_eye(bricks.pack.bricks) == self.eye
        self._labels: Things | None = None
        self._unread = self._detects

    @property
    def looks_through(self) -> bool:
        """Whether an object detector can look at what is placed: it reads this eye, and is in memory."""
        return self._detects and REFLEX in self._bricks.pids()

    @property
    def asked(self) -> bool:
        """A question is under way, so nothing should be placed."""
        return self._encoder.asked

    def named_in(self, phrase: str) -> tuple[str, str]:
        """The one thing of a phrase that the object detector tells of, and its colour; "" for none."""
        if self._unread:
            self._unread = False
            with suppress(OSError, ValueError):  # a detector that can't be read finds nothing either
                path = self._bricks.pack.bricks[REFLEX].options["things"]
                self._labels = Things.read(Path(str(path)))
        if self._labels is None:
            return "", ""
        return named_in(phrase, (*self._labels.things, self._labels.sign), self._labels.colours)

    async def place(self, view: View, depth: int) -> Recall:
        """A view's place in the recall space, by the exit at that depth. What an earlier look encoded is
        continued. Raises `BrickFailed` or `BrickError`.
        """
        (placed,) = await self.place_all((view,), (depth,))
        assert placed.place is not None
        return placed.place

    async def place_all(
        self, views: Sequence[View], exits: tuple[int, ...], *, look_through: bool = False
    ) -> list[Placed]:
        """Places of views, in order, each at the one of these exits, rising, that is good enough for it: all
        views pass the blocks before the first as a batch, the pack's predictor says where each may stop, and
        those with the same exit go on together. Without a predictor all go to the exit that the pack names,
        and without one to the last. Once a question is under way no view goes on. look_through: the object
        detector is to look at them, so that all go to the last. Raises `BrickFailed` or `BrickError`.
        """
        look_through = look_through and self.looks_through
        exits = exits[-1:] if look_through else exits
        async with self._lock:
            made: list[Activation] = []
            try:
                predictor = self._predictor.read(self._observe) if len(exits) > 1 else None
                fixed = self._fixed_exit if self._fixed_exit in exits else exits[-1]
                first = exits[0] if predictor is not None else fixed
                begun = [self._begun(view, first) or view.rgb for view in views]
                at_first = await self._deeper(begun, first, made)
                places: list[Recall] = await self._all(Embed(tuple(at_first)))
                if predictor is None:
                    return await self._placed(places, at_first, look_through)
                reached = list(at_first)
                depths = predictor.depths(np.stack([place.vector for place in places]))
                for depth in sorted(set(depths) - {first}):
                    if self.asked:
                        break
                    group = [at for at, each in enumerate(depths) if each == depth]
                    chosen = tuple(at_first[at] for at in group)
                    deeper = await self._all(Resume(chosen, depth, deadline_s=self._encoder.deadline_s()))
                    made += deeper
                    embedded = await self._all(Embed(tuple(deeper)))
                    for at, activation, place in zip(group, deeper, embedded, strict=True):
                        reached[at], places[at] = activation, place
                return await self._placed(places, reached, look_through)
            finally:
                for each in made:
                    self._bricks.discard(each)

    async def rows(self, rgb: Rgb) -> Embedding:
        """What this eye gives of a picture at its whole depth, for a reflex brick that reads it; the caller
        discards it. Raises `BrickFailed` or `BrickError`.
        """
        async with self._lock:
            (rows,) = await self._all(Frame(rgb, deadline_s=self._encoder.deadline_s()))
        return rows  # type: ignore[no-any-return]

    async def place_stored(
        self, stored: Sequence[Rgb | Activation], *, look_through: bool = False
    ) -> list[Placed]:
        """Places of stored views by the last exit, in order, from pictures, uint8 [h, w, 3], and from where
        this encoder stopped. Raises `BrickFailed` or `BrickError`.
        """
        made: list[Activation] = []
        async with self._lock:
            try:
                reached = await self._deeper(stored, self.exits[-1], made)
                places = await self._all(Embed(tuple(reached)))
                return await self._placed(places, reached, look_through and self.looks_through)
            finally:
                for each in made:
                    self._bricks.discard(each)

    async def _deeper(
        self, begun: Sequence[Rgb | Activation], depth: int, made: list[Activation]
    ) -> list[Activation]:
        """Activations at a depth of pictures and of views that were begun; what is new is put into `made`."""
        fresh = tuple(each for each in begun if not isinstance(each, Activation))
        resumed = tuple(each for each in begun if isinstance(each, Activation) and each.depth < depth)
        deadline_s = self._encoder.deadline_s()
        encoded = await self._all(Encode(fresh, depth, deadline_s=deadline_s)) if fresh else []
        made += encoded
        further = await self._all(Resume(resumed, depth, deadline_s=deadline_s)) if resumed else []
        made += further
        new, on = iter(encoded), iter(further)
        return [
            next(new) if not isinstance(each, Activation) else next(on) if each.depth < depth else each
            for each in begun
        ]

    def _begun(self, view: View, depth: int) -> Activation | None:
        """What an earlier look of this eye encoded of this very picture, no deeper than that."""
        if self.eye != EYE:
            return None
        found = self._kept.find(view, own=True)
        if found is None or not isinstance(found.data, Activation):
            return None
        return found.data if found.data.depth <= depth and self._bricks.holds(found.data) else None

    async def _placed(
        self, places: Sequence[Recall], reached: Sequence[Activation], look_through: bool
    ) -> list[Placed]:
        """What is stored of each view."""
        placed = list[Placed]()
        for place, each in zip(places, reached, strict=True):
            begun, things = None, None
            if each.depth < self.exits[-1]:
                with suppress(SlotGone):
                    begun = Activation(each.depth, each.encoder, self._bricks.rows(each))
            elif look_through and not self.asked:
                things = await self._things(each)
            placed.append(Placed(place, begun, things))
        return placed

    async def _things(self, whole: Activation) -> tuple[SeenThing, ...] | None:
        """What the object detector finds in a view at full depth; None where it fails."""
        with suppress(BrickError, BrickFailed):
            for rows in await self._all(Rows((whole,), deadline_s=self._encoder.deadline_s())):
                try:
                    for found in await answers(self._bricks, REFLEX, Detect(rows, keep_slot=False)):
                        return things_of(found)
                finally:
                    self._bricks.discard(rows)  # where a fault left it unread
        return None

    async def _all(self, request: object) -> list[Any]:
        return await answers(self._bricks, self.eye, request)
