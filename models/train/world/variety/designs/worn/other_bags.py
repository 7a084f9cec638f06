"""Bags in six further forms, every part of them varied at random."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.worn.parts import METAL, Spots, accent, both, cord, smooth, tone

GOLD: Rgb = (214, 176, 80)


def _open(*points: tuple[float, float]) -> Spots:
    """A smooth curve from the first to the last of `points`."""
    return smooth(points, closed=False)


def _case(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A case for papers or a computer, with a flat handle and often a strap."""
    u, edge = rng.uniform, edge_of(rgb)
    wide, top, deep = u(17, 20), -u(25, 30), u(2, 5)
    metal, shadow = rng.choice([METAL, GOLD, (70, 70, 76)]), tone(rgb, u(0.2, 0.4))
    pen = pen.at(-deep / 2, 0)
    side = [(wide - 1, top), (wide + deep, top - 1.5), (wide + deep, -2.5), (wide - 1, 0)]
    pen.polygon(side, tone(rgb, 0.35), edge)
    pen.polygon([(-wide + 1, top), (-wide + 1 + deep, top - 1.5), (wide + deep, top - 1.5),
        (wide, top)], shadow, edge)  # fmt: skip
    if rng.random() < 0.5:
        fall = u(-14, -6)
        cord(pen, _open((-wide + 2, top + 1), (-wide - 3, top - 3), (-wide - 4, fall), (-wide
            - 2, -1)), shadow, 1.8)  # fmt: skip
    half, high = u(5.5, 8), top - u(7, 10)
    grip = [(-half, top), (-half + 0.8, high + 2), (-half + 3, high), (half - 3, high), (half
        - 0.8, high + 2)]  # fmt: skip
    cord(pen.at(deep / 2, -0.7), [*grip, (half, top)], shadow, u(2, 2.8))
    pen.rounded(-wide, top, wide, 0, u(1.2, 4), rgb, edge)
    style = rng.randrange(3)
    if style == 0:
        pen.line([(-wide + 0.5, top + 4), (wide - 0.5, top + 4)], edge, 1)
        pen.line([(-wide + 0.5, top + 6), (wide - 0.5, top + 6)], tone(rgb, 0.3), 1)
        for x in (-wide * 0.6, wide * 0.6):
            pen.rounded(x - 2.2, top + 2, x + 2.2, top + 8, 0.8, metal, shade(metal, 0.6), 0.6)
    elif style == 1:
        low = u(0.45, 0.6) * top
        pen.rounded(-wide, top, wide, low, u(1.5, 5), tone(rgb, 0.12), edge)
        for x in (-wide * 0.5, wide * 0.5):
            pen.rect(x - 1.4, top + 1, x + 1.4, low + 4, tone(rgb, 0.42), edge, 0.6)
            pen.rect(x - 2.1, low - 1.6, x + 2.1, low + 1.8, None, metal, 1.1)
    else:
        pen.line([(-wide + 2, top + 3.2), (wide - 2, top + 3.2)], metal, 1)
        pen.rounded(-wide + 2.5, top * u(0.55, 0.66), wide - 2.5, -2, 1.5, tone(rgb, 0.13), edge, 0.8)
        pen.line([(-wide + 4, top * 0.5), (wide - 5, top * 0.5)], metal, 0.9)
        pen.line([(wide - 6, top * 0.5), (wide - 6, top * 0.5 + 3)], metal, 1.3)
        if rng.random() < 0.4:
            pen.rounded(-3, -8, 3, -5, 0.8, accent(rng, rgb))


def _sack(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A sack of cloth gathered by cords, which are its straps."""
    u, edge = rng.uniform, edge_of(rgb)
    wide, neck, top = u(13.5, 17), u(4.5, 8), -u(32, 35)
    string = rng.choice([tone(rgb, 0.55), accent(rng, rgb), (240, 236, 226)])
    low, out = wide * 0.86, u(2, 6)
    for flip in (False, True):
        half = pen.at(0, 0, flip=flip)
        if flip or rng.random() < 0.8:
            cord(half, _open((neck, top + 0.5), (wide + out, top + u(5, 9)), (wide + out,
                -10), (low, -2)), string, 1.1)  # fmt: skip
    ruff = both([(1, top - 4.5), (neck * 0.7, top - u(5, 6.5)), (neck + u(2, 4), top - 4.6), (neck, top)])
    pen.polygon(smooth(ruff), tone(rgb, 0.2), edge)
    body = both([(neck * 0.8, top), (wide * 0.8, top + 6.5), (wide, top * 0.45), (low + 0.6,
        -2), (low * 0.6, 0)])  # fmt: skip
    pen.polygon(smooth(body), rgb, edge)
    for k in range(-2, 3):
        x = k / 2.4
        pen.line([(x * neck, top + 0.4), (x * wide * 0.75, top + u(6, 11))], tone(rgb, 0.35), 0.8)
        pen.line([(x * neck, top - 0.4), (x * (neck + 1.5), top - 4)], tone(rgb, 0.5), 0.7)
    style, mark = rng.randrange(4), accent(rng, rgb) if rng.random() < 0.5 else tone(rgb, 0.35)
    if style == 0:
        pen.oval(0, top * 0.4, u(4, 6), u(4, 6), mark)
    elif style == 1:
        pen.line(_open((-wide + 0.6, top * 0.36), (0, top * 0.31), (wide - 0.6, top * 0.36)), mark, u(2, 4.5))
    elif style == 2:
        pen.rounded(-wide * 0.55, -u(12, 15), wide * 0.55, -2.5, 2, tone(rgb, 0.12), edge, 0.7)
        pen.line([(-wide * 0.4, -10), (wide * 0.4, -10)], METAL, 0.9)
    cord(pen, _open((-neck, top + 0.2), (0, top + 1), (neck, top + 0.2)), string, 1.3)
    for x in (-1.5, u(1, 3)):
        pen.line(_open((0, top + 1), (x * 1.6, top + 5), (x, top + u(8, 11))), string, 0.9)


def _pack_side(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A backpack seen from its side, with the straps behind it."""
    u, edge = rng.uniform, edge_of(rgb)
    pen = pen.at(0, 0, flip=rng.random() < 0.5)
    top, back, front, shadow = -u(37, 41), -u(7, 9), u(7, 10), tone(rgb, u(0.2, 0.4))
    pouch, zip_rgb = u(5, 7.5), rng.choice([METAL, accent(rng, rgb), tone(rgb, 0.6)])
    far, wide = back - u(6, 9), u(2.2, 3)
    cord(pen.at(1.8, -0.8), _open((back + 2, top + 4), (far, top + 11), (far, -16), (back,
        -4)), tone(rgb, 0.5), wide)  # fmt: skip
    cord(pen, _open((back + 2, top + 3), (far, top + 10), (far + 1, -15), (back + 1, -3)), shadow, wide)
    cord(pen, _open((back + 2, top + 2), (back + 2, top - 3), (back + 7, top - 3), (back + 8,
        top + 1)), shadow, 1.5)  # fmt: skip
    pen.polygon(smooth([(front - 2, -20), (front + pouch - 1, -18), (front + pouch, -9),
        (front + pouch - 1.5, -1), (4, 0)]), tone(rgb, 0.12), edge)  # fmt: skip
    pen.line(_open((front + 1, -16), (front + pouch - 2, -15.4), (front + pouch - 1, -11)), zip_rgb, 1)
    body = [(back + 3, top), (2, top + 0.5), (front - 1, top + 7), (front + 1.5, -16), (front,
        -2), (front - 4, 0)]  # fmt: skip
    pen.polygon(smooth([*body, (back + 2, 0), (back, -4), (back - 0.4, -20), (back + 0.5, top
        + 4)]), rgb, edge)  # fmt: skip
    pen.line(_open((back + 4, top + 4), (2, top + 4.2), (front - 3, top + 10), (front - 2, -17)), zip_rgb, 1)
    pen.line([(front - 2, -17), (front - 3.4, -14)], zip_rgb, 1.3)
    high = -u(11, 15)
    net = [(back + 1.6, high), (front - 1.4, high + u(-1, 3)), (front - 1.6, -1.6), (back + 2.4, -1.6)]
    pen.polygon(net, tone(rgb, 0.28), edge, 0.8)
    if rng.random() < 0.5:
        for k in range(1, 4):
            x = back + 2 + (front - back - 3) * k / 4
            pen.line([(x, high + 2), (x, -2)], tone(rgb, 0.5), 0.6)
    if rng.random() < 0.5:
        pen.line([(back + 0.5, -u(18, 21)), (front + 0.6, -u(18, 21))], shadow, 1.6)


def _plastic(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A shopping bag of thin plastic, full, with two loops cut from its top."""
    u, edge, shadow = rng.uniform, edge_of(rgb), tone(rgb, rng.uniform(0.15, 0.3))
    wide, deep, top = u(14.5, 18), -u(21, 25), -u(37, 42)
    for behind in (True, False):
        fill, place = (tone(rgb, 0.35), pen.at(u(0.8, 2), 1.2)) if behind else (rgb, pen)
        for flip in (False, True):
            loop, lean = place.at(0, 0, flip=flip), u(-2.5, 1)
            tip = wide * 0.62 + lean
            outer = [(wide * 0.98, deep + 5), (wide * 0.9, deep - 4), (tip + 3.2, top + 3), (tip, top)]
            inner = [(tip - 3.2, top + 2.5), (wide * 0.44, deep - 3), (wide * 0.26, deep + 2),
                (wide * 0.2, deep + 6)]  # fmt: skip
            loop.polygon(smooth([*outer, *inner], closed=False), fill, edge, 0.8)
            hole = [(tip + 1, top + 4), (wide * 0.75, deep - 2.5), (wide * 0.55, deep - 3),
                (tip - 1, top + 5)]  # fmt: skip
            if not behind:
                loop.polygon(smooth(hole), tone(rgb, 0.5), edge, 0.6)
    right = [(wide * 0.2, deep + 1.6), (wide * 0.5, deep - 1.5), (wide * 0.92, deep - 2),
        (wide + u(-1, 1), deep * 0.6)]  # fmt: skip
    body = both([*right, (wide + u(0, 1.5), -5), (wide * 0.8, -0.3)])
    pen.polygon(smooth(body), rgb, edge)
    pen.line([(x, deep - 2) for x in (wide * 0.5, wide * 0.86)], rgb, 2)
    pen.line([(x, deep - 2) for x in (-wide * 0.5, -wide * 0.86)], rgb, 2)
    for side in (-1, 1):
        for k in range(rng.randint(2, 3)):
            x = side * wide * (0.86 - 0.2 * k)
            pen.line(_open((x, deep), (x * u(0.75, 0.95), deep + 5), (x * 0.9, deep + u(8, 12))), shadow, 0.8)
        pen.line(_open((side * wide * 0.8, -1), (side * wide * 0.7, -4), (side * wide * u(0.7,
            0.95), -7)), shadow, 0.8)  # fmt: skip
    style, mark = rng.randrange(4), accent(rng, rgb) if rng.random() < 0.6 else tone(rgb, 0.4)
    if style == 0:
        pen.oval(u(-2, 2), deep * 0.42, u(4, 6), u(4, 5.5), mark)
    elif style == 1:
        for k in range(3):
            pen.line([(-wide * 0.6, deep * 0.6 + k * 3), (wide * u(0.3, 0.6), deep * 0.6 + k * 3)], mark, 1.3)
    elif style == 2:
        pen.polygon([(-6, -5), (0, deep * 0.66), (6, -5)], mark)


def _crescent(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A soft bag in the shape of a half moon under one broad strap."""
    u, edge = rng.uniform, edge_of(rgb)
    tip, high, sag, top = u(15.5, 19), -u(21, 26), -u(13, 18), -u(39, 44)
    metal, shadow, lean = rng.choice([METAL, GOLD]), tone(rgb, u(0.1, 0.35)), u(-4, 4)
    rise, peak = (high + top) / 2 - 1, top + 1
    strap = _open((-tip, high + 1), (-tip * 0.8, rise), (lean - 4, peak), (lean + 4, peak),
                  (tip * 0.8, rise), (tip, high + 1))  # fmt: skip
    cord(pen, strap, shadow, u(2, 4))
    far = [(tip * 0.9, high - 0.5), (tip + 1.2, high + 1), (tip + u(0.5, 2), high * 0.5), (tip
        * 0.75, -2), (5, 0)]  # fmt: skip
    pen.polygon(smooth([(0, sag), (tip * 0.5, sag - 1.6), *far, *((-x, y) for x, y in reversed(far)),
                        (-tip * 0.5, sag - 1.6)]), rgb, edge)  # fmt: skip
    pen.line(_open((-tip * 0.8, high + 4), (-tip * 0.4, sag + 1), (0, sag + 2.4), (tip * 0.4, sag + 1),
                   (tip * 0.8, high + 4)), metal, 1)  # fmt: skip
    if rng.random() < 0.6:
        pen.line([(tip * 0.5, sag + 1), (tip * 0.5 + 1, sag + 5.5)], metal, 1.3)
    for x in (-tip, tip):
        pen.oval(x, high + 1.4, 1.9, 1.9, metal, shade(metal, 0.6), 0.6)
    style = rng.randrange(3)
    if style == 0:
        for x in (-0.5, -0.25, 0.25, 0.5):
            pen.line(_open((x * tip, sag + 3), (x * tip * 1.2, sag * 0.5), (x * tip, -2.5)),
                tone(rgb, 0.25), 0.9)  # fmt: skip
    elif style == 1:
        pen.line(_open((-tip, high * 0.4), (0, -5), (tip, high * 0.4)), tone(rgb, 0.3), u(1, 3))
    else:
        x = rng.choice((-1, 1)) * tip * 0.55
        for dx in (-1.2, 0.0, 1.2):
            pen.line([(x, sag + 1), (x + dx, sag + u(7, 9))], accent(rng, rgb), 0.8)


def _basket(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """An open bag of plaited straw or cloth, seen from above its rim."""
    u, edge = rng.uniform, edge_of(rgb)
    top, wide, rim, low = -u(22, 26), u(16, 19), u(3.5, 6), u(12, 16)
    reach, high = wide * u(0.42, 0.6), top - u(9, 13)
    strap = accent(rng, rgb) if rng.random() < 0.2 else tone(rgb, u(0.25, 0.5))
    width, square = u(1.5, 2.4), u(0.7, 1)

    def bow(foot: float, peak: float) -> Spots:
        x, y = reach * square, foot + (peak - foot) * 0.7
        return _open((-reach, foot), (-x, y), (0, peak), (x, y), (reach, foot))

    cord(pen, bow(top - rim * 0.7, high - 4), strap, width)
    pen.oval(0, top, wide, rim, tone(rgb, 0.55), edge)
    arch = [(wide * math.cos(t * math.pi / 12), top + rim * math.sin(t * math.pi / 12)) for t in range(13)]
    foot = [(-wide * 0.97, top * 0.5), (-low, -3), (-low * 0.7, -0.6), (0, 0), (low * 0.7, -0.6), (low, -3)]
    pen.polygon([*arch, *_open((-wide, top), *foot, (wide * 0.97, top * 0.5), (wide, top))], rgb, edge)
    shadow, style = tone(rgb, u(0.2, 0.35)), rng.randrange(3)
    rows = rng.randint(4, 6)
    for k in range(rows):
        share = (k + 0.8) / (rows + 0.4)
        half, y = (wide + (low - wide) * share) * 0.93, top + rim * 0.2 + (-top - 1.5) * share
        bend = rim * (1 - share * 0.7)
        across = [(half * x / 8, y + bend * (1 - (x / 8) ** 2) * 0.8 - bend * 0.3) for x in range(-8, 9)]
        if style == 0:
            for x in range(k % 2, 16, 2):
                pen.line(across[x : x + 2], shadow, 1.6)
        elif style == 1:
            pen.line([(x, y + (1.2 if n % 2 else -1.2)) for n, (x, y) in enumerate(across)], shadow, 0.9)
        elif k % 2:
            pen.line(across, shadow, u(1.5, 3))
    pen.line(arch, tone(rgb, 0.3), 1.5)
    drop = top + rim * 0.85
    peak = drop + u(10, 13) if rng.random() < 0.35 else high + 2
    cord(pen, bow(drop + 2, peak), strap, width)
    for side in (-reach, reach):
        pen.rounded(side - 1.5, drop, side + 1.5, drop + 4, 0.6, strap, edge, 0.6)


def draw_other_bag(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """Case for papers, sack with cords, backpack from its side, plastic bag, half moon, or basket."""
    forms = (_case, _sack, _pack_side, _plastic, _crescent, _basket)
    forms[form](pen.at(0, 0, 1, rng.uniform(-3, 3)), rng, rgb)
