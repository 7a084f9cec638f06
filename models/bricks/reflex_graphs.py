"""The graphs of the reflex brick: one for the front and one per cross-modal layer, with named inputs and
outputs; `models.convert.reflex.graph` says which. The number of words and of image tokens changes from
question to question and from layer to layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Context
from models.bricks.closed_sentence import AnswerTable
from models.bricks.ort import CancellableSession
from models.bricks.threads import threads_for
from models.pack.reflex_files import layer_key
from models.process.rss import trim_heap

Extents = tuple[int | None, ...]
"""Sizes of a graph's input or output; None for one that changes from question to question."""


class Graph:
    """One loaded graph with named inputs and outputs."""

    def __init__(self, path: Path, context: Context, *, arena: bool, threads: int | None = None) -> None:
        """threads: 0 for as many as the brick may use; None: by the size of the file. Raises BrickError."""
        self.path = path
        if threads is None:
            threads = threads_for(path.stat().st_size) if path.is_file() else 0
        self._session = CancellableSession(str(path), context, shared_arena=arena, threads=threads)
        session = self._session.session
        self._takes = {port.name: tuple(port.shape) for port in session.get_inputs()}
        self._gives = {port.name: tuple(port.shape) for port in session.get_outputs()}

    def require(self, takes: Mapping[str, Extents], gives: Mapping[str, Extents]) -> None:
        """Raises BrickError for a graph of other inputs or outputs."""
        for what, found, wanted in (("input", self._takes, takes), ("output", self._gives, gives)):
            for name, extents in wanted.items():
                if name not in found:
                    raise BrickError(f"{self.path.name} has no {what} '{name}'.")
                if not _fits(found[name], extents):
                    raise BrickError(
                        f"The {what} '{name}' of {self.path.name} is {_shown(found[name])}, and it has to be "
                        f"{_shown(extents)}."
                    )
        if beyond := set(self._takes) - set(takes):
            raise BrickError(f"{self.path.name} has an unknown input '{min(beyond)}'.")

    def takes(self, name: str) -> bool:
        """Whether it has an input of that name."""
        return name in self._takes

    def last_extent(self, output: str) -> int:
        """The length of an output's last axis; 0 for one that has none or that changes."""
        last = self._gives.get(output, (0,))[-1]
        return last if isinstance(last, int) else 0

    def run(self, feeds: dict[str, NDArray[Any]], outputs: Sequence[str]) -> list[NDArray[Any]]:
        """Raises Cancelled."""
        return self._session.run(list(outputs), feeds)


def _fits(found: Sequence[object], wanted: Extents) -> bool:
    return len(found) == len(wanted) and all(
        not isinstance(have, int) if want is None else have == want
        for have, want in zip(found, wanted, strict=True)
    )


def _shown(extents: Sequence[object]) -> str:
    return f"[{', '.join('any' if extent is None else str(extent) for extent in extents)}]"


class ReflexGraphs:
    """The front and the layers. A layer is loaded when the first question reaches it, so that one question,
    answered early by a process that ends after it, loads none of the further layers.
    """

    def __init__(
        self, options: Mapping[str, Any], context: Context, answers: AnswerTable, n_words: int
    ) -> None:
        """Loads the front and the first layer. n_words: of the vocabulary. Raises BrickError for a file that
        is no graph, and for files that do not fit each other.
        """
        self._options, self._context, self._answers = options, context, answers
        self.layers = int(options["layers"])
        self.front = self._loaded("front")
        self._width = self.front.last_extent("words_out")
        self._require_front(n_words)
        self._by_number: dict[int, Graph] = {}
        self.layer(1)

    def layer(self, number: int) -> Graph:
        """A layer by its number, from 1. Raises BrickError."""
        if number not in self._by_number:
            graph = self._loaded(layer_key(number))
            self._require_layer(number, graph)
            self._by_number[number] = graph
        return self._by_number[number]

    def _loaded(self, key: str) -> Graph:
        arena = bool(self._options.get("arena", False))
        graph = Graph(Path(self._options[key]), self._context, arena=arena)
        trim_heap()  # what was read of the file is of no use once it is a session
        return graph

    def _require_front(self, n_words: int) -> None:
        row_width, width = int(self._options["width"]), self._width
        self.front.require(
            {"words": (1, None), "rows": (1, None, row_width)},
            {
                "words_out": (1, None, width), "image": (1, None, width),
                "answerable": (1,), "causes": (1, len(self._answers.causes)),
            },
        )  # fmt: skip
        highest = np.array([[n_words - 1]], np.int64)
        try:
            self.front.run({"words": highest, "rows": np.zeros((1, 1, row_width), np.float32)}, ["words_out"])
        except Exception as error:
            name = Path(self._options["words"]).name
            raise BrickError(
                f"{self.front.path.name} does not know all {n_words} words of {name}."
            ) from error

    def _require_layer(self, number: int, graph: Graph) -> None:
        width, groups = self._width, self._answers.groups
        gives: dict[str, Extents] = {"words_out": (1, None, width), "score": (1,)}
        if number == 1:
            gives["saliency"] = (1, None)
        if number < self.layers:
            gives["image_out"] = (1, None, width)
        graph.require({"words": (1, None, width), "image": (1, None, width)}, gives)
        logits = graph.last_extent("answers")
        if logits != sum(groups):
            raise BrickError(
                f"{graph.path.name} gives {logits} logits, and the forms and blanks of "
                f"{Path(self._options['answers']).name} are {sum(groups)}."
            )
