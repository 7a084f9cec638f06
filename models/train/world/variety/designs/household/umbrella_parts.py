"""Parts of umbrellas: handles, cloth between ribs, rolled cloth, and how one is laid down."""

from __future__ import annotations

import math
import random
from itertools import pairwise

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.tones import (
    ACCENTS,
    PAPER,
    SILVER,
    STEEL,
    Point,
    is_dark,
    second_tone,
)

GRIPS: tuple[Rgb, ...] = ((120, 76, 40), (168, 116, 66), (88, 52, 30), (38, 38, 42), (92, 94, 100))


def either(rng: random.Random, low: float, high: float) -> float:
    """A number from `low` to `high`, or less than zero as often."""
    return rng.choice((-1, 1)) * rng.uniform(low, high)


def shadow_tone(rgb: Rgb, factor: float) -> Rgb:
    """A darker tone of `rgb`; a lighter one where it is nearly black."""
    return shade(rgb, factor) if not is_dark(rgb) or max(rgb) > 90 else shade(rgb, 2 - factor)


def settled(pen: Pen, turn_deg: float, points: list[Point]) -> Pen:
    """A turned pen, placed so that what spans `points` stands on y = 0 with its middle at x = 0."""
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    across = [x * cos - y * sin for x, y in points]
    return pen.at(-(min(across) + max(across)) / 2, -max(x * sin + y * cos for x, y in points), 1, turn_deg)


def grip(pen: Pen, rng: random.Random, ink: Rgb, end: float, way: int, look: int) -> None:
    """A handle whose outer end is at (0, `end`), upwards for `way` -1: a hook, a straight one or a ball."""
    pen = pen.at(0, end, 1, 0 if way > 0 else 180)
    width = rng.uniform(2.2, 3)
    if look == 0:
        radius, side = rng.uniform(3, 4.4), rng.choice((-1, 1))
        low = -radius - width / 2
        turns = [math.pi * step / 10 for step in range(11)]
        hook = [(side * radius * (1 - math.cos(t)), low + radius * math.sin(t)) for t in turns]
        points = [(0.0, -14.0), *hook, (side * radius * 2, low - rng.uniform(1, 3))]
        pen.line(points, edge_of(ink), width + 1)
        pen.line(points, ink, width)
    elif look == 1:
        pen.rounded(-width * 0.7, -12, width * 0.7, 0, 1.4, ink, edge_of(ink), 0.8)
        pen.line(((-width * 0.7, -10), (width * 0.7, -10)), SILVER, 0.8)
    else:
        pen.rounded(-width * 0.45, -12, width * 0.45, 0, 1, ink, edge_of(ink), 0.8)
        pen.oval(0, -2.6, 2.6, 2.6, ink, edge_of(ink), 0.8)


def cloth(pen: Pen, rng: random.Random, rgb: Rgb, edges: list[list[Point]], lift: float) -> None:
    """Panels between ribs (each from the tip to the rim), with a print; the rim is lifted between ribs."""
    look, second, sheen = rng.randrange(7), second_tone(rng, rgb), rng.randrange(len(edges))
    ink = rng.choice((second, second, PAPER, *ACCENTS))
    for number, (left, right) in enumerate(pairwise(edges)):
        (ax, ay), (bx, by), (tx, ty) = left[-1], right[-1], left[0]
        away = abs((number + 0.5 - sheen + len(edges)) % len(edges) / len(edges) - 0.5)
        fill = second if look in (0, 1) and number % 2 else shadow_tone(rgb, 0.8 + 0.4 * away)
        if look == 2 and number == sheen % (len(edges) - 1):
            fill = ink
        rim = []
        for step in range(7):
            t = step / 6
            x, y, up = ax + (bx - ax) * t, ay + (by - ay) * t, lift * 4 * t * (1 - t)
            far = math.hypot(x - tx, y - ty) or 1.0
            rim.append((x + (tx - x) * up / far, y + (ty - y) * up / far))
        pen.polygon([*left, *rim, *right[::-1]], fill)
        bands = {3: ((0.0, 0.09),), 4: ((0.4, 0.5),), 5: ((0.05, 0.09), (0.14, 0.18))}.get(look, ())
        for low, high in bands:
            outer = [(x + (tx - x) * low, y + (ty - y) * low) for x, y in rim]
            inner = [(x + (tx - x) * high, y + (ty - y) * high) for x, y in rim]
            pen.polygon([*outer, *inner[::-1]], ink)
        if look == 6:
            for (ux, uy), (vx, vy), part in zip(left[2:-1:2], right[2:-1:2], (0.3, 0.6, 0.35), strict=False):
                pen.oval(ux + (vx - ux) * part, uy + (vy - uy) * part, 0.9, 0.9, ink)
        pen.polygon([*left, *rim, *right[::-1]], None, edge_of(rgb), 0.8)


def furled(pen: Pen, rng: random.Random, rgb: Rgb, foot: float, top: float, wide: float) -> None:
    """Cloth rolled around the stick from its narrow end at `foot` up to the tips of the ribs at `top`."""
    tall, loose = foot - top, rng.choice((1.0, 1.0, 1.3))
    shape = ((0.8, 0.0), (wide * 0.7 * loose, -tall * 0.4), (wide * loose, -tall * 0.86), (wide * 0.7, -tall))
    side = [(x, foot + y) for x, y in shape]
    pen.polygon([*side, *((-x, y) for x, y in side[::-1])], rgb, edge_of(rgb))
    folds = rng.choice((2, 3, 4))
    for number in range(folds):
        part = (number + 0.5) / folds * 1.7 - 0.85
        points = [(part * x + rng.uniform(0, 0.5), y) for x, y in side[:3]]
        if number % 2 and rng.random() < 0.5:
            broad = [(min(part + 0.5, 0.95) * x, y) for x, y in side[::-1][1:]]
            pen.polygon([*points, *broad], second_tone(rng, rgb))
        pen.line(points, shadow_tone(rgb, 0.7), 0.7)
    for number in range(4):
        pen.oval(wide * (number - 1.5) * 0.48, top, 0.8, 0.8, SILVER, STEEL, 0.4)
    strap = foot - tall * rng.uniform(0.45, 0.7)
    near = wide * loose * 0.93
    pen.polygon([(-near, strap), (near, strap - 1), (near, strap + 1.4), (-near, strap + 2.2)],
                shadow_tone(rgb, 0.55), edge_of(rgb), 0.5)  # fmt: skip
