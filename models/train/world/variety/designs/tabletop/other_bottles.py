"""Bottles in six further forms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.tabletop.turned import ACCENTS, Turned, accent, half_width

_PATCHES: tuple[Rgb, ...] = ((250, 249, 244), (255, 255, 255), (246, 236, 206), (228, 238, 244))
_STEEL: Rgb = (172, 176, 182)


def _letters(label: str) -> tuple[float, float]:
    """The height of the letters and half the width of the label."""
    height = min(6.0, 20 / max(1, len(label)))
    return height, half_width(label, height) + 0.8


def _write(pen: Pen, x: float, y: float, rgb: Rgb, rng: random.Random, label: str) -> None:
    """The label around (x, y), on a light patch or on the bottle itself."""
    if not label:
        return
    (height, half), ground = _letters(label), rgb
    tall = height / 2 + rng.uniform(1.0, 1.8)
    if rng.random() < 0.6:
        ground = rng.choice(_PATCHES)
        pen.rounded(x - half, y - tall, x + half, y + tall, rng.uniform(0.3, 3), ground, edge_of(ground), 0.4)
    else:
        pen.rounded(x - half, y - tall, x + half, y + tall, 1, rgb)
    pen.text(x, y, label, height, ink_on(ground))


def _band(pen: Pen, body: Turned, low: float, high: float, rgb: Rgb, rng: random.Random) -> None:
    """A paper band around the bottle with a sign on it."""
    ground, sign = rng.choice((*_PATCHES, shade(rgb, 1.5), shade(rgb, 0.65))), rng.choice((rgb, *ACCENTS))
    pen.polygon(body.patch(low, high), ground, edge_of(ground), 0.4)
    x, y = body.point((low + high) / 2, 0)
    size = min(2.8, (high - low) * 0.32)
    corners, inner = rng.choice(((10, 0.5), (16, 1.0), (3, 1.0)))
    turns = [(size * (inner if k % 2 else 1.0), math.tau * k / corners) for k in range(corners)]
    pen.polygon([(x + r * math.sin(t), y - r * math.cos(t)) for r, t in turns], sign)


def _cap(pen: Pen, y: float, half: float, tall: float, rgb: Rgb, rng: random.Random) -> None:
    """A ribbed or plain cap whose lower edge is at `y`."""
    pen.rounded(-half, y - tall, half, y, rng.uniform(0.3, 1.2), rgb, edge_of(rgb), 0.7)
    for rib in range(1, 5 if rng.random() < 0.6 else 0):
        x = -half + half * 0.4 * rib
        pen.line([(x, y - tall + 0.8), (x, y - 0.5)], shade(rgb, 0.72), 0.45)


def _bottle_lying(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall, tilt = rng.uniform(7, 8.8), rng.uniform(37, 42), rng.uniform(84, 93)
    neck, shoulder = rng.uniform(2.2, 3.2), tall * rng.uniform(0.6, 0.68)
    if label:
        shoulder = max(shoulder, 2 * _letters(label)[1] + 4)
    steps = [(0, half * 0.9), (1.5, half), (shoulder, half), (tall - 4, neck), (tall, neck)]
    body = Turned(steps, rng.uniform(0.02, 0.08))
    pen = pen.at(0, 0, flip=not label and rng.random() < 0.5)
    lying = pen.at(-tall / 2 - 1, -half - 0.3, angle_deg=tilt)
    body.paint(lying, rgb, rng, pattern=False)
    for ridge in range(rng.choice((0, 0, 2, 3))):
        at = 2 + 1.4 * ridge if label else shoulder * (0.1 + 0.09 * ridge)
        lying.polygon(body.patch(at, at + 0.6), shade(rgb, 0.7))
    cap = accent(rgb, rng)
    lying.rect(-neck - 0.9, -tall - 0.6, neck + 0.9, -tall + 0.7, cap, edge_of(cap), 0.5)
    _cap(lying, -tall - 0.3, neck + 0.6, rng.uniform(3, 4.5), cap, rng)
    if label:
        _write(lying.at(0, -shoulder / 2 - 1.5, angle_deg=-90), 0, 0, rgb, rng, label)
    else:
        _band(lying, body, shoulder * 0.42, shoulder * rng.uniform(0.8, 0.95), rgb, rng)


def _bottle_swing(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = rng.uniform(6.6, 8.2), rng.uniform(33, 38)
    shoulder, neck = tall * rng.uniform(0.5, 0.6), rng.uniform(2.1, 2.7)
    body = Turned(
        [(0, half * 0.94), (1.2, half), (shoulder, half), (shoulder + tall * 0.16, neck * 1.5),
         (tall - 2.4, neck), (tall - 2.2, neck + 0.7), (tall, neck + 0.5)], rng.uniform(0.03, 0.12),
    )  # fmt: skip
    body.paint(pen, rgb, rng, pattern=False)
    _band(pen, body, shoulder * rng.uniform(0.15, 0.3), shoulder * rng.uniform(0.7, 0.9), rgb, rng)
    if rng.random() < 0.5:
        pen.polygon(body.patch(tall * 0.78, tall * 0.86), accent(rgb, rng))
    y, part = body.point(tall, 0)[1], rng.choice(ACCENTS)
    if rng.random() < 0.55:
        side = rng.choice((-1, 1))
        pen.oval(0, y - 2.2, neck + 0.4, 2.4, part, edge_of(part), 0.6)
        for x in (-neck - 1, neck + 1):
            pen.line([(x * 0.8, y - 3), (x, y + 1), (x, y + 5)], (110, 112, 118), 0.9)
        pen.line([(-neck - 1, y + 5), (neck + 1, y + 4.5), (side * (neck + 4), y + 8)], (110, 112, 118), 0.9)
    else:
        crown = [(-neck - 0.9, y + 1), (-neck - 0.2, y - 1.6), (neck + 0.2, y - 1.6), (neck + 0.9, y + 1)]
        pen.polygon(crown, part, edge_of(part), 0.6)
        for rib in (-0.6, 0, 0.6):
            pen.line([(rib * neck, y - 1), (rib * neck * 1.2, y + 0.8)], shade(part, 0.65), 0.5)


def _bottle_flat(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = max(rng.uniform(8.5, 10.5), _letters(label)[1] + 0.6), rng.uniform(28, 32)
    top, waist, cap, y = half * rng.uniform(0.5, 0.75), half * rng.uniform(0.84, 1), accent(rgb, rng), 0.0
    if rng.random() < 0.45:
        foot = top * rng.uniform(0.85, 1)
        tall_cap = rng.uniform(5.5, 8)
        steps = [(0, foot), (5, half * 0.9), (tall * 0.5, half), (tall - 2.5, half * 0.92), (tall, top)]
        pen.rounded(-foot - 0.4, -tall_cap, foot + 0.4, 0, rng.uniform(0.5, 2), cap, edge_of(cap), 0.8)
        pen.line([(-foot, -tall_cap * 0.45), (foot, -tall_cap * 0.45)], edge_of(cap), 0.6)
        y = -tall_cap + 0.2
    else:
        steps = [(0, half * 0.86), (2, half), (tall * 0.3, waist), (tall * 0.66, half), (tall, top)]
        flap, wide, lid = rng.uniform(4.5, 6.5), top * 0.9, pen.at(0, -tall)
        lid.rounded(-wide, -flap, wide, 1, rng.uniform(0.8, 2.5), cap, edge_of(cap), 0.8)
        lid.line([(-wide, -flap * 0.5), (wide, -flap * 0.5)], edge_of(cap), 0.6)
        lid.rect(-1.6, -flap * 0.5 - 0.4, 1.6, -flap * 0.5 + 1, shade(cap, 0.6))
    body, bottle = Turned(steps, 0.02), pen.at(0, y)
    body.paint(bottle, rgb, rng, pattern=False)
    if not label:
        _band(bottle, body, tall * 0.3, tall * rng.uniform(0.58, 0.72), rgb, rng)
    elif rng.random() < 0.6:
        tone = shade(rgb, rng.choice((0.7, 1.4)))
        bottle.polygon(body.patch(tall * 0.16, tall * 0.24), tone)
        bottle.oval(0, -tall * 0.76, half * 0.3, 1.6, tone)
    _write(bottle, 0, -tall * 0.5, rgb, rng, label)


def _bottle_flask(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = rng.uniform(6.5, 8.3), rng.uniform(30, 35)
    neck, style = half * rng.uniform(0.6, 0.8), rng.randrange(3)
    body = Turned([(0, half * 0.97), (1, half), (tall - 5, half), (tall - 1, neck), (tall, neck)], 0.08)
    body.paint(pen, rgb, rng)
    pen.polygon(body.patch(0.3, rng.uniform(1.6, 3)), _STEEL, edge_of(_STEEL), 0.4)
    pen.polygon(body.patch(tall - 1.4, tall), _STEEL, edge_of(_STEEL), 0.4)
    lid, y = rng.choice((shade(rgb, 0.7), (44, 44, 50), _STEEL, accent(rgb, rng))), body.point(tall, 0)[1]
    if style == 0:
        for colour, wide in ((edge_of(lid), 3.2), (lid, 1.9)):
            pen.arc(0, y - 3.2, neck * 0.9, rng.uniform(4.6, 4.8), 180, 360, colour, wide)
        _cap(pen, y + 0.5, neck + 0.5, 4.2, lid, rng)
    elif style == 1:
        side = rng.choice((-1, 1))
        strap = [(side * neck, y - 2), (side * (half + 3), y - 0.5), (side * (half + 2.6), y + 9)]
        pen.line([*strap, (side * half * 0.9, y + 8)], edge_of(lid), 2.6)
        pen.line([*strap, (side * half * 0.9, y + 8)], lid, 1.5)
        _cap(pen, y + 0.5, neck + 0.5, rng.uniform(4, 6), lid, rng)
    else:
        tall_lid = rng.uniform(6.5, 8.5)
        pen.polygon(
            [(-half * 0.86, y + 0.6), (-half * 0.72, y - tall_lid), (half * 0.72, y - tall_lid),
             (half * 0.86, y + 0.6)], lid, edge_of(lid), 0.8,
        )  # fmt: skip
        pen.line([(-half * 0.82, y - 1.4), (half * 0.82, y - 1.4)], shade(lid, 0.65), 0.7)


def _bottle_carafe(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, tall = max(rng.uniform(8.4, 10), _letters(label)[1] + 0.6), rng.uniform(32, 36)
    mouth, shoulder, side = rng.uniform(3.6, 4.8), tall * rng.uniform(0.58, 0.68), rng.uniform(2.4, 4)
    edge, corner, lid = edge_of(rgb), rng.uniform(0.8, 2.2), accent(rgb, rng)
    flank = [(half, -0.6), (half + side, -2), (half + side, -shoulder - 1), (mouth + 1, 5 - tall), (0, -tall)]
    pen = pen.at(-side / 2, 0)
    pen.polygon([*flank, (0, 0)], shade(rgb, 0.74), edge, 0.8)
    front = [(-half + corner, 0), (half - corner, 0), (half, -corner), (half, -shoulder), (mouth, 5 - tall)]
    front += [(mouth, -tall), (-mouth, -tall), (-mouth, 5 - tall), (-half, -shoulder), (-half, -corner)]
    pen.polygon(front, rgb, edge, 0.9)
    light = [(-half + 1.6, -corner - 2), (-half + 1.6, -shoulder), (-mouth + 1, 5 - tall)]
    pen.line(light, shade(rgb, 1.4), 1.0)
    pen.line([(-half + 0.5, -shoulder), (half - 0.5, -shoulder)], shade(rgb, 0.75), 0.6)
    y = -shoulder * rng.uniform(0.46, 0.56)
    if not label:
        tone = rng.choice((*_PATCHES, accent(rgb, rng)))
        pen.rounded(-half + 2, y - 5, half - 2, y + 5, rng.uniform(0, 3), tone, edge_of(tone), 0.4)
        pen.oval(0, y, 2.8, rng.uniform(2, 3.4), rng.choice((rgb, *ACCENTS)))
    _write(pen, 0, y, rgb, rng, label)
    neck = pen.at(0.5, 0)
    neck.rect(-mouth - 0.6, -tall - 1.2, mouth + 0.8, -tall + 0.4, shade(rgb, 0.85), edge, 0.6)
    _cap(neck, -tall - 1, mouth + rng.uniform(0.4, 1), rng.uniform(3.4, 5), lid, rng)


def _bottle_from_above(pen: Pen, rng: random.Random, rgb: Rgb, label: str) -> None:
    half, sag, tall = rng.uniform(8.2, 9.8), rng.uniform(0.34, 0.5), rng.uniform(25, 29)
    neck, shoulder = rng.uniform(2.8, 3.8), tall * rng.uniform(0.56, 0.66)
    steps = [(0, half * 0.94), (1.5, half), (shoulder * 0.5, half * rng.uniform(0.86, 1)), (shoulder, half)]
    body = Turned([*steps, (tall - 2, neck), (tall, neck)], sag)
    body.paint(pen, rgb, rng, pattern=False)
    if rng.random() < 0.75:
        _band(pen, body, shoulder * rng.uniform(0.2, 0.3), shoulder * rng.uniform(0.75, 0.95), rgb, rng)
    else:
        body.decorate(pen, rgb, rng, shoulder * 0.15, shoulder * 0.9)
    cap, y = accent(rgb, rng), -tall - sag * body.steps[0][1]
    wide, high = neck + rng.uniform(0.5, 1.2), rng.uniform(3, 4.6)
    ring = Turned([(0, wide + 0.7), (1, wide + 0.7)], sag)
    ring.paint(pen.at(0, y + wide * sag + 0.4), cap, rng, pattern=False)
    Turned([(0, wide), (high, wide * 0.95)], sag).paint(
        pen.at(0, y + wide * sag - 0.6), cap, rng, pattern=False
    )
    pen.oval(0, y - 0.6 - high, wide * 0.95, wide * sag * 0.95, shade(cap, 1.2), edge_of(cap), 0.6)


_Draw = Callable[[Pen, random.Random, Rgb, str], None]
_BOTTLES: tuple[_Draw, ...] = (
    _bottle_lying, _bottle_swing, _bottle_flat, _bottle_flask, _bottle_carafe, _bottle_from_above,
)  # fmt: skip


def draw_other_bottle(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A bottle on its side, with a crown cap, a flat one, a flask, a square one, or one from above."""
    lean = rng.uniform(-3, 3) if form != 5 else rng.uniform(-14, 14)
    _BOTTLES[form](pen.at(0, 0, angle_deg=lean), rng, rgb, label if form % 2 == 0 else "")
