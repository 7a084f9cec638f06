"""Bottles in six forms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.tabletop.turned import ACCENTS, Turned, accent, half_width

_PATCHES: tuple[Rgb, ...] = ((250, 249, 244), (255, 255, 255), (246, 236, 206), (228, 238, 244))


def _letter_height(label: str) -> float:
    return min(6.0, 20 / max(1, len(label)))


def _least_half(label: str) -> float:
    return half_width(label, _letter_height(label)) + 0.8


def _write(pen: Pen, body: Turned, low: float, high: float, rgb: Rgb, rng: random.Random, label: str) -> None:
    """The label around the middle between two heights, on a light band or on the bottle itself."""
    middle = (low + high) / 2
    half, tall = _least_half(label), _letter_height(label) / 2 + rng.uniform(1.2, 2.2)
    x, y = body.point(middle, 0)
    style, ground = rng.randrange(3), rng.choice(_PATCHES)
    if style == 0 or not label:
        tall = max(tall, rng.uniform(3, 4.5))
        ground = ground if label else accent(rgb, rng)
        band = body.patch(middle - tall, middle + tall)
        pen.polygon(band, ground, edge_of(ground), 0.4)
    elif style == 1:
        corner = rng.uniform(0.3, 3)
        pen.rounded(x - half, y - tall, x + half, y + tall, corner, ground, edge_of(ground), 0.4)
    else:
        ground = rgb
        pen.rounded(x - half, y - tall, x + half, y + tall, 1, rgb)
    if label:
        pen.text(x, y, label, _letter_height(label), ink_on(ground))


def _screw_cap(pen: Pen, y: float, half: float, tall: float, rgb: Rgb, rng: random.Random) -> None:
    """A cap whose lower edge is at `y`, ribbed or plain."""
    pen.rounded(-half, y - tall, half, y, rng.uniform(0.3, 1.2), rgb, edge_of(rgb), 0.7)
    if rng.random() < 0.6:
        for rib in range(1, 5):
            x = -half + half * 0.4 * rib
            pen.line([(x, y - tall + 0.8), (x, y - 0.5)], shade(rgb, 0.72), 0.45)


def _bottle_drink(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = max(rng.uniform(8.5, 10.5), _least_half(label)), rng.uniform(34, 40)
    neck, shoulder = rng.uniform(2.6, 3.6), tall * rng.uniform(0.56, 0.68)
    waist = half * rng.uniform(0.88, 1)
    body = Turned(
        [(0, half * 0.92), (2, half), (shoulder * 0.2, waist), (shoulder * 0.35, half), (shoulder, half),
         (tall - 2.5, neck), (tall, neck)], rng.uniform(0.02, 0.1),
    )  # fmt: skip
    body.paint(pen, rgb, rng, pattern=False)
    if rng.random() < 0.5:
        for ridge in range(rng.randint(1, 3)):
            at = shoulder * (0.06 + 0.08 * ridge)
            pen.polygon(body.patch(at, at + 0.6), shade(rgb, 0.7))
    _write(pen, body, shoulder * 0.35, shoulder, rgb, rng, label)
    cap = accent(rgb, rng)
    y = body.point(tall, 0)[1] + 0.4
    if rng.random() < 0.5:
        pen.rect(-neck - 1.1, y - 0.4, neck + 1.1, y + 0.9, cap, edge_of(cap), 0.5)
    _screw_cap(pen, y, neck + rng.uniform(0.3, 0.9), rng.uniform(3, 4.5), cap, rng)


def _bottle_wine(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = rng.uniform(6.2, 8.2), rng.uniform(38, 45)
    shoulder, neck = tall * rng.uniform(0.48, 0.6), rng.uniform(1.8, 2.4)
    body = Turned(
        [(0, half * 0.95), (1.2, half), (shoulder, half), (shoulder + tall * rng.uniform(0.1, 0.25), neck),
         (tall - 2.6, neck), (tall - 2.5, neck + 0.6), (tall - 1.2, neck + 0.6), (tall, neck)],
        rng.uniform(0.03, 0.12),
    )  # fmt: skip
    body.paint(pen, rgb, rng, pattern=False)
    if rng.random() < 0.8:
        ground = rng.choice((*_PATCHES, shade(rgb, 1.6), shade(rgb, 0.6)))
        low = shoulder * rng.uniform(0.2, 0.35)
        high = low + shoulder * rng.uniform(0.28, 0.45)
        width = rng.choice((1.0, rng.uniform(0.7, 0.85)))
        pen.polygon(body.patch(low, high, -width, width), ground, edge_of(ground), 0.4)
        x, y = body.point((low + high) / 2, 0)
        sign = rng.choice((rgb, *ACCENTS))
        if rng.random() < 0.5:
            pen.oval(x, y, rng.uniform(1.5, 2.6), rng.uniform(1.5, 2.6), sign)
        else:
            pen.polygon([(x - 2.6, y + 1.7), (x, y - 2.2), (x + 2.6, y + 1.7)], sign)
    top, style = accent(rgb, rng), rng.randrange(3)
    y = body.point(tall, 0)[1]
    if style == 0:
        pen.polygon(body.patch(tall - rng.uniform(6, 9), tall), top, edge_of(top), 0.6)
    elif style == 1:
        pen.rounded(-neck + 0.3, y - 2.4, neck - 0.3, y + 0.4, 0.5, (196, 152, 104), (120, 86, 52), 0.6)
    else:
        pen.rounded(-neck - 0.5, y - 0.6, neck + 0.5, y + 1.2, 0.4, top, edge_of(top), 0.6)


def _bottle_pump(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = max(rng.uniform(8, 10.5), _least_half(label)), rng.uniform(24, 29)
    shoulder, foot = tall * rng.uniform(0.74, 0.88), half * rng.uniform(0.85, 1.0)
    steps = [(0, foot), (tall * 0.3, half), (shoulder, half), (tall, 3.4)]
    body = Turned(steps, rng.uniform(0.02, 0.1))
    part, side = accent(rgb, rng), rng.choice((-1, 1))
    edge, y = edge_of(part), body.point(tall, 0)[1]
    pen.rect(-1, y - 8, 1, y - 2, shade(part, 0.9), edge, 0.6)
    body.paint(pen, rgb, rng, pattern=False)
    _write(pen, body, tall * 0.15, shoulder, rgb, rng, label)
    _screw_cap(pen, y + 0.5, rng.uniform(3.4, 4.4), rng.uniform(3, 4), part, rng)
    reach, drop = rng.uniform(6.5, 9), rng.uniform(0.4, 2.2)
    head = [
        (-2.8, y - 7),
        (-2.8, y - 9.8),
        (1.5, y - 10.4),
        (reach, y - 9.2 + drop),
        (reach, y - 7.2 + drop),
        (2.8, y - 7),
    ]
    pen.polygon([(x * side, at) for x, at in head], part, edge, 0.7)


def _bottle_sport(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = rng.uniform(7.5, 9.5), rng.uniform(27, 32)
    grip, waist = tall * rng.uniform(0.5, 0.68), half * rng.uniform(0.76, 1)
    body = Turned(
        [
            (0, half * 0.9),
            (2, half),
            (grip - 5, half),
            (grip, waist),
            (grip + 5, half),
            (tall - 3, half),
            (tall, half * 0.75),
        ],
        rng.uniform(0.03, 0.12),
    )
    body.paint(pen, rgb, rng)
    part = accent(rgb, rng)
    edge, top = edge_of(part), pen.at(0, body.point(tall, 0)[1])
    if rng.random() < 0.6:
        dome = Turned([(0, half * 0.9), (1.8, half * 0.9), (5.2, 2.8)], 0.06)
        top.rounded(-1.9, -10, 1.9, -4, 0.8, shade(part, 1.2), edge, 0.7)
        top.rounded(-2.6, -7.5, 2.6, -4, 0.6, part, edge, 0.7)
        dome.paint(top.at(0, 0.6), part, rng, pattern=False)
    else:
        side = rng.choice((-1, 1))
        top.arc(0, -4.6, half * 0.5, rng.uniform(4, 5.5), 180, 360, edge, 2.8)
        top.arc(0, -4.6, half * 0.5, rng.uniform(4, 5.5), 180, 360, part, 1.7)
        if rng.random() < 0.6:
            top.line(
                [(side * half * 0.7, -4), (side * half * 0.7, -7.5), (side * (half + 1), -8.5)], edge, 2.2
            )
        _screw_cap(top, 0.6, half * 0.8, rng.uniform(4.6, 6), part, rng)


def _bottle_spray(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = max(rng.uniform(8, 10), _least_half(label)), rng.uniform(27, 31)
    shoulder, neck = tall * rng.uniform(0.55, 0.66), rng.uniform(2.8, 3.6)
    foot = half * rng.uniform(0.9, 1)
    body = Turned(
        [(0, foot), (3, half), (shoulder, half), (tall - 2, neck), (tall, neck)], rng.uniform(0.02, 0.07)
    )
    body.paint(pen, rgb, rng, pattern=False)
    _write(pen, body, 1.5, shoulder, rgb, rng, label)
    part = accent(rgb, rng)
    edge, top = edge_of(part), pen.at(0, body.point(tall, 0)[1], flip=rng.random() < 0.5)
    lever = [(-4, -6), (-6, -4.5), (-6.6, 2.6), (-8.4, 3.2), (-8.4, -6)]
    top.polygon(lever, rng.choice((part, shade(part, 0.7), *ACCENTS)), edge, 0.7)
    back = rng.uniform(5, 7.5)
    head = [
        (-9, -10.5),
        (-9, -7),
        (-3, -6),
        (-neck, -3),
        (neck, -3),
        (back, -7.5),
        (back, -9),
        (2, -11.5),
        (-5, -11.5),
    ]
    top.polygon(head, part, edge, 0.8)
    top.rect(-11, -10, -9, -7.6, shade(part, 0.7), edge, 0.6)
    _screw_cap(top, 0.6, neck + 0.6, 3.6, shade(part, rng.choice((0.8, 1.0, 1.2))), rng)


def _bottle_jug(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, corner = rng.uniform(9, 11), rng.uniform(31, 36), rng.uniform(1, 3)
    neck, slope = rng.uniform(2.8, 4), rng.uniform(6, 9)
    at, low = rng.uniform(-3.5, -1), -tall + slope
    edge, line = edge_of(rgb), rng.uniform(0.7, 1.1)
    outline = [
        (half, -corner), (half, low - 2), (half - 2.5, low - 5),
         (at + neck + 1, -tall), (at + neck, -tall - 1.5), (at - neck, -tall - 1.5), (at - neck - 0.5, -tall),
         (-half, low), (-half, -corner), (-half + corner, 0), (half - corner, 0),
    ]  # fmt: skip
    deep, x = min(rng.uniform(9, 13), -low - 13), half - rng.uniform(5, 5.8)
    turns = [math.tau * (step + 0.5) / 16 for step in range(16)]
    hole = [
        (x + 1.9 * math.cos(t), low + (1 if math.sin(t) < 0 else deep - 2) + 1.9 * math.sin(t)) for t in turns
    ]
    pen.polygon([*outline, outline[0], *hole, hole[0], outline[0]], rgb)
    pen.polygon(outline, None, edge, line)
    pen.polygon(hole, None, edge, line)
    pen.rect(-half + 1.5, -corner - 1, -half + 3, low + 2, shade(rgb, rng.uniform(1.2, 1.45)))
    bottom, high = -rng.uniform(2.5, 4), low + deep + 2
    ground, style = accent(rgb, rng), rng.randrange(4)
    if style == 0:
        ground = shade(rgb, rng.choice((0.7, 1.35)))
        pen.rounded(-half + 2.5, high, half - 2.5, bottom, 1.5, ground, edge_of(ground), 0.4)
        pen.oval(0, (high + bottom) / 2, 3.2, min(3.2, (bottom - high) * 0.35), rng.choice((rgb, *ACCENTS)))
    elif style == 1:
        drop = [(0, high - 1), (3.4, high + 5.4), (2.2, high + 8), (-2.2, high + 8), (-3.4, high + 5.4)]
        pen.at(-1, 0).polygon(drop, ground)
    elif style == 2:
        for ridge in range(3):
            pen.rect(-half + 2, high + 2 + 3 * ridge, half - 2, high + 3 + 3 * ridge, shade(rgb, 0.75))
    cap = accent(rgb, rng)
    _screw_cap(pen.at(at, 0), -tall - 1, neck + rng.uniform(0.4, 1), rng.uniform(3.5, 6), cap, rng)


_Draw = Callable[[Pen, random.Random, Rgb, str], None]
_BOTTLES: tuple[_Draw, ...] = (
    _bottle_drink, _bottle_wine, _bottle_pump, _bottle_sport, _bottle_spray, _bottle_jug,
)  # fmt: skip


def draw_bottle(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A drink bottle, a wine bottle, or one with a pump, a sport cap, a trigger or a handle."""
    _BOTTLES[form](pen.at(0, 0, angle_deg=rng.uniform(-3, 3)), rng, rgb, label if form % 2 == 0 else "")
