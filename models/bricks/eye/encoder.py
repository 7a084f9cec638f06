"""The way of pictures through an encoder's graphs, for any runtime and for any way of keeping the weights.

A *piece* is one graph of `models.pack.chain`, or the only graph of a pack without a chain. A batch of
pictures passes one piece before the next is used, so that weights that are streamed are read once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Context
from models.pack.chain import ROWS, STEM, Chain, exit_key, group_key

WHOLE = "model"
"""The key of the only graph of a pack without a chain."""


@dataclass(frozen=True)
class Ports:
    """Shapes of a piece's input and output, and types of their values, "float32" or "float16"."""

    takes: tuple[int, ...]
    gives: tuple[int, ...]
    takes_dtype: str = "float32"
    gives_dtype: str = "float32"


class Piece(Protocol):
    """A loaded graph. feed: of the shape and type that it takes, C-contiguous."""

    ports: Ports

    def run(self, feed: NDArray[Any]) -> NDArray[Any]:
        """The output in new memory. Raises Cancelled."""

    def fill(self, feed: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the output into `out`, of the shape and type that it gives. Raises Cancelled."""


class Pieces(Protocol):
    """All graphs of an encoder, by key. The exits may be loaded with their first use."""

    def through(self, keys: Sequence[str]) -> Iterator[Piece]:
        """These pieces one after the other; each is valid until the next is asked for. Raises Cancelled, and
        BrickError for a file that can't be used.
        """

    def close(self) -> None:
        """Free them all."""


P = TypeVar("P", bound=Piece)


class ResidentPieces(ABC, Generic[P]):
    """All pieces of an encoder in memory; an exit is loaded with its first use. Exits that are one file share
    it.
    """

    def __init__(self, options: Mapping[str, Any], context: Context, chain: Chain | None) -> None:
        """options: each piece's file by its key, and the brick's settings. Raises BrickError."""
        self.options, self.context, self.chain = options, context, chain
        self.by_file: dict[Path, P] = {}
        self._pieces = {key: self._piece(key) for key in stages(chain)}

    @abstractmethod
    def load(self, key: str, path: Path) -> P:
        """The piece in a file that is not loaded yet. Raises BrickError."""

    def require_use(self, key: str, path: Path, piece: P) -> None:
        """Raises BrickError for a piece that can't be used under this key."""

    def through(self, keys: Sequence[str]) -> Iterator[P]:
        for key in keys:
            if key not in self._pieces:
                self._pieces[key] = self._piece(key)
            yield self._pieces[key]

    def close(self) -> None:
        self._pieces.clear()
        self.by_file.clear()

    def _piece(self, key: str) -> P:
        path = Path(self.options[key])
        if path not in self.by_file:
            self.by_file[path] = self.load(key, path)
        self.require_use(key, path, self.by_file[path])
        return self.by_file[path]


@dataclass(eq=False)
class View:
    """One picture on its way. stage: number of pieces that it has passed. value: gives the next piece's input
    when that is needed, [1, ...].
    """

    stage: int
    value: Callable[[], NDArray[Any]]


def holding(value: NDArray[Any]) -> Callable[[], NDArray[Any]]:
    """For `View.value`."""
    return lambda: value


def stages(chain: Chain | None) -> tuple[str, ...]:
    """The keys of the pieces that every picture passes, in order."""
    if chain is None:
        return (WHOLE,)
    return (STEM, *(group_key(number + 1) for number in range(len(chain.groups))), ROWS)


def wanted_ports(chain: Chain, key: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes of a piece's input and output as the pack says."""
    activation = (1, *chain.activation)
    if key == STEM:
        return (1, 3, chain.side_px, chain.side_px), activation
    if key == ROWS:
        return activation, (1, chain.tokens, chain.width)
    if key in {exit_key(number) for number in chain.exits}:
        return activation, (1, chain.embedding)
    return activation, activation


def require_fit(chain: Chain, key: str, path: Path, ports: Ports) -> None:
    """Raises BrickError for a piece that does not fit the pack's other pieces."""
    wanted = wanted_ports(chain, key)
    if (ports.takes, ports.gives) != wanted:
        raise BrickError(
            f"{path.name} turns {list(ports.takes)} into {list(ports.gives)}, and as the pack's {key} it has "
            f"to turn {list(wanted[0])} into {list(wanted[1])}."
        )


def advance(
    pieces: Pieces, chain: Chain | None, views: Sequence[View], end: int
) -> Iterator[tuple[Piece, NDArray[Any]]]:
    """Take pictures, none of which has passed the last piece before the stage `end`, through all pieces up to
    that one: gives it with its input for each picture, in order. Raises Cancelled.
    """
    first = min((view.stage for view in views), default=end)
    kept: dict[View, NDArray[Any]] = {}
    for stage, piece in enumerate(pieces.through(stages(chain)[first:end]), first):
        for view in views:
            if stage == end - 1:
                yield piece, fed(piece, view.value())
                view.value = _used
                kept.pop(view, None)
            elif view.stage == stage:
                after = piece.run(fed(piece, view.value()))
                # In a batch, outputs between working values would keep the runtime's arena from reusing them.
                after = _moved(after, view, kept) if len(views) > 1 else after
                view.value, view.stage = holding(after), stage + 1


def _moved(value: NDArray[Any], view: View, kept: dict[View, NDArray[Any]]) -> NDArray[Any]:
    """A copy of the value in memory that this picture keeps on its whole way."""
    if view not in kept or kept[view].shape != value.shape or kept[view].dtype != value.dtype:
        kept[view] = np.empty_like(value)
    np.copyto(kept[view], value)
    return kept[view]


def fed(piece: Piece, value: NDArray[Any]) -> NDArray[Any]:
    """A value as the piece takes it."""
    return np.ascontiguousarray(value, piece.ports.takes_dtype)


def _used() -> NDArray[Any]:
    raise AssertionError("this picture has been given out")
