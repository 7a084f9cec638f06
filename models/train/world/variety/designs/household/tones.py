"""Colours beside that of a thing: its second tone, metal, paper and small accents."""

from __future__ import annotations

import random
from collections.abc import Callable

from models.train.world.home.picture.pen import Pen, ink_on, shade
from models.train.world.scenes import Rgb

Point = tuple[float, float]
Form = Callable[[Pen, random.Random, Rgb], None]
STEEL, SILVER, PAPER = (112, 115, 123), (198, 201, 208), (246, 246, 242)
ACCENTS: tuple[Rgb, ...] = ((205, 45, 45), (45, 85, 205), (45, 155, 70), (240, 205, 50), (235, 130, 40))


def is_dark(rgb: Rgb) -> bool:
    """Whether white can be read on `rgb` better than black."""
    return ink_on(rgb)[0] > 128


def second_tone(rng: random.Random, rgb: Rgb) -> Rgb:
    """A second tone of `rgb` that can be told from it."""
    return shade(rgb, rng.choice((1.25, 1.4))) if is_dark(rgb) else shade(rgb, rng.choice((0.72, 0.82)))
