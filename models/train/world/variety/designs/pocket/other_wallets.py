"""Wallets in six further forms."""

from __future__ import annotations

import math
import random
from itertools import pairwise

from models.train.world.home.picture.pen import Pen, Points, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.pocket.parts import CARDS, METALS, pattern

NOTES: tuple[Rgb, ...] = ((158, 196, 156), (214, 176, 130), (164, 184, 208), (206, 202, 172), (196, 160, 168))


def _seam(pen: Pen, points: Points, rgb: Rgb) -> None:
    """A dashed line through `points`, in a shade that shows on `rgb`."""
    thread = shade(rgb, 1.5) if max(rgb) < 220 or min(rgb) < 60 else shade(rgb, 0.68)
    for (x, y), (to_x, to_y) in pairwise(points):
        count = max(2, round(math.hypot(to_x - x, to_y - y) / 2.2))
        for step in range(count):
            a, b = (step + 0.2) / count, (step + 0.75) / count
            pen.line([(x + (to_x - x) * part, y + (to_y - y) * part) for part in (a, b)], thread, 0.4)


def _hem(pen: Pen, wide: float, top: float, rgb: Rgb) -> None:
    """A seam down both sides and along the lower edge."""
    side = wide - 1.3
    _seam(pen, [(-side, top), (-side, -1.3), (side, -1.3), (side, top)], rgb)


def _note(pen: Pen, rng: random.Random, left: float, top: float, right: float, bottom: float) -> None:
    """A banknote."""
    rgb = rng.choice(NOTES)
    pen.rect(left, top, right, bottom, rgb, edge_of(rgb), 0.5)
    pen.rect(left + 0.9, top + 0.9, right - 0.9, bottom - 0.9, None, shade(rgb, 0.75), 0.4)
    pen.oval(left + (right - left) * 0.5, top + 3.0, 2.1, 1.6, shade(rgb, 0.72))


def _card(pen: Pen, rng: random.Random, left: float, top: float, right: float, bottom: float) -> None:
    """A bank card, with a chip or a dark stripe."""
    rgb = rng.choice(CARDS)
    pen.rounded(left, top, right, bottom, 1.1, rgb, edge_of(rgb), 0.6)
    if rng.random() < 0.5:
        pen.rect(left + 0.3, top + 1.3, right - 0.3, top + 2.9, (60, 60, 64))
    else:
        pen.rounded(left + 1.8, top + 1.3, left + 5.0, top + 3.7, 0.5, METALS[1], edge_of(METALS[1]), 0.3)


def _coins(pen: Pen, rng: random.Random, x: float) -> None:
    """A few coins that lie near (x, 0)."""
    for step in range(rng.randint(2, 4)):
        metal, radius = rng.choice(METALS[:2]), rng.uniform(2.0, 2.7)
        cx, cy = x + step * rng.uniform(3.0, 4.6), -radius * 0.8 - rng.uniform(0, 2.0)
        pen.oval(cx, cy, radius, radius * 0.85, metal, edge_of(metal), 0.6)
        pen.oval(cx, cy, radius * 0.6, radius * 0.5, None, shade(metal, 0.7), 0.4)


def _snap(pen: Pen, x: float, y: float, size: float = 1.3) -> None:
    pen.oval(x, y, size, size, METALS[1], edge_of(METALS[1]), 0.5)
    pen.oval(x, y, size * 0.5, size * 0.5, shade(METALS[1], 0.75))


def _opened_upwards(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A wallet opened upwards: cards in slots above, notes behind a pocket below."""
    p = pen.at(0, -14, 1, rng.uniform(-14, 14), rng.random() < 0.5).at(0, 14)
    wide, ink, mid = rng.uniform(12.5, 14.5), edge_of(rgb), rng.uniform(-15.5, -13.5)
    high, far, slots = rng.uniform(13, 15), rng.uniform(0.8, 1.0), rng.randint(2, 3)
    p.rounded(-wide, mid - 1, wide, 0, 2, shade(rgb, 0.7), ink)
    y = mid - high
    p.polygon([(-wide, mid), (-wide * far, y), (wide * far, y), (wide, mid)], rgb, ink)
    for step in range(slots):
        y, half = mid - high + 3.6 + step * (high - 4) / slots, wide * far - 2
        _card(p, rng, -half, y - 2.6, half, y + 3)
        p.rect(-half - 0.6, y + 0.8, half + 0.6, mid - 0.6, shade(rgb, 0.9 if step % 2 else 1.0), ink, 0.6)
    for step in range(rng.randint(1, 2)):
        sheet = p.at(0, mid, 1, rng.uniform(-3, 3))
        _note(sheet, rng, -wide + 1.6 + step, 1 + step, wide + 2.4 - 2 * step, 12)
    p.polygon([(-wide, 0), (-wide, mid + 5.5), (wide * 0.2, mid + 6.5), (wide, mid + 9), (wide, 0)], rgb, ink)
    _hem(p, wide, mid + 9.6, rgb)
    p.line([(-wide, mid), (wide, mid)], ink, 1.2)
    _snap(p, 0, -3.6)


def _flap_wallet(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A long wallet with a flap and a clasp, cards or notes out of its side."""
    p = pen.at(0, -10, 0.92, rng.choice((-1, 1)) * rng.uniform(0, 22), rng.random() < 0.5).at(-1, 9)
    wide, tall, ink = rng.uniform(17, 19), rng.uniform(16.5, 19), edge_of(rgb)
    for step in range(rng.randint(1, 2)):
        _note(p.at(wide - 8, -tall * 0.5, 1, rng.uniform(-5, 5)), rng, 0, -6 + step, 12.5 - 2.5 * step, 6)
    if rng.random() < 0.6:
        _card(p, rng, -wide + 3, -tall - 3.6, -wide + 16, -tall + 5)
    p.rounded(-wide, -tall, wide, 0, 1.6, rgb, ink)
    pattern(p, rng, (-wide + 2, -tall * 0.4, wide - 2, -2.2), rgb)
    _hem(p, wide, -tall + 2, rgb)
    low, kind = -tall * rng.uniform(0.38, 0.5), rng.randrange(3)
    half = [(wide * 0.8, low), (wide, low - 4), (wide, -tall)]
    if kind == 1:
        half = [(2.5, low + 3), (wide, -tall + 2), (wide, -tall)]
    elif kind == 2:
        turns = [math.pi * (0.5 - step / 12) for step in range(7)]
        half = [(wide * math.cos(t), -tall + 2 + (low + tall) * math.sin(t)) for t in turns]
        half.append((wide, -tall))
    flap = half + [(-x, y) for x, y in reversed(half)]
    p.polygon(flap, shade(rgb, 0.86 if max(rgb) > 60 else 1.14), ink)
    if rng.random() < 0.5:
        p.rounded(-3.4, low - 1.4, 3.4, low + 1.8, 0.7, METALS[1], edge_of(METALS[1]), 0.6)
    else:
        _snap(p, 0, low - 0.4, 1.9)


def _aslant(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A thick folded wallet that lies on a table, seen aslant, money and cards in its open side."""
    p = pen.at(0, 0, 1, rng.uniform(-3, 3), rng.random() < 0.5)
    ink, thick, x = edge_of(rgb), rng.uniform(3.5, 6), rng.uniform(-6, -1)
    right, left = (16.0, -rng.uniform(6, 8)), (-17.0, -rng.uniform(8, 11))

    def at(u: float, v: float, rise: float) -> tuple[float, float]:
        """The place u towards the right corner and v towards the left one, raised by `rise`."""
        return x + (right[0] - x) * u + (left[0] - x) * v, right[1] * u + left[1] * v - rise - 2

    def sheet(u: float, v: float, to_u: float, to_v: float, rise: float, fill: Rgb, edge: Rgb) -> None:
        p.polygon([at(a, b, rise) for a, b in ((u, v), (to_u, v), (to_u, to_v), (u, to_v))], fill, edge, 0.8)

    sheet(0, 0, 1, 1, 0, shade(rgb, 0.65), ink)
    for step in range(rng.randint(2, 3)):
        inner, out = rng.choice(NOTES if step != 1 else CARDS), rng.uniform(0.16, 0.42)
        left_end, rise = 0.1 + 0.1 * step, thick * (0.25 + 0.22 * step)
        sheet(left_end, -out, 0.92 - 0.08 * step, 0.8, rise, inner, edge_of(inner))
    top = thick + 1.0
    p.polygon([at(0, 0, 0), at(0, 0, top), at(0, 1, top), at(0, 1, 0)], shade(rgb, 0.75), ink)
    for part in (0.35, 0.7):
        p.line([at(0, 0.02, top * part), at(0, 0.98, top * part)], ink, 0.5)
    sheet(0, 0, 1, 1, top, rgb, ink)
    seam = ((0.07, 0.93), (0.07, 0.07), (0.93, 0.07), (0.93, 0.93), (0.07, 0.93))
    _seam(p, [at(a, b, top) for a, b in seam], rgb)
    if rng.random() < 0.6:
        low = rng.uniform(0.35, 0.5)
        strap = [at(low, 0, top), at(low + 0.2, 0, top), at(low + 0.2, 0, 0), at(low, 0, 0)]
        p.polygon(strap, shade(rgb, 0.7), ink)
        sheet(low, 0, low + 0.2, 0.4, top + 0.2, shade(rgb, 0.82), ink)
        _snap(p, *at(low + 0.1, 0.28, top))


def _card_case(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A hard upright case out of which cards rise in steps, with an elastic band or a clip."""
    p = pen.at(0, -12, 1, rng.uniform(-28, 28), rng.random() < 0.5).at(0, 13)
    wide, tall, ink, count = rng.uniform(9.5, 11.5), rng.uniform(17, 20), edge_of(rgb), rng.randint(3, 4)
    for step in range(count):
        rise = 10.5 - 2.7 * step
        _card(p.at(0, -tall, 1, (count - step) * rng.uniform(0, 2.5)), rng, -wide + 1.2, -rise, wide - 1.2, 5)
    p.rounded(-wide, -tall, wide, 0, rng.uniform(1, 2.4), rgb, ink)
    p.polygon([(-3, -tall - 0.2), (3, -tall - 0.2), (2, -tall + 2.6), (-2, -tall + 2.6)], shade(rgb, 0.5))
    kind, tone = rng.randrange(3), shade(rgb, 0.72) if max(rgb) > 60 else shade(rgb, 1.25)
    if kind == 0:
        p.rect(rng.uniform(-3, 0), -tall + 0.4, rng.uniform(2, 5), -0.4, tone, ink, 0.6)
    elif kind == 1:
        metal = METALS[rng.choice((0, 3))]
        _note(p, rng, -wide + 1.6, -tall * 0.66, wide - 1.6, -tall * 0.3)
        p.rounded(-wide * 0.3, -tall * 0.6, wide * 0.3, -2, 1.4, metal, edge_of(metal), 0.7)
    else:
        p.rounded(-wide + 1.6, -tall * 0.62, wide - 1.6, -1.8, 1, tone, ink, 0.6)
        _snap(p, 0, -tall * 0.5)


def _zip_purse(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A small purse with round corners, its zip open above coins and a note."""
    p = pen.at(0, 0, 1, rng.uniform(-9, 9), rng.random() < 0.5)
    ink, wide, tall, gape = edge_of(rgb), rng.uniform(13, 15), rng.uniform(17, 19.5), rng.uniform(1.2, 2.6)
    metal, power = rng.choice(METALS[:2]), rng.uniform(0.2, 0.42)
    p.rounded(-wide, -tall - rng.uniform(2.5, 4), wide, -tall + 4, 2.5, shade(rgb, 0.6), ink)
    if rng.random() < 0.85:
        _note(p.at(-3, -tall + 1, 1, rng.uniform(-16, 4)), rng, -8, -8.5, 7, 4)
    for step in range(rng.randint(2, 4)):
        coin, x = rng.choice(METALS[:2]), rng.uniform(-2, 2) + 4.4 * (step - 0.8)
        p.oval(x, -tall - rng.uniform(0.4, 2), 2.8, 2.8, coin, edge_of(coin), 0.6)
    turns = [math.pi * step / 24 for step in range(25)]
    half = [(wide * math.cos(t) ** power, -tall + tall * math.sin(t) ** power) for t in turns[:13]]
    rim = [(wide * math.cos(t), -tall + gape * math.sin(t)) for t in turns]
    p.polygon(half + [(-x, y) for x, y in reversed(half)] + rim[::-1], rgb, ink)
    p.line(rim, metal, 1.8)
    for x, y in rim[2:-2:2]:
        p.line([(x, y - 0.8), (x, y + 0.8)], edge_of(metal), 0.5)
    pattern(p, rng, (-wide * 0.62, -tall + gape + 3, wide * 0.62, -tall * 0.2), rgb)
    p.oval(wide, -tall + 0.6, 1.5, 1.5, metal, edge_of(metal), 0.6)
    p.rounded(wide - 0.6, -tall + 1, wide + 2.4, -tall + rng.uniform(6, 9), 1.2, shade(rgb, 0.8), ink, 0.7)
    if rng.random() < 0.7:
        _coins(pen, rng, rng.choice((-17.0, 5.0)))


def _chain_wallet(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A long closed wallet with notes and a card that come out, and a chain with a hook beside it."""
    turn = rng.choice((rng.uniform(-25, 25), rng.uniform(50, 75), rng.uniform(-75, -50)))
    p = pen.at(0, -10 - 5 * math.cos(math.radians(turn)), 0.86, turn, rng.random() < 0.5).at(-3, 12)
    wide, tall, ink = rng.uniform(9, 10.5), rng.uniform(24, 26), edge_of(rgb)
    metal, out, end = rng.choice(METALS), rng.uniform(6, 9), rng.uniform(-9, -2)
    for step in range(12):
        t = step / 11
        x, y = wide - 0.5 + out * math.sin(2.2 * t), -2.5 + (end - tall + 2.5) * t
        p.oval(x, y, 1.2, 1.6, None, edge_of(metal), 1.3)
        p.oval(x, y, 1.2, 1.6, None, metal, 0.7)
        if step == 11:
            p.line([(x, y), (x + 0.5, y - 4), (x + 2.2, y - 4.6), (x + 2.4, y - 2)], metal, 1.3)
    for step in range(rng.randint(1, 3)):
        _note(p, rng, -wide + 1.4 + step, -tall - 6 + 1.7 * step, wide - 2.5 - step, -tall + 5)
    if rng.random() < 0.6:
        _card(p, rng, -wide - 3, -tall * 0.7, 0, -tall * 0.3)
    p.rounded(-wide + 0.8, -tall - 0.7, wide + 0.9, -0.7, 2.2, shade(rgb, 0.68), ink)
    p.rounded(-wide, -tall, wide, 0, 2.2, rgb, ink)
    pattern(p, rng, (-wide + 2.5, -tall + 9, wide - 2.5, -4), rgb)
    _hem(p, wide, 1.5 - tall, rgb)
    for y in (-tall + 5.5, -5.5) if rng.random() < 0.5 else (-tall / 2,):
        p.rounded(wide - 5.4, y - 2, wide + 1, y + 2, 1.8, shade(rgb, 0.82), ink, 0.7)
        _snap(p, wide - 3.2, y)


def draw_other_wallet(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A wallet: opened upwards, with a flap, lying aslant, a hard case, a purse with a zip, with a chain."""
    forms = (_opened_upwards, _flap_wallet, _aslant, _card_case, _zip_purse, _chain_wallet)
    forms[form](pen, rng, rgb)
