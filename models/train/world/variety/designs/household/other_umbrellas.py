"""Six further umbrellas: turned over, lying furled, in its sleeve, in a stand, from the top, and leaning."""

from __future__ import annotations

import math
import random
from itertools import pairwise

from models.train.world.home.picture.pen import Pen, edge_of
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.household.tones import PAPER, SILVER, STEEL, Form, Point, second_tone
from models.train.world.variety.designs.household.umbrella_parts import (
    GRIPS,
    cloth,
    either,
    furled,
    grip,
    settled,
    shadow_tone,
)

# The radius of the cloth and its height as a part of the radius, least and most.
_DOMES = {"deep": ((15, 18), (1.1, 1.4)), "flat": ((24, 27), (0.4, 0.55)), "cone": ((21, 25), (0.55, 0.75))}


def _umbrella_turned_over(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    radius, depth, bowl = rng.uniform(20, 24), rng.uniform(6.5, 10), rng.uniform(14, 18)
    lean, tall = rng.uniform(-24, 24), rng.uniform(44, 50)
    turns = [math.pi * step / 16 for step in range(17)]
    shell = [(radius * math.cos(t), bowl * math.sin(t) - bowl) for t in turns]
    pen = settled(pen, lean, [*shell, (0, -tall)])
    pen.line(((0, 3), (0, -2)), STEEL, 1.6)
    pen.polygon(shell, rgb, edge_of(rgb))
    for part in (-0.62, -0.2, 0.25, 0.66):
        front = depth * math.sqrt(1 - part**2)
        quarter = [math.pi / 2 * step / 6 for step in range(7)]
        fold = [(part * radius * math.cos(t), max(front * math.cos(t), bowl * 0.98 * math.sin(t)) - bowl)
                for t in quarter]  # fmt: skip
        pen.line(fold, edge_of(rgb), 0.7)
    ribs, first = rng.choice((7, 8, 8, 10)), rng.uniform(0, 0.7)
    hub = (0.0, -bowl + depth * 0.45)
    spokes = [math.tau * n / ribs + first for n in range(ribs + 1)]
    inside = shadow_tone(rgb, rng.uniform(0.6, 0.75))
    ends = [(radius * math.cos(t), depth * math.sin(t) - bowl) for t in spokes]
    rim = []
    for (ax, ay), (bx, by) in pairwise(ends):
        rim += [(ax, ay), ((ax + bx) * 0.48, (ay + by + 2 * bowl) * 0.48 - bowl)]
    pen.polygon(rim, inside, edge_of(rgb))
    for number, end in enumerate(ends[:-1]):
        if number % 2:
            pen.polygon([hub, end, ends[number + 1]], shadow_tone(rgb, 0.85))
        pen.line((hub, end), SILVER, 0.6)
    pen.line((hub, (0, 8 - tall)), STEEL, 1.5)
    pen.oval(0, hub[1] - 4, 1.3, 1.3, SILVER, STEEL, 0.5)
    grip(pen, rng, rng.choice((*GRIPS, shadow_tone(rgb, 0.7))), -tall, -1, rng.choice((0, 0, 0, 1)))


def _umbrella_lying(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide, turn = rng.uniform(52, 60), rng.uniform(3.4, 5), either(rng, 30, 95)
    ends: list[Point] = [(-wide, -tall * 0.7), (wide, -tall * 0.7), (0, 0), (0, -tall)]
    if abs(turn) > 65:
        ends += [(-6.5, 8 - tall), (6.5, 8 - tall)]
    pen = settled(pen, turn, ends)
    pen.line(((0, 0), (0, -6)), STEEL, 1.4)
    pen.line(((0, -tall * 0.7), (0, 9 - tall)), STEEL, 1.5)
    grip(pen, rng, rng.choice((*GRIPS, shadow_tone(rgb, 0.7))), -tall, -1, rng.choice((0, 0, 0, 1, 2)))
    furled(pen, rng, rgb, -4.5, 14 - tall, wide)


def _umbrella_in_sleeve(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide, bare = rng.uniform(42, 50), rng.uniform(4.4, 5.4), rng.uniform(0.3, 0.5)
    turn, crook = either(rng, 20, 80), rng.random() < 0.65
    flare = wide * rng.uniform(1.15, 1.5)
    top, ink = 12 - tall, rng.choice((*GRIPS, shadow_tone(rgb, 0.6)))
    pen = settled(pen, turn, [(-wide, -2), (wide, -2), (-flare, top), (flare, top), (0, -tall), (0, 0)])
    pen.line(((0, top + 4), (0, top - 5)), SILVER, 2)
    pen.rounded(-1.2, -4, 1.2, 0, 0.8, SILVER, STEEL, 0.6)
    if not crook:
        pen.arc(0, -tall - 1, rng.uniform(1.6, 2.6), 4, 0, 360, shadow_tone(ink, 0.8), 0.9)
    grip(pen, rng, ink, -tall, -1, 0 if crook else 1)
    seam, flaps = top * (1 - bare), rng.choice((3, 4, 5))
    for number in range(flaps):
        left, right = (2 * number / flaps - 1), (2 * (number + 1) / flaps - 1)
        fill = shadow_tone(rgb, 0.86 if number % 2 else 1.0)
        flap = [(left * wide * 0.9, seam + 2), (left * flare, top + 1.5)]
        flap += [((left + right) / 2 * flare, top - 2.4), (right * flare, top + 1.5)]
        flap += [(right * wide * 0.9, seam + 2)]
        pen.polygon(flap, fill, edge_of(rgb), 0.7)
        pen.oval((left + right) / 2 * flare, top - 2.6, 0.9, 0.9, SILVER, STEEL, 0.5)
    sleeve = shadow_tone(rgb, rng.choice((0.8, 1.0)))
    end = wide * rng.uniform(0.45, 0.85)
    pen.polygon([(-wide, seam), (wide, seam), (end, -3), (end * 0.6, -2), (-end * 0.6, -2), (-end, -3)],
                sleeve, edge_of(rgb))  # fmt: skip
    pen.line(((-wide, seam + 1.6), (wide, seam + 1.6)), edge_of(rgb), 0.7)
    look, second = rng.randrange(4), rng.choice((second_tone(rng, rgb), PAPER))
    if look == 0:
        for number in range(8):
            pen.oval(wide * (0.4 if number % 2 else -0.3), seam * (0.2 + 0.09 * number), 0.8, 0.8, second)
    elif look == 1:
        pen.rect(-wide * 0.9, seam * 0.82, wide * 0.9, seam * 0.72, second)
    elif look == 2:
        pen.line(((end * 0.4, -4), (wide * 0.4, seam + 2)), second, 0.9)


def _umbrella_in_stand(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    tall, wide = rng.uniform(50, 58), rng.uniform(4.4, 5.8)
    broad, high = rng.uniform(9, 12), rng.uniform(17, 22)
    flat, ink = broad * 0.28, rng.choice((STEEL, (40, 40, 44), (150, 112, 60)))
    pen.oval(0, -flat, broad, flat, shadow_tone(ink, 0.8), edge_of(ink), 0.7)
    pen.arc(0, -high, broad, flat, 180, 360, ink, 1.1)
    lean = rng.uniform(-11, 11)
    stick = pen.at(broad * -lean / 22, -flat, 1, lean)
    stick.line(((0, 0), (0, -6)), STEEL, 1.4)
    stick.line(((0, -tall * 0.6), (0, 12 - tall)), STEEL, 1.6)
    grip(stick, rng, rng.choice((*GRIPS, shadow_tone(rgb, 0.7))), 2 - tall, -1, rng.choice((0, 0, 0, 2)))
    furled(stick, rng, rgb, -3, 15 - tall, wide)
    wires = rng.choice((3, 4, 5))
    for number in range(wires + 1):
        x = -math.cos(math.pi * number / wires)
        bow = flat * math.sin(math.pi * number / wires)
        pen.line(((x * broad, bow - flat), (x * broad, bow - high)), ink, 0.9)
    pen.arc(0, -high, broad, flat, 0, 180, ink, 1.2)
    if rng.random() < 0.6:
        pen.arc(0, -high / 2 - flat / 2, broad, flat, 0, 180, ink, 0.9)
    pen.arc(0, -flat, broad, flat, 0, 180, ink, 1.6)


def _umbrella_from_top(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    radius, ribs, low = rng.uniform(21, 24), rng.choice((6, 7, 8, 8, 10)), rng.uniform(0.8, 1)
    first, reach, way = rng.uniform(0, 1), radius * rng.uniform(0, 0.22), rng.uniform(-0.4, math.pi + 0.4)
    centre = -radius * low
    tip = (reach * math.cos(way), centre + reach * math.sin(way))
    if rng.random() < 0.5:
        out = pen.at(-1.1 * reach * math.cos(way), centre, 1, math.degrees(way) + 90 + rng.uniform(-12, 12))
        grip(out, rng, rng.choice(GRIPS), radius * 1.24, 1, 0)
    edges = []
    for number in range(ribs + 1):
        turn = math.tau * (number + first) / ribs
        end = (radius * math.cos(turn), centre + radius * low * math.sin(turn))
        edge = []
        for part in (0.0, 0.2, 0.38, 0.55, 0.7, 0.85, 1.0):
            bulge = reach * 0.6 * part * (1 - part)
            edge.append((tip[0] + (end[0] - tip[0]) * part + bulge * math.cos(way),
                         tip[1] + (end[1] - tip[1]) * part + bulge * math.sin(way)))  # fmt: skip
        edges.append(edge)
    cloth(pen, rng, rgb, edges, rng.uniform(1, 3))
    for edge in edges[:-1]:
        pen.oval(*edge[-1], 0.8, 0.8, SILVER, STEEL, 0.4)
    pen.oval(*tip, 2.1, 2.1, shadow_tone(rgb, 0.6), edge_of(rgb), 0.6)
    pen.oval(tip[0] + reach * 0.08, tip[1], 0.9, 0.9, SILVER)


def _umbrella_leaning(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    look, tall, parts = rng.choice(tuple(_DOMES)), rng.uniform(44, 50), rng.choice((4, 5, 6))
    radius = rng.uniform(*_DOMES[look][0])
    dome = radius * rng.uniform(*_DOMES[look][1])
    top = 5 - tall
    rim = top + dome
    pen = settled(
        pen, either(rng, 10, 50), [(-radius, rim), (radius, rim), (0, -tall), (0, 0), (-4, 0), (4, 0)]
    )
    pen.line(((0, -tall), (0, -8)), STEEL, 1.5)
    grip(pen, rng, rng.choice((*GRIPS, shadow_tone(rgb, 0.7))), 0, 1, rng.choice((0, 0, 1, 2)))
    pen.oval(0, rim - 1, radius * 0.96, radius * 0.12 + 1.5, shadow_tone(rgb, 0.55), edge_of(rgb), 0.6)
    pen.line(((0, rim), (0, rim + 3)), STEEL, 1.5)
    if look == "deep" and rng.random() < 0.4:
        for side in (-1, 1):
            ear = [
                (side * radius * 0.3, top + 1.5),
                (side * radius * 0.62, top - 6),
                (side * radius * 0.8, top + 6),
            ]
            pen.polygon(ear, rgb, edge_of(rgb))
    edges = []
    for part in range(parts + 1):
        x = -radius * math.cos(math.pi * part / parts)
        steps = [step / 8 for step in range(9)]
        if look == "cone":
            edges.append([(x * s**1.1, top + dome * s) for s in steps])
        else:
            turns = [math.pi / 2 * s for s in steps]
            edges.append([(x * math.sin(t), top + dome * (1 - math.cos(t))) for t in turns])
    cloth(pen, rng, rgb, edges, rng.uniform(1, 3))
    pen.line(((0, top + 0.5), (0, -tall)), STEEL, 1.7)


_UMBRELLAS: tuple[Form, ...] = (
    _umbrella_turned_over, _umbrella_lying, _umbrella_in_sleeve,
    _umbrella_in_stand, _umbrella_from_top, _umbrella_leaning,
)  # fmt: skip


def draw_other_umbrella(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """An umbrella: turned over, lying furled, half in its sleeve, in a stand, from the top, or leaning."""
    _UMBRELLAS[form](pen, rng, rgb)
