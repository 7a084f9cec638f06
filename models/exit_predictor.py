"""How deep a view has to be encoded to be found again, from its place at the first exit alone.

A small network gives for each exit the probability that a view's place there is good enough; the first exit
that is probable enough is taken, and the last one where none is. The file is JSON:

    form            1
    encoder         identity of the encoder (`models.pack.chain.identity`), without pack and version
    exits           depths of the outputs, rising: the encoder's first exit, whose places it reads, its last,
                    and some between
    enough_from     probability from which an exit is taken
    layers          `models.small_network`
    chosen          how it was trained and chosen, as text

`models.train.recall.train` makes it. NumPy only, because the main process asks it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models import small_network
from models.small_network import Floats, Layer

FORM = 1


class PredictorError(Exception):
    """A predictor that can't be used; the message is one sentence."""


@dataclass(frozen=True, eq=False)
class ExitPredictor:
    """exits: depths, rising; enough_from: 0 to 1; encoder and chosen as in the file."""

    exits: tuple[int, ...]
    layers: tuple[Layer, ...]
    enough_from: float
    encoder: str = ""
    chosen: str = ""

    def probabilities(self, places: Floats) -> Floats:
        """Places at the first exit, float32 [views, embedding] -> [views, exits], which never falls from one
        exit to a deeper one.
        """
        return np.maximum.accumulate(
            small_network.probability(small_network.run(self.layers, places)), axis=1
        )

    def depths(self, places: Floats) -> list[int]:
        """The depth for each view."""
        enough = self.probabilities(places) >= self.enough_from
        enough[:, -1] = True
        return [self.exits[at] for at in enough.argmax(axis=1)]

    def text(self) -> str:
        """The file's text."""
        told = {
            "form": FORM, "encoder": self.encoder, "exits": list(self.exits),
            "enough_from": self.enough_from, "chosen": self.chosen,
            "layers": small_network.as_json(self.layers),
        }  # fmt: skip
        return json.dumps(told, indent=1) + "\n"


class PackPredictor:
    """The predictor of a pack, read with its first use."""

    def __init__(self, path: str, options: Mapping[str, Any], exits: Sequence[int]) -> None:
        """path: "" without one; options: of the pack's eye; exits: depths."""
        self._path, self._options, self._exits = path, options, exits
        self._found: ExitPredictor | None = None
        self._sought = False

    def read(self, observe: Callable[[str, dict[str, Any]], None]) -> ExitPredictor | None:
        """None without one, and for one that can't be used, which is told once."""
        if not self._sought and self._path:
            encoder, embedding = str(self._options["encoder"]), int(self._options["embedding"])
            try:
                self._found = read(Path(self._path), encoder, self._exits, embedding)
            except PredictorError as error:
                observe("predictor", {"problem": str(error)})
        self._sought = True
        return self._found


def read(path: Path, encoder: str, exits: Sequence[int], embedding: int) -> ExitPredictor:
    """The predictor in a file, for the encoder of that identity, its exits and its embedding. Raises
    PredictorError for one of another encoder, form or shape.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["form"] != FORM:
            raise PredictorError(f"{path.name} has form {told['form']}, and this program knows {FORM}.")
        found = ExitPredictor(
            tuple(int(depth) for depth in told["exits"]),
            small_network.from_json(told["layers"]),
            float(told["enough_from"]),
            str(told["encoder"]),
            str(told.get("chosen", "")),
        )
    except (
        OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError
    ) as error:  # fmt: skip
        raise PredictorError(f"The predictor {path.name} can't be read ({error}).") from error
    if found.encoder != encoder.rpartition(" ")[2]:
        raise PredictorError(f"{path.name} was trained for another encoder than this pack's.")
    ends = exits[0], exits[-1]
    if (
        found.exits != tuple(sorted({*found.exits} & {*exits}))
        or (found.exits[:1] + found.exits[-1:]) != ends
    ):
        raise PredictorError(f"{path.name} was trained for other exits than this pack's.")
    if not small_network.leads(found.layers, embedding, len(found.exits)):
        raise PredictorError(f"{path.name} does not lead from {embedding} values to the exits.")
    return found
