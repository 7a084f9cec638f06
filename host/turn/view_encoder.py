"""Makes views into the language model's input rows, each block of the encoder once for one view.

Between questions a new view passes the first group of blocks, and what comes out stays in memory as long as
the plan says. A question about that view continues from there, or uses the rows of the question before.
`models.exits` decides how deep, `host.sensing.kept_views` what stays. An encoder that is one graph has
the depth 1: it has nothing between a picture and its rows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from host.config import ListenConfig
from host.memory.values import Placed
from host.observe.observer import Observer
from host.sensing.kept_views import REUSED_S, Encoded, KeptViews, View
from host.sensing.view_gate import Rgb
from models.brick import Activation, BrickError, Embed, Encode, Frame, Recall, Resume, Rows
from models.exit_predictor import PackPredictor
from models.exits import Budget, Decision, Features, decide
from models.pack.chain import PREDICTOR, chain_of
from models.process.bricks import Bricks
from models.process.residency import BrickFailed
from models.ring.ring import SlotGone

ANSWER_S = 60.0
"""Longest time from the end of a question until the language model uses the view."""


class ViewEncoder:
    """Encodes one view at a time, so that a question finds what was begun before it."""

    def __init__(
        self,
        bricks: Bricks,
        kept: KeptViews,
        clock: Callable[[], float],
        observe: Observer,
        listen: ListenConfig,
    ) -> None:
        """`clock`: monotonic seconds, for durations."""
        self._bricks, self._kept, self._clock, self._observe = bricks, kept, clock, observe
        self._lives_s = REUSED_S + listen.start_timeout_s + listen.max_utterance_s + ANSWER_S
        vision = bricks.pack.bricks.get("vision")
        chain = None if vision is None else chain_of(vision.options)
        self._chained = chain is not None
        self._exits = (1,) if chain is None else chain.depths[1:]
        self._recall_exits = () if chain is None else chain.exit_depths
        self._identity = "" if vision is None else str(vision.options.get("encoder", ""))
        self._fixed_exit = 0 if vision is None else int(vision.options.get("remember_depth", 0))
        options = {} if vision is None else vision.options
        self._predictor = PackPredictor(str(options.get(PREDICTOR, "")), options, self._recall_exits)
        self._lock = asyncio.Lock()
        self._questions: set[object] = set()
        self.ahead = False
        """A view is being encoded between questions."""

    @property
    def keeps(self) -> bool:
        """Whether the rows of a question may serve the next one."""
        return self._kept.most > 0

    def begin_question(self, question: object) -> None:
        """Until `end_question` nothing is encoded but for questions."""
        self._questions.add(question)

    def end_question(self, question: object) -> None:
        """A question needs no more views."""
        self._questions.discard(question)

    async def rows(self, view: View, *, own: bool = False) -> Encoded:
        """The `Embedding` of a view, for the caller to `give_back`; `own`: of this very picture, else of one
        that surely shows the same. Raises `BrickFailed` or `BrickError`.
        """
        async with self._lock:
            began_s = self._clock()
            found = self._kept.find(view, own=own)
            if found is not None and not self._bricks.holds(found.data):
                self._kept.drop(found)
                found = None
            start = 0 if found is None else found.depth
            whole = self._exits[-1]
            decision = decide(Features(self._exits, start, whole), Budget(whole, "a question"))
            encoded: Encoded | None = found
            if found is not None and decision.action == "stop":
                self._kept.take(found)
            elif found is not None:
                encoded = await self._resumed(found)
            if encoded is None:
                start, encoded = 0, await self._from_picture(view)
            self._tell("question", view, decision, start, encoded.depth, began_s)
            return encoded

    def give_back(self, view: View, encoded: Encoded) -> None:
        """The caller of `rows` needs them no longer."""
        if self._bricks.holds(encoded.data):
            self._kept.store(view, encoded)

    @property
    def exits(self) -> tuple[int, ...]:
        """Depths after which a view can be placed in the recall space, rising; none without such exits."""
        return self._recall_exits

    @property
    def asked(self) -> bool:
        """A question is under way, so nothing else should be encoded."""
        return bool(self._questions)

    async def place(self, view: View, depth: int) -> Recall:
        """A view's place in the recall space, by the exit at that depth. What an earlier look encoded is
        continued. Raises `BrickFailed` or `BrickError`.
        """
        (placed,) = await self.place_all((view,), (depth,))
        assert placed.place is not None
        return placed.place

    async def place_all(self, views: Sequence[View], exits: tuple[int, ...]) -> list[Placed]:
        """Places of views, in order, each at the one of these exits, rising, that is good enough for it: all
        views pass the blocks before the first as a batch, the pack's predictor says where each may stop, and
        those with the same exit go on together. Without a predictor all go to the exit that the pack names,
        and without one to the last. Once a question is under way no view goes on. Raises `BrickFailed` or
        `BrickError`.
        """
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
                    return self._placed(places, at_first)
                reached = list(at_first)
                depths = predictor.depths(np.stack([place.vector for place in places]))
                for depth in sorted(set(depths) - {first}):
                    if self._questions:
                        break
                    group = [at for at, each in enumerate(depths) if each == depth]
                    chosen = tuple(at_first[at] for at in group)
                    deeper = await self._all(Resume(chosen, depth, deadline_s=self._deadline_s()))
                    made += deeper
                    embedded = await self._all(Embed(tuple(deeper)))
                    for at, activation, place in zip(group, deeper, embedded, strict=True):
                        reached[at], places[at] = activation, place
                return self._placed(places, reached)
            finally:
                for each in made:
                    self._bricks.discard(each)

    @property
    def identity(self) -> str:
        """The encoder's identity, by which the store knows whose places are alike; "" without an eye."""
        return self._identity

    async def place_stored(self, stored: Sequence[Rgb | Activation]) -> list[Recall]:
        """Places of stored views by the last exit, in order, from pictures, uint8 [h, w, 3], and from where
        this encoder stopped. Raises `BrickFailed` or `BrickError`.
        """
        made: list[Activation] = []
        async with self._lock:
            try:
                return await self._all(Embed(tuple(await self._deeper(stored, self._recall_exits[-1], made))))
            finally:
                for each in made:
                    self._bricks.discard(each)

    async def _deeper(
        self, begun: Sequence[Rgb | Activation], depth: int, made: list[Activation]
    ) -> list[Activation]:
        """Activations at a depth of pictures and of views that were begun; what is new is put into `made`."""
        fresh = tuple(each for each in begun if not isinstance(each, Activation))
        resumed = tuple(each for each in begun if isinstance(each, Activation) and each.depth < depth)
        deadline_s = self._deadline_s()
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
        """What an earlier look encoded of this very picture, no deeper than that."""
        found = self._kept.find(view, own=True)
        if found is None or not isinstance(found.data, Activation):
            return None
        return found.data if found.data.depth <= depth and self._bricks.holds(found.data) else None

    def _placed(self, places: Sequence[Recall], reached: Sequence[Activation]) -> list[Placed]:
        """What is stored of each view."""
        begun: list[Activation | None] = [None] * len(places)
        for number, each in enumerate(reached):
            if each.depth < self._recall_exits[-1]:
                with suppress(SlotGone):
                    begun[number] = Activation(each.depth, each.encoder, self._bricks.rows(each))
        return [Placed(place, each) for place, each in zip(places, begun, strict=True)]

    async def encode_ahead(self, view: View) -> None:
        """Encodes a view that nobody has asked about, as deep as it is worth."""
        if self._lock.locked():
            return
        async with self._lock:
            began_s, depth = self._clock(), self._kept.depth(view)
            cause = view.verdict.measured.quality.cause
            worthless = f"the view is {cause}" if cause else ""
            features = Features(self._exits, depth, self._exits[0], worthless)
            decision = decide(features, self._budget_ahead())
            start = depth
            if decision.action == "continue":
                self.ahead = True
                try:
                    encoded = await self._encode(view, decision.amount)
                    self._kept.store(view, encoded)
                    depth = encoded.depth
                except (BrickFailed, BrickError):
                    pass  # a question meets the error again, and tells it
                finally:
                    self.ahead = False
            self._tell("ahead", view, decision, start, depth, began_s)

    def _budget_ahead(self) -> Budget:
        if not self._chained:
            return Budget(0, "an encoder of one graph")
        if not self._kept.most:
            return Budget(0, "the power plan")
        if self._questions:
            return Budget(0, "a question under way")
        if "vision" not in self._bricks.pids():
            return Budget(0, "an encoder that is not in memory")
        return Budget(self._exits[0], "the power plan")

    async def _resumed(self, found: Encoded) -> Encoded | None:
        """The rows from an activation that was kept; None if it is of no use, and is gone then."""
        try:
            return await self._whole(found)
        except (BrickFailed, BrickError):
            self._kept.drop(found)
            return None

    async def _from_picture(self, view: View) -> Encoded:
        if not self._chained or not self._kept.most or view.kept is None:
            rows = await self._one(Frame(view.rgb, deadline_s=self._deadline_s()))
            return Encoded(view.verdict.measured, view.taken_s, self._exits[-1], rows)
        begun = await self._encode(view, self._exits[0])
        try:
            return await self._whole(begun)
        finally:
            self._kept.store(view, begun)

    async def _encode(self, view: View, depth: int) -> Encoded:
        activation = await self._one(Encode((view.rgb,), depth, deadline_s=self._deadline_s()))
        return Encoded(view.verdict.measured, view.taken_s, activation.depth, activation)

    async def _whole(self, begun: Encoded) -> Encoded:
        assert isinstance(begun.data, Activation)
        rows = await self._one(Rows((begun.data,), deadline_s=self._deadline_s()))
        return Encoded(begun.measured, begun.taken_s, self._exits[-1], rows)

    async def _all(self, request: object) -> list[Any]:
        return [chunk async for chunk in self._bricks.run("vision", request)]

    async def _one(self, request: object) -> Any:
        result: Any = None
        async for chunk in self._bricks.run("vision", request):
            result = chunk
        if result is None:
            raise BrickFailed("vision", "execute", "The vision encoder gave no result.")
        return result

    def _deadline_s(self) -> float:
        """When no question can use an encoding of now any more; the ring's clock is `time.monotonic`."""
        return time.monotonic() + self._lives_s

    def _tell(
        self, purpose: str, view: View, decision: Decision, start: int, depth: int, began_s: float
    ) -> None:
        self._observe(
            "encoded",
            {
                "for": purpose,
                "gate": view.verdict.reason,
                "decision": decision.action,
                "reason": decision.reason,
                "from_depth": start,
                "depth": depth,
                "whole_depth": self._exits[-1],
                "start_s": began_s,
                "end_s": self._clock(),
            },
        )
