"""Six further medicine boxes: aslant, for a week, full and open, behind its strip, tall, and a drawer."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.medicine_parts import (
    LINE,
    PILLS,
    laid,
    loose,
    pattern,
    picture,
    side_of,
    slab,
    strip,
)
from models.train.world.variety.designs.household.tones import ACCENTS, PAPER, Point, second_tone


def _either(rng: random.Random, low: float, high: float) -> float:
    return rng.choice((-1, 1)) * rng.uniform(low, high)


def _name(pen: Pen, rng: random.Random, rgb: Rgb, x: float, y: float, label: str) -> None:
    """The name on a light patch or on the box itself; two bars where there is none."""
    height = min(6.4, 20 / len(label)) if label else 4.6
    half, plain = max(7.0, 0.46 * height * len(label) + 1.6), rng.random() < 0.6
    if not plain:
        pen.rounded(x - half, y - height * 0.75, x + half, y + height * 0.75, rng.choice((0, 1.4)), PAPER)
    ink = ink_on(rgb) if plain else (20, 20, 24)
    if label:
        pen.text(x, y, label, height, ink)
    else:
        pen.rect(x - half + 1, y - 2, x + half - 1, y - 0.4, ink)
        pen.rect(x - half + 1, y + 0.8, x + rng.uniform(-2, half - 2), y + 2, ink)


def _box_aslant(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, drop = rng.uniform(17, 19), rng.uniform(17, 20.5), rng.uniform(3, 5)
    turn = _either(rng, 10, 38)
    if rng.random() < 0.5:
        loose(pen, rng, math.copysign(half * 0.8, turn) * -1, -2.2, 2.4)
    pen = laid(pen, turn, half, tall, drop)
    slab(pen, turn, rgb, -half, half, tall, drop)
    side = rng.choice((-1, 1))
    if rng.random() < 0.4:
        ends = sorted((side * (half - 0.5), side * (half - 10.6)))
        pen.rect(ends[0], 0.5 - tall / 2, ends[1], tall / 2 - 0.5, second_tone(rng, rgb))
    pattern(pen, rng, rgb, -half + 0.5, tall / 2 - rng.uniform(4, 6), half - 0.5, tall / 2 - 0.5)
    picture(pen, rng, rgb, side * (half - 5.4), -tall * 0.1, rng.uniform(3, 3.5))
    _name(pen, rng, rgb, -side * 5.5, -tall * 0.18, label)


def _box_of_week(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, rows, drop = rng.uniform(18, 21), rng.choice((1, 1, 2)), rng.uniform(3, 5)
    tall, turn, columns = rows * rng.uniform(9, 11) + 1.5, _either(rng, 0, 26), rng.choice((3, 4, 4))
    pen = laid(pen, turn, half, tall, drop)
    slab(pen, turn, rgb, -half, half, tall, drop)
    start, clear = -half + 10.5, rng.random() < 0.8
    picture(pen, rng, rgb, -half + 5.4, 0, 3.6)
    broad, long = (half - 0.1 - start) / columns, (tall - 1.6) / rows
    ajar_one = rng.randrange(columns)
    for row, column in ((row, column) for row in range(rows) for column in range(columns)):
        left, top = start + broad * column, -tall / 2 + 0.8 + long * row
        right, low = left + broad - 0.7, top + long - 0.7
        ajar = row == 0 and (column == ajar_one or rng.random() < 0.1)
        floor = side_of(rgb, 0.5) if ajar else shade(rgb, 1.3 if clear else 1.1)
        pen.rounded(left, top, right, low, 1, floor, edge_of(rgb), 0.5)
        for _ in range(rng.choice((1, 1, 2)) if ajar or clear else 0):
            x, y = rng.uniform(left + 2.2, right - 2.2), rng.uniform(top + 2.4, low - 3.4)
            loose(pen, rng, x, y, 2.1)
        if ajar:
            high = top - long * rng.uniform(0.5, 0.8)
            lid = [(left, top), (right, top), (right + 0.4, high), (left - 0.4, high)]
            pen.polygon(lid, shade(rgb, 1.12), edge_of(rgb), 0.6)
        else:
            pen.rounded(left + broad * 0.3, low - 1.5, right - broad * 0.3, low, 0.5, edge_of(rgb))


def _things_inside(pen: Pen, rng: random.Random, x: float, base: float) -> None:
    """One thing in an open box: a small bottle, a tube, a strip, a bandage or a thermometer."""
    look, pen = rng.randrange(5), pen.at(x, base, 1, rng.uniform(-12, 12))
    if look == 0:
        ink = rng.choice(((140, 84, 40), PAPER, ACCENTS[1]))
        pen.rounded(-2.6, -6, 2.6, 2, 0.8, ink, LINE, 0.6)
        pen.rect(-1.6, -8.4, 1.6, -6, PAPER, LINE, 0.6)
    elif look == 1:
        pen.polygon([(-2.8, -8), (2.8, -8), (2, 2), (-2, 2)], rng.choice(PILLS), LINE, 0.6)
        pen.line(((-2.8, -7.2), (2.8, -7.2)), LINE, 0.5)
    elif look == 2:
        strip(pen.at(0, -3.4), rng, 6.4, 10, rng.choice(PILLS[:5]))
    elif look == 3:
        pen.oval(0, -2.6, 3.4, 3.4, PAPER, LINE, 0.6)
        pen.oval(0, -2.6, 1.3, 1.3, (214, 208, 196), LINE, 0.5)
    else:
        pen.rounded(-0.9, -9, 0.9, 2, 0.9, PAPER, LINE, 0.6)
        pen.line(((0, -8), (0, -2)), ACCENTS[0], 0.6)


def _box_full(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, deep, lid = rng.uniform(16, 19), rng.uniform(11.5, 14), rng.uniform(3, 5), rng.uniform(12, 15)
    back, top = half * rng.uniform(0.9, 0.97), -tall - deep
    lean = rng.uniform(0.95, 1.05)
    corners = [(-back, top), (back, top), (back * lean, top - lid), (-back * lean, top - lid)]
    pen.polygon(corners, side_of(rgb, 0.88), edge_of(rgb))
    picture(pen, rng, rgb, 0, top - lid * 0.62, rng.uniform(2.8, 3.4))
    pen.polygon([(-back, top), (back, top), (half, -tall), (-half, -tall)], side_of(rgb, 0.45), edge_of(rgb))
    places = [-0.76, -0.46, 0.46, 0.76] if rng.random() < 0.6 else [-0.7, 0.5, 0.78]
    for place in places:
        _things_inside(pen, rng, half * place, -tall - deep * 0.3)
    foot = half * rng.uniform(0.94, 1)
    pen.polygon([(-half, -tall), (half, -tall), (foot, 0), (-foot, 0)], rgb, edge_of(rgb))
    pen.rounded(-half - 0.6, -tall - 0.6, half + 0.6, -tall + 1.4, 0.8, side_of(rgb, 0.82), edge_of(rgb), 0.6)
    _name(pen, rng, rgb, 0, -tall * 0.45, label)


def _box_behind_strip(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, turn = rng.uniform(15, 18), rng.uniform(16, 19), _either(rng, 2, 22)
    drop, flip = rng.uniform(2, 4), rng.choice((-1, 1))
    face = laid(pen.at(-2.5 * flip, -4), turn, half, tall, drop)
    slab(face, turn, rgb, -half, half, tall, drop)
    pattern(face, rng, rgb, -half + 0.5, -tall / 2 + 0.5, half - 0.5, -tall / 2 + rng.uniform(3, 5))
    picture(face, rng, rgb, -flip * half * 0.4, -0.5, rng.uniform(3.4, 4.2))
    wide, long = rng.uniform(19, 23), rng.uniform(8.5, 11)
    angle = _either(rng, 4, 24)
    low = wide / 2 * math.sin(abs(math.radians(angle))) + long / 2
    ink = rng.choice((PAPER, PAPER, rgb, *PILLS[2:4]))
    strip(pen.at(flip * 6.5, -low, 1, angle), rng, wide, long, ink)
    for number in range(rng.choice((0, 1, 2))):
        loose(pen, rng, -flip * (12 + 5 * number), -2, 2.2)


def _box_tall(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, deep, rise = (
        rng.uniform(11.3, 12.6),
        rng.uniform(29, 34),
        rng.uniform(5, 8),
        rng.uniform(2, 4),
    )
    side = rng.choice((-1, 1))
    pen = pen.at(-side * deep / 2, 0, 1, rng.uniform(-3, 3))
    far: list[Point] = [(side * half, 0), (side * (half + deep), -rise), (side * (half + deep), -tall - rise)]
    pen.polygon([*far, (side * half, -tall)], side_of(rgb, 0.7), edge_of(rgb))
    pen.polygon([(-half, -tall), (half, -tall), (half + side * deep, -tall - rise),
                 (-half + side * deep, -tall - rise)], shade(rgb, 1.15), edge_of(rgb))  # fmt: skip
    pen.rect(-half, -tall, half, 0, rgb, edge_of(rgb))
    pattern(pen, rng, rgb, -half + 0.5, -rng.uniform(5, 7.5), half - 0.5, -0.5)
    high = rng.random() < 0.5
    _name(pen, rng, rgb, 0, -tall + 6.2 if high else -11.8, label)
    picture(pen, rng, rgb, 0, -12.8 if high else -tall + 6.8, rng.uniform(3.2, 3.7))


def _box_drawer(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, drop = rng.uniform(18, 20), rng.uniform(15, 18), rng.uniform(3, 5)
    turn, out = _either(rng, 6, 36), rng.uniform(12, 17)
    pen = laid(pen, turn, half, tall, drop)
    inner, edge = tall - 1.6, half - out
    slab(pen, turn, side_of(rgb, 0.86), edge - 4, half, inner, drop * 0.8)
    pen.rect(edge - 4, -inner / 2 + 1, half - 1, inner / 2 - 1, side_of(rgb, 0.5))
    if rng.random() < 0.65:
        inside = pen.at(half - 1.8 - (out + 3) / 2, 0)
        strip(inside, rng, out + 3, inner - 3.2, rng.choice(PILLS[:5]))
    else:
        for _ in range(rng.randint(6, 10)):
            x, y = rng.uniform(edge + 2, half - 3), rng.uniform(-inner / 2 + 3, inner / 2 - 3)
            loose(pen, rng, x, y, 2.2)
    slab(pen, turn, rgb, -half, edge, tall, drop)
    pattern(pen, rng, rgb, -half + 0.5, tall / 2 - rng.uniform(3, 5), edge - 0.5, tall / 2 - 0.5)
    picture(pen, rng, rgb, (edge - half) / 2, -tall * 0.12, rng.uniform(3.4, 4.2))


_BOXES = (_box_aslant, _box_of_week, _box_full, _box_behind_strip, _box_tall, _box_drawer)


def draw_other_medicine_box(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A medicine box: aslant, for a week, full and open, behind its strip of pills, tall, or a drawer."""
    _BOXES[form](pen, rng, rgb, label)
