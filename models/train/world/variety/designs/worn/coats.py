"""Coats in six forms, every part of them varied at random."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, luminance, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.worn.parts import METAL, Spots, accent, both, smooth, tone


def _hanger(pen: Pen, rng: random.Random, neck: float) -> None:
    """The hook of a hanger above a neck at `neck`, and its bar where the collar leaves it open."""
    rgb = rng.choice([METAL, (150, 105, 60), (70, 70, 76)])
    pen.line([(0, neck + 3), (0, neck - 2.5)], shade(rgb, 0.7), 1.3)
    pen.arc(0, neck - 4.8, 2.3, 2.3, 90, -160, shade(rgb, 0.7), 1.3)


def _sleeves(
    pen: Pen, rgb: Rgb, top: float, shoulder: float, cuff: tuple[float, float], wide: float, trim: Rgb
) -> None:
    """Both sleeves, from the shoulders down to `cuff`, with a trim at the end."""
    for flip in (False, True):
        arm = pen.at(0, 0, flip=flip)
        x, y = cuff
        turn = math.atan2(y - top, x - shoulder + 1)
        dx, dy = math.sin(turn) * wide / 2, -math.cos(turn) * wide / 2
        outer, inner = (x + dx, y + dy), (x - dx, y - dy)
        arm.polygon(
            [
                (shoulder - 6, top),
                (shoulder, top + 0.5),
                (shoulder + 1.8, top + 3),
                outer,
                inner,
                (shoulder - 2.5, top + 15),
            ],
            rgb,
            edge_of(rgb),
        )
        bx, by = math.cos(turn) * 2.6, math.sin(turn) * 2.6
        band = [outer, inner, (inner[0] - bx, inner[1] - by), (outer[0] - bx, outer[1] - by)]
        arm.polygon(band, trim, edge_of(rgb), 0.6)


def _buttons(pen: Pen, rng: random.Random, rgb: Rgb, xs: Sequence[float], top: float, bottom: float) -> None:
    """Rows of buttons at `xs`."""
    count, size = rng.randint(3, 5), rng.uniform(0.8, 1.2)
    for k in range(count):
        for x in xs:
            pen.oval(x, top + (bottom - top) * k / (count - 1), size, size, rgb, edge_of(rgb), 0.4)


def _pockets(pen: Pen, rng: random.Random, rgb: Rgb, y: float, x: float) -> None:
    """A pocket on each side: slanted slit, flap or patch."""
    style, edge = rng.randrange(3), edge_of(rgb)
    for flip in (False, True):
        half = pen.at(0, 0, flip=flip)
        if style == 0:
            half.line([(x - 2.5, y + 5), (x + 2, y - 1)], edge, 1.1)
        elif style == 1:
            half.rect(x - 3.4, y, x + 3.4, y + 2.6, tone(rgb, 0.12), edge, 0.7)
        else:
            half.rounded(x - 3.4, y - 1, x + 3.4, y + 7, 1.4, tone(rgb, 0.08), edge, 0.7)


def draw_coat(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """Lapels, quilted jacket, hooded raincoat, hung on a peg, belted, or open on a hanger."""
    pen = pen.at(0, 0, 1, rng.uniform(-3, 3))
    forms = (_coat_lapels, _coat_quilted, _coat_rain, _coat_peg, _coat_belted, _coat_open)
    forms[form](pen, rng, rgb)


def _trunk(rng: random.Random, top: float, shoulder: float, hem: float, waist: float) -> Spots:
    """The outline of a coat without sleeves."""
    return both(
        [
            (4.2, top),
            (shoulder, top + rng.uniform(2.5, 4)),
            (shoulder - 0.6, top + 15),
            (waist, top * 0.55),
            (hem, -0.8),
            (hem * 0.5, 0),
        ]
    )


def _collar(pen: Pen, rng: random.Random, rgb: Rgb, top: float, depth: float) -> None:
    """Lapels around a neck opening that shows the lining."""
    pen.polygon([(-4.2, top), (4.2, top), (0, top + depth)], tone(rgb, 0.55), edge_of(rgb), 0.6)
    wide, shadow = rng.uniform(6, 8), tone(rgb, rng.uniform(0.05, 0.3))
    for flip in (False, True):
        half = pen.at(0, 0, flip=flip)
        half.polygon(
            [
                (3, top - 1.6),
                (5.4, top + 0.4),
                (wide, top + depth * 0.45),
                (wide - 2, top + depth * 0.55),
                (0, top + depth),
            ],
            shadow,
            edge_of(rgb),
            0.8,
        )


def _coat_lapels(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, shoulder, hem = -rng.uniform(48, 54), rng.uniform(12.5, 14.5), rng.uniform(13, 16.5)
    _hanger(pen, rng, top)
    cuff = (rng.uniform(18, 21), top * rng.uniform(0.28, 0.4))
    _sleeves(pen, rgb, top + 2.5, shoulder, cuff, rng.uniform(5.5, 7), tone(rgb, rng.uniform(0, 0.3)))
    pen.polygon(_trunk(rng, top, shoulder, hem, hem - rng.uniform(1, 2.5)), rgb, edge_of(rgb))
    depth = rng.uniform(14, 19)
    pen.line([(0.4, top + depth), (1.2, 0)], edge_of(rgb), 1)
    _collar(pen, rng, rgb, top, depth)
    button = rng.choice([tone(rgb, 0.6), accent(rng, rgb)])
    _buttons(pen, rng, button, rng.choice([(2.6,), (-3.4, 3.6)]), top + depth + 1.5, -rng.uniform(10, 16))
    _pockets(pen, rng, rgb, top * 0.42, hem * 0.6)


def _coat_quilted(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, half, rows = -rng.uniform(46, 50), rng.uniform(12, 14), rng.randint(5, 8)
    trim = accent(rng, rgb) if rng.random() < 0.4 else tone(rgb, 0.35)
    edge, step = edge_of(rgb), (-top - 6) / rows
    for flip in (False, True):
        arm = pen.at(half - 3, top + 6, 1, 0).at(0, 0, 1, -rng.uniform(9, 18))
        arm = arm if not flip else pen.at(0, 0, flip=True).at(half - 3, top + 6, 1, -rng.uniform(9, 18))
        for k in range(rows - 1, -1, -1):
            arm.rounded(-3.5, k * step * 0.88 - 2, 4.8, (k + 1) * step * 0.88 - 1, 2.6, rgb, edge, 0.7)
        arm.rounded(-2.4, rows * step * 0.88 - 1.4, 3.7, rows * step * 0.88 + 1.6, 1, trim, edge, 0.6)
    hood = rng.random() < 0.6
    if hood:
        pen.oval(0, top, rng.uniform(8, 9.5), rng.uniform(8, 10), rgb, edge)
        pen.oval(0, top + 1, 5.4, 6.4, tone(rgb, 0.5), rng.choice([trim, edge, (226, 214, 192)]), 1.8)
    else:
        pen.rounded(-6, top - 3.5, 6, top + 5, 2.5, tone(rgb, 0.12), edge)
    for k in range(rows):
        swell, y = half - (2.5 if k == 0 else 0), top + 3 + k * step
        pen.rounded(-swell, y, swell, y + step + 1, 3, shade(rgb, 1.0 if k % 2 else 0.95), edge, 0.7)
    pen.rounded(-half + 1, -3, half - 1, 0, 1, trim, edge, 0.7)
    pen.line([(0, top + 3.5), (0, 0)], trim if luminance(trim) > 60 else METAL, rng.uniform(1, 1.8))


def _coat_rain(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, hem, edge = -rng.uniform(46, 50), rng.uniform(15, 18.5), edge_of(rgb)
    trim = accent(rng, rgb) if rng.random() < 0.3 else tone(rgb, 0.2)
    cuff = (rng.uniform(20, 24), top * rng.uniform(0.4, 0.58))
    _sleeves(pen, rgb, top + 2.5, 12.5, cuff, rng.uniform(6.5, 8), trim)
    pen.polygon(_trunk(rng, top, rng.uniform(11.5, 13), hem, hem - 2), rgb, edge)
    point = rng.uniform(8, 11)
    pen.polygon(smooth(both([(0.6, top - point), (6, top - 6), (8, top + 1), (4, top + 5)])), rgb, edge)
    pen.polygon(
        smooth(both([(0.5, top - point + 3.5), (4, top - 3.5), (4.6, top + 0.5), (2, top + 4)])),
        tone(rgb, 0.5),
        edge,
    )
    for x in (-2.5, 2.5):
        pen.line([(x, top + 4), (x * 1.2, top + 11)], ink_on(rgb), 0.6)
    pen.line([(0, top + 5), (0, 0)], edge, 1)
    for k in range(count := rng.randint(3, 5)):
        y = top + 13 + k * 22 / count
        if count < 5:
            pen.rounded(-3.6, y - 0.9, 3.6, y + 0.9, 0.9, tone(rgb, 0.55), edge, 0.4)
        else:
            pen.oval(1.8, y, 1, 1, METAL, edge, 0.4)
    _pockets(pen, rng, rgb, -rng.uniform(14, 18), hem * 0.58)
    if rng.random() < 0.4:
        pen.polygon([(-hem + 0.4, -5), (hem - 0.4, -5), (hem, -2.5), (-hem, -2.5)], shade(METAL, 1.6))


def _coat_peg(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, hem, edge = -rng.uniform(52, 56), rng.uniform(12.5, 15), edge_of(rgb)
    board = rng.choice([(150, 110, 70), (235, 232, 224), (110, 76, 46)])
    pen.rounded(-rng.uniform(6, 13), top - 6, rng.uniform(6, 13), top - 1.5, 1, board, shade(board, 0.6), 0.7)
    pen.line([(-1.6, top), (0, top - 3), (1.6, top)], edge, 1)
    pen.oval(0, top - 3.4, 1.5, 1.5, METAL, (80, 80, 86), 0.6)
    slope, drop = rng.uniform(10, 11.5), rng.uniform(10, 13)
    trunk = [(3, top), (7, top + 3.5), (slope, top + drop), (hem, -rng.uniform(0.5, 2)), (hem * 0.5, 0)]
    pen.polygon(both(trunk), rgb, edge)
    for _ in range(rng.randint(2, 4)):
        x = rng.uniform(-0.6, 0.6)
        pen.line([(x * 8, top + 22), (x * hem, -2)], tone(rgb, 0.28), 1)
    x = rng.uniform(-2, 2)
    depth = rng.uniform(11, 15)
    pen.line([(0, top + depth), (x, -0.5)], edge, 1.1)
    _buttons(
        pen,
        rng,
        rng.choice([tone(rgb, 0.6), accent(rng, rgb)]),
        (2.8,),
        top + depth + 2,
        -rng.uniform(12, 18),
    )
    if rng.random() < 0.6:
        _pockets(pen, rng, rgb, top * 0.3, 6)
    for flip in (False, True):
        arm, end, out = pen.at(0, 0, flip=flip), -rng.uniform(13, 20), hem + rng.uniform(3, 6)
        sleeve = [
            (7, top + 3.5),
            (slope + 2.5, top + drop),
            (out, end),
            (out - 6, end + 0.8),
            (slope - 4, top + drop + 6),
        ]
        arm.polygon(sleeve, tone(rgb, 0.1), edge)
        arm.line([(out - 6, end - 2.2), (out - 0.4, end - 3)], edge, 0.8)
    if rng.random() < 0.6:
        _collar(pen, rng, rgb, top + 0.6, depth)
    else:
        hood = both([(2.6, top - 0.4), (rng.uniform(7, 8.5), top + 5), (6, top + 10), (1, top + depth)])
        pen.polygon(smooth(hood), tone(rgb, 0.2), edge)
        pen.polygon(smooth(both([(1, top + 3), (4, top + 5.5), (1, top + depth - 2)])), tone(rgb, 0.5))


def _coat_belted(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, hem, waist, edge = -rng.uniform(52, 58), rng.uniform(15, 18), rng.uniform(9, 10.5), edge_of(rgb)
    shoulder, belt = rng.uniform(12, 13.5), top * rng.uniform(0.5, 0.56)
    cuff = (rng.uniform(18, 22), top * rng.uniform(0.32, 0.44))
    _sleeves(pen, rgb, top + 2.5, shoulder, cuff, rng.uniform(5.5, 7), tone(rgb, 0.2))
    pen.polygon(
        both(
            [
                (4.2, top),
                (shoulder, top + 3),
                (shoulder - 1.5, top + 14),
                (waist, belt),
                (waist + 2.5, belt + 8),
                (hem, -0.8),
                (3, 0),
            ]
        ),
        rgb,
        edge,
    )
    pen.line([(-2.5, top + 13), (-3, 0)], edge, 0.9)
    for x in (-0.6, 0.55):
        pen.line([(x * waist, belt + 3), (x * hem * 1.1, -2)], tone(rgb, 0.22), 0.9)
    _collar(pen, rng, rgb, top, rng.uniform(11, 15))
    _buttons(pen, rng, rng.choice([tone(rgb, 0.6), (120, 80, 45)]), (-4.6, 3.6), top + 16, belt - 3)
    for side in (-1, 1):
        pen.line([(side * (shoulder - 5.5), top + 2.9), (side * shoulder, top + 4.6)], tone(rgb, 0.4), 1.6)
    sash = accent(rng, rgb) if rng.random() < 0.15 else tone(rgb, 0.3)
    pen.rect(-waist - 0.5, belt - 1.8, waist + 0.5, belt + 1.8, sash, edge, 0.7)
    if rng.random() < 0.5:
        pen.rect(-2.6, belt - 2.4, 2.2, belt + 2.4, sash, shade(METAL, 0.8), 1.1)
    else:
        x = rng.choice((-2.5, 2.5))
        pen.polygon(
            [(x - 1, belt), (x + 1, belt), (x + 3, belt + 11), (x + 0.2, belt + 11.6)], sash, edge, 0.7
        )
        pen.rounded(x - 1.8, belt - 2.4, x + 1.8, belt + 2.2, 1, sash, edge, 0.7)
    _pockets(pen, rng, rgb, belt + 8, waist * 0.85)


def _coat_open(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, hem, edge = -rng.uniform(46, 53), rng.uniform(14.5, 17.5), edge_of(rgb)
    shoulder, gap = rng.uniform(12.5, 14), rng.uniform(3.5, 6.5)
    _hanger(pen, rng, top)
    cuff = (rng.uniform(19, 22), top * rng.uniform(0.3, 0.42))
    _sleeves(pen, rgb, top + 2.5, shoulder, cuff, rng.uniform(5.5, 7), tone(rgb, rng.uniform(0, 0.35)))
    pen.polygon(both([(4, top - 1), (9, top + 4), (hem - 2, -2.5)]), tone(rgb, 0.5), edge, 0.7)
    pen.rect(-1.8, top + 1.5, 1.8, top + 3.3, (240, 240, 236))
    shadow, collared = tone(rgb, rng.uniform(0.1, 0.25)), rng.random() < 0.7
    button, patch = tone(rgb, 0.6), rng.uniform(-20, -15)
    for flip in (False, True):
        half = pen.at(0, 0, flip=flip)
        half.polygon(
            [
                (3.4, top - 0.5),
                (shoulder, top + 3),
                (shoulder - 0.6, top + 15),
                (hem, -0.8),
                (gap + 1, 0),
                (gap, top * 0.5),
            ],
            rgb,
            edge,
        )
        if collared:
            half.polygon(
                [(2.8, top - 1.6), (5, top), (8.4, top + 7), (6.6, top + 8.4), (gap, top * 0.56)],
                shadow,
                edge,
                0.7,
            )
        else:
            half.line([(3.4, top), (gap + 0.8, top * 0.5), (gap + 1.6, 0)], shadow, 2)
        half.rounded(gap + 3, patch, hem - 2, patch + rng.uniform(2.5, 3), 0.6, shadow, edge, 0.7)
    _buttons(pen, rng, button, (gap + 2.2,), top * 0.5, -6)
