"""A small network of fully connected layers, kept as JSON: int8 weights with a scale for each column.

A layer in JSON has `rows` and `columns`; `weights`, base64 of int8 [rows, columns]; `scales` of its columns;
and `bias`. Between layers negative values become 0. NumPy only, because the main process asks such networks.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEVELS = 127
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Layer:
    """weights: float32 [inputs, outputs]; bias: float32 [outputs]."""

    weights: Floats
    bias: Floats


def run(layers: Sequence[Layer], inputs: Floats) -> Floats:
    """Inputs, float32 [n, inputs] -> the last layer's outputs, float32 [n, outputs]."""
    values = np.asarray(inputs, np.float32)
    for number, layer in enumerate(layers):
        values = values @ layer.weights + layer.bias
        if number < len(layers) - 1:
            values = np.maximum(values, 0)
    return values


def probability(logits: Floats) -> Floats:
    """The logistic function, without overflow."""
    chance: Floats = (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
    return chance


def as_json(layers: Sequence[Layer]) -> list[dict[str, Any]]:
    """The layers as the file has them."""
    told = []
    for layer in layers:
        levels, scales = quantised(layer.weights)
        rows, columns = levels.shape
        told.append({
            "rows": rows, "columns": columns, "weights": base64.b64encode(levels.tobytes()).decode(),
            "scales": short(scales), "bias": short(layer.bias),
        })  # fmt: skip
    return told


def from_json(told: Sequence[Mapping[str, Any]]) -> tuple[Layer, ...]:
    """Raises ValueError, LookupError, TypeError, AttributeError or OverflowError for what is not such a
    network.
    """
    return tuple(_layer(each) for each in told)


def leads(layers: Sequence[Layer], inputs: int, outputs: int) -> bool:
    """Whether the layers fit each other, from so many values to so many."""
    widths = [inputs, *(len(layer.bias) for layer in layers)]
    shapes = [layer.weights.shape for layer in layers]
    return bool(shapes) and shapes == list(pairwise(widths)) and widths[-1] == outputs


def short(values: Floats) -> list[float]:
    """Five significant digits of each."""
    return [float(f"{value:.5g}") for value in values]


def quantised(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Int8 levels and the scales of the columns, whose product is nearest to the weights."""
    largest = np.abs(weights).max(axis=0, initial=0.0)
    scales = np.where(largest > 0, largest / _LEVELS, 1.0).astype(np.float32)
    return np.rint(weights / scales).astype(np.int8), scales


def _layer(told: Mapping[str, Any]) -> Layer:
    levels = np.frombuffer(base64.b64decode(told["weights"], validate=True), np.int8)
    weights = levels.reshape(int(told["rows"]), int(told["columns"])).astype(np.float32)
    scales, bias = (np.array(told[name], np.float32) for name in ("scales", "bias"))
    if not (scales.shape == bias.shape == weights.shape[1:]):
        raise ValueError("a layer's scales and bias do not fit its weights")
    if not (np.isfinite(scales).all() and np.isfinite(bias).all()):
        raise ValueError("a layer has values that are not finite")
    return Layer(weights * scales, bias)
