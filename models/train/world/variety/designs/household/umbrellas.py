"""Umbrellas in six forms, with proportions and parts at random."""

from __future__ import annotations

import math
import random
from itertools import pairwise

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.tones import (
    ACCENTS,
    SILVER,
    STEEL,
    Form,
    Point,
    is_dark,
    second_tone,
)

_HANDLES: tuple[Rgb, ...] = ((120, 76, 40), (168, 116, 66), (38, 38, 42), (92, 94, 100))


def _crook(pen: Pen, x: float, top: float, bottom: float, side: int, ink: Rgb, width: float) -> None:
    """A stick from `top` that bends into a hook to the left or right, down to `bottom`."""
    radius = 3.6 * width / 2.4
    bend = bottom - radius - width / 2
    turns = [math.pi * step / 10 for step in range(11)]
    hook = [(x + side * radius * (1 - math.cos(t)), bend + radius * math.sin(t)) for t in turns]
    points = [(x, top), *hook, (x + side * 2 * radius, bend - 1.5)]
    pen.line(points, edge_of(ink), width + 0.9)
    pen.line(points, ink, width)


def _panels(pen: Pen, rng: random.Random, rgb: Rgb, edges: list[list[Point]], lift: float) -> None:
    """Cloth between curved ribs (each from the tip to the rim); the rim of each panel is lifted by `lift`."""
    second, two_tone = second_tone(rng, rgb), rng.random() < 0.4
    band, dots = rng.choice((0.0, 0.0, 0.06, 0.1)), rng.random() < 0.25
    band_ink = rng.choice((second, (240, 240, 240), rng.choice(ACCENTS)))
    middle = (len(edges) - 2) / 2
    for number, (left, right) in enumerate(pairwise(edges)):
        fill = second if two_tone and number % 2 else shade(rgb, 1 - 0.07 * abs(number - middle) / middle)
        (ax, ay), (bx, by), (tx, ty) = left[-1], right[-1], left[0]
        sag = (ax + bx) / 2, (ay + by) / 2
        away = math.hypot(sag[0] - tx, sag[1] - ty) or 1.0
        sag = sag[0] - lift * (sag[0] - tx) / away, sag[1] - lift * (sag[1] - ty) / away
        crest = 2 * sag[0] - (ax + bx) / 2, 2 * sag[1] - (ay + by) / 2
        rim = [
            (
                (1 - t) ** 2 * ax + 2 * t * (1 - t) * crest[0] + t * t * bx,
                (1 - t) ** 2 * ay + 2 * t * (1 - t) * crest[1] + t * t * by,
            )
            for t in (0.0, 0.25, 0.5, 0.75, 1.0)
        ]
        pen.polygon([*left, *rim, *right[::-1]], fill)
        if band:
            inner = [(x + (tx - x) * band, y + (ty - y) * band) for x, y in rim]
            pen.polygon([*rim, *inner[::-1]], band_ink)
        elif dots:
            for part in (0.4, 0.7):
                pen.oval(tx + (sag[0] - tx) * part, ty + (sag[1] - ty) * part, 1.2, 1.2, band_ink)
        pen.polygon([*left, *rim, *right[::-1]], None, edge_of(rgb), 0.8)


def _umbrella_open(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, radius = rng.uniform(43, 53), rng.uniform(21, 27)
    dome, parts = radius * rng.uniform(0.7, 1.0), rng.choice((4, 5, 6))
    pen = pen.at(0, 0, 1, rng.uniform(-7, 7))
    pen.line(((0, -tall), (0, -8)), STEEL, 1.5)
    handle = rng.choice((*_HANDLES, shade(rgb, 0.7)))
    if rng.random() < 0.75:
        _crook(pen, 0, -12, 0, rng.choice((-1, 1)), handle, rng.uniform(2, 2.8))
    else:
        pen.rounded(-1.8, -11, 1.8, 0, 1.5, handle, edge_of(handle))
    pen.line(((0, -tall), (0, 5 - tall)), STEEL, 1.8)
    ribs = [-radius * math.cos(math.pi * part / parts) for part in range(parts + 1)]
    turns = [math.pi / 2 * step / 8 for step in range(9)]
    edges = [[(x * math.sin(t), 4 - tall + dome * (1 - math.cos(t))) for t in turns] for x in ribs]
    _panels(pen, rng, rgb, edges, rng.uniform(1.8, 4.2))


def _umbrella_furled(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide, side = rng.uniform(52, 62), rng.uniform(3.8, 5.4), rng.choice((-1, 1))
    lean = rng.uniform(-6, 6)
    pen = pen.at(-tall / 2 * math.sin(math.radians(lean)), 0, 1, lean)
    if rng.random() < 0.25:
        pen = pen.at(0, -tall, 1, 180)
    top, handle = 15 - tall, rng.choice((*_HANDLES, shade(rgb, 0.7)))
    pen.line(((0, -6), (0, 0)), STEEL, 1.6)
    pen.line(((0, top + 3), (0, top - 5)), STEEL, 1.6)
    _crook(pen.at(0, -tall, 1, 180), 0, -11, 0, side, handle, rng.uniform(2.2, 3))
    body = [(-1.0, -5.0), (-wide * 0.75, top * 0.55), (-wide, top + 3), (-wide * 0.6, top), (wide * 0.6, top)]
    body += [(wide, top + 3.0), (wide * 0.75, top * 0.55), (1.0, -5.0)]
    pen.polygon(body, rgb, edge_of(rgb))
    folds = rng.choice((0.0, 0.5, 1.0)) * wide
    for part in (-0.35, 0.3):
        pen.line(
            ((part * 1.5, -7), (part * wide * 1.3 + folds * side * 0.4, top + 3)),
            shade(edge_of(rgb), 1.1),
            0.7,
        )
    for number in range(rng.choice((3, 4))):
        pen.oval(wide * (number - 1.3) * 0.5, top + 0.3, 0.9, 0.9, SILVER, STEEL, 0.4)
    strap = top * rng.uniform(0.4, 0.7)
    ink = rng.choice((second_tone(rng, rgb), shade(rgb, 0.6)))
    band = [
        (-wide * 0.95, strap - 1),
        (wide * 0.95, strap),
        (wide * 0.9, strap + 2.4),
        (-wide * 0.9, strap + 1.4),
    ]
    pen.polygon(band, ink, edge_of(rgb), 0.6)


def _umbrella_on_floor(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    radius, shaft = rng.uniform(22, 25), rng.uniform(24, 29)
    lean = math.degrees(math.atan2(shaft, radius)) + rng.uniform(-3, 3)
    depth, dome = radius * rng.uniform(0.28, 0.42), radius * rng.uniform(0.6, 0.75)
    pen = pen.at(0, 0, 1, 0, rng.random() < 0.5)
    side, sin, cos = rng.choice((-1, 1)), math.sin(math.radians(lean)), math.cos(math.radians(lean))
    drop = max(radius * sin, (shaft + 1) * cos + (6 * sin if side > 0 else 0))
    pen = pen.at(1, -drop, 1, lean)
    pen.line(((0, 0), (0, -dome - 4)), STEEL, 1.8)
    arc = [
        (radius * math.cos(math.pi * step / 16), -dome * math.sin(math.pi * step / 16)) for step in range(17)
    ]
    pen.polygon(arc, rgb, edge_of(rgb))
    for part in (-0.45, 0.1, 0.6):
        turns = [math.pi / 2 * step / 6 for step in range(7)]
        pen.line([(part * radius * math.sin(t), -dome * math.cos(t)) for t in turns], edge_of(rgb), 0.7)
    spokes = [math.tau * (step + 0.25) / 8 for step in range(8)]
    rim: list[Point] = []
    for turn in spokes:
        for more, near in ((0.0, 1.0), (math.tau / 16, rng.uniform(0.84, 0.9))):
            rim.append((radius * near * math.cos(turn + more), depth * near * math.sin(turn + more)))
    inside = shade(rgb, rng.uniform(0.66, 0.8)) if not is_dark(rgb) or max(rgb) > 90 else shade(rgb, 1.15)
    pen.polygon(rim, inside, edge_of(rgb))
    hub = (0.0, -dome * 0.35)
    for turn in spokes:
        pen.line((hub, (radius * math.cos(turn), depth * math.sin(turn))), STEEL, 0.6)
    pen.line((hub, (0, shaft - 6)), STEEL, 1.6)
    _crook(pen, 0, shaft - 9, shaft + 1, side, rng.choice(_HANDLES), rng.uniform(2, 2.6))


def _umbrella_half_open(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, radius, parts = rng.uniform(52, 60), rng.uniform(9, 13), rng.choice((3, 4, 5))
    pen = pen.at(0, 0, 1, rng.uniform(-5, 5))
    long = tall * rng.uniform(0.56, 0.66)
    pen.line(((0, -tall), (0, -8)), STEEL, 1.7)
    _crook(
        pen, 0, -11, 0, rng.choice((-1, 1)), rng.choice((*_HANDLES, shade(rgb, 0.7))), rng.uniform(2.2, 2.9)
    )
    back = [
        (radius * 0.9 * x, 5 - tall + long * (0.97 if n % 2 else 0.88))
        for n, x in enumerate((-1, -0.4, 0, 0.4, 1))
    ]
    pen.polygon([(0, 10 - tall), *back], shade(rgb, 0.6), edge_of(rgb), 0.7)
    bulge = rng.uniform(0.5, 0.95)
    steps = [step / 8 for step in range(9)]
    ribs = [-radius * math.cos(math.pi * part / parts) for part in range(parts + 1)]
    _panels(
        pen, rng, rgb, [[(x * s**bulge, 4 - tall + long * s) for s in steps] for x in ribs], rng.uniform(3, 5)
    )


def _umbrella_folding(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide, grip = rng.uniform(40, 48), rng.uniform(5.2, 6.8), rng.uniform(9, 12)
    lean = rng.uniform(-9, 9)
    pen = pen.at(-tall / 2 * math.sin(math.radians(lean)), 0, 1, lean, rng.random() < 0.5)
    top, handle = grip - tall, rng.choice((*_HANDLES[2:], shade(rgb, 0.6), _HANDLES[0]))
    pen.arc(wide * 0.7, -tall + 4, rng.uniform(4, 6), rng.uniform(5, 8), -150, 130, shade(handle, 0.8), 1.1)
    pen.rounded(-2.6, -tall, 2.6, top + 3, rng.choice((1, 2.5)), handle, edge_of(handle))
    pen.rounded(-1.4, -3.5, 1.4, 0, 0.8, SILVER, STEEL)
    half = [(0.55, -2.5), (1.0, top + 6), (0.9, top)]
    body = [*((-wide * x, y) for x, y in half), *((wide * x, y) for x, y in half[::-1])]
    pen.polygon(body, rgb, edge_of(rgb))
    flaps, flare = rng.choice((3, 4)), rng.uniform(1.05, 1.35)
    for number in range(flaps):
        left, right = (wide * flare * (2 * (number + more) / flaps - 1) for more in (0, 1))
        fill = (
            shade(rgb, 1.0 if number % 2 else 0.86)
            if not is_dark(rgb)
            else shade(rgb, 1.0 + 0.12 * (number % 2))
        )
        foot = (left + right) * 0.26
        pen.polygon([(foot, -3), (left, top + 5), ((left + right) / 2, top - 3.5), (right, top + 5)],
                    fill, edge_of(rgb), 0.7)  # fmt: skip
        pen.oval((left + right) / 2, top - 3.8, 1, 1, SILVER, STEEL, 0.5)
    strap = top * rng.uniform(0.4, 0.6)
    pen.rounded(-wide * 0.9, strap - 1.6, wide * 0.9, strap + 1.6, 0.5, shade(rgb, 0.6), edge_of(rgb), 0.6)
    pen.oval(wide * 0.3, strap, 0.9, 0.9, SILVER)


def _umbrella_from_above(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    radius, depth, parts = rng.uniform(21, 26), rng.uniform(14, 18), rng.choice((7, 8, 8, 9))
    side, lean = rng.choice((-1, 1)), rng.uniform(6, 24)
    centre, reach = -depth - rng.uniform(10, 14), rng.uniform(4, 8)
    pen = pen.at(0.8 * centre * math.sin(math.radians(lean)) * side, 0, 1, lean * side)
    pen.line(((0, centre), (0, -6)), STEEL, 1.6)
    _crook(pen, 0, -9.5, 0, side, rng.choice(_HANDLES), rng.uniform(2, 2.8))
    first = rng.uniform(0, 1)
    turns = [math.tau * (part + first) / parts for part in range(parts + 1)]
    tip = (0.0, centre - reach)
    edges = []
    for turn in turns:
        end = (radius * math.cos(turn), centre + depth * math.sin(turn))
        half = ((tip[0] + end[0]) * 0.5, (tip[1] + end[1]) * 0.5 - 3)
        edges.append([tip, half, end])
    _panels(pen, rng, rgb, edges, rng.uniform(1.5, 3))
    pen.line((tip, (0, tip[1] - 5)), STEEL, 1.8)


_UMBRELLAS: tuple[Form, ...] = (
    _umbrella_open, _umbrella_furled, _umbrella_on_floor,
    _umbrella_half_open, _umbrella_folding, _umbrella_from_above,
)  # fmt: skip


def draw_umbrella(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """An umbrella: open, furled, on the floor, half open, folding, or open from above."""
    _UMBRELLAS[form](pen, rng, rgb)
