"""A small network that is trained by hand-written gradients: seconds with NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from models.small_network import Floats, Layer

_RATE, _FIRST, _SECOND, _TINY = 3e-3, 0.9, 0.999, 1e-8
"""Adam (Kingma and Ba 2015)."""
_DECAY = 1e-3
"""Share of the weights that each step of the learning rate 1 would take away."""
BATCH = 64


def trained(
    places: Floats, good: NDArray[np.bool_], hidden: int, epochs: int, seed: int
) -> tuple[Layer, ...]:
    """places [views, embedding], good [views, exits] -> the layers whose outputs are the logits of `good`, by
    mean binary cross entropy. hidden: width of the layer between, 0 for none.
    """
    rng = np.random.default_rng(seed)
    widths = [places.shape[1], *([hidden] if hidden else []), good.shape[1]]
    values: list[Floats] = []
    for inputs, outputs in pairwise(widths):
        values += [
            (rng.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)).astype(np.float32),
            np.zeros(outputs, np.float32),
        ]
    moments = [(np.zeros_like(each), np.zeros_like(each)) for each in values]
    step, steps = 0, epochs * -(-len(places) // BATCH)
    for _ in range(epochs):
        order = rng.permutation(len(places))
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            rate = _RATE * (1 - step / steps)
            step += 1
            for at, slope in enumerate(slopes(values, places[some], good[some])):
                first, second = moments[at]
                first += (1 - _FIRST) * (slope - first)
                second += (1 - _SECOND) * (slope * slope - second)
                change = (first / (1 - _FIRST**step)) / (np.sqrt(second / (1 - _SECOND**step)) + _TINY)
                values[at] -= rate * (change + (_DECAY * values[at] if values[at].ndim == 2 else 0))
    return tuple(Layer(values[at], values[at + 1]) for at in range(0, len(values), 2))


def slopes(values: Sequence[Floats], places: Floats, good: NDArray[np.bool_]) -> list[Floats]:
    """The gradients of the mean binary cross entropy by weights and bias of each layer, in order."""
    inputs = [places]
    for at in range(0, len(values), 2):
        out = inputs[-1] @ values[at] + values[at + 1]
        inputs.append(np.maximum(out, 0) if at < len(values) - 2 else out)
    chance = 1 / (1 + np.exp(-np.clip(inputs[-1], -30, 30)))
    back = ((chance - good) / good.size).astype(np.float32)
    found: list[Floats] = []
    for at in range(len(values) - 2, -1, -2):
        found += [back.sum(axis=0), inputs[at // 2].T @ back]
        if at:
            back = (back @ values[at].T) * (inputs[at // 2] > 0)
    return found[::-1]
