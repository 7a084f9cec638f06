"""Curves, bands and colours that drawings of things one wears share."""

from __future__ import annotations

import random
from collections.abc import Sequence

from models.train.world.home.picture.pen import Pen, edge_of, luminance, shade
from models.train.world.scenes import Rgb

Spots = list[tuple[float, float]]
METAL: Rgb = (176, 178, 184)
ACCENTS: tuple[Rgb, ...] = (
    (205, 45, 45), (45, 85, 205), (45, 155, 70), (240, 205, 50), (240, 240, 240), (30, 30, 34), (230, 130, 40)
)  # fmt: skip


def tone(rgb: Rgb, strength: float = 0.25) -> Rgb:
    """Another tone of `rgb`: darker, or lighter for what is nearly black."""
    return shade(rgb, 1 - strength) if luminance(rgb) > 60 else shade(rgb, 1 + strength * 0.8)


def accent(rng: random.Random, rgb: Rgb) -> Rgb:
    """A colour that stands out from `rgb`, for small parts."""
    return rng.choice([c for c in ACCENTS if sum(abs(a - b) for a, b in zip(c, rgb, strict=True)) > 160])


def smooth(points: Sequence[tuple[float, float]], closed: bool = True) -> Spots:
    """A smooth curve through `points`."""
    count, curve = len(points), []
    for i in range(count if closed else count - 1):
        near = [points[(i + k) % count if closed else min(max(i + k, 0), count - 1)] for k in (-1, 0, 1, 2)]
        for t in (0, 0.2, 0.4, 0.6, 0.8):
            weights = (-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2)
            pairs = list(zip(weights, near, strict=True))
            curve.append((sum(w * p[0] for w, p in pairs) / 2, sum(w * p[1] for w, p in pairs) / 2))
    return curve if closed else [*curve, points[-1]]


def both(right: Sequence[tuple[float, float]]) -> Spots:
    """The right half of an outline, from top to bottom, and its mirror image."""
    return [*right, *((-x, y) for x, y in reversed(right))]


def cord(pen: Pen, points: Sequence[tuple[float, float]], rgb: Rgb, width: float) -> None:
    """A band along `points`, with edges on both sides."""
    pen.line(points, edge_of(rgb), width + 1.3)
    pen.line(points, rgb, width)
