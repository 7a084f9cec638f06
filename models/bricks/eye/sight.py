"""The vision brick, for any runtime: takes pictures through an encoder, wholly or to some depth.

The encoder is a chain of graphs (`models.pack.chain`), or one graph with input [1, 3, side, side] float32 and
output [1, tokens, width]; the one graph answers only `Frame`. Shapes never change while it is loaded.
Settings: `tokens` and `width` (they size the ring's slots), those of `models.pixels`, and those of the
chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import (
    Activation,
    BrickError,
    Cancelled,
    Context,
    Embed,
    Embedding,
    Encode,
    Frame,
    Recall,
    Resume,
    Rows,
    SlotRef,
)
from models.bricks.eye.encoder import Piece, Pieces, View, advance, fed, holding, stages
from models.pack.chain import Chain, ChainError, chain_of, exit_key
from models.pixels import Preparation
from models.process.child_main import free_model_memory
from models.ring.ring import SlotGone

Request = Frame | Encode | Resume | Rows | Embed


class VisionBrick:
    """The brick. Answers are in ring slots where there is one, and a request never drops its own answers."""

    def __init__(
        self,
        options: Mapping[str, Any],
        context: Context,
        loaded: Callable[[Mapping[str, Any], Context, Chain | None], Pieces],
    ) -> None:
        """`loaded` loads the encoder."""
        self._options = options
        self._context = context
        self._loaded = loaded
        self._pieces: Pieces | None = None
        self._chain: Chain | None = None
        self._identity = str(options.get("encoder", ""))

    def load(self) -> None:
        try:
            self._chain = chain_of(self._options)
        except ChainError as error:
            raise BrickError(f"The vision encoder can't be used: {error}.") from error
        self._pieces = self._loaded(self._options, self._context, self._chain)
        self._stages = stages(self._chain)
        if self._chain is not None:
            side_px = self._chain.side_px
        else:
            (only,) = self._pieces.through(self._stages)
            side_px = only.ports.takes[2]
        self._preparation = Preparation.of(self._options, side_px)

    def execute(self, request: Request) -> Iterator[Any]:
        """Gives `Embedding`s, `Activation`s or `Recall`s, as `models.brick` says of each request."""
        assert self._pieces is not None
        whole = len(self._stages)
        match request:
            case Frame(rgb=rgb):
                for found in self._pass([self._view(rgb)], whole, request):
                    yield Embedding(**found)
            case Encode(frames=frames, depth=depth):
                end = self._stage(depth)
                for found in self._pass([self._view(rgb) for rgb in frames], end, request):
                    yield Activation(depth, self._identity, **found)
            case Resume(activations=activations, depth=depth):
                yield from self._resume(request, activations, self._stage(depth))
            case Rows(activations=activations):
                for found in self._pass([self._resumed(each) for each in activations], whole, request):
                    yield Embedding(**found)
            case Embed(activations=activations):
                yield from self._embed(activations)
            case _:
                raise BrickError(f"The vision encoder has no answer to a {type(request).__name__}.")

    def release(self) -> None:
        if self._pieces is not None:
            self._pieces.close()
        self._pieces = None
        free_model_memory()

    def _resume(self, request: Resume, activations: tuple[Activation, ...], end: int) -> Iterator[Activation]:
        views = [self._resumed(each) for each in activations]
        beyond = [each.depth for each, view in zip(activations, views, strict=True) if view.stage > end]
        if beyond:
            raise BrickError(
                f"An activation has passed {beyond[0]} blocks, so it can't be taken to {request.depth}."
            )
        further = [view for view in views if view.stage < end]
        found = self._pass(further, end, request)
        for activation, view in zip(activations, views, strict=True):
            if view in further:
                yield Activation(request.depth, self._identity, **next(found))
            else:
                yield activation

    def _embed(self, activations: tuple[Activation, ...]) -> Iterator[Recall]:
        views = [self._resumed(each) for each in activations]
        assert self._pieces is not None and (self._chain is not None or not views)
        exits = self._chain.exits if self._chain is not None else ()
        for view in views:
            if view.stage - 1 not in exits:
                raise BrickError(f"The vision encoder has no exit {self._at(view.stage)}.")
        numbers = sorted({view.stage - 1 for view in views})
        vectors: dict[int, NDArray[np.float32]] = {}
        for number, piece in zip(numbers, self._pieces.through([*map(exit_key, numbers)]), strict=True):
            for index, view in enumerate(views):
                if view.stage - 1 == number:
                    vectors[index] = np.asarray(piece.run(fed(piece, view.value())), np.float32).reshape(-1)
        for index, activation in enumerate(activations):
            yield Recall(vectors[index], activation.depth, self._identity)

    def _pass(
        self, views: list[View], end: int, request: Frame | Encode | Resume | Rows
    ) -> Iterator[dict[str, Any]]:
        """Take pictures to the stage `end`; the rows or the slot of each, in order."""
        assert self._pieces is not None
        ring, in_slots = self._context.ring, 0
        for piece, feed in advance(self._pieces, self._chain, views, end):
            slot = None
            if ring is not None and in_slots < ring.slots:
                slot = ring.allocate(
                    *piece.ports.gives[1:], memory=request.memory, dtype=piece.ports.gives_dtype,
                    deadline_s=request.deadline_s,
                )  # fmt: skip
            if slot is None:
                yield {"rows": np.ascontiguousarray(piece.run(feed)[0])}
                continue
            yield {"slot": self._filled(piece, feed, slot)}
            in_slots += 1

    def _filled(self, piece: Piece, feed: NDArray[Any], slot: Any) -> SlotRef:
        """Writes a piece's output into a slot, which is abandoned after any error."""
        try:
            piece.fill(feed, slot.array[None])
            if self._context.cancelled():  # the slot's reference would not be sent
                raise Cancelled
        except BaseException:
            slot.abandon()
            raise
        ref: SlotRef = slot.commit()
        return ref

    def _view(self, rgb: NDArray[np.uint8]) -> View:
        """A picture that has passed nothing yet; its pixels are prepared when they are needed."""
        return View(0, lambda: self._preparation.pixels(rgb))

    def _resumed(self, activation: Activation) -> View:
        """An activation's picture. Raises BrickError for one that this encoder can't take."""
        stage = self._stage(activation.depth)
        assert self._chain is not None
        if activation.encoder != self._identity:
            raise BrickError(
                f"The activation is of the encoder '{activation.encoder}', and this is '{self._identity}'."
            )
        if activation.slot is not None:
            shape: tuple[int, ...] = (activation.slot.tokens, activation.slot.width)
        else:
            shape = () if activation.rows is None else activation.rows.shape
        if shape != self._chain.activation:
            wanted = list(self._chain.activation)
            raise BrickError(f"The activation's rows are {list(shape)}, and the encoder's are {wanted}.")
        return View(stage, holding(self._rows_of(activation)[None]))

    def _rows_of(self, activation: Activation) -> NDArray[Any]:
        if activation.rows is not None:
            return activation.rows
        ring = self._context.ring
        try:
            if ring is None or activation.slot is None:
                raise SlotGone("there is no ring")
            rows: NDArray[Any] = ring.read(activation.slot)
        except SlotGone as error:
            raise BrickError(f"The activation can't be read: {error}.") from error
        return rows

    def _stage(self, depth: int) -> int:
        """The number of pieces that an activation of that depth has passed. Raises BrickError."""
        if self._chain is None:
            raise BrickError("This pack's vision encoder is one graph, so it has no activations.")
        if depth not in self._chain.depths:
            known = ", ".join(map(str, self._chain.depths))
            raise BrickError(f"The vision encoder has no activation of depth {depth}; it has {known}.")
        return self._chain.depths.index(depth) + 1

    def _at(self, stage: int) -> str:
        assert self._chain is not None
        known = ", ".join(map(str, self._chain.exit_depths)) or "none"
        return f"after {self._chain.depths[stage - 1]} blocks; it has exits after: {known}"
