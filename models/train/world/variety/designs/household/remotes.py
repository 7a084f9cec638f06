"""Remote controls in six forms, with proportions and keys at random."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.tones import ACCENTS, Form, Point, is_dark, second_tone


def _key_ink(rng: random.Random, rgb: Rgb) -> Rgb:
    if is_dark(rgb):
        return rng.choice(((222, 222, 226), (200, 204, 210), shade(rgb, 1.7)))
    return rng.choice(((40, 40, 46), (70, 72, 80), shade(rgb, 0.4)))


def _key(pen: Pen, shape: int, x: float, y: float, size: float, ink: Rgb) -> None:
    """A key: round (0), wide and rounded (1) or square (2)."""
    if shape == 0:
        pen.oval(x, y, size, size, ink)
    else:
        tall = size * (0.62 if shape == 1 else 0.9)
        pen.rounded(x - size, y - tall, x + size, y + tall, tall if shape == 1 else 0.4, ink)


def _keys(pen: Pen, rng: random.Random, ink: Rgb, wide: float, top: float, bottom: float, rows: int) -> None:
    """A pad of keys, three or so a row, from `top` down to `bottom`."""
    columns, shape = (3 if wide < 7.5 or rng.random() < 0.7 else 4), rng.choice((0, 1, 2))
    size = min(1.55, wide * 1.3 / columns / 2, (bottom - top) / rows * 0.36)
    for row in range(rows):
        for column in range(columns):
            x = wide * 1.36 * (column / (columns - 1) - 0.5)
            _key(pen, shape, x, top + (bottom - top) * (row + 0.5) / rows, size, ink)


def _ring(pen: Pen, rng: random.Random, rgb: Rgb, y: float, radius: float, ink: Rgb) -> None:
    """The round pad with four directions."""
    pen.oval(0, y, radius, radius, rng.choice((ink, second_tone(rng, rgb))), edge_of(rgb), 0.7)
    pen.oval(0, y, radius * 0.45, radius * 0.45, rgb, edge_of(rgb), 0.7)


def _colour_keys(pen: Pen, y: float, wide: float) -> None:
    for number, ink in enumerate(ACCENTS[:4]):
        x = wide * 1.4 * (number / 3 - 0.5)
        pen.rounded(x - wide * 0.17, y - 0.8, x + wide * 0.17, y + 0.8, 0.5, ink)


def _remote_bar(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide = rng.uniform(39, 48), rng.uniform(6.2, 8)
    pen, ink = pen.at(0, 0, 1, rng.uniform(-6, 6)), _key_ink(rng, rgb)
    pen.rounded(-wide, -tall, wide, 0, rng.uniform(1, 3.5), rgb, edge_of(rgb))
    pen.oval(rng.choice((-1, 1)) * wide * 0.6, -tall + 3.6, 1.5, 1.5, (215, 45, 45), edge_of(rgb), 0.4)
    _keys(pen, rng, ink, wide, -tall + 5.5, -tall * 0.6, rng.choice((3, 4)))
    _ring(pen, rng, rgb, -tall * 0.46, wide * 0.68, ink)
    _keys(pen, rng, ink, wide, -tall * 0.32, -3, rng.choice((2, 3)))


def _remote_stick(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide = rng.uniform(36, 43), rng.uniform(5, 6.2)
    pen, ink = pen.at(0, 0, 1, rng.uniform(-8, 8)), _key_ink(rng, rgb)
    pen.rounded(-wide, -tall, wide, 0, rng.uniform(3.5, 6), rgb, edge_of(rgb))
    _key(pen, 0, rng.choice((-1, 0, 1)) * wide * 0.45, -tall + 4.2, 1.2, rng.choice((ink, (215, 45, 45))))
    _ring(pen, rng, rgb, -tall + 6.6 + wide * 0.75, wide * 0.75, ink)
    below, rows = -tall + 8 + wide * 1.5, rng.choice((2, 3))
    for row in range(rows):
        for x in (-wide * 0.45, wide * 0.45):
            _key(pen, 0, x, below + 2.2 + row * 4, 1.4, ink)
    if rng.random() < 0.6:
        for number, fill in enumerate(rng.sample(ACCENTS, 2)):
            pen.rounded(-wide * 0.65, -7.2 + number * 3, wide * 0.65, -5.2 + number * 3, 0.9, fill)


def _remote_keypad(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide, foot = rng.uniform(40, 48), rng.uniform(7.8, 9.2), rng.uniform(0.6, 0.85)
    pen, ink = pen.at(0, 0, 1, rng.uniform(-6, 6)), _key_ink(rng, rgb)
    pen.rounded(-wide * 0.4, -tall - 1.2, wide * 0.4, -tall + 2, 0.8, (70, 24, 40))
    sides = ((-wide * 0.85, -tall), (-wide, -tall + 2), (-wide * foot, -2), (-wide * foot * 0.7, 0))
    pen.polygon([*sides, *((-x, y) for x, y in sides[::-1])], rgb, edge_of(rgb))
    pen.oval(-wide * 0.55, -tall + 3.6, 1.6, 1.6, (215, 45, 45))
    _key(pen, 1, wide * 0.4, -tall + 3.6, 1.8, ink)
    _keys(pen, rng, ink, wide * 0.95, -tall + 6, -tall * 0.46, 4)
    _colour_keys(pen, -tall * 0.43, wide * 0.9)
    for x in (-wide * 0.5, wide * 0.5):
        pen.rounded(x - 1.4, -tall * 0.38, x + 1.4, -tall * 0.19, 1.3, ink)
    _key(pen, 0, 0, -tall * 0.285, 1.8, ink)
    _keys(pen, rng, ink, wide * foot, -tall * 0.16, -1.5, 1)


def _remote_of_cooler(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide = rng.uniform(36, 42), rng.uniform(7, 8.6)
    pen, ink = pen.at(0, 0, 1, rng.uniform(-6, 6)), _key_ink(rng, rgb)
    pen.rounded(-wide, -tall, wide, 0, rng.uniform(2, 4), rgb, edge_of(rgb))
    glass, low = (
        rng.choice(((176, 196, 172), (190, 204, 206), (196, 200, 176))),
        -tall * rng.uniform(0.68, 0.72),
    )
    pen.rounded(-wide * 0.76, -tall + 3, wide * 0.76, low, 0.8, glass, (40, 40, 46), 0.8)
    middle = (low - tall + 3) / 2
    flake, dark = pen.at(-wide * 0.38, middle), (40, 46, 44)
    for turn in (0, 60, 120):
        flake.at(0, 0, 1, turn).line(((0, -2.2), (0, 2.2)), dark, 0.7)
    for number in range(rng.choice((2, 3, 4))):
        x = wide * (0.02 + 0.16 * number)
        pen.rect(x, middle + 0.9 - number, x + wide * 0.1, middle + 2.2, dark)
    power = rng.choice(((235, 130, 40), (215, 45, 45), (45, 155, 70), ink))
    pen.rounded(-wide * 0.72, low + 2.6, -wide * 0.1, low + 6.4, rng.choice((0.8, 1.9)), power)
    pen.polygon([(wide * 0.2, low + 5.6), (wide * 0.45, low + 2.4), (wide * 0.7, low + 5.6)], ink)
    pen.polygon([(wide * 0.2, low + 7), (wide * 0.45, low + 10.2), (wide * 0.7, low + 7)], ink)
    _key(pen, 1, -wide * 0.41, low + 8.8, wide * 0.3, ink)
    _keys(pen, rng, ink, wide, low + 11.5, -2.5, rng.choice((2, 3)))


def _remote_lying(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    pen, ink = pen.at(0, 0, 1, 0, rng.random() < 0.5), _key_ink(rng, rgb)
    (ax, ay), (bx, by) = (rng.uniform(30, 35), rng.uniform(-15, -9)), (rng.uniform(7, 9), rng.uniform(6, 7.5))
    thick, corner = rng.uniform(2.2, 3.6), rng.uniform(0.02, 0.06)
    start = (-(ax + bx) / 2, -by - thick)

    def on(u: float, v: float, lower: float = 0.0) -> Point:
        return start[0] + u * ax + v * bx, start[1] + u * ay + v * by + lower

    ends = [
        (corner, 0),
        (0, 2 * corner),
        (0, 1 - 2 * corner),
        (corner, 1),
        (1 - corner, 1),
        (1, 1 - 2 * corner),
    ]
    ends += [(1, 2 * corner), (1 - corner, 0)]
    side = shade(rgb, 0.62)
    pen.polygon([on(*ends[1]), *(on(u, v, thick) for u, v in ends[1:6]), on(*ends[5])], side, edge_of(rgb))
    pen.polygon([on(u, v) for u, v in ends], rgb, edge_of(rgb))

    def key(u: float, v: float, fill: Rgb, long: float = 0.03, across: float = 0.1) -> None:
        turns = [math.tau * step / 12 for step in range(12)]
        pen.polygon([on(u + long * math.cos(t), v + across * math.sin(t)) for t in turns], fill)

    key(0.93, 0.25, (215, 45, 45))
    columns, ring = rng.choice((3, 3, 4)), rng.uniform(0.4, 0.5)
    for row in (0.85, 0.77, 0.69, 0.61):
        for column in range(columns):
            key(row, 0.2 + 0.6 * column / (columns - 1), ink)
    key(ring, 0.5, ink, 0.1, 0.36)
    key(ring, 0.5, rgb, 0.05, 0.17)
    for row in (0.24, 0.15, 0.07)[: rng.choice((2, 3))]:
        for column in range(columns):
            key(row, 0.2 + 0.6 * column / (columns - 1), rng.choice((ink, ink, ink, rng.choice(ACCENTS))))


def _remote_waisted(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide, waist = rng.uniform(41, 48), rng.uniform(7.2, 8.6), rng.uniform(0.14, 0.24)
    pen, ink = pen.at(0, 0, 1, rng.uniform(-7, 7)), _key_ink(rng, rgb)

    def half(part: float) -> float:
        ends = min(1.0, math.sqrt(max(0.0, 1 - max(0.0, abs(part - 0.5) - 0.38) ** 2 / 0.12**2)))
        return wide * ends * (1 - waist * math.sin(math.pi * min(1.0, part * 1.1)) ** 2)

    parts = [(1 - math.cos(math.pi * step / 40)) / 2 for step in range(41)]
    right = [(half(part), -tall * (1 - part)) for part in parts]
    pen.polygon([*right, *((-x, y) for x, y in right[::-1])], rgb, edge_of(rgb))
    if rng.random() < 0.5:
        lower = [(x * 0.86, y) for x, y in right if -tall * 0.3 < y < -2]
        pen.polygon([*lower, *((-x, y) for x, y in lower[::-1])], second_tone(rng, rgb))
    _key(pen, 0, 0, -tall + 3.6, 1.7, (215, 45, 45))
    _ring(pen, rng, rgb, -tall * 0.74, wide * 0.6, ink)
    for x in (-wide * 0.44, wide * 0.44):
        pen.rounded(x - 1.6, -tall * 0.57, x + 1.6, -tall * 0.36, 1.6, ink)
        pen.line(((x - 0.8, -tall * 0.465), (x + 0.8, -tall * 0.465)), rgb, 0.7)
    _keys(pen, rng, ink, wide * 0.86, -tall * 0.31, -4, rng.choice((3, 4)))


_REMOTES: tuple[Form, ...] = (
    _remote_bar, _remote_stick, _remote_keypad, _remote_of_cooler, _remote_lying, _remote_waisted,
)  # fmt: skip


def draw_remote_control(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A remote control: bar, small stick, wide with a keypad, of an air cooler, lying, or with a waist."""
    _REMOTES[form](pen, rng, rgb)
