"""Colours and patterns that things from a pocket share."""

from __future__ import annotations

import random

from models.train.world.home.picture.pen import Pen, shade
from models.train.world.scenes import Rgb

METALS: tuple[Rgb, ...] = ((190, 194, 200), (204, 172, 96), (150, 154, 160), (216, 218, 222))
CARDS: tuple[Rgb, ...] = ((236, 236, 232), (90, 130, 180), (196, 170, 90), (120, 124, 132), (110, 160, 130))
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def pattern(pen: Pen, rng: random.Random, box: Box, rgb: Rgb) -> None:
    """Stripes, dots, a band or nothing, in a near shade, inside `box`."""
    left, top, right, bottom = box
    tone, kind, count = shade(rgb, rng.choice((0.78, 1.25))), rng.randrange(6), rng.randint(3, 6)
    for step in range(count):
        part = (step + 0.5) / count
        x, y = left + (right - left) * part, top + (bottom - top) * part
        if kind == 0:
            pen.line([(x, top), (x, bottom)], tone, 1.2)
        elif kind == 1:
            pen.line([(left, y), (right, y)], tone, 1.2)
        elif kind == 2:
            for row in range(3):
                pen.oval(x, top + (bottom - top) * (row + 0.5) / 3, 0.9, 0.9, tone)
    if kind == 3:
        edge = rng.uniform(0.3, 0.65)
        pen.rect(left, top + (bottom - top) * edge, right, bottom, tone)
