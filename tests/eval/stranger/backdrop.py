"""Backgrounds with gradients and textures, of medium brightness and little colour."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.eval.stranger.truth import Style

BACKDROPS = ("gradient", "spot", "planks", "tiles", "cloth", "paper", "wall and table", "stripes")
Pixels = NDArray[np.floating[Any]]


def _waves(rng: np.random.Generator, across: Pixels, down: Pixels, count: int, fineness: float) -> Pixels:
    """A sum of plane waves in random directions, about -1 to 1."""
    total = np.zeros(np.broadcast_shapes(across.shape, down.shape), np.float32)
    for _ in range(count):
        angle, phase = rng.uniform(0, 2 * np.pi, 2)
        pace = fineness * rng.uniform(0.4, 1.6)
        total += np.sin(pace * (np.cos(angle) * across + np.sin(angle) * down) + phase)
    return total / np.sqrt(count)


def backdrop(style: Style, width: int, height: int) -> Pixels:
    """float32 [height, width, 3] of 0 to 255."""
    rng = np.random.default_rng(style.seed)
    short = min(width, height)
    across = (np.arange(width, dtype=np.float32) / short)[None, :]
    down = (np.arange(height, dtype=np.float32) / short)[:, None]
    angle, phase = rng.uniform(0, 2 * np.pi, 2)
    lean = np.cos(angle) * across + np.sin(angle) * down
    lean = (lean - lean.min()) / (lean.max() - lean.min())
    share, fine = _texture(style.backdrop, rng, across, down, lean, float(phase))
    tone, second = (np.asarray(each, np.float32) for each in (style.tone, style.second_tone))
    return tone + (second - tone) * np.clip(share, 0, 1)[:, :, None] + fine[:, :, None]


def _texture(
    name: str, rng: np.random.Generator, across: Pixels, down: Pixels, lean: Pixels, phase: float
) -> tuple[Pixels, Pixels]:
    """How much of the second tone, 0 to 1, and fine brightness, levels of 0 to 255; [height, width] each."""
    flat = np.zeros_like(lean)
    shape = lean.shape
    match name:
        case "gradient":
            return lean, flat
        case "spot":
            middle = rng.uniform(0.2, 0.8, 2)
            return np.hypot(across - middle[0], down - middle[1]) / 0.9, flat
        case "planks":
            grain = np.sin(40 * down + 2.5 * _waves(rng, across, down, 4, 5.0) + phase)
            seam = (np.abs((down * 4 + phase) % 1.0 - 0.5) > 0.485) + flat
            return lean * 0.6 + 0.2 + 0.12 * grain, 3.0 * grain - 16.0 * seam
        case "tiles":
            many = rng.uniform(3, 6)
            seams = [np.abs((axis * many + phase) % 1.0 - 0.5) > 0.47 for axis in (across, down)]
            return lean, np.where(seams[0] | seams[1], -15.0, 0.0).astype(np.float32)
        case "cloth":
            weave = np.sin(260 * across + phase) * np.sin(260 * down)
            return 0.5 + 0.3 * _waves(rng, across, down, 5, 4.0), 5.0 * weave
        case "paper":
            fibre = rng.standard_normal(shape, np.float32)
            return 0.5 + 0.25 * _waves(rng, across, down, 6, 9.0), 4.0 * fibre
        case "wall and table":
            edge = rng.uniform(0.45, 0.75) * float(down.max())
            return np.clip((down - edge + 0.05 * (across - 0.5)) * 60, 0, 1) + flat, 6.0 * (lean - 0.5)
        case _:
            return 0.5 + 0.5 * np.tanh(4 * np.sin(2 * np.pi * rng.uniform(2, 5) * lean + phase)), flat
