"""Cups in six further forms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.tabletop.turned import ACCENTS, Turned, accent

_DRINKS: tuple[Rgb, ...] = ((74, 44, 26), (120, 70, 34), (176, 96, 40), (200, 160, 116))


def _loop(
    pen: Pen, x: float, top: float, low: float, reach: float, rgb: Rgb, rng: random.Random, wide: float = 2.6
) -> None:
    """A handle to the right of `x` between two heights, as an ear, a square or a half circle."""
    style, end = rng.randrange(3), x + reach
    if style == 0:
        path = [(x - 1, top), (end - 2, top - 0.5), (end, top + 2), (end - 1.5, (top + low) / 2 + 2)]
        path += [(x + 1.5, low), (x - 1, low)]
    elif style == 1:
        path = [(x - 1, top), (end - 1, top), (end, top + 1.2), (end, low - 1.2), (end - 1, low)]
        path += [(x - 1, low)]
    else:
        turns = [math.pi * k / 12 for k in range(13)]
        middle, tall = (top + low) / 2, (low - top) / 2
        path = [(x - 1 + (reach + 1) * math.sin(t), middle - tall * math.cos(t)) for t in turns]
    pen.line(path, edge_of(rgb), wide + 1.5)
    pen.line(path, shade(rgb, 0.9), wide)


def _mouth(
    pen: Pen, y: float, half: float, tall: float, rgb: Rgb, rng: random.Random, drink: float = 0.6
) -> None:
    """The rim, the inside and perhaps a drink."""
    rim = rng.choice((rgb, shade(rgb, 1.3), shade(rgb, 0.82), rng.choice(ACCENTS)))
    pen.oval(0, y, half, tall, rim, edge_of(rgb), rng.uniform(0.6, 1.0))
    inside = rng.choice((shade(rgb, 0.62), shade(rgb, 0.5), shade(rgb, 0.7), (238, 236, 230)))
    pen.oval(0, y + 0.1, half - 1.1, max(0.5, tall - 0.9), inside, edge_of(rgb), 0.4)
    if rng.random() < drink:
        low = tall * rng.uniform(0.1, 0.26)
        pen.oval(0, y + low, (half - 1.1) * 0.9, max(0.4, tall - 1.1 - low), rng.choice(_DRINKS))


def _rim_y(body: Turned) -> float:
    """Where the middle of the upper edge is."""
    return -body.height - body.sag * body.steps[0][1]


def _cup_lying(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A mug on its side, its mouth turned a little towards the viewer."""
    half, tall, sag = rng.uniform(8.8, 10.5), rng.uniform(18, 23), rng.uniform(0.3, 0.5)
    body = Turned([(0, half * rng.uniform(0.8, 1.0)), (tall, half)], sag, smooth=False)
    tilt = rng.uniform(58, 94)
    lying = pen.at(-tall / 2, -half * rng.uniform(0.98, 1.05), angle_deg=tilt)
    high, low = -tall * rng.uniform(0.76, 0.86), -tall * rng.uniform(0.18, 0.3)
    _loop(lying.at(0, 0, flip=True), half * 0.92, high, low, rng.uniform(5.5, 7), rgb, rng)
    body.paint(lying, rgb, rng)
    _mouth(lying, _rim_y(body), half, half * sag, rgb, rng, drink=0.0)


def _cup_high(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A mug from obliquely above."""
    half, sag, tall = rng.uniform(9.5, 11.2), rng.uniform(0.52, 0.75), rng.uniform(12, 17)
    foot = half * rng.uniform(0.66, 0.95)
    body = Turned([(0, foot), (tall * 0.5, half * rng.uniform(0.9, 1.0)), (tall, half)], sag)
    side = pen.at(-2.5, 0)
    y, slant = _rim_y(body), rng.uniform(-2, 5)
    reach = rng.uniform(6, 7.5)
    top = y + slant
    path = [(half * 0.8, top), (half + reach - 2, top + 0.6), (half + reach, top + 2.6)]
    path += [
        (half + reach - 1, top + tall * 0.55),
        (half + reach - 3, top + tall * 0.68),
        (half * 0.7, top + tall * 0.62),
    ]
    width = rng.uniform(2.2, 3.2)
    side.line(path, edge_of(rgb), width + 1.5)
    side.line(path, shade(rgb, 0.92), width)
    body.paint(side, rgb, rng)
    _mouth(side, y, half, half * sag, rgb, rng, drink=0.75)


def _cup_bowl(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A wide round tea cup on a foot ring, perhaps with the string of a tea bag or a spoon."""
    half, tall, foot = rng.uniform(11, 13), rng.uniform(15, 19), rng.uniform(4.5, 6)
    round_steps = [(2 + (tall - 2) * (1 - math.cos(t)), foot + (half - foot) * math.sin(t) ** 0.9)
                   for t in [math.pi / 2 * k / 7 for k in range(8)]]  # fmt: skip
    body = Turned([(0, foot + 0.6), (1.9, foot - 0.2), *round_steps], rng.uniform(0.14, 0.3), smooth=False)
    cup = pen.at(-2.5, 0)
    y = _rim_y(body)
    extra, flat = rng.randrange(3), half * body.sag
    high = y + flat * 0.6 + 1
    _loop(cup, half * 0.9, high, high + tall * rng.uniform(0.42, 0.55), rng.uniform(5.5, 7), rgb, rng, 2.2)
    body.paint(cup, rgb, rng)
    _mouth(cup, y, half, flat, rgb, rng, drink=0.85)
    x = rng.uniform(-6, 2)
    if extra == 0:
        tag, low = rng.choice(((250, 248, 238), *ACCENTS)), y + tall * rng.uniform(0.5, 0.65)
        edge = y + flat * math.sqrt(1 - (x / half) ** 2)
        cup.line([(x + 1, y), (x, edge), (x - 0.6, low)], (246, 244, 236), 0.7)
        cup.rect(x - 2.4, low, x + 1.4, low + 4.4, tag, edge_of(tag), 0.5)
    elif extra == 1:
        cup.line([(x, y + 0.4), (x + 7, y - 8), (x + 9, y - 10)], (120, 122, 128), 2.2)
        cup.line([(x, y + 0.4), (x + 7, y - 8), (x + 9, y - 10)], (200, 202, 208), 1.3)


def _cup_stack(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Two mugs, one upon the other."""
    half, tall, sag = rng.uniform(8.5, 10), rng.uniform(13, 16), rng.uniform(0.08, 0.24)
    foot = half * rng.uniform(0.78, 0.9)
    steps = [(0, foot), (tall * 0.25, half * rng.uniform(0.95, 1.05)), (tall, half)]
    other = rgb if rng.random() < 0.5 else shade(rgb, rng.choice((0.75, 1.2)))
    seed, reach, turned = rng.random(), rng.uniform(5.5, 7), rng.random() < 0.4
    low = pen.at(-1.5 if not turned else 0, 0)
    body = Turned(steps, sag)
    for place, tint in enumerate((rgb, other)):
        cup = low.at(rng.uniform(-0.6, 0.6), -place * (tall - 0.6), flip=bool(place) and turned)
        if place:
            cup = cup.at(0, -sag * half * 0.6)
        same = random.Random(seed)
        _loop(cup, half * 0.94, -tall * 0.84, -tall * 0.25, reach, tint, same, 2.2)
        body.paint(cup, tint, rng)
        _mouth(cup, _rim_y(body), half, half * sag, tint, rng, drink=0.0)


def _cup_upside_down(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A mug that dries upside down, its foot above."""
    half, tall, sag = rng.uniform(9, 10.8), rng.uniform(20, 25), rng.uniform(0.16, 0.36)
    foot = half * rng.uniform(0.68, 0.9)
    body = Turned([(0, half), (1.5, half * 0.98), (tall * 0.65, half * 0.96), (tall, foot)], sag)
    cup = pen.at(-3, 0)
    lift = -half * sag
    _loop(cup, half * 0.94, lift - tall * 0.7, lift - tall * 0.12, rng.uniform(6.5, 8), rgb, rng, 2.8)
    body.paint(cup, rgb, rng)
    cup.polygon(body.patch(0, rng.uniform(1.0, 1.8)), shade(rgb, rng.choice((0.7, 1.35))), edge_of(rgb), 0.4)
    y = _rim_y(body)
    cup.oval(0, y, foot, foot * sag, shade(rgb, 1.12), edge_of(rgb), 0.8)
    ring = foot * rng.uniform(0.72, 0.84)
    cup.oval(0, y, ring, ring * sag, shade(rgb, 0.78), edge_of(rgb), 0.6)


def _cup_enamel(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A straight tin mug with a rim of another colour, its handle at the side or in front."""
    half, tall, sag = rng.uniform(10, 11.5), rng.uniform(18, 23), rng.uniform(0.12, 0.34)
    body = Turned([(0, half * rng.uniform(0.92, 1)), (1.2, half), (tall, half)], sag, smooth=False)
    rim, front = (
        rng.choice(((40, 44, 70), (30, 30, 34), (246, 246, 242), shade(rgb, 0.5))),
        rng.random() < 0.45,
    )
    cup = pen.at(0 if front else -3, 0)
    y = _rim_y(body)
    if not front:
        low = rng.uniform(0.1, 0.25)
        path = [(half - 1, y + 3.2), (half + 5, y + 2.2), (half + 7, y + 5), (half + 5.5, y + tall * 0.6)]
        path.append((half - 1, y + tall * (1 - low) + 1.5))
        cup.line(path, edge_of(rgb), 3.6)
        cup.line(path, rng.choice((rgb, shade(rgb, 0.85), rim)), 2.2)
    body.paint(cup, rgb, rng, pattern=False)
    if rng.random() < 0.6:
        tone = rng.choice((shade(rgb, 1.5), shade(rgb, 0.6)))
        for _ in range(rng.randint(10, 24)):
            spot = body.point(tall * rng.uniform(0.1, 0.85), rng.uniform(-0.85, 0.85))
            size = rng.uniform(0.3, 0.7)
            cup.oval(*spot, size, size, tone)
    elif not front:
        tone = accent(rgb, rng)
        x, v = body.point(tall * 0.5, rng.uniform(-0.3, 0.3))
        cup.polygon(
            [(x - 3.4, v + 2.8), (x - 1, v - 2.6), (x + 0.4, v), (x + 1.6, v - 1.4), (x + 3.6, v + 2.8)], tone
        )
    _mouth(cup, y, half, half * sag, rgb, rng, drink=0.5)
    cup.oval(0, y, half, max(0.8, half * sag), None, rim, rng.uniform(1.2, 1.8))
    if front:
        x, flat = rng.uniform(-2, 5), half * sag
        top = y + flat * 0.95 + 3
        end = top + tall * rng.uniform(0.55, 0.64)
        cup.rounded(x + 0.6, top + 1.5, x + 4.2, end - 1, 1.6, shade(rgb, 0.55))
        cup.rounded(x - 2, top, x + 2, end, 1.8, shade(rgb, 1.12), edge_of(rgb), 0.9)


_Draw = Callable[[Pen, random.Random, Rgb], None]
_CUPS: tuple[_Draw, ...] = (_cup_lying, _cup_high, _cup_bowl, _cup_stack, _cup_upside_down, _cup_enamel)


def draw_other_cup(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A mug on its side, from above, a tea bowl, two stacked, one upside down, or one of tin."""
    _CUPS[form](pen.at(0, 0, angle_deg=rng.uniform(-2, 2), flip=rng.random() < 0.45), rng, rgb)
