"""Cheap features of a clip's first units and of a configuration, as the accuracy predictor reads them (E7).

The encoder's own recall space gives the consistency of neighbouring units; the published complementarity is
one minus it and says nothing more. Noise of the room is no feature, as no configuration changes the
recogniser.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from models.sensing.configuration import INTERVALS_S, UNITS, Configuration
from models.sensing.thumbnail import thumbnail

Floats = NDArray[np.float32]
FIRST_UNITS = 4
"""So many units are looked at before a configuration is chosen."""
SIDE = 16
"""Cells of a thumbnail's side."""
VIEW_FEATURES = 10
_LUMA = np.array((0.25, 0.5, 0.25), np.float32)
_NO_SHARPNESS = 0.2
"""Of a plain wall, which has no steps to measure."""


def luma_of(rgb: NDArray[np.uint8]) -> Floats:
    """Luma of a picture's thumbnail, float32 [SIDE, SIDE], 0 to 1."""
    found: Floats = (thumbnail(rgb, SIDE) @ _LUMA / np.float32(255)).astype(np.float32)
    return found


def motion_between(before: Floats, after: Floats) -> float:
    """Mean difference of two thumbnails' luma after their mean brightness is taken out."""
    step = after - before
    return float(np.abs(step - step.mean()).mean())


def view_features(lumas: Sequence[Floats], sharpness: Sequence[float | None], places: Floats) -> Floats:
    """Of two or more units: luma of each by `luma_of`, sharpness of each, and their places in the recall
    space, float32 [units, embedding], of length 1. Float32 [VIEW_FEATURES].
    """
    near = (places[1:] * places[:-1]).sum(axis=1)
    moved = [motion_between(a, b) for a, b in pairwise(lumas)]
    levels = [float(each.mean()) for each in lumas]
    sharp = [_NO_SHARPNESS if each is None else min(1.0, each) for each in sharpness]
    return np.array(
        [
            4 * (1 - float(near.mean())), 4 * (1 - float(near.min())),
            4 * (1 - float(places[0] @ places[-1])),
            10 * float(np.mean(moved)), 10 * max(moved), 10 * motion_between(lumas[0], lumas[-1]),
            float(np.mean(levels)), 5 * float(np.std(levels)),
            float(np.mean(sharp)), min(sharp),
        ],
        np.float32,
    )  # fmt: skip


def configuration_features(configuration: Configuration, depths: Sequence[int]) -> Floats:
    """One value for each interval, depth and number of units, and the seconds that the units cover. Pictures
    that are encoded together give the same answer as one by one, so that their number is no feature.
    """
    chosen = (
        *(configuration.interval_s == each for each in INTERVALS_S),
        *(configuration.depth == each for each in depths),
        *(configuration.units == each for each in UNITS),
    )
    covers = math.log2(configuration.interval_s * configuration.units) / 4
    return np.array((*map(float, chosen), covers), np.float32)
