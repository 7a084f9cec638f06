"""Cups in six forms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.tabletop.turned import ACCENTS, Turned, accent

_DRINKS: tuple[Rgb, ...] = ((74, 44, 26), (120, 70, 34), (176, 96, 40), (200, 160, 116))


def _handle(
    pen: Pen, body: Turned, low: float, high: float, reach: float, rgb: Rgb, rng: random.Random
) -> None:
    """A ring at the right of `body`, to be drawn before it: round, square or pointed."""
    middle, tall = -(low + high) / 2, (high - low) / 2
    start = min(body.half(low), body.half(high)) - 1.2
    wide, edge, style = rng.uniform(2.0, 3.2), edge_of(rgb), rng.randrange(3)
    for colour, width in ((edge, wide + 1.4), (shade(rgb, 0.92), wide)):
        if style == 0:
            pen.arc(start, middle, reach + 1, tall, -95, 95, colour, width)
        elif style == 1:
            right = start + reach + 0.6
            path = [
                (start, -high),
                (right - 2, -high),
                (right, -high + 2),
                (right, -low - 2),
                (right - 2, -low),
            ]
            pen.line([*path, (start, -low)], colour, width)
        else:
            pen.line([(start, -high)] + [
                (start + (reach + 1) * math.sin(math.pi * t) ** 0.7 * (1.1 - 0.4 * t), 2 * tall * t - high)
                for t in [0.05 + 0.07 * step for step in range(13)]
            ] + [(start, -low)], colour, width)  # fmt: skip


def _mouth(pen: Pen, body: Turned, rgb: Rgb, rng: random.Random) -> None:
    """The open top of a cup: rim, inside and perhaps a drink."""
    half = body.half(body.height)
    y, tall = -body.height - body.sag * body.steps[0][1], half * body.sag
    rim = rng.choice((rgb, shade(rgb, 1.3), shade(rgb, 0.8), rng.choice(ACCENTS)))
    pen.oval(0, y, half, tall, rim, edge_of(rgb), rng.uniform(0.5, 1.0))
    if tall > 1.6:
        pen.oval(
            0,
            y + 0.1,
            half - 1.1,
            tall - 0.8,
            rng.choice((shade(rgb, 0.62), shade(rgb, 0.5), (238, 236, 230))),
        )
        if rng.random() < 0.6:
            pen.oval(0, y + 0.5, half - 1.8, max(0.6, tall - 1.4), rng.choice(_DRINKS))


def _cup_mug(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    half, tall = rng.uniform(8.5, 10.5), rng.uniform(22, 29)
    foot, belly = half * rng.uniform(0.75, 1.0), half * rng.uniform(0.94, 1.12)
    body = Turned([(0, foot), (tall * 0.4, belly), (tall, half)], rng.uniform(0.06, 0.32))
    pen = pen.at(rng.choice((-3.5, -2.5)), 0)
    _handle(
        pen,
        body,
        tall * rng.uniform(0.16, 0.3),
        tall * rng.uniform(0.7, 0.84),
        rng.uniform(6.5, 8.5),
        rgb,
        rng,
    )
    body.paint(pen, rgb, rng)
    _mouth(pen, body, rgb, rng)


def _cup_saucer(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    half, tall, flat = rng.uniform(9.5, 11), rng.uniform(13, 18), rng.uniform(0.16, 0.3)
    pen = pen.at(0, -0.8)
    plate = rng.choice((rgb, rgb, shade(rgb, 0.85), shade(rgb, 1.25)))
    wide = rng.uniform(14, 16)
    pen.oval(0, -wide * flat + 0.8, wide, wide * flat, shade(plate, 0.7), edge_of(rgb), 0.7)
    pen.oval(0, -wide * flat - 0.4, wide, wide * flat, plate, edge_of(rgb), 0.7)
    pen.oval(0, -wide * flat - 0.4, wide * 0.6, wide * flat * 0.6, shade(plate, 0.85))
    body = Turned(
        [(0, half * rng.uniform(0.4, 0.55)), (tall * 0.35, half * rng.uniform(0.72, 0.9)), (tall, half)], flat
    )
    cup = pen.at(-1, -wide * flat + 1.5)
    _handle(cup, body, tall * rng.uniform(0.3, 0.4), tall * 0.85, rng.uniform(5, 6.5), rgb, rng)
    body.paint(cup, rgb, rng)
    _mouth(cup, body, rgb, rng)
    if rng.random() < 0.4:
        pen.line([(-wide * 0.95, -wide * flat - 2), (-wide * 0.3, -wide * flat * 0.4)], (170, 172, 178), 1.3)


def _cup_to_go(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, tall = rng.uniform(9.5, 11.5), rng.uniform(24, 30)
    body = Turned([(0, top * rng.uniform(0.66, 0.78)), (tall, top)], rng.uniform(0.05, 0.16), smooth=False)
    body.paint(pen, rgb, rng, pattern=False)
    sleeve = rng.choice((shade(rgb, 0.75), shade(rgb, 1.35), (200, 165, 120), None))
    if sleeve:
        low = tall * rng.uniform(0.25, 0.4)
        pen.polygon(body.patch(low, low + tall * rng.uniform(0.2, 0.3)), sleeve, edge_of(sleeve), 0.5)
    else:
        body.decorate(pen, rgb, rng, tall * 0.2, tall * 0.75)
    lids = (shade(rgb, 0.6), shade(rgb, 1.45), (248, 248, 246), (50, 42, 40))
    lid = rng.choice(lids[:2] if sleeve == (200, 165, 120) else lids)
    rim = pen.at(0, -tall - body.sag * body.steps[0][1])
    Turned([(0, top + 0.9), (1.6, top + 0.9)], body.sag).paint(
        rim.at(0, top * body.sag), lid, rng, pattern=False
    )
    low = rng.uniform(0.78, 0.9) * top
    raised = Turned([(0, low), (rng.uniform(1.8, 3.2), low * 0.93)], body.sag)
    raised.paint(rim.at(0, low * body.sag - 1.7), lid, rng, pattern=False)
    y = -1.7 - raised.height
    pen = rim.at(0, y)
    pen.oval(0, 0, low * 0.93, low * body.sag, shade(lid, 1.15), edge_of(lid), 0.5)
    pen.oval(low * rng.choice((-0.45, 0.45)), 0, 1.6, 0.7, shade(lid, 0.4))


def _cup_two_handles(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    half, tall, lidded = rng.uniform(7.2, 8.6), rng.uniform(19, 24), rng.random() < 0.6
    body = Turned([(0, half * rng.uniform(0.75, 1)), (tall, half)], rng.uniform(0.1, 0.25))
    low, high, reach = tall * rng.uniform(0.2, 0.3), tall * rng.uniform(0.7, 0.85), rng.uniform(4.8, 6)
    seed, colour = rng.random(), rng.choice((rgb, shade(rgb, 0.75)))
    for flip in (False, True):
        _handle(pen.at(0, 0, flip=flip), body, low, high, reach, colour, random.Random(seed))
    body.paint(pen, rgb, rng)
    if not lidded:
        _mouth(pen, body, rgb, rng)
        return
    lid, side = accent(rgb, rng), rng.choice((-1, 1))
    top = pen.at(0, -tall + half * body.sag - body.sag * body.steps[0][1])
    Turned([(0, half + 0.8), (2.2, half + 0.8), (4.6, half * 0.6)], body.sag).paint(
        top, lid, rng, pattern=False
    )
    x = side * rng.uniform(1.5, 3)
    spout = [(x - 3, -3.2), (x - 1.7 + side, -8.5), (x + 1.7 + side, -8.5), (x + 3, -3.2)]
    top.polygon(spout, lid, edge_of(lid), 0.7)
    top.oval(x + side, -8.5, 1.9, 0.8, shade(lid, 0.8), edge_of(lid), 0.5)


def _cup_straw(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, tall = rng.uniform(9, 11), rng.uniform(22, 25)
    body = Turned([(0, top * rng.uniform(0.68, 0.85)), (tall, top)], rng.uniform(0.14, 0.3), smooth=False)
    body.paint(pen, rgb, rng)
    _mouth(pen, body, rgb, rng)
    if rng.random() < 0.8:
        y, side = -tall - body.sag * body.steps[0][1], rng.choice((-1, 1))
        bend = (side * rng.uniform(3, 5), y - rng.uniform(6, 9))
        path = [
            (side * -2.0, y + top * body.sag * 0.5),
            bend,
            (bend[0] + side * 4, bend[1] - rng.uniform(0, 3)),
        ]
        colour = rng.choice(ACCENTS)
        pen.line(path, edge_of(colour), 2.4)
        pen.line(path, colour, 1.5)


def _cup_from_above(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    outer, flat = rng.uniform(9.5, 11.2), rng.uniform(0.82, 1.0)
    angle, flip, saucer = rng.uniform(-60, 20), rng.random() < 0.5, rng.random() < 0.7
    plate = outer * rng.uniform(1.2, 1.35) if saucer else outer
    centre = pen.at(-2 if not saucer else 0, -plate * flat)
    edge = edge_of(rgb)
    if saucer:
        centre.oval(0, 0, plate + 1, (plate + 1) * flat, shade(rgb, rng.choice((0.85, 1.25))), edge, 0.8)
        outer *= 0.82
    turned = centre.at(0, 0, angle_deg=-angle if flip else angle, flip=flip)
    reach, thick = outer + rng.uniform(4.5, 5.8), rng.uniform(1.5, 2.1)
    turned.rounded(outer - 3, -thick, reach, thick, thick * rng.uniform(0.4, 1), shade(rgb, 0.9), edge, 0.8)
    centre.oval(0, 0, outer, outer * flat, rgb, edge, rng.uniform(0.8, 1.2))
    inner = outer - rng.uniform(1.6, 2.4)
    centre.oval(0, 0, inner, inner * flat, shade(rgb, 0.7), edge, 0.5)
    drink = rng.choice(_DRINKS)
    surface = inner * rng.uniform(0.72, 0.88)
    centre.oval(0, 0.5, surface, surface * flat, drink)
    if rng.random() < 0.5:
        centre.oval(0, 0, surface * 0.5, surface * flat * 0.4, None, shade(drink, 1.4), 1.1)
    else:
        centre.arc(0, 0.5, surface * 0.75, surface * flat * 0.75, 190, 260, shade(drink, 1.45), 1.1)


_Draw = Callable[[Pen, random.Random, Rgb], None]
_CUPS: tuple[_Draw, ...] = (_cup_mug, _cup_saucer, _cup_to_go, _cup_two_handles, _cup_straw, _cup_from_above)


def draw_cup(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A mug, a cup on a saucer, one to go, one with two handles, a beaker with a straw, or one from above."""
    _CUPS[form](pen.at(0, 0, flip=rng.random() < 0.4), rng, rgb)
