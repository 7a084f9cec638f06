"""Things in forms that no design has: bent, tapered, mirrored, patterned and without some details, at random.

A brick that learned from a few forms knows those forms; from forms that never come twice it learns what they
have in common (domain randomisation: Tobin et al., IROS 2017). A person can still tell what a thing is; its
colour is not kept.
"""

from __future__ import annotations

import colorsys
import math
import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.train.world.scenes import Rgb

_PATTERNS = ("gradient", "gradient", "stripes", "checks", "dots", "band", "patch")
_PATTERNED, _MIRRORED, _SHADOWED = 0.6, 0.5, 0.4
"""Shares of the things."""
_TINT = 40
"""Grey levels by which the colour of a part differs at most."""


@dataclass(frozen=True)
class Form:
    """How one thing differs from its design. stretch: across and along, times the usual; taper, waist: how
    much wider it is above, and in the middle, in parts of its width; bend, wave: how far it leans or sways to
    the side, in parts of its height; sag: how much lower it is at the right, in parts of its height; raised:
    how much higher its middle lies; turned_deg: clockwise. tint: grey levels by which the colour of each part
    differs at most; without: share of the details that are left out. pattern: "" for none; contrast: its
    second colour, times the first; other: that colour where it is another one; seed: of the pattern.
    """

    stretch: tuple[float, float]
    mirrored: bool
    taper: float
    waist: float
    bend: float
    wave: float
    sag: float
    raised: float
    turned_deg: float
    tint: int
    without: float
    pattern: str
    contrast: float
    other: Rgb | None
    shadowed: bool
    seed: int

    def placed(
        self, x: NDArray[np.float64], y: NDArray[np.float64], size: tuple[float, float]
    ) -> NDArray[np.float64]:
        """Points around the middle of the lower edge of a thing of that size, in this form, [n, 2]."""
        wide, tall = size
        x = -x if self.mirrored else x
        height, side = -y / tall, 2 * x / wide
        bowed = np.sin(np.pi * np.clip(height, 0, 1))
        across = x * self.stretch[0] * (1 + self.taper * (height - 0.5)) * (1 + self.waist * bowed)
        across = across + tall * (self.bend * height**2 + self.wave * np.sin(5 * height + self.seed % 7))
        up = self.stretch[1] * tall * (height + self.raised * bowed - self.sag * side)
        cos, sin = math.cos(math.radians(self.turned_deg)), math.sin(math.radians(self.turned_deg))
        return np.stack((across * cos + up * sin, across * sin - up * cos), 1)

    def weights(
        self, x: NDArray[np.floating], y: NDArray[np.floating], size: tuple[float, float]
    ) -> NDArray[np.floating]:
        """How much of the second colour the pattern has at points of the thing, 0 to 1."""
        rng = random.Random(self.seed)
        turn, length = rng.uniform(0, math.pi), rng.uniform(3, 12)
        along = x * math.cos(turn) + y * math.sin(turn)
        across = y * math.cos(turn) - x * math.sin(turn)
        if self.pattern == "gradient":
            return np.clip(0.5 + along / max(size), 0, 1)
        if self.pattern == "stripes":
            return (along % length < length * rng.uniform(0.25, 0.6)).astype(np.float32)
        if self.pattern == "checks":
            return ((along % length < length / 2) ^ (across % length < length / 2)).astype(np.float32)
        if self.pattern == "dots":
            apart = np.hypot(along % length - length / 2, across % length - length / 2)
            return (apart < length * rng.uniform(0.2, 0.4)).astype(np.float32)
        middle = rng.uniform(-0.3, 0.3) * size[0], -rng.uniform(0.15, 0.85) * size[1]
        if self.pattern == "band":
            return (np.abs(y - middle[1]) < size[1] * rng.uniform(0.05, 0.2)).astype(np.float32)
        reach = size[0] * rng.uniform(0.1, 0.3), size[1] * rng.uniform(0.08, 0.25)
        power = rng.choice((2, 2, 8))
        apart = np.abs((x - middle[0]) / reach[0]) ** power + np.abs((y - middle[1]) / reach[1]) ** power
        return (apart < 1).astype(np.float32)


@dataclass(frozen=True)
class Reshaped:
    """How all things of a clip are reshaped. strength: 0 to 1, how far they are from their designs."""

    strength: float
    seed: int

    def form(self, design: str) -> Form:
        """Of a thing of a design (`views.Thing`)."""
        return random_form(random.Random(f"form {self.seed} {design}"), self.strength)


def random_form(rng: random.Random, strength: float) -> Form:
    """A form, with a strength as in `Reshaped`."""

    def some(most: float) -> float:
        return strength * rng.uniform(-most, most)

    return Form(
        stretch=(math.exp(some(0.28)), math.exp(some(0.2))),
        mirrored=rng.random() < _MIRRORED,
        taper=some(0.5),
        waist=some(0.25),
        bend=some(0.16),
        wave=some(0.04),
        sag=some(0.06),
        raised=some(0.16),
        turned_deg=some(12),
        tint=round(strength * rng.uniform(0, _TINT)),
        without=strength * rng.uniform(0, 0.6),
        pattern=rng.choice(_PATTERNS) if rng.random() < _PATTERNED else "",
        contrast=rng.choice((rng.uniform(0.55, 0.9), rng.uniform(1.1, 1.6))),
        other=_any_colour(rng) if rng.random() < 0.3 else None,
        shadowed=rng.random() < _SHADOWED,
        seed=rng.getrandbits(32),
    )


def _any_colour(rng: random.Random) -> Rgb:
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0, 0.9), rng.uniform(0.25, 1.0))
    return round(255 * red), round(255 * green), round(255 * blue)
