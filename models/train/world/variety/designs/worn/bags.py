"""Bags in six forms, every part of them varied at random."""

from __future__ import annotations

import random

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.worn.parts import METAL, Spots, accent, both, cord, smooth, tone


def _pattern(
    pen: Pen, rng: random.Random, rgb: Rgb, top: float, bottom: float, halves: tuple[float, float]
) -> None:
    """Plain, stripes, dots or two tones within a front that is `halves` wide at top and bottom."""
    shadow = accent(rng, rgb) if rng.random() < 0.3 else tone(rgb, rng.uniform(0.15, 0.35))

    def half(y: float) -> float:
        return halves[0] + (halves[1] - halves[0]) * (y - top) / (bottom - top) - 0.6

    def band(first: float, last: float) -> None:
        pen.polygon(
            [(-half(first), first), (half(first), first), (half(last), last), (-half(last), last)], shadow
        )

    kind, tall, count = rng.randrange(6), bottom - top, rng.randint(2, 4)
    if kind == 0:
        for k in range(count):
            y = top + tall * (k + 0.6) / count
            band(y, y + tall * 0.2 / count)
    elif kind == 1:
        for k in range(count):
            x = 2 * (k + 0.5) / count - 1
            pen.line(
                [(x * half(top), top + 0.5), (x * half(bottom), bottom - 0.5)], shadow, rng.uniform(1, 2)
            )
    elif kind == 2:
        for k in range(count * 4):
            y = top + tall * (0.12 + 0.76 * (k // 4) / (count - 1))
            pen.oval((k % 4 - 1.5) / 2 * half(y), y, 1.2, 1.2, shadow)
    elif kind == 3:
        shadow = tone(rgb, 0.3)
        band(bottom - tall * rng.uniform(0.2, 0.4), bottom - 0.5)


def _bow(half: float, foot: float, top: float, square: float) -> Spots:
    """A handle from (-half, foot) over `top` to (half, foot)."""
    x, y = half * (0.75 + 0.2 * square), foot + (top - foot) * 0.65
    return smooth(
        [(-half, foot), (-x, y), (-x * 0.5, top + 0.4), (0, top), (x * 0.5, top + 0.4), (x, y), (half, foot)],
        closed=False,
    )


def _bag_tote(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, wide, low, edge = -rng.uniform(23, 28), rng.uniform(15, 18), rng.uniform(13, 17.5), edge_of(rgb)
    reach, high, width = rng.uniform(6, 8.5), -rng.uniform(39, 45), rng.uniform(1.6, 2.4)
    strap = accent(rng, rgb) if rng.random() < 0.25 else tone(rgb, rng.uniform(0.1, 0.4))
    cord(pen.at(rng.choice((-1.6, 1.6)), 1.5), _bow(reach, top + 1, high, 0.3), strap, width)
    sag = rng.uniform(0.6, 2)
    pen.polygon(
        both([(wide * 0.7, top - 0.7), (wide, top), (wide * 0.4, top + sag)]), tone(rgb, 0.5), edge, 0.7
    )
    pen.polygon(both([(wide * 0.4, top + sag), (wide, top), (low + 0.3, -2), (low - 1.5, 0)]), rgb, edge)
    _pattern(pen, rng, rgb, top + 6, -1.5, (wide - 0.6, low))
    cord(pen, [(-reach, top + 7), *_bow(reach, top + 1, high + 1.5, 0.3), (reach, top + 7)], strap, width)


def _bag_backpack(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, wide, low, edge = -rng.uniform(36, 41), rng.uniform(11, 13.5), rng.uniform(14, 16.5), edge_of(rgb)
    shadow = tone(rgb, rng.uniform(0.1, 0.3))
    cord(pen, _bow(rng.uniform(3, 4), top + 1.5, top - rng.uniform(3, 4.5), 1), shadow, 1.6)
    for flip in (False, True):
        half, out = pen.at(0, 0, flip=flip), rng.uniform(2.5, 4.5)
        cord(
            half,
            smooth(
                [(wide * 0.5, top + 2), (low + out - 1, top + 14), (low + out, -13), (low - 2, -2)],
                closed=False,
            ),
            shadow,
            2.2,
        )
        if flip or rng.random() < 0.7:
            half.rounded(low - 4, -13, low + 2.2, -1.5, 2.5, shadow, edge, 0.8)
    body = both(
        [
            (wide * 0.45, top),
            (wide * 0.9, top + 3.5),
            (wide + 1, top + 11),
            (low, -9),
            (low - 0.8, -1.5),
            (low * 0.6, 0),
        ]
    )
    pen.polygon(smooth(body), rgb, edge)
    zip_rgb = rng.choice([METAL, tone(rgb, 0.55), accent(rng, rgb)])
    flap = rng.random() < 0.4
    y = top + rng.uniform(12, 16)
    if flap:
        pen.polygon(
            smooth(both([(wide * 0.5, top + 0.4), (wide, top + 7), (wide * 0.8, y + 1), (3, y + 3)])),
            shadow,
            edge,
        )
        for x in (-5.0, 5.0):
            pen.rect(x - 1, y - 1, x + 1, y + 5.5, tone(rgb, 0.5), edge, 0.5)
    else:
        pen.line(
            smooth(
                [
                    (-wide + 1, y),
                    (-wide + 3.5, top + 6),
                    (0, top + 3.5),
                    (wide - 3.5, top + 6),
                    (wide - 1, y),
                ],
                closed=False,
            ),
            zip_rgb,
            1,
        )
        pen.line([(wide - 1.2, y), (wide - 2.2, y + 2.6)], zip_rgb, 1.2)
    front = low - rng.uniform(3.5, 5.5)
    pen.rounded(-front, -rng.uniform(14, 17), front, -1.6, rng.uniform(2, 5), tone(rgb, 0.12), edge)
    pen.line([(-front + 2, -11.5), (front - 2, -11.5)], zip_rgb, 1)
    if rng.random() < 0.4:
        pen.oval(rng.uniform(-4, 4), -6.5, 2.2, 2.2, accent(rng, rgb))


def _bag_handbag(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, wide, low, edge = -rng.uniform(21, 26), rng.uniform(12, 16), rng.uniform(16.5, 20), edge_of(rgb)
    gold = rng.choice([(214, 176, 80), METAL])
    reach, high = wide * rng.uniform(0.55, 0.75), top - rng.uniform(11, 15)
    cord(
        pen, _bow(reach, top + 3, high, rng.random()), tone(rgb, rng.uniform(0, 0.35)), rng.uniform(1.8, 2.8)
    )
    body = both(
        [(wide * 0.6, top), (wide, top + 1.2), ((wide + low) / 2 + 0.4, top * 0.5), (low, -2), (low - 3, 0)]
    )
    pen.polygon(smooth(body), rgb, edge)
    style = rng.randrange(3)
    if style == 0:
        deep = top * rng.uniform(0.4, 0.5)
        flap = both([(wide * 0.6, top), (wide + 0.3, top + 1.5), (wide * 0.95, deep - 3), (wide * 0.4, deep)])
        pen.polygon(smooth(flap), tone(rgb, 0.14), edge)
        pen.rounded(-2, deep - 2, 2, deep + 2, 0.8, gold, shade(gold, 0.6), 0.6)
    elif style == 1:
        pen.line([(-wide + 1, top + 3), (wide - 1, top + 3)], gold, 1.1)
        pen.line([(wide - 3, top + 3), (wide - 2.4, top + 6.5)], gold, 1.2)
        _pattern(pen, rng, rgb, top + 7, -1.5, (wide, low - 1.5))
    else:
        for x in (-1.0, 1.0):
            pen.oval(x * 1.1, top - 1.2, 1.4, 1.4, gold, shade(gold, 0.6), 0.5)
        pen.rounded(-wide, top - 0.4, wide, top + 1.6, 0.8, gold, shade(gold, 0.6), 0.5)
        pen.rounded(-low + 5, top * 0.52, low - 5, -2.5, 2, tone(rgb, 0.1), edge, 0.7)
    for x in (-reach, reach):
        pen.oval(x, top + 3, 1.3, 1.3, gold, shade(gold, 0.6), 0.5)


def _bag_shoulder(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, wide, edge = -rng.uniform(20, 24), rng.uniform(16.5, 19.5), edge_of(rgb)
    shadow, high, lean = tone(rgb, rng.uniform(0.1, 0.35)), -rng.uniform(38, 43), rng.uniform(-5, 5)
    strap = smooth(
        [
            (-wide + 0.6, top + 5),
            (-wide * 0.72, (top + high) / 2),
            (lean - 3, high),
            (lean + 3, high + 0.3),
            (wide * 0.72, (top + high) / 2),
            (wide - 0.6, top + 5),
        ],
        closed=False,
    )
    cord(pen, strap, shadow, rng.uniform(1.6, 2.6))
    pen.rounded(lean - 3.6, high - 1.4, lean + 3.6, high + 1.6, 1.2, tone(rgb, 0.4), edge, 0.6)
    pen.rounded(-wide, top, wide, 0, rng.uniform(1.5, 4), rgb, edge)
    deep, corner = top * rng.uniform(0.25, 0.45), rng.uniform(1, 7)
    pen.rounded(-wide - 0.5, top - 0.8, wide + 0.5, deep, corner, tone(rgb, 0.1), edge)
    pen.rect(-wide - 0.5, top - 0.8, wide + 0.5, top + 4, tone(rgb, 0.1))
    pen.line(
        [(-wide - 0.5, top + 5), (-wide - 0.5, top - 0.8), (wide + 0.5, top - 0.8), (wide + 0.5, top + 5)],
        edge,
        0.9,
    )
    buckle = rng.choice([METAL, (214, 176, 80), (60, 60, 66)])
    for x in rng.choice([(0.0,), (-wide * 0.55, wide * 0.55)]):
        pen.rect(x - 1.5, top * 0.62, x + 1.5, deep + 3.4, tone(rgb, 0.45), edge, 0.6)
        pen.rect(x - 2.1, deep - 1.5, x + 2.1, deep + 1.5, None, buckle, 1.1)
    if rng.random() < 0.4:
        pen.line([(-wide + 2, top + 3), (wide - 2, top + 3)], accent(rng, rgb), 1.4)


def _bag_sports(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    top, wide, edge = -rng.uniform(19, 23), rng.uniform(19, 22), edge_of(rgb)
    shadow, zip_rgb = tone(rgb, rng.uniform(0.25, 0.5)), rng.choice([METAL, (60, 60, 66), (235, 235, 235)])
    reach, high = rng.uniform(6.5, 9), top - rng.uniform(9, 13)
    strap = accent(rng, rgb) if rng.random() < 0.3 else shadow
    cord(pen, [(x + 1.4, y - 0.6) for x, y in _bow(reach, top + 2, high, 0.8)], strap, 1.7)
    body = both(
        [(wide * 0.55, top), (wide * 0.9, top + 1.2), (wide, top * 0.55), (wide * 0.95, -2), (wide * 0.6, 0)]
    )
    pen.polygon(smooth(body), rgb, edge)
    for x in (-1.0, 1.0):
        pen.line(
            smooth(
                [(x * wide * 0.75, top + 0.8), (x * wide * 0.84, top / 2), (x * wide * 0.75, -0.6)],
                closed=False,
            ),
            shadow,
            1,
        )
    pen.line([(-wide * 0.72, top + 2.6), (wide * 0.72, top + 2.6)], zip_rgb, 1.1)
    if rng.random() < 0.6:
        pen.rounded(-reach + 1.8, top * 0.52, reach - 1.8, -2, 1.5, tone(rgb, 0.12), edge, 0.7)
    for x in (-reach, reach):
        cord(pen, [(x, top + 1), (x, -0.6)], strap, 1.7)
    cord(pen, _bow(reach, top + 3, high + 2, 0.8), strap, 1.7)
    pen.rounded(-2.6, high + 0.6, 2.6, high + 3.4, 1, tone(rgb, 0.5), edge, 0.6)


def _bag_carrier(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    pen = pen.at(0, 0, flip=rng.random() < 0.5)
    top, wide, deep, edge = -rng.uniform(27, 31), rng.uniform(11, 14), rng.uniform(5.5, 9), edge_of(rgb)
    rise, x = rng.uniform(1.5, 3.5), -deep / 2
    twine = rng.choice([tone(rgb, 0.5), accent(rng, rgb), (240, 236, 226)])
    front, rear = pen.at(x, 0), pen.at(x + deep, -rise)
    high, reach, square = top - rng.uniform(8, 12), wide * rng.uniform(0.38, 0.55), rng.random()
    cord(rear, _bow(reach, top, high, square), twine, 1)
    pen.polygon(
        [(x - wide, top), (x - wide + deep, top - rise), (x + wide + deep, top - rise), (x + wide, top)],
        tone(rgb, 0.55),
        edge,
    )
    side = [(x + wide, top), (x + wide + deep, top - rise), (x + wide + deep, -rise), (x + wide, 0)]
    pen.polygon(side, tone(rgb, 0.25), edge)
    fold = x + wide + deep * 0.5
    pen.line([(fold, top - rise / 2), (fold - 0.4, -deep * 0.6 - rise / 2), (x + wide, 0)], edge, 0.7)
    pen.line([(fold - 0.4, -deep * 0.6 - rise / 2), (x + wide + deep, -rise)], edge, 0.7)
    pen.rect(x - wide, top, x + wide, 0, rgb, edge)
    _pattern(front, rng, rgb, top + 5, -1.5, (wide, wide))
    for hole in (-reach, reach):
        front.oval(hole, top + 2.4, 0.9, 0.9, tone(rgb, 0.6))
    cord(front, _bow(reach, top + 2.4, high + 2, square), twine, 1)


def draw_bag(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """Cloth bag, backpack, handbag, shoulder bag, sports bag or paper carrier bag."""
    pen = pen.at(0, 0, 1, rng.uniform(-3, 3))
    forms = (_bag_tote, _bag_backpack, _bag_handbag, _bag_shoulder, _bag_sports, _bag_carrier)
    forms[form](pen, rng, rgb)
