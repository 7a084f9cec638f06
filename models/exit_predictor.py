"""How deep a view has to be encoded to be found again, from its place at the first exit alone.

A small network gives for each exit the probability that a view's place there is good enough; the first exit
that is probable enough is taken, and the last one where none is. The file is JSON:

    form            1
    encoder         identity of the encoder (`models.pack.chain.identity`), without pack and version
    exits           depths of the outputs, rising: the encoder's first exit, whose places it reads, its last,
                    and some between
    enough_from     probability from which an exit is taken
    layers          of each: `rows` and `columns`; `weights`, base64 of int8 [rows, columns]; `scales` of its
                    columns; `bias`. Between layers negative values become 0
    chosen          how it was trained and chosen, as text

`models.train.recall.train` makes it. NumPy only, because the main process asks it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORM = 1
_LEVELS = 127
Floats = NDArray[np.float32]


class PredictorError(Exception):
    """A predictor that can't be used; the message is one sentence."""


@dataclass(frozen=True, eq=False)
class Layer:
    """weights: float32 [inputs, outputs]; bias: float32 [outputs]."""

    weights: Floats
    bias: Floats


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
        values = np.asarray(places, np.float32)
        for number, layer in enumerate(self.layers):
            values = values @ layer.weights + layer.bias
            if number < len(self.layers) - 1:
                values = np.maximum(values, 0)
        chance: Floats = (1 / (1 + np.exp(-np.clip(values, -30, 30)))).astype(np.float32)
        return np.maximum.accumulate(chance, axis=1)

    def depths(self, places: Floats) -> list[int]:
        """The depth for each view."""
        enough = self.probabilities(places) >= self.enough_from
        enough[:, -1] = True
        return [self.exits[at] for at in enough.argmax(axis=1)]

    def text(self) -> str:
        """The file's text."""
        layers = []
        for layer in self.layers:
            levels, scales = quantised(layer.weights)
            rows, columns = levels.shape
            layers.append({
                "rows": rows, "columns": columns, "weights": base64.b64encode(levels.tobytes()).decode(),
                "scales": _short(scales), "bias": _short(layer.bias),
            })  # fmt: skip
        told = {
            "form": FORM, "encoder": self.encoder, "exits": list(self.exits),
            "enough_from": self.enough_from, "chosen": self.chosen, "layers": layers,
        }  # fmt: skip
        return json.dumps(told, indent=1) + "\n"


def _short(values: Floats) -> list[float]:
    return [float(f"{value:.5g}") for value in values]


def quantised(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Int8 levels and the scales of the columns, whose product is nearest to the weights."""
    largest = np.abs(weights).max(axis=0, initial=0.0)
    scales = np.where(largest > 0, largest / _LEVELS, 1.0).astype(np.float32)
    return np.rint(weights / scales).astype(np.int8), scales


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
            tuple(_layer(each) for each in told["layers"]),
            float(told["enough_from"]),
            str(told["encoder"]),
            str(told.get("chosen", "")),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise PredictorError(f"The predictor {path.name} can't be read ({error}).") from error
    if found.encoder != encoder.rpartition(" ")[2]:
        raise PredictorError(f"{path.name} was trained for another encoder than this pack's.")
    ends = exits[0], exits[-1]
    if (
        found.exits != tuple(sorted({*found.exits} & {*exits}))
        or (found.exits[:1] + found.exits[-1:]) != ends
    ):
        raise PredictorError(f"{path.name} was trained for other exits than this pack's.")
    widths = [embedding, *(len(layer.bias) for layer in found.layers)]
    shapes = [layer.weights.shape for layer in found.layers]
    if not shapes or shapes != list(pairwise(widths)) or widths[-1] != len(found.exits):
        raise PredictorError(f"{path.name} does not lead from {embedding} values to the exits.")
    return found


def _layer(told: Mapping[str, Any]) -> Layer:
    levels = np.frombuffer(base64.b64decode(told["weights"], validate=True), np.int8)
    weights = levels.reshape(int(told["rows"]), int(told["columns"])).astype(np.float32)
    scales, bias = (np.array(told[name], np.float32) for name in ("scales", "bias"))
    if not (scales.shape == bias.shape == weights.shape[1:]):
        raise ValueError("a layer's scales and bias do not fit its weights")
    if not (np.isfinite(scales).all() and np.isfinite(bias).all()):
        raise ValueError("a layer has values that are not finite")
    return Layer(weights * scales, bias)
