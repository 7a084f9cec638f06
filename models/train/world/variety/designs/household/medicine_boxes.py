"""Medicine boxes in six forms, with proportions and prints at random."""

from __future__ import annotations

import random

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.tones import (
    ACCENTS,
    PAPER,
    SILVER,
    STEEL,
    Form,
    second_tone,
)


def _sign(pen: Pen, rng: random.Random, rgb: Rgb, x: float, y: float, size: float) -> None:
    """A cross that stands out: white, or red or green on white."""
    pale = rgb[1] > 190
    if not pale and rng.random() < 0.5:
        pen.cross(x, y, size, PAPER)
        return
    ink = rng.choice(((205, 40, 45), (30, 145, 75)))
    if rng.random() < 0.5:
        pen.oval(x, y, size * 1.35, size * 1.35, PAPER, edge_of(rgb), 0.5)
    else:
        pen.rounded(
            x - size * 1.25, y - size * 1.25, x + size * 1.25, y + size * 1.25, 1, PAPER, edge_of(rgb), 0.5
        )
    pen.cross(x, y, size * 0.85, ink)


def _capsule(pen: Pen, x: float, y: float, size: float, angle_deg: float, ink: Rgb) -> None:
    pen = pen.at(x, y, 1, angle_deg)
    pen.rounded(-size, -size * 0.42, size, size * 0.42, size * 0.42, PAPER, (90, 90, 96), 0.5)
    pen.rounded(-size, -size * 0.42, 0, size * 0.42, size * 0.3, ink, (90, 90, 96), 0.5)


def _blister(pen: Pen, rng: random.Random, wide: float, tall: float, ink: Rgb) -> None:
    """A strip of pills whose lower left corner is at the origin."""
    pen.rounded(0, -tall, wide, 0, 1, SILVER, (110, 113, 120), 0.7)
    columns, rows = max(1, round(wide / rng.uniform(4.2, 5))), max(1, round(tall / rng.uniform(4.2, 5)))
    for column in range(columns):
        for row in range(rows):
            x, y = wide * (column + 0.5) / columns, -tall * (row + 0.5) / rows
            pen.oval(x, y, wide / columns * 0.36, tall / rows * 0.36, ink, (120, 122, 130), 0.5)


def _pill_ink(rng: random.Random, rgb: Rgb) -> Rgb:
    return rng.choice((PAPER, PAPER, rgb, (236, 190, 120), (240, 170, 170)))


def _name(pen: Pen, rng: random.Random, rgb: Rgb, x: float, y: float, label: str) -> None:
    """The name of the medicine on a light patch or on the box itself; two bars where there is none."""
    plain = rng.random() < 0.5
    if not plain:
        pen.rounded(x - 12, y - 4.3, x + 12, y + 4.3, rng.choice((0, 1.5)), PAPER, edge_of(rgb), 0.5)
    ink = ink_on(rgb) if plain else (20, 20, 24)
    if label:
        pen.text(x, y, label, min(6.4, 20 / len(label)), ink)
    else:
        pen.rect(x - 9, y - 2.4, x + 9, y - 0.6, ink)
        pen.rect(x - 9, y + 1.2, x + rng.uniform(0, 6), y + 2.4, ink)


def _box_flat(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, side = rng.uniform(18.8, 21), rng.uniform(22, 27), rng.choice((-1, 1))
    pen = pen.at(0, 0, 1, rng.uniform(-4, 4))
    pen.rect(-half, -tall, half, 0, rgb, edge_of(rgb))
    for x in (-half + 1.8, half - 1.8):
        pen.line(((x, -tall + 0.5), (x, -0.5)), edge_of(rgb), 0.5)
    low = rng.uniform(2.4, 5)
    pen.rect(
        -half + 2.2, -low, half - 2.2, -0.6, rng.choice((second_tone(rng, rgb), rng.choice(ACCENTS), PAPER))
    )
    _name(pen, rng, rgb, side * (half - 15), -tall + 6.4, label)
    _sign(pen, rng, rgb, -side * (half - 6), -tall + 6.6, 3)
    spot, count = -low - (tall - 12 - low) / 2, rng.choice((2, 3, 4))
    for number in range(count):
        x = (half - 7) * (2 * number / (count - 1) - 1)
        _capsule(pen, x, spot, 2.8, rng.uniform(-35, 35), second_tone(rng, rgb))


def _box_with_strip(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    long, tall, out = rng.uniform(26, 30), rng.uniform(18, 23), rng.uniform(9, 13)
    pen = pen.at(-(long + out) / 2, 0, 1, rng.uniform(-4, 4)) if rng.random() < 0.5 else (
        pen.at((long + out) / 2, 0, 1, rng.uniform(-4, 4), True))  # fmt: skip
    pen.polygon([(long, -tall), (long + 5, -tall - 3), (long + 5, -tall * 0.7), (long, -tall * 0.6)],
                shade(rgb, 0.8), edge_of(rgb))  # fmt: skip
    _blister(pen.at(long - 6, -tall * 0.12), rng, out + 6, tall * 0.7, _pill_ink(rng, rgb))
    pen.rect(0, -tall, long, 0, rgb, edge_of(rgb))
    _sign(pen, rng, rgb, long * rng.choice((0.26, 0.5)), -tall * 0.6, rng.uniform(3.4, 4.4))
    ink, look = rng.choice((second_tone(rng, rgb), rng.choice(ACCENTS))), rng.choice((0, 1, 2))
    if look == 0:
        pen.rect(0.6, -tall * 0.2, long - 0.5, -tall * 0.06, ink)
    elif look == 1:
        pen.polygon(
            [(long * 0.76, -0.5), (long * 0.92, -tall + 0.5), (long - 0.5, -tall + 0.5), (long - 0.5, -0.5)],
            ink,
        )
    else:
        _capsule(pen, long * 0.8, -tall * 0.3, 3.2, rng.uniform(-40, 40), ink)


def _box_in_space(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = rng.uniform(15, 17), rng.uniform(19.5, 21.5)
    dx, dy = rng.uniform(5, 8), rng.uniform(-8, -5)
    # Mirroring would mirror the letters, so the side face changes sides by its coordinates.
    side = rng.choice((-1, 1))
    pen = pen.at(-side * dx / 2, 0)
    back, edge = side * dx, edge_of(rgb)
    pen.polygon([(-half, -tall), (half, -tall), (half + back, dy - tall), (-half + back, dy - tall)],
                shade(rgb, 1.3), edge)  # fmt: skip
    x = side * half
    pen.polygon([(x, -tall), (x, 0), (x + back, dy), (x + back, dy - tall)], shade(rgb, 0.72), edge)
    pen.rect(-half, -tall, half, 0, rgb, edge)
    pen.line(((back / 2 - half, dy / 2 - tall), (back / 2 + half, dy / 2 - tall)), edge, 0.6)
    _name(pen, rng, rgb, 0, -tall + 5.6, label)
    _sign(pen, rng, rgb, -side * (half - 5.5), -4.6, 2.8)
    for number in range(rng.choice((1, 2))):
        _capsule(
            pen, side * (half - 5 - 7.5 * number), -4.4, 2.9, rng.uniform(-35, 35), second_tone(rng, rgb)
        )


def _box_open_case(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    half, deep, front, lid = rng.uniform(16, 18), rng.uniform(9, 11), rng.uniform(3, 5), rng.uniform(11, 14)
    wide, middle = half * 0.86, -front - deep
    pen.polygon([(-wide, middle), (wide, middle), (wide * 1.03, middle - lid), (-wide * 1.03, middle - lid)],
                shade(rgb, 0.92), edge_of(rgb))  # fmt: skip
    _sign(pen, rng, rgb, 0, middle - lid / 2, lid * 0.3)
    pen.polygon([(-wide, middle), (wide, middle), (half, -front), (-half, -front)], rgb, edge_of(rgb))
    pen.rounded(-half, -front, half, 0, 1, shade(rgb, 0.84), edge_of(rgb))
    pen.rounded(-2.5, -front + 0.6, 2.5, -front + 2.4, 0.8, SILVER, STEEL, 0.5)
    columns = rng.choice((3, 4, 4))
    inks = [PAPER, *rng.sample(ACCENTS, 2)]
    for row in (0, 1):
        near, far = -front - deep * 0.5 * row - 0.9, -front - deep * 0.5 * (row + 1) + 0.7
        size = (half - 1.2) * (0.96 - 0.07 * row)
        for column in range(columns):
            left, right = (size * (2 * (column + more) / columns - 1) for more in (0.06, 0.94))
            pen.polygon([(left, near), (right, near), (right * 0.95, far), (left * 0.95, far)],
                        shade(rgb, 0.55), edge_of(rgb), 0.4)  # fmt: skip
            for _ in range(rng.choice((1, 2, 2, 3))):
                x, y = rng.uniform(left + 1.6, right - 1.6), rng.uniform(near - 1.2, far + 1.2)
                pen.oval(x * 0.97, y, 1.35, 1.0, rng.choice(inks), (70, 70, 76), 0.4)


def _box_first_aid(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, seam = rng.uniform(16.5, 20), rng.uniform(22, 25), 11.5
    top, grip = -tall, rng.choice((rgb, shade(rgb, 0.6), (60, 60, 66)))
    wide = rng.uniform(6, 9)
    points = [(-wide, top + 1), (-wide + 1, top - 3.6), (wide - 1, top - 3.6), (wide, top + 1)]
    pen.line(points, edge_of(grip), 2.8)
    pen.line(points, grip, 1.6)
    pen.rounded(-half, top, half, 0, rng.uniform(1.5, 4.5), rgb, edge_of(rgb))
    pen.line(((-half + 0.5, -seam), (half - 0.5, -seam)), edge_of(rgb), 0.8)
    for x in (-half * 0.7, half * 0.7):
        pen.rounded(x - 1.7, -seam - 2.2, x + 1.7, -seam + 1.2, 0.6, SILVER, STEEL, 0.6)
    _sign(pen, rng, rgb, 0, (top - seam) / 2, 3.7)
    _name(pen, rng, rgb, 0, -5.3, label)


def _box_upright(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    half, tall, up = rng.uniform(12.5, 16), rng.uniform(16, 19), rng.uniform(5, 7.5)
    flip = rng.random() < 0.5
    pen = pen.at(3 if flip else -3, 0, 1, rng.uniform(-3, 3), flip)
    back = rng.uniform(2, 3)
    pen.polygon([(-half, -tall), (-half + 2, -tall - back), (half + 2, -tall - back), (half, -tall)],
                shade(rgb, 0.5), edge_of(rgb))  # fmt: skip
    wide = half * rng.uniform(0.9, 1.2)
    if rng.random() < 0.6:
        pen.at(half * 0.1, -tall, 1, rng.uniform(-4, 6)).rect(0, -up - 1, half * 0.8, 3, PAPER, STEEL, 0.6)
    _blister(pen.at(-half * 0.9, 2 - tall, 1, rng.uniform(-3, 3)), rng, wide, up + 2, _pill_ink(rng, rgb))
    flap = [(half, -tall), (half + 2, -tall - back), (half + 6.5, -tall - back - 3), (half + 5, -tall - 1)]
    pen.polygon(flap, shade(rgb, 0.85), edge_of(rgb))
    pen.rect(-half, -tall, half, 0, rgb, edge_of(rgb))
    if rng.random() < 0.5:
        pen.rect(-half + 0.5, -3.4, half - 0.5, -1.2, rng.choice((second_tone(rng, rgb), PAPER)))
    _sign(pen, rng, rgb, half * rng.choice((-0.4, 0, 0.4)), -tall * 0.57, rng.uniform(3.4, 4.4))


_NAMED_BOXES = (_box_flat, _box_in_space, _box_first_aid)
_PLAIN_BOXES: tuple[Form, ...] = (_box_with_strip, _box_open_case, _box_upright)


def draw_medicine_box(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A medicine box: flat, with a strip, in space, open pill case, first-aid case, or upright and open."""
    if form % 2:
        _PLAIN_BOXES[form // 2](pen, rng, rgb)
    else:
        _NAMED_BOXES[form // 2](pen, rng, rgb, label)
