"""Somebody's pictures of things, as the second renderer needs them: sampled at points of a thing.

A thing stands on the origin: x to the right, y down from -1 at its top to 0, in parts of its height.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.train.cutouts import Cutout
from tests.eval.stranger.shapes import Field


def sampled(cutout: Cutout, x: Field, y: Field, scale: float) -> tuple[Field, Field]:
    """Colours [h, w, 3] and how much of each pixel the thing covers [h, w, 1], float32. scale: the thing's
    height in px of the picture that it is drawn on.
    """
    full_high, full_wide = cutout.rgba.shape[:2]
    high = max(2, min(full_high, round(scale)))
    wide = max(2, round(full_wide * high / full_high))
    small = Image.fromarray(cutout.rgba).resize((wide, high), Image.Resampling.BOX)
    rgba = np.pad(np.asarray(small, np.float32), ((1, 1), (1, 1), (0, 0)))
    share = rgba[:, :, 3:] / 255
    weighed = np.concatenate([rgba[:, :, :3] * share, share], axis=2)
    column, row = (x / cutout.aspect + 0.5) * wide + 0.5, (y + 1) * high + 0.5
    found = _between(weighed, row, column)
    alpha = found[:, :, 3:]
    return found[:, :, :3] / np.maximum(alpha, 1e-6), alpha


def _between(values: Field, row: Field, column: Field) -> Field:
    """Values [h, w, n] between four neighbours, at fractional rows and columns."""
    row, column = np.clip(row, 0, values.shape[0] - 1.001), np.clip(column, 0, values.shape[1] - 1.001)
    top, left = row.astype(np.int32), column.astype(np.int32)
    down, across = (row - top)[:, :, None], (column - left)[:, :, None]
    upper = values[top, left] * (1 - across) + values[top, left + 1] * across
    lower = values[top + 1, left] * (1 - across) + values[top + 1, left + 1] * across
    return (upper * (1 - down) + lower * down).astype(np.float32)


def filled(cutout: Cutout, x: Field, y: Field) -> NDArray[np.bool_]:
    """Whether points belong to the thing."""
    high, wide = cutout.rgba.shape[:2]
    row = np.clip(((y + 1) * high).astype(np.int32), 0, high - 1)
    column = np.clip(((x / cutout.aspect + 0.5) * wide).astype(np.int32), 0, wide - 1)
    within = (np.abs(x) < cutout.aspect / 2) & (y > -1) & (y < 0)
    return np.asarray(cutout.solid[row, column] & within)
