"""The upper side of a thing with keys that lies about: turned, bent, or narrower at its far end."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.tones import Point, is_dark, second_tone

RED = (215, 45, 45)


def plate(rgb: Rgb) -> Rgb:
    """A tone for a large part of the body, still called by the same name as `rgb`."""
    return shade(rgb, 1.2) if is_dark(rgb) and max(rgb) < 90 else shade(rgb, 0.8)


class KeyFace:
    """The upper side of a remote control that lies about; keys are placed across and along it."""

    def __init__(self, pen: Pen, rng: random.Random, rgb: Rgb, tall: float, wide: float) -> None:
        self.pen, self.rng, self.rgb, self.tall, self.wide = pen, rng, rgb, tall, wide
        self.turn_deg, self.far, self.bend, self.low, self.drop = 0.0, 0.0, 0.0, 1.0, 0.0
        self.corner, self.foot, self.waist = 2.0, 1.0, 0.0
        self._shift = (0.0, 0.0)
        if is_dark(rgb):
            inks = ((222, 222, 226), (204, 208, 214), shade(rgb, 1.7), shade(rgb, 1.8))
        else:
            inks = ((40, 40, 46), (70, 72, 80), shade(rgb, 0.4), shade(rgb, 0.55))
        self.ink = rng.choice(inks)
        self.shape = rng.choice((2.0, 2.0, 3.0, 6.0))

    def half(self, along: float) -> float:
        """Half the breadth of the body, `along` 0 at its near end and 1 at its far end."""
        slope = self.foot + (1 - self.foot) * along - self.waist * math.sin(math.pi * along) ** 2
        from_end, corner = self.tall * min(along, 1 - along), min(self.corner, self.wide * slope * 0.95)
        cut = corner - math.sqrt(max(0.0, corner**2 - max(0.0, corner - from_end) ** 2))
        return max(0.3, self.wide * slope - cut)

    def on(self, across: float, along: float) -> Point:
        """The place of a point of the upper side; `across` in units from the middle line."""
        near = 1 + self.far * along
        x = across / near + self.bend * 4 * along * (1 - along)
        y = -self.tall * along * (1 + self.far) / near
        cos, sin = math.cos(math.radians(self.turn_deg)), math.sin(math.radians(self.turn_deg))
        return x * cos - y * sin + self._shift[0], (x * sin + y * cos) * self.low + self._shift[1]

    def body(self) -> None:
        """The body with its side, shifted to stand on the ground at the origin."""
        steps = [(1 - math.cos(math.pi * step / 30)) / 2 for step in range(31)]
        rim = [*((self.half(s), s) for s in steps), *((-self.half(s), s) for s in steps[::-1])]
        points = [self.on(*place) for place in rim]
        left, right = min(x for x, _ in points), max(x for x, _ in points)
        self._shift = (-(left + right) / 2, -max(y for _, y in points) - self.drop)
        points = [self.on(*place) for place in rim]
        edge, layers = edge_of(self.rgb), round(self.drop / 0.5)
        side = shade(self.rgb, 0.62) if not is_dark(self.rgb) or max(self.rgb) > 90 else shade(self.rgb, 1.16)
        for layer in range(layers, 0, -1):
            outline = edge if layer == layers else side
            self.pen.polygon([(x, y + self.drop * layer / layers) for x, y in points], side, outline)
        self.pen.polygon(points, self.rgb, edge)

    def panel(self, low: float, high: float, part: float, fill: Rgb) -> None:
        """A plate of another tone on `part` of the breadth, between two places along the body."""
        steps = [low + (high - low) * (1 - math.cos(math.pi * step / 16)) / 2 for step in range(17)]
        right = [self.on(self.half(s) * part, s) for s in steps]
        left = [self.on(-self.half(s) * part, s) for s in steps[::-1]]
        self.pen.polygon([*right, *left], fill)

    def key(self, across: float, along: float, size: Point, fill: Rgb, shape: float = 0.0) -> None:
        """A key of half breadth and half length `size`: oval for shape 2, nearer to a rectangle above."""
        power, points = 2 / (shape or self.shape), []
        for step in range(24):
            cos, sin = math.cos(math.tau * step / 24), math.sin(math.tau * step / 24)
            u = size[0] * math.copysign(abs(cos) ** power, cos)
            v = size[1] * math.copysign(abs(sin) ** power, sin)
            points.append(self.on(across + u, along + v / self.tall))
        self.pen.polygon(points, fill)

    def mark(self, across: float, along: float, parts: list[Point], fill: Rgb) -> None:
        """A small sign given by its corners in units across and along."""
        self.pen.polygon([self.on(across + u, along + v / self.tall) for u, v in parts], fill)

    def power(self, along: float, size: float) -> None:
        """The key that switches on and off, on one side or in the middle."""
        across = self.half(along) * self.rng.choice((-0.55, -0.55, 0, 0.55))
        self.key(across, along, (size, size), self.rng.choice((RED, RED, self.ink)), 2)

    def rows(self, low: float, high: float, rows: int, columns: int, inks: tuple[Rgb, ...] = ()) -> None:
        """Rows of keys between two places along the body."""
        step = (high - low) / rows
        long = min(step * self.tall * 0.36, self.wide * 1.6 / columns * 0.5)
        for row in range(rows):
            along = high - step * (row + 0.5)
            room = self.half(along) * 1.66
            broad = room / columns * (0.33 if self.shape < 3 else 0.38)
            for column in range(columns):
                across = room * ((column + 0.5) / columns - 0.5)
                self.key(across, along, (broad, min(long, broad * 1.1)), inks[column] if inks else self.ink)

    def ring(self, along: float, size: float) -> None:
        """Four directions: a ring, a plate with arrows, four keys around one, or a cross."""
        look, gap = self.rng.choice((0, 0, 1, 2, 3)), size / self.tall
        if look == 0:
            self.key(0, along, (size, size), self.ink, 2)
            core = self.rng.uniform(0.38, 0.6) * size
            self.key(0, along, (core, core), self.rng.choice((self.rgb, second_tone(self.rng, self.rgb))), 2)
        elif look == 1:
            self.key(0, along, (size, size), self.ink, self.rng.choice((2, 5)))
            for u, v in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                tip = ((0.82, 0.0), (0.5, 0.26), (0.5, -0.26))
                sign = [(size * (out * u + side * v), size * (out * v + side * u)) for out, side in tip]
                self.mark(0, along, sign, self.rgb)
            self.key(0, along, (size * 0.3, size * 0.3), self.rgb, 2)
        elif look == 2:
            for u, v in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                self.key(u * size * 0.72, along + v * gap * 0.72, (size * 0.28, size * 0.28), self.ink)
            self.key(0, along, (size * 0.34, size * 0.34), self.ink, 2)
        else:
            self.key(0, along, (size * 0.36, size), self.ink, 5)
            self.key(0, along, (size, size * 0.36), self.ink, 5)
            self.key(0, along, (size * 0.26, size * 0.26), self.rgb, 2)

    def rocker(self, across: float, along: float, size: Point) -> None:
        """An upright key with plus at its far end and minus at its near end."""
        self.key(across, along, size, self.ink, 4)
        arm, thin, off = size[0] * 0.55, max(0.3, size[0] * 0.16), size[1] * 0.55 / self.tall
        flat = [(-arm, -thin), (arm, -thin), (arm, thin), (-arm, thin)]
        self.mark(across, along + off, flat, self.rgb)
        self.mark(across, along + off, [(v, u) for u, v in flat], self.rgb)
        self.mark(across, along - off, flat, self.rgb)
