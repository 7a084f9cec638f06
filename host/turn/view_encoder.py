"""Makes views into the language model's input rows, each block of the encoder once for one view.

Between questions a new view passes the first group of blocks, and what comes out stays in memory as long as
the plan says. A question about that view continues from there, or uses the rows of the question before.
`models.exits` decides how deep, `host.sensing.kept_views` what stays. An encoder that is one graph has
the depth 1: it has nothing between a picture and its rows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from host.config import ListenConfig
from host.observe.observer import Observer
from host.sensing.kept_views import REUSED_S, Encoded, KeptViews, View
from host.sensing.view_gate import Rgb
from models.brick import Activation, BrickError, Embedding, Encode, Frame, Rows
from models.exits import Budget, Decision, Features, decide
from models.pack.chain import EYE, chain_of
from models.process.answers import answers
from models.process.bricks import Bricks
from models.process.residency import BrickFailed

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
        vision = bricks.pack.bricks.get(EYE)
        chain = None if vision is None else chain_of(vision.options)
        self._chained = chain is not None
        self._exits = (1,) if chain is None else chain.depths[1:]
        self.lock = asyncio.Lock()
        """Held by whoever lets the eye work."""
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
        async with self.lock:
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

    async def rows_of(self, rgb: Rgb) -> Embedding:
        """The `Embedding` of a picture that is no view of its own and of which nothing is kept. Raises
        `BrickFailed` or `BrickError`.
        """
        async with self.lock:
            rows: Embedding = await self._one(Frame(rgb, deadline_s=self.deadline_s()))
            return rows

    def give_back(self, view: View, encoded: Encoded) -> None:
        """The caller of `rows` needs them no longer."""
        if self._bricks.holds(encoded.data):
            self._kept.store(view, encoded)
        else:
            self._bricks.discard(encoded.data)  # a brick whose work was cancelled may still read it

    @property
    def asked(self) -> bool:
        """A question is under way, so nothing else should be encoded."""
        return bool(self._questions)

    async def encode_ahead(self, view: View) -> None:
        """Encodes a view that nobody has asked about, as deep as `models.exits` decides."""
        if self.lock.locked():
            return
        async with self.lock:
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
        if EYE not in self._bricks.pids():
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
            rows = await self._one(Frame(view.rgb, deadline_s=self.deadline_s()))
            return Encoded(view.verdict.measured, view.taken_s, self._exits[-1], rows)
        begun = await self._encode(view, self._exits[0])
        try:
            return await self._whole(begun)
        finally:
            self._kept.store(view, begun)

    async def _encode(self, view: View, depth: int) -> Encoded:
        activation = await self._one(Encode((view.rgb,), depth, deadline_s=self.deadline_s()))
        return Encoded(view.verdict.measured, view.taken_s, activation.depth, activation)

    async def _whole(self, begun: Encoded) -> Encoded:
        assert isinstance(begun.data, Activation)
        rows = await self._one(Rows((begun.data,), deadline_s=self.deadline_s()))
        return Encoded(begun.measured, begun.taken_s, self._exits[-1], rows)

    async def _one(self, request: object) -> Any:
        made = await answers(self._bricks, EYE, request)
        if not made:
            raise BrickFailed(EYE, "execute", "The vision encoder gave no result.")
        return made[-1]

    def deadline_s(self) -> float:
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
