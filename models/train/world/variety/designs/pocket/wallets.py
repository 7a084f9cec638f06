"""Wallets in six forms."""

from __future__ import annotations

import math
import random
from itertools import pairwise

from models.train.world.home.picture.pen import Pen, Points, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.pocket.parts import CARDS, METALS, pattern

NOTES: tuple[Rgb, ...] = ((158, 196, 156), (214, 176, 130), (164, 184, 208), (206, 202, 172), (196, 160, 168))


def _stitches(pen: Pen, points: Points, ink: Rgb) -> None:
    """A dashed line through `points`."""
    for (x, y), (to_x, to_y) in pairwise(points):
        count = max(2, round(math.hypot(to_x - x, to_y - y) / 2))
        for step in range(count):
            a, b = (step + 0.2) / count, (step + 0.75) / count
            ends = [(x + (to_x - x) * part, y + (to_y - y) * part) for part in (a, b)]
            pen.line(ends, ink, 0.4)


def _note(pen: Pen, rng: random.Random, left: float, top: float, right: float, bottom: float) -> None:
    """A banknote."""
    rgb = rng.choice(NOTES)
    pen.rect(left, top, right, bottom, rgb, edge_of(rgb), 0.5)
    pen.rect(left + 1, top + 1, right - 1, bottom, None, shade(rgb, 0.75), 0.4)
    pen.oval((left + right) / 2, top + 3.2, 2.2, 1.7, shade(rgb, 0.72))


def _coins(pen: Pen, rng: random.Random, x: float) -> None:
    """Two or three coins that lie near (x, 0)."""
    for step in range(rng.randint(2, 3)):
        metal, radius = rng.choice(METALS[:2]), rng.uniform(2.0, 2.8)
        cx, cy = x + step * rng.uniform(2.6, 4.4), -radius - rng.uniform(0, 1.5)
        pen.oval(cx, cy, radius, radius, metal, edge_of(metal), 0.6)
        pen.oval(cx, cy, radius * 0.6, radius * 0.6, None, shade(metal, 0.7), 0.4)


def _snap(pen: Pen, x: float, y: float) -> None:
    pen.oval(x, y, 1.3, 1.3, METALS[1], edge_of(METALS[1]), 0.5)


def _thread(rgb: Rgb) -> Rgb:
    """The colour of the seams on `rgb`."""
    return shade(rgb, 1.5) if max(rgb) < 220 or min(rgb) < 60 else shade(rgb, 0.7)


def _closed_wallet(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, 0, 1, rng.uniform(-7, 7), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(14.5, 17.5), rng.uniform(20, 24), edge_of(rgb)
    corner, mid = rng.uniform(1, 3), -tall * rng.uniform(0.42, 0.58)
    strap = rng.random() < 0.6
    rise = rng.uniform(2, 4) if strap else rng.uniform(4, 5.5)
    for step in range(rng.randint(1, 2)):
        _note(p, rng, -wide + 3 + step * 2, -tall - rise + step * 1.4, wide - 2 - step, -tall + 4)
    p.rounded(-wide + 0.8, -tall - 0.8, wide + 0.8, -0.6, corner, shade(rgb, 0.7), ink)
    p.rounded(-wide, -tall, wide, 0, corner, rgb, ink)
    pattern(p, rng, (-wide + 3, -tall + 2.6, wide - 2.6, -2.6), rgb)
    left, right = -wide + 1.5, wide - 1.5
    box = [(left, 1.5 - tall), (right, 1.5 - tall), (right, -1.5), (left, -1.5), (left, 1.5 - tall)]
    _stitches(p, box, _thread(rgb))
    if strap:
        long, half = rng.uniform(7, 12), rng.uniform(2.2, 3.4)
        p.rounded(wide - long, mid - half, wide + 1.2, mid + half, half * 0.8, shade(rgb, 0.85), ink)
        _snap(p, wide - long + 2.6, mid)


def _open_wallet(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, 0, 1, rng.uniform(-5, 5), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(17, 20), rng.uniform(19, 22), edge_of(rgb)
    lift = rng.uniform(-1, 1.5)
    p.polygon(
        [(-wide, -tall - lift), (0, -tall), (wide, -tall - lift), (wide, 0), (-wide, 0)], shade(rgb, 0.7), ink
    )
    _note(p, rng, -wide + rng.uniform(2, 5), -tall - rng.uniform(2.4, 4), wide - rng.uniform(2, 5), -tall + 5)
    for side in (-1, 1):
        half = p.at(side * wide / 2, 0)
        half.rounded(-wide / 2, -tall + 1.8, wide / 2, 0, 1.5, rgb, ink)
        slots = rng.randint(2, 4) if side < 0 else rng.choice((0, 0, 3))
        for step in range(slots):
            y = -tall + 5.5 + step * (tall - 9) / slots
            card = rng.choice(CARDS)
            half.rounded(-wide / 2 + 2.2, y - 1.8, wide / 2 - 2.2, y + 2, 0.8, card, edge_of(card), 0.5)
            tone = shade(rgb, 1.12 if step % 2 else 1.0)
            half.rect(-wide / 2 + 1.4, y, wide / 2 - 1.4, -1.4, tone, ink, 0.6)
        if not slots and rng.random() < 0.6:
            half.rounded(-wide / 2 + 2, -tall * 0.6, wide / 2 - 2, -1.6, 2, shade(rgb, 0.9), ink, 0.7)
            half.polygon(
                [(2 - wide / 2, -tall * 0.62), (wide / 2 - 2, -tall * 0.62), (0, -tall * 0.28)], rgb, ink, 0.7
            )
            _snap(half, 0, -tall * 0.36)
        elif not slots:
            half.rect(-wide / 2 + 2.2, -tall * 0.72, wide / 2 - 2.2, -3.2, (222, 226, 230), ink, 0.8)
            half.oval(-1.5, -tall * 0.47, 1.7, 2.1, shade(rgb, 0.8))
    p.line([(0, -tall), (0, 0)], ink, 1.2)


def _standing_wallet(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, 0, 1, rng.uniform(-3, 3), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(14, 16), rng.uniform(16.5, 19), edge_of(rgb)
    back, rise = rng.uniform(1, 5), rng.uniform(6.0, 8.5)
    rear = [(wide, -tall), (back - wide, -tall - rise), (back - wide, -rise), (wide, 0)]
    p.polygon(rear, shade(rgb, 0.75), ink)
    for step in range(rng.randint(2, 3)):
        note, x = rng.choice(NOTES), -wide + back + 3.5 - 1.5 * step
        y = -tall - rise * (0.72 - 0.26 * step) - 2
        sheet = [(x + 1, y), (wide - 5, y * 0.5 - tall * 0.5 - 1), (wide - 5, -3), (x + 1, -4)]
        p.polygon(sheet, note, edge_of(note), 0.6)
    front = [(wide, -tall), (-wide - 1, -tall + 1.5), (-wide - 1, 1.0), (wide, 0)]
    p.polygon(front, rgb, ink)
    p.polygon(
        [(wide, -tall), (wide + 1.6, -tall + 1), (wide + 1.6, -1), (wide, 0)], shade(rgb, 0.8), ink, 0.7
    )
    pattern(p, rng, (-wide + 2.5, -tall + 4, wide - 3, -3), rgb)
    _stitches(
        p,
        [(wide - 1.5, 1.8 - tall), (0.6 - wide, 3.2 - tall), (0.6 - wide, -0.6), (wide - 1.5, -1.6)],
        _thread(rgb),
    )
    if rng.random() < 0.5:
        _snap(p, -wide + 2.6, -tall * 0.5)


def _card_holder(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, 0, 1, rng.uniform(-8, 8), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(14.5, 16.5), rng.uniform(19, 21), edge_of(rgb)
    count = rng.randint(2, 4)
    for step in range(count):
        card = rng.choice(CARDS)
        c = p.at(rng.uniform(-1, 1), -tall + 3, 1, (step - count + 1) * rng.uniform(3, 6))
        top = -8.0 + 1.4 * step
        c.rounded(-wide + 2, top, wide - 2, 8, 1.4, card, edge_of(card), 0.7)
        if step % 2:
            c.rect(-wide + 2.4, top + 1.4, wide - 2.4, top + 3, (60, 60, 64))
        else:
            c.rounded(-wide + 4.5, top + 1.6, -wide + 8.5, top + 4.4, 0.6, METALS[1])
    p.rounded(-wide, -tall, wide, 0, rng.uniform(1, 3.4), rgb, ink)
    kind, rows = rng.randrange(3), rng.randint(1, 3)
    for step in range(rows):
        y = -tall + 4.5 + step * (tall - 7) / rows
        if kind == 0:
            p.line([(-wide, y), (wide, y)], ink, 0.9)
        elif kind == 1:
            p.line([(-wide, y + 3), (wide, y - 2)], ink, 0.9)
        else:
            p.line([(-wide, y), (-4, y), (-2.5, y + 2), (2.5, y + 2), (4, y), (wide, y)], ink, 0.9)
    if rng.random() < 0.5:
        x = wide * rng.uniform(0.2, 0.7)
        p.rounded(x - 1.8, -tall - 0.5, x + 1.8, -tall * 0.3, 1.5, METALS[0], edge_of(METALS[0]), 0.6)
    _stitches(
        p,
        [(1.4 - wide, 2 - tall), (1.4 - wide, -1.4), (wide - 1.4, -1.4), (wide - 1.4, 2 - tall)],
        _thread(rgb),
    )


def _zip_wallet(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, 0, 1, rng.uniform(-6, 6), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(17, 19.5), rng.uniform(18, 21), edge_of(rgb)
    _note(p, rng, -wide + 4, -tall - rng.uniform(3.5, 5), rng.uniform(2, 9), -tall + 4)
    p.rounded(-wide, -tall, wide, 0, 3.4, shade(rgb, 0.72), ink)
    p.rounded(-wide + 1, -tall + 1, wide - 1, -1, 2.8, None, METALS[1], 0.9)
    _stitches(p, [(-wide + 1.6, -tall + 1), (wide - 1.6, -tall + 1)], edge_of(METALS[1]))
    p.rounded(-wide + 2, -tall + 2.2, wide - 2, -1.8, 2.4, rgb, ink, 0.7)
    pattern(p, rng, (-wide + 4, -tall + 4, wide - 4, -3.6), rgb)
    if rng.random() < 0.6:
        x, y = rng.uniform(-8, 8), -tall * rng.uniform(0.3, 0.6)
        p.rounded(x - 3, y - 1.4, x + 3, y + 1.4, 0.6, METALS[1], edge_of(METALS[1]), 0.5)
    p.line([(wide - 2, -tall + 1.2), (wide + 1, -tall + 2), (wide + 1.6, -tall + 8)], METALS[1], 1.4)
    p.rounded(wide - 0.2, -tall + 5, wide + 3.2, -tall + 12, 1.2, rgb, ink, 0.7)
    if rng.random() < 0.6:
        _coins(p, rng, rng.uniform(-wide, 2))


def _coin_purse(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, 0, 1, rng.uniform(-5, 5))
    neck, wide, tall = rng.uniform(10.5, 12.5), rng.uniform(14.5, 16.5), rng.uniform(20, 23)
    ink, metal = edge_of(rgb), rng.choice(METALS[:2])
    half = [(neck * 0.6, -tall - 0.6), (neck, 1 - tall), (wide - 1, -tall * 0.62), (wide, -tall * 0.36)]
    half += [(wide - 2, -3.0), (wide * 0.6, 0.0)]
    p.polygon(half + [(-x, y) for x, y in reversed(half)], rgb, ink)
    pattern(p, rng, (-neck + 1, -tall * 0.7, neck - 1, -3), rgb)
    pleats = rng.randint(2, 5)
    for step in range(pleats):
        x = -neck + 2 * neck * (step + 0.5) / pleats
        p.line([(x, -tall * 0.85), (x * 1.12, -tall * rng.uniform(0.6, 0.75))], shade(rgb, 0.7), 0.7)
    frame = [(-neck - 1.6, -tall * 0.74), (-neck, -tall), (-neck * 0.6, -tall - 1), (0, -tall - 1.4)]
    frame += [(-x, y) for x, y in reversed(frame[:-1])]
    p.line(frame, edge_of(metal), 3.0)
    p.line(frame, metal, 2.0)
    for side in (-1, 1):
        p.oval(side * 1.6, -tall - 3.4, 1.9, 1.9, metal, edge_of(metal), 0.6)
    _coins(pen, rng, rng.choice((-15.0, 6.0, 10.0)))


def draw_wallet(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A wallet: closed, open, standing half open, for cards, with a zip, a purse for coins."""
    forms = (_closed_wallet, _open_wallet, _standing_wallet, _card_holder, _zip_wallet, _coin_purse)
    forms[form](pen, rng, rgb)
