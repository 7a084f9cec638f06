"""Keys in six further forms."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, Points, edge_of, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.pocket.parts import METALS

STEEL: Rgb = METALS[0]


def _ring(pen: Pen, x: float, y: float, radius_x: float, radius_y: float, width: float = 1.0) -> None:
    """A steel ring of two turns."""
    pen.oval(x, y, radius_x, radius_y, None, edge_of(STEEL), width + 1.0)
    pen.oval(x, y, radius_x, radius_y, None, STEEL, width)
    pen.arc(x, y, radius_x, radius_y, 20, 110, shade(STEEL, 0.7), 0.4)


def _blade(pen: Pen, rng: random.Random, top: float, length: float, half: float, metal: Rgb) -> None:
    """A blade downwards from y = `top`: with teeth, with dimples, or with a groove that winds."""
    kind, ink, end = rng.randrange(3), edge_of(metal), top + length
    if kind == 0:
        teeth, count = [(-half, top)], rng.randint(4, 6)
        for step in range(count):
            y = top + length * (0.22 + 0.68 * step / count)
            teeth += [(-half, y), (-half * rng.uniform(0.0, 0.5), y + length * 0.34 / count)]
        points = [*teeth, (-half * 0.5, end - 1.2), (half * 0.3, end), (half, end - 1.4), (half, top)]
        pen.polygon(points, metal, ink, 0.7)
        pen.line([(half * 0.5, top), (half * 0.5, end - 2)], shade(metal, 0.7), 0.6)
        return
    points = [(-half, top), (-half, end - half), (-half * 0.4, end), (half * 0.4, end), (half, end - half)]
    pen.polygon([*points, (half, top)], metal, ink, 0.7)
    if kind == 1:
        count = rng.randint(4, 5)
        for step in range(count):
            y = top + length * (0.25 + 0.62 * step / count)
            pen.oval(rng.choice((-0.4, 0.4)) * half, y, half * 0.34, half * 0.34, shade(metal, 0.5))
    else:
        wave = [
            (half * 0.45 * math.sin(2.6 * part), top + length * part * 0.3) for part in (0, 0.7, 1.4, 2.1, 3)
        ]
        pen.line(wave, shade(metal, 0.5), 1.1)


def _head(pen: Pen, kind: int, half: float, tall: float, rgb: Rgb) -> None:
    """The head of a key from y = 0 down to y = `tall`, with a hole."""
    ink, hole = edge_of(rgb), shade(rgb, 0.3) if max(rgb) > 90 else (150, 150, 150)
    if kind == 0:
        pen.rounded(-half, 0, half, tall, half * 0.9, rgb, ink)
    elif kind == 1:
        points = [(-half * 0.6, 0), (half * 0.6, 0), (half, tall * 0.3), (half * 0.55, tall)]
        pen.polygon([*points, (-half * 0.55, tall), (-half, tall * 0.3)], rgb, ink)
    elif kind == 2:
        heart = [(0.0, tall), (half * 0.7, tall * 0.7), (half * 1.1, tall * 0.3), (half * 0.8, tall * 0.03)]
        heart += [(half * 0.4, 0.0), (0.0, tall * 0.14)]
        pen.polygon(heart + [(-x, y) for x, y in reversed(heart[1:-1])], rgb, ink)
    else:
        pen.oval(0, tall / 2, half * 1.1, tall / 2, rgb, ink)
        pen.oval(0, tall / 2, half * 0.75, tall * 0.34, None, shade(rgb, 0.75), 0.6)
    pen.oval(0, tall * 0.24 + 0.4, half * 0.32, half * 0.24, hole)


def _key(pen: Pen, rng: random.Random, rgb: Rgb, length: float, kind: int, metal: Rgb) -> None:
    """A key downwards from its head at (0, 0); `metal` is the colour of its blade."""
    half = length * rng.uniform(0.16, 0.19)
    tall = half * rng.uniform(2.0, 2.4)
    _blade(pen, rng, tall * 0.9, length - tall * 0.9, half * rng.uniform(0.44, 0.54), metal)
    neck = half * 0.64
    pen.rounded(-neck, tall * 0.84, neck, tall + 1.4, 0.5, shade(rgb, 0.8), edge_of(rgb), 0.6)
    _head(pen, kind, half, tall, rgb)


def _single_key(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """One large key that lies aslant or across, its head in a cap."""
    turn = rng.choice((-1, 1)) * rng.uniform(35, 100)
    rise, wide = abs(math.cos(math.radians(turn))), abs(math.sin(math.radians(turn)))
    p = pen.at(0, -15 * rise - 6 * wide, rng.uniform(0.95, 1.1), turn, rng.random() < 0.5)
    metal = rgb if rng.random() < 0.4 else rng.choice(METALS)
    if rng.random() < 0.7:
        _ring(p, rng.uniform(-1.5, 1.5), -15, 3.6, 3.6)
    kind = rng.randrange(4)
    _key(p.at(0, -15), rng, rgb, 32, kind, metal)
    if kind != 2 and rng.random() < 0.6:
        p.oval(0, -7.6, 2.0, 1.6, shade(rgb, 1.5 if max(rgb) < 220 or min(rgb) < 60 else 0.75))


def _strap_keys(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Two or three keys beside a short strap of cloth that lies folded."""
    p = pen.at(0, -2, 0.92, rng.uniform(-12, 12), rng.random() < 0.5)
    ink, band, far = edge_of(rgb), rng.uniform(2.6, 3.4), rng.uniform(13, 17)
    loop = [(-1.0, -17.2), (-far * 0.7, -26.2), (-far * 0.85, -26.6), (-far, -25.2), (-far - 0.8, -22.5)]
    loop += [(-far - 0.4, -19.5), (-far * 0.9, -17), (-far * 0.75, -15.4), (-1.5, -14.0)]
    p.line(loop, ink, band + 1.1)
    p.line(loop, rgb, band)
    if rng.random() < 0.6:
        p.line(loop, shade(rgb, rng.choice((0.7, 1.5))), 0.8)
    p.rounded(-4.5, -18.4, 0.5, -12.6, 0.8, STEEL, edge_of(STEEL), 0.7)
    count, kind = rng.randint(2, 3), rng.randrange(4)
    for step in range(count):
        angle = -84 + 96 * step / (count - 1) + rng.uniform(-8, 8)
        _key(p.at(2.2, -15.5, 1, angle), rng, rgb, rng.uniform(17, 19), kind, rng.choice(METALS[:3]))
    _ring(p, 2.2, -15.5, 2.8, 2.8)


def _fan_of_keys(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Keys of coloured metal that lie spread like a fan from a wide ring."""
    p = pen.at(0, -15, 0.86, rng.uniform(-180, 180)).at(0, -3)
    count, kind, wide = rng.randint(3, 4), rng.randrange(4), rng.uniform(38, 52)
    for step in range(count):
        angle = wide * (step - (count - 1) / 2) + rng.uniform(-6, 6)
        tone = shade(rgb, rng.choice((0.82, 1.0, 1.0, 1.15)))
        key = p.at(0, -6, 1, angle).at(0, 3.4)
        _key(key, rng, tone, rng.uniform(18, 21), kind, tone if rng.random() < 0.7 else STEEL)
        kind = rng.choice((kind, rng.randrange(4)))
    _ring(p, 0, -6, rng.uniform(5.2, 6.2), rng.uniform(5.0, 6.2), 1.2)


def _folding_key(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """The key of a car whose blade folds out of one corner, with a ring and sometimes a house key."""
    turn, ink = rng.uniform(-50, 50), edge_of(rgb)
    p = pen.at(0, -16 - 3.5 * math.cos(math.radians(turn)), 1, turn, rng.random() < 0.5)
    dark = shade(rgb, 0.45) if max(rgb) > 90 else shade(rgb, 1.5)
    wide, tall = rng.uniform(5.4, 6.4), rng.uniform(15, 17)
    if rng.random() < 0.6:
        _key(p.at(-1, tall - 4, 1, rng.uniform(95, 130)), rng, rgb, 18, 0, STEEL)
    blade = p.at(wide - 2.6, 1.5, 1, rng.choice((180, 215, 245, 270)) + rng.uniform(-8, 8))
    _blade(blade, rng, 1.5, rng.uniform(15, 17), 1.9, rng.choice((METALS[0], METALS[2])))
    body = [(-wide, 3.5), (-wide + 2.5, 0), (wide - 1, -1), (wide, 1.0), (wide * 0.9, tall - 3)]
    p.polygon([*body, (wide * 0.5, tall), (-wide * 0.5, tall), (-wide * 0.9, tall - 3)], rgb, ink)
    p.oval(wide - 2.6, 1.5, 2.5, 2.5, STEEL, edge_of(STEEL), 0.7)
    p.oval(wide - 2.6, 1.5, 1.0, 1.0, shade(STEEL, 0.6))
    count, round_one = rng.randint(2, 3), rng.random() < 0.5
    for step in range(count):
        y = 5.4 + step * (tall - 6) / count
        if round_one:
            p.oval(0, y, 1.8, 1.5, dark)
        else:
            p.rounded(-wide * 0.62, y - 1.3, wide * 0.62, y + 1.3, 0.7, dark)
        p.oval(0, y, 0.6, 0.6, (235, 235, 235))
    _ring(p, 0, tall + 1.4, 2.8, 2.4)


def _key_case(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A case of leather that hangs open, or a sleeve, with keys that come out below it."""
    p = pen.at(0, -15, 1, rng.uniform(-14, 14), rng.random() < 0.5).at(0, 15)
    ink, wide, low = edge_of(rgb), rng.uniform(10, 12.5), rng.uniform(-19, -17)
    count = rng.randint(3, 4)
    if rng.random() < 0.5:
        p.rounded(-wide - 1, -31, wide + 1, low + 4, 2, shade(rgb, 0.72), ink)
    for step in range(count):
        x = (step - (count - 1) / 2) * wide * 1.45 / (count - 1)
        lean = -x * rng.uniform(0.6, 1.6) + rng.uniform(-5, 5)
        metal = rng.choice(METALS)
        _key(p.at(x, low + 0.6, 1, lean), rng, metal, rng.uniform(16, 18.5), rng.choice((0, 1, 3)), metal)
        p.line([(x, low - 2), (x, low + 2)], STEEL, 1.1)
    p.rounded(-wide, -30, wide, low, rng.uniform(1.5, 5), rgb, ink)
    thread = shade(rgb, 1.5) if max(rgb) < 220 or min(rgb) < 60 else shade(rgb, 0.65)
    for step in range(9):
        x = wide * (-0.86 + 0.2 * step)
        p.line([(x, low - 1.4), (x + 1.0, low - 1.4)], thread, 0.5)
    if rng.random() < 0.5:
        p.polygon([(-wide, -28), (wide, -28), (wide * 0.4, low - 5), (-wide * 0.4, low - 5)], None, ink, 0.8)
    p.oval(0, (low - 31) / 2, 1.5, 1.5, METALS[1], edge_of(METALS[1]), 0.6)


def _charm(pen: Pen, rng: random.Random, rgb: Rgb, kind: int) -> None:
    """What hangs at keys, below (0, 0): a ball of fur, a tassel, a house, or the face of a bear."""
    ink, dark = edge_of(rgb), shade(rgb, 0.72) if max(rgb) > 90 else shade(rgb, 1.3)
    pen.line([(0, 0), (0, 5)], STEEL, 1.2)
    if kind == 0:
        size = rng.uniform(6.2, 7.4)
        turns = [math.tau * step / 26 for step in range(26)]
        fur: Points = [(r * math.cos(t), 10.5 + r * math.sin(t)) for t in turns for r in (size, size * 0.86)]
        pen.polygon(fur, rgb, ink, 0.6)
        for t in turns[::2]:
            x, y, r = math.cos(t), math.sin(t), rng.uniform(2.5, 4.5)
            pen.line([(r * x, 10.5 + r * y), ((r + 1.4) * x, 10.5 + (r + 1.4) * y)], dark, 0.5)
    elif kind == 1:
        pen.polygon([(-1.8, 7), (1.8, 7), (4.6, 22), (-4.6, 22)], rgb, ink)
        for step in range(5):
            pen.line([(-1.2 + 0.6 * step, 8), (-3.2 + 1.6 * step, 21.6)], dark, 0.5)
        pen.rounded(-2.4, 4, 2.4, 8.4, 1, METALS[1], edge_of(METALS[1]), 0.6)
    elif kind == 2:
        pen.polygon([(0, 4), (6.8, 10), (5.4, 10), (5.4, 19), (-5.4, 19), (-5.4, 10), (-6.8, 10)], rgb, ink)
        pen.rect(-1.5, 13.5, 1.5, 19, dark, ink, 0.5)
    else:
        for side in (-1, 1):
            pen.oval(side * 4.4, 5.6, 2.5, 2.5, rgb, ink)
        pen.oval(0, 11, 6.8, 6.2, rgb, ink)
        pen.oval(0, 13, 2.8, 2.2, shade(rgb, 1.6))
        for x, y in ((-2.6, 9.6), (2.6, 9.6), (0.0, 12.2)):
            pen.oval(x, y, 0.8, 0.8, (20, 20, 24))


def _charm_keys(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Keys that lie beside a soft or shaped pendant."""
    p = pen.at(0, -14, 0.94, rng.uniform(-35, 35), rng.random() < 0.5).at(0, 13)
    kind, metal = rng.randrange(4), rng.choice(METALS)
    for angle in rng.choice(((-20.0, -58.0), (-14.0, -44.0), (-24.0, -50.0, -80.0))):
        shape = rng.choice((0, 1, 3))
        _key(
            p.at(-1, -23, 1, angle + rng.uniform(-5, 5)).at(0, 1), rng, rgb, rng.uniform(22, 25), shape, metal
        )
    _charm(p.at(-1.6, -22, 1, rng.uniform(22, 40)), rng, rgb, kind)
    _ring(p, -1, -23, 3.2, 3.2)


def draw_other_keys(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """Keys: one alone, on a strap, spread as a fan, one that folds, in a case of leather, with a charm."""
    forms = (_single_key, _strap_keys, _fan_of_keys, _folding_key, _key_case, _charm_keys)
    forms[form](pen, rng, rgb)
