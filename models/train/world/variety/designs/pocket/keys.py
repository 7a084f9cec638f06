"""Keys in six forms."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.pocket.parts import METALS


def _ring(pen: Pen, x: float, y: float, radius_x: float, radius_y: float, rgb: Rgb, width: float) -> None:
    """An open ring with an outline."""
    pen.oval(x, y, radius_x, radius_y, None, edge_of(rgb), width + 1.0)
    pen.oval(x, y, radius_x, radius_y, None, rgb, width)


def _blade(pen: Pen, rng: random.Random, top: float, length: float, width: float, metal: Rgb) -> None:
    """The blade of a key from y = `top` downwards, with teeth on one side."""
    side, half, count = rng.choice((-1, 1)), width / 2, rng.randint(3, 5)
    points = [
        (side * half, top),
        (-side * half, top),
        (-side * half, top + length * 0.9),
        (0.0, top + length),
    ]
    for step in range(count):
        y = top + length * (0.9 - 0.62 * step / count)
        points += [(side * half * rng.uniform(0.7, 1.0), y - length * 0.03)]
        points += [(side * half * rng.uniform(-0.1, 0.35), y - length * 0.31 / count)]
    points.append((side * half, top + length * 0.24))
    pen.polygon(points, metal, edge_of(metal), 0.7)
    pen.line([(-side * half * 0.4, top), (-side * half * 0.4, top + length * 0.85)], shade(metal, 0.7), 0.6)


def _head(pen: Pen, shape: str, radius: float, rgb: Rgb) -> None:
    """The head of a key, its upper edge at y = 0, with a hole."""
    ink, y = edge_of(rgb), radius
    if shape == "clover":
        for x, dy in ((-0.55, 0.3), (0.55, 0.3), (0.0, -0.45)):
            pen.oval(x * radius, y + dy * radius, radius * 0.62, radius * 0.62, rgb, ink, 0.8)
        pen.oval(0, y + radius * 0.1, radius * 0.6, radius * 0.6, rgb)
    elif shape == "square":
        pen.rounded(-radius, 0, radius, 2 * radius, radius * 0.35, rgb, ink)
    elif shape == "hexagon":
        turns = [math.tau * (step + 0.5) / 6 for step in range(6)]
        pen.polygon([(1.1 * radius * math.cos(t), y + 1.1 * radius * math.sin(t)) for t in turns], rgb, ink)
    else:
        pen.oval(0, y, radius * (1.2 if shape == "wide" else 1.0), radius, rgb, ink)
    pen.oval(0, radius * 0.55, radius * 0.3, radius * 0.25, shade(rgb, 0.35), ink, 0.5)


def _key(pen: Pen, rng: random.Random, rgb: Rgb, shape: str, length: float, metal: Rgb) -> None:
    """A key that hangs down from its head at (0, 0)."""
    radius = length * rng.uniform(0.18, 0.23)
    _blade(pen, rng, radius * 1.8, length - radius * 1.8, radius * rng.uniform(0.85, 1.1), metal)
    pen.rect(
        -radius * 0.6, radius * 1.7, radius * 0.6, radius * 2.15, shade(metal, 0.85), edge_of(metal), 0.5
    )
    _head(pen, shape, radius, rgb)


def _house_keys(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    metal, ring, shape = rng.choice(METALS), rng.uniform(3.0, 5.2), rng.choice(("round", "wide"))
    spread, tilt, sides = rng.uniform(15, 32), rng.uniform(-35, 35), [-1, 1]
    if rng.random() < 0.35:
        sides.append(0)
    keys = [(tilt + side * spread + rng.uniform(-8, 8), rng.uniform(22, 26)) for side in sides]
    ends = [math.radians(angle) for angle, _ in keys]
    across = [-length * math.sin(end) for (_, length), end in zip(keys, ends, strict=True)]
    down = max(length * math.cos(end) for (_, length), end in zip(keys, ends, strict=True))
    p = pen.at(-(min(*across, 0.0) + max(*across, 0.0)) / 2, -down - ring)
    _ring(p, 0, 0, ring, ring, METALS[0], 1.0)
    for angle, length in keys:
        turn = math.radians(angle)
        hook = p.at(-ring * math.sin(turn), ring * math.cos(turn), 1, angle).at(0, -1)
        _key(hook, rng, rgb, shape, length, metal)
    first, last = 90 + min(angle for angle, _ in keys), 90 + max(angle for angle, _ in keys)
    p.arc(0, 0, ring, ring, first + 8, last - 8, METALS[0], 1.0)


def _car_key(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    angle = rng.choice((-1, 1)) * rng.uniform(8, 75)
    height = 17 * math.cos(math.radians(angle)) + 6 * abs(math.sin(math.radians(angle)))
    p = pen.at(0, -height, 1, angle, rng.random() < 0.5)
    wide, ink = rng.uniform(5.4, 6.8), edge_of(rgb)
    metal = rng.choice(METALS)
    _ring(p, rng.uniform(-2, 2), -17, 2.6, 2.6, METALS[0], 0.9)
    _blade(p.at(rng.uniform(-1.5, 1.5), 0), rng, 1, rng.uniform(14, 17), rng.uniform(3.8, 4.8), metal)
    low = rng.uniform(0.6, 0.95) * wide
    points = [(-wide, -14.5), (wide, -14.5), (wide, -3), (low, 2.6), (-low, 2.6), (-wide, -3)]
    if rng.random() < 0.5:
        p.rounded(-wide, -15, wide, 2.6, rng.uniform(2, 5), rgb, ink)
    else:
        p.polygon(points, rgb, ink)
        p.oval(0, -14.3, wide * 0.9, 1.6, rgb)
    count, dark = rng.randint(2, 3), shade(rgb, 0.5) if max(rgb) > 90 else shade(rgb, 1.45)
    for step in range(count):
        y = -11.5 + step * 11.5 / count
        if rng.random() < 0.7:
            p.rounded(-wide * 0.55, y - 1.2, wide * 0.55, y + 1.2, 1.2, dark)
        else:
            p.oval(0, y, 1.5, 1.5, (206, 60, 50) if step == count - 1 else dark)
    p.oval(0, 0.4, 1.3, 1.3, METALS[3], ink, 0.4)


def _old_key(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    angle = rng.choice((0, 90, 45, -45, 135)) + rng.uniform(-14, 14)
    turn = math.radians(angle)
    p = pen.at(0, -16 * abs(math.cos(turn)) - 6 * abs(math.sin(turn)), rng.uniform(0.95, 1.1), angle)
    ink, bow, kind = edge_of(rgb), rng.uniform(4.2, 5.4), rng.randrange(3)
    stem, side, deep = rng.uniform(1.1, 1.6), rng.choice((-1, 1)), rng.uniform(5.5, 7.5)
    top, low = 15.0 - rng.uniform(6, 8), 14.0
    teeth = [(0.0, top), (side * deep, top), (side * deep, top + 2.2), (side * deep * 0.6, top + 2.2)]
    teeth += [(side * deep * 0.6, top + 3.6), (side * deep, top + 3.6), (side * deep, low), (0.0, low)]
    p.polygon(teeth, rgb, ink)
    p.rounded(-stem, -6, stem, 16, 1, rgb, ink)
    for y in rng.sample((-5.0, -2.6, 4.0), rng.randint(1, 3)):
        p.rounded(-stem - 1.2, y - 0.9, stem + 1.2, y + 0.9, 0.8, shade(rgb, 0.85), ink, 0.6)
    if kind == 0:
        _ring(p, 0, -6 - bow, bow * rng.uniform(1.0, 1.35), bow, rgb, 2.4)
    elif kind == 1:
        for x, y in ((-3.4, -9.0), (3.4, -9.0), (0.0, -13.4)):
            _ring(p, x, y, 3.0, 3.0, rgb, 1.8)
    else:
        heart = [(0.0, -6.0), (-bow - 1, -10.5), (-bow, -15), (-2, -16), (0.0, -13.5)]
        heart += [(-x, y) for x, y in reversed(heart[1:-1])]
        p.polygon(heart, None, ink, 3.4)
        p.polygon(heart, None, rgb, 2.4)


def _lanyard_keys(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    side, ink, band = rng.choice((-1, 1)), edge_of(rgb), rng.uniform(1.8, 3.0)
    wide, low, neck = rng.uniform(3.5, 10), rng.uniform(-18, -14), rng.uniform(0.35, 0.9)
    half = [(1.0, low), (wide * neck, low - 5), (wide, -25.0), (wide * 0.75, -29), (0.0, -30.5)]
    loop = half + [(-x, y) for x, y in reversed(half[:-1])]
    pen.line(loop, ink, band + 0.9)
    pen.line(loop, rgb, band)
    metal = rng.choice(METALS)
    card = pen.at(side * 1.5, low + 2, 1, -side * rng.uniform(14, 30))
    card.rounded(-5.5, 1, 5.5, 15.5, 1, rgb, ink)
    tone = shade(rgb, 1.7) if max(rgb) > 90 else shade(rgb, 1.4)
    if rng.random() < 0.5:
        card.rect(-5.0, 5 + rng.uniform(0, 6), 5.0, 13, tone)
    else:
        card.rect(-3.6, 6, 0.5, 11, (236, 232, 222))
    shape = rng.choice(("round", "square", "hexagon"))
    _key(pen.at(-side * 1.5, low + 1, 1, side * rng.uniform(22, 42)), rng, rgb, shape, 19, metal)
    _ring(pen, 0, low + 1.2, 1.8, 2.2, METALS[0], 0.8)


def _bunch(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    count, ink = rng.randint(3, 4), edge_of(rgb)
    spread, shape = rng.uniform(26, 34), rng.choice(("square", "hexagon", "clover", "wide"))
    middle = pen.at(0, -15.5, 1, rng.uniform(-30, 30)).at(0, 15.5)
    hanger, half = rng.randrange(3), rng.uniform(2.6, 4.0)
    if hanger == 0:
        middle.rounded(-half, -32, half, -20.5, half, None, ink, 2.8)
        middle.rounded(-half, -32, half, -20.5, half, None, rgb, 1.8)
    elif hanger == 1:
        middle.rounded(-half, -32, half, -20, rng.uniform(0.5, half), rgb, ink)
        middle.oval(0, -28.5, 1.3, 1.3, METALS[0], ink, 0.5)
    else:
        _ring(middle, 0, -26, half + 1.6, half + 1.6, rgb, 1.8)
    for step in range(count):
        angle = spread * (step - (count - 1) / 2) + rng.uniform(-5, 5)
        p = middle.at(0, -21.5, 1, angle).at(0, 1.2)
        _key(p, rng, rgb, shape, rng.uniform(18, 21.5), rng.choice(METALS))
    _ring(middle, 0, -21, 2.4, 2.4, METALS[0], 0.9)


def _tag_key(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    side, ink, kind = rng.choice((-1, 1)), edge_of(rgb), rng.randrange(4)
    metal = rng.choice(METALS)
    pen = pen.at(0, -15, 1, rng.uniform(-24, 24)).at(0, 16)
    tag = pen.at(side * 1.5, -26, 1, -side * rng.uniform(20, 38))
    wide, tall = rng.uniform(4.6, 6.2), rng.uniform(19, 23)
    if kind == 0:
        tag.polygon([(0, 0), (wide, tall * 0.45), (0, tall), (-wide, tall * 0.45)], rgb, ink)
    elif kind == 1:
        tag.polygon([(-2, 0), (2, 0), (wide, 4), (wide, tall), (-wide, tall), (-wide, 4)], rgb, ink)
    elif kind == 2:
        tag.polygon([(-1.6, 0), (1.6, 0), (wide, tall - wide), (-wide, tall - wide)], rgb, ink)
        tag.oval(0, tall - wide, wide, wide, rgb, ink)
        tag.polygon([(-1.4, 1), (1.4, 1), (wide * 0.9, tall - wide), (-wide * 0.9, tall - wide)], rgb)
    else:
        tag.rounded(-wide, 0, wide, tall, 3, rgb, ink)
    tag.oval(0, tall * 0.55, wide * 0.5, wide * 0.5, shade(rgb, rng.choice((0.75, 1.35))))
    tag.oval(0, 2.2, 0.8, 0.8, shade(rgb, 0.35))
    shape = rng.choice(("round", "wide", "clover", "square"))
    _key(pen.at(-side * 1.5, -26, 1, side * rng.uniform(18, 36)), rng, rgb, shape, rng.uniform(24, 27), metal)
    _ring(pen, 0, -26.5, 3.0, 3.6, METALS[0], 0.9)


def draw_keys(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """Keys: round heads, of a car, old-fashioned, on a lanyard, a bunch, with a large tag."""
    forms = (_house_keys, _car_key, _old_key, _lanyard_keys, _bunch, _tag_key)
    forms[form](pen, rng, rgb)
