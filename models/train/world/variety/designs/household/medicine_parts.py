"""Parts of medicine boxes: sides, pills, strips of pills, signs and patterns."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.tones import (
    ACCENTS,
    PAPER,
    SILVER,
    STEEL,
    is_dark,
    second_tone,
)

LINE: Rgb = (84, 84, 90)
PILLS: tuple[Rgb, ...] = (PAPER, PAPER, (240, 170, 170), (236, 190, 120), (170, 200, 236), *ACCENTS)


def side_of(rgb: Rgb, factor: float) -> Rgb:
    """The tone of a side in the shadow; lighter where the thing is nearly black."""
    return shade(rgb, factor) if not is_dark(rgb) or max(rgb) > 90 else shade(rgb, 2 - factor)


def laid(pen: Pen, turn_deg: float, half: float, tall: float, drop: float) -> Pen:
    """A pen in the middle of the upper face of a box that lies turned and whose lowest corner is at y = 0."""
    turn = abs(math.radians(turn_deg))
    return pen.at(0, -drop - half * math.sin(turn) - tall / 2 * math.cos(turn), 1, turn_deg)


def slab(pen: Pen, turn_deg: float, rgb: Rgb, left: float, right: float, tall: float, drop: float) -> None:
    """The upper face of a box, `tall` across, and the sides that are seen below it, `drop` high."""
    down = drop * math.sin(math.radians(turn_deg)), drop * math.cos(math.radians(turn_deg))
    low = tall / 2
    end = right if turn_deg > 0 else left
    for (ax, ay), (bx, by), factor in (
        ((end, -low), (end, low), 0.62),
        ((left, low), (right, low), 0.76),
    ):
        quad = [(ax, ay), (bx, by), (bx + down[0], by + down[1]), (ax + down[0], ay + down[1])]
        pen.polygon(quad, side_of(rgb, factor), edge_of(rgb))
    pen.rect(left, -low, right, low, rgb, edge_of(rgb))


def capsule(pen: Pen, x: float, y: float, size: float, turn_deg: float, ink: Rgb) -> None:
    """A capsule, half of it white."""
    pen = pen.at(x, y, 1, turn_deg)
    pen.rounded(-size, -size * 0.4, size, size * 0.4, size * 0.4, PAPER, LINE, 0.5)
    pen.rounded(0, -size * 0.4, size, size * 0.4, size * 0.32, ink, LINE, 0.5)


def loose(pen: Pen, rng: random.Random, x: float, y: float, size: float) -> None:
    """A loose pill: a capsule, or a round one with a line across."""
    ink, turn = rng.choice(PILLS), rng.uniform(-80, 80)
    if rng.random() < 0.5:
        capsule(pen, x, y, size, turn, ink)
    else:
        pen.oval(x, y, size * 0.75, size * 0.75, ink, LINE, 0.5)
        pen.at(x, y, 1, turn).line(((-size * 0.55, 0), (size * 0.55, 0)), shade(ink, 0.7), 0.4)


def picture(pen: Pen, rng: random.Random, rgb: Rgb, x: float, y: float, size: float) -> None:
    """What says that it is for health: a cross, mostly, or two pills, or the line of a heart beat."""
    look, ink = rng.choice((0, 0, 1, 1, 2, 3)), rng.choice(((205, 40, 45), (30, 145, 75), (40, 90, 190)))
    if look < 3:
        if look == 0 and max(rgb) - min(rgb) > 40 and rgb[1] < 190:
            pen.cross(x, y, size, PAPER)
            return
        corner = size * (1.25 if look == 1 else 0.3)
        pen.rounded(x - size * 1.25, y - size * 1.25, x + size * 1.25, y + size * 1.25, corner, PAPER,
                    edge_of(rgb), 0.5)  # fmt: skip
        pen.cross(x, y, size * 0.85, ink)
    else:
        pen.oval(x, y, size * 1.3, size * 1.3, PAPER, edge_of(rgb), 0.5)
        if rng.random() < 0.6:
            capsule(pen, x - size * 0.1, y - size * 0.35, size * 0.85, rng.uniform(-50, 50), ink)
            pen.oval(x + size * 0.3, y + size * 0.6, size * 0.38, size * 0.38, PAPER, LINE, 0.5)
        else:
            beat = ((-1.1, 0), (-0.4, 0), (-0.15, -0.7), (0.15, 0.7), (0.4, 0), (1.1, 0))
            pen.line([(x + size * u, y + size * v) for u, v in beat], ink, size * 0.26)


def strip(pen: Pen, rng: random.Random, wide: float, tall: float, ink: Rgb) -> None:
    """A strip of pills around the origin; one or two of them may be gone."""
    pen.rounded(-wide / 2, -tall / 2, wide / 2, tall / 2, 1, SILVER, STEEL, 0.7)
    columns, rows = max(2, round(wide / rng.uniform(4.2, 5.4))), max(1, round(tall / rng.uniform(4.4, 6)))
    size, flat = min(wide / columns, tall / rows) * 0.36, rng.choice((1.0, 1.0, 1.35))
    for column in range(columns):
        for row in range(rows):
            x, y = wide * ((column + 0.5) / columns - 0.5), tall * ((row + 0.5) / rows - 0.5)
            gone = rng.random() < 0.12
            pen.oval(x, y, size, size * flat, (140, 142, 150) if gone else ink, STEEL, 0.5)


def pattern(
    pen: Pen, rng: random.Random, rgb: Rgb, left: float, top: float, right: float, low: float
) -> None:
    """A pattern printed on a part of a face: stripes, a wedge, dots, waves or rings."""
    ink, look = rng.choice((second_tone(rng, rgb), second_tone(rng, rgb), *ACCENTS, PAPER)), rng.randrange(5)
    wide, tall = right - left, low - top
    if look == 0:
        for number in range(2):
            pen.rect(left, low - tall * (0.3 + 0.5 * number), right, low - tall * 0.5 * number, ink)
    elif look == 1:
        pen.polygon([(left, low), (right, low), (right, top)], ink)
    elif look == 2:
        for number in range(5):
            pen.oval(left + wide * (number + 0.5) / 5, (top + low) / 2, tall * (0.1 + 0.07 * number),
                     tall * (0.1 + 0.07 * number), ink)  # fmt: skip
    elif look == 3:
        wave = [(left + wide * n / 16, top + tall * (0.5 + 0.4 * math.sin(n * 0.55))) for n in range(17)]
        pen.polygon([*wave, (right, low), (left, low)], ink)
    else:
        for number in range(3):
            capsule(pen, left + wide * (number + 0.5) / 3, (top + low) / 2, min(tall * 0.5, 2.8),
                     rng.uniform(-35, 35), ink)  # fmt: skip
