"""Round bodies, as of cups and bottles, and the patterns on them."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb

ACCENTS: tuple[Rgb, ...] = (
    (245, 245, 242), (40, 40, 46), (214, 60, 50), (60, 120, 200), (240, 205, 80), (90, 160, 110),
    (200, 170, 130),
)  # fmt: skip
"""Colours of small parts."""

_LETTER_WIDTHS = {"W": 1.35, "M": 1.25, "O": 1.1, "Q": 1.1, "I": 0.5, "J": 0.7}


def half_width(label: str, height: float) -> float:
    """About half the width of `label` in letters of `height`."""
    return height * sum(_LETTER_WIDTHS.get(letter, 0.98) for letter in label) / 2


class Turned:
    """A round body on y = 0 that a list of (height, half width) describes, seen a little from above."""

    def __init__(self, steps: list[tuple[float, float]], sag: float, smooth: bool = True) -> None:
        self.steps, self.sag, self.smooth = steps, sag, smooth
        self.height = steps[-1][0]

    def half(self, height: float) -> float:
        """Half the width at `height`."""
        for (low, half), (high, next_half) in zip(self.steps, self.steps[1:], strict=False):
            if height <= high:
                part = max(0.0, (height - low) / (high - low))
                part = part * part * (3 - 2 * part) if self.smooth else part
                return half + (next_half - half) * part
        return self.steps[-1][1]

    def point(self, height: float, across: float) -> tuple[float, float]:
        """The point of the front at `height`, `across` from -1 (left) to 1."""
        half = self.half(height)
        bulge = half * math.sqrt(max(0.0, 1 - across * across)) - self.steps[0][1]
        return across * half, -height + self.sag * bulge

    def patch(
        self, low: float, high: float, left: float = -1.0, right: float = 1.0
    ) -> list[tuple[float, float]]:
        """The outline of a part of the front."""
        parts = [step / 20 for step in range(21)]
        lower = [
            self.point(low, math.sin(math.asin(left) + (math.asin(right) - math.asin(left)) * t))
            for t in parts
        ]
        upper = [
            self.point(high, math.sin(math.asin(left) + (math.asin(right) - math.asin(left)) * t))
            for t in parts
        ]
        rise = [self.point(low + (high - low) * t, right) for t in parts[1:-1]]
        fall = [self.point(low + (high - low) * t, left) for t in parts[1:-1]]
        return [*lower, *rise, *upper[::-1], *fall[::-1]]

    def paint(self, pen: Pen, rgb: Rgb, rng: random.Random, pattern: bool = True) -> None:
        """The body with a shadow on one side, a light on the other and perhaps a pattern."""
        pen.polygon(self.patch(0, self.height), rgb)
        if pattern:
            self.decorate(pen, rgb, rng, 0.12 * self.height, 0.8 * self.height)
        side = rng.choice((-1, 1))
        if rng.random() < 0.75:
            dark = sorted((side * rng.uniform(0.6, 0.8), side * 1.0))
            pen.polygon(self.patch(0, self.height, *dark), shade(rgb, rng.uniform(0.72, 0.9)))
        if rng.random() < 0.7:
            shine = sorted((-side * rng.uniform(0.5, 0.6), -side * rng.uniform(0.7, 0.82)))
            pen.polygon(
                self.patch(0.1 * self.height, 0.88 * self.height, *shine), shade(rgb, rng.uniform(1.2, 1.5))
            )
        pen.polygon(self.patch(0, self.height), None, edge_of(rgb), rng.uniform(0.5, 1.1))

    def decorate(self, pen: Pen, rgb: Rgb, rng: random.Random, low: float, high: float) -> None:
        """Bands, a lower part in another tone, dots, upright stripes or nothing."""
        tone = rng.choice((shade(rgb, 0.72), shade(rgb, 1.35), rng.choice(ACCENTS)))
        tall, style = high - low, rng.randrange(7)
        if style == 0:
            count = rng.randint(1, 3)
            for band in range(count):
                at = low + tall * (band + 0.5) / count
                pen.polygon(self.patch(at, at + rng.uniform(0.9, 2.0)), tone)
        elif style == 1:
            pen.polygon(
                self.patch(0, low + tall * rng.uniform(0.1, 0.35)), shade(rgb, rng.choice((0.7, 1.4)))
            )
        elif style == 2:
            radius = rng.uniform(0.9, 1.5)
            for row in range(3):
                for place in (-0.66, -0.22, 0.22, 0.66):
                    spot = self.point(low + tall * (row + 0.5) / 3, place + (row % 2) * 0.2 - 0.1)
                    pen.oval(*spot, radius, radius, tone)
        elif style == 3:
            for stripe in range(rng.randint(3, 5)):
                left = -0.85 + 0.4 * stripe
                pen.polygon(self.patch(low, high, left, min(0.98, left + 0.13)), tone)
        elif style == 4:
            x, y = self.point(low + 0.5 * tall, rng.uniform(-0.25, 0.25))
            size = min(rng.uniform(2.5, 4.0), 0.5 * self.half(low + 0.5 * tall))
            star = [(size * (1 if k % 2 else 0.5), math.tau * k / 10) for k in range(10)]
            heart = [(size * (1 - 0.45 * math.sin(t)), t) for t in [math.tau * k / 24 for k in range(24)]]
            outline = rng.choice((star, heart, [(size * 0.9, math.tau * k / 20) for k in range(20)]))
            pen.polygon([(x + r * math.cos(t), y + r * math.sin(t)) for r, t in outline], tone)


def accent(rgb: Rgb, rng: random.Random) -> Rgb:
    """The colour of a small part of something in `rgb`."""
    return rng.choice((shade(rgb, 0.6), shade(rgb, 0.8), shade(rgb, 1.4), rng.choice(ACCENTS)))
