"""Shapes as distance fields: for every pixel how far it is from the outline, negative inside.

Edges are softened by distance, so nothing is drawn larger and reduced. Coordinates are in radii.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.floating[Any]]
Points = Sequence[tuple[float, float]]


def segment(x: Field, y: Field, start: tuple[float, float], end: tuple[float, float]) -> Field:
    """Distance from a line of no width."""
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    length = along_x * along_x + along_y * along_y
    share = np.clip(((x - start[0]) * along_x + (y - start[1]) * along_y) / (length or 1.0), 0.0, 1.0)
    return np.hypot(x - start[0] - share * along_x, y - start[1] - share * along_y)


def polygon(x: Field, y: Field, corners: Points) -> Field:
    """Signed distance from a closed outline."""
    distance: Field = np.full(x.shape, np.inf, np.float32)
    inside = np.zeros(x.shape, bool)
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        distance = np.minimum(distance, segment(x, y, start, end))
        if start[1] != end[1]:
            crossing = (start[1] > y) != (end[1] > y)
            at = start[0] + (y - start[1]) * (end[0] - start[0]) / (end[1] - start[1])
            inside ^= crossing & (x < at)
    return np.where(inside, -distance, distance)


def box(x: Field, y: Field, half_width: float, half_height: float, corner: float = 0.0) -> Field:
    """Signed distance from a rectangle with round corners of radius `corner`."""
    out_x, out_y = np.abs(x) - half_width + corner, np.abs(y) - half_height + corner
    outside = np.hypot(np.maximum(out_x, 0), np.maximum(out_y, 0))
    return outside + np.minimum(np.maximum(out_x, out_y), 0) - corner


def _circle(x: Field, y: Field) -> Field:
    return np.hypot(x, y) - 0.97


def _ring(x: Field, y: Field) -> Field:
    return np.abs(np.hypot(x, y) - 0.74) - 0.23


def _square(x: Field, y: Field) -> Field:
    return box(x, y, 0.74, 0.74, 0.06)


def _cross(x: Field, y: Field) -> Field:
    return np.minimum(box(x, y, 0.95, 0.27, 0.03), box(x, y, 0.27, 0.95, 0.03))


def _triangle(x: Field, y: Field) -> Field:
    return polygon(x, y, [(0.0, -0.86), (0.9, 0.74), (-0.9, 0.74)]) - 0.04


def _diamond(x: Field, y: Field) -> Field:
    return polygon(x, y, [(0.0, -0.97), (0.64, 0.0), (0.0, 0.97), (-0.64, 0.0)])


def _star(x: Field, y: Field) -> Field:
    corners = []
    for step in range(10):
        reach = 0.98 if step % 2 == 0 else 0.45
        corners.append((reach * math.sin(step * math.pi / 5), -reach * math.cos(step * math.pi / 5)))
    return polygon(x, y, corners)


def _heart(x: Field, y: Field) -> Field:
    """Two discs upon a square that stands on its corner."""
    half, up = 0.52, 0.12
    discs = np.hypot(np.abs(x) - half * math.sqrt(0.5), y + half * math.sqrt(0.5) - up) - half
    turned_x, turned_y = (x + y - up) * math.sqrt(0.5), (y - up - x) * math.sqrt(0.5)
    return np.minimum(discs, box(turned_x, turned_y, half, half))


OUTLINES: dict[str, Callable[[Field, Field], Field]] = {
    "circle": _circle, "square": _square, "triangle": _triangle, "star": _star, "heart": _heart,
    "cross": _cross, "diamond": _diamond, "ring": _ring,
}  # fmt: skip


def outline(kind: str, x: Field, y: Field, lean_deg: float) -> Field:
    """Signed distance from a shape of radius 1 at the origin, rotated by `lean_deg`."""
    cos, sin = math.cos(math.radians(lean_deg)), math.sin(math.radians(lean_deg))
    return OUTLINES[kind](cos * x + sin * y, cos * y - sin * x)
