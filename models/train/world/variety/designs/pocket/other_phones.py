"""Phones in six further forms."""

from __future__ import annotations

import math
import random

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.pocket.parts import CARDS, METALS, Box, pattern

GLASS: Rgb = (24, 26, 32)
ICONS: tuple[Rgb, ...] = (*CARDS[:3], (232, 96, 84), (250, 250, 250), (90, 190, 110))


def _contrast(rgb: Rgb, darker: float, lighter: float) -> Rgb:
    """A shade of `rgb` that differs from it: darker, or lighter where `rgb` is nearly black."""
    return shade(rgb, darker) if max(rgb) > 90 else shade(rgb, lighter)


def _screen(rng: random.Random, rgb: Rgb) -> Rgb:
    """What is lit: dark glass, or a shade of the phone's colour."""
    return rng.choice((GLASS, shade(rgb, 0.8), shade(rgb, 1.25), shade(rgb, 1.45)))


def _shown(pen: Pen, rng: random.Random, box: Box, screen: Rgb) -> None:
    """Icons, a chat, a clock above a message, or a call with its two round buttons, inside `box`."""
    left, top, right, bottom = box
    wide, tall, kind, ink = right - left, bottom - top, rng.randrange(4), ink_on(screen)
    if kind == 0:
        columns = rng.randint(3, 4)
        step = wide / columns
        for place in range(rng.randint(6, 20)):
            x, y = left + place % columns * step, top + place // columns * step * 1.15
            icon, half = rng.choice(ICONS), step * 0.35
            if y + step < bottom:
                pen.rounded(x + step * 0.5 - half, y, x + step * 0.5 + half, y + 2 * half, step * 0.2, icon)
    elif kind == 1:
        for row in range(4):
            x, y = left + (wide * 0.35 if row % 2 else 0), top + row * tall * 0.24
            icon, end = ICONS[5 if row % 2 else 4], x + wide * rng.uniform(0.5, 0.65)
            pen.rounded(x, y, end, y + tall * 0.15, 1.2, icon)
    elif kind == 2:
        for part in (0.12, 0.3, 0.56, 0.74):
            pen.rect(left + wide * part, top + 1, left + wide * (part + 0.12), top + tall * 0.2, ink)
        pen.rounded(left, top + tall * 0.4, right, top + tall * 0.56, 1, ICONS[4])
    else:
        x, y, size = left + wide / 2, top + tall * 0.3, wide * 0.3
        pen.oval(x, y, size, size, ICONS[4])
        pen.oval(x, y - size * 0.3, size * 0.36, size * 0.36, (70, 80, 100))
        pen.oval(x, y + size * 0.5, size * 0.62, size * 0.36, (70, 80, 100))
        for part, fill in ((0.22, (60, 180, 85)), (0.78, (215, 55, 50))):
            pen.oval(left + wide * part, top + tall * 0.84, wide * 0.15, wide * 0.15, fill)


def _booklet_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A phone in a case like a booklet, whose cover stands open at one side and holds cards."""
    p = pen.at(0, -14, 1, rng.uniform(-9, 9), rng.random() < 0.5).at(3.5, 14)
    wide, tall, ink, cover = rng.uniform(7.8, 8.8), rng.uniform(28, 31), edge_of(rgb), rng.uniform(7, 12)
    lean, far, screen = rng.uniform(0.5, 2.5), -wide - cover, _screen(rng, rgb)
    p.polygon([(-wide, -tall), (far, -tall - lean), (far, lean - 1), (-wide, 0)], shade(rgb, 0.85), ink)
    for step in range(rng.randint(1, 3)):
        y, card = -tall * 0.72 + step * 5.5, rng.choice(CARDS)
        p.rounded(-wide - cover + 1.4, y - 2.4, -wide - 1.6, y + 3, 0.8, card, edge_of(card), 0.5)
        p.rect(-wide - cover + 1, y, -wide - 1.2, y + 5.6, shade(rgb, 0.95), ink, 0.5)
    p.rounded(-wide, -tall, wide, 0, 2, rgb, ink)
    p.rounded(-wide + 1.8, -tall + 1.8, wide - 1.8, -1.8, 1.8, screen, GLASS, 1.2)
    p.rounded(-1.4, -tall + 2.8, 1.4, -tall + 3.8, 0.5, (8, 8, 10))
    _shown(p, rng, (-wide + 3, -tall + 5.5, wide - 3, -3.6), screen)
    p.rounded(wide - 0.6, -tall * 0.56, wide + 2.6, -tall * 0.42, 0.8, shade(rgb, 0.8), ink, 0.7)


def _sideways_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A phone on its long side that shows a film or a game, in a thick case, sometimes on a stand."""
    p = pen.at(0, 0, 1, rng.uniform(-10, 10), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(15.5, 17.5), rng.uniform(15.5, 17.5), edge_of(rgb)
    if rng.random() < 0.4:
        p.polygon([(-8, -3), (8, -3), (11, 2), (-11, 2)], shade(rgb, 0.7), ink)
    for x in (wide * 0.3, wide * 0.55):
        p.rect(x, -tall - 0.8, x + 3, -tall + 1, shade(rgb, 0.65))
    p.rounded(-wide, -tall, wide, 0, rng.uniform(2, 4), rgb, ink)
    rim, screen = rng.uniform(1.7, 2.4), _screen(rng, rgb)
    left, top, right, bottom = -wide + rim + 0.6, -tall + rim, wide - rim - 0.6, -rim
    p.rounded(left, top, right, bottom, 1.6, screen, GLASS, 1.3)
    p.oval(left + 1.7, -tall / 2, 0.8, 0.8, (8, 8, 10))
    light, middle = ink_on(screen), -tall / 2
    if rng.random() < 0.75:
        p.polygon([(-2.4, middle - 3.4), (3.4, middle), (-2.4, middle + 3.4)], light)
        p.line([(left + 3, bottom - 2), (right - 2, bottom - 2)], light, 0.7)
        p.oval(left + 3 + rng.uniform(2, 20), bottom - 2, 1.1, 1.1, (215, 55, 50))
    else:
        _shown(p, rng, (left + 4, top + 1.4, left + 13, bottom - 1.4), screen)
        p.rounded(left + 15.5, top + 1.6, right - 1.6, bottom - 1.6, 0.8, rng.choice(ICONS[:3]))


def _cased_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """The back of a phone in a bumper case, with a grip, a ring, or a cord for the hand; it lies aslant."""
    p = pen.at(0, -16, 0.95, rng.choice((-1, 1)) * rng.uniform(15, 60), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(8, 9), rng.uniform(15, 16.5), edge_of(rgb)
    dark, kind, y = _contrast(rgb, 0.72, 1.25), rng.randrange(4), rng.uniform(2, 6)
    if kind == 3:
        p.oval(wide + 0.5, tall - 6, 4, 7.5, None, ink, 2.2)
        p.oval(wide + 0.5, tall - 6, 4, 7.5, None, rgb, 1.3)
    p.rounded(-wide, -tall, wide, tall, rng.uniform(2.4, 4.5), dark, ink)
    p.rounded(-wide + 1.3, -tall + 1.3, wide - 1.3, tall - 1.3, 2.4, rgb, ink, 0.5)
    pattern(p, rng, (-wide + 2.4, -2, wide - 2.4, tall - 2.6), rgb)
    if rng.random() < 0.5:
        p.oval(0, -tall + 7.4, 5.6, 5.6, dark, ink, 0.8)
        spots = [(-2.1, -tall + 5.3), (2.1, -tall + 5.3), (-2.1, -tall + 9.5), (2.1, -tall + 9.5)]
    else:
        p.rounded(-wide + 2, -tall + 2, wide - 2, -tall + 8, 2.6, dark, ink, 0.8)
        spots = [(-4.0, -tall + 5), (0.2, -tall + 5), (4.2, -tall + 5)]
    for x, up in spots[:-1]:
        p.oval(x, up, 1.7, 1.7, GLASS, METALS[0], 0.6)
        p.oval(x - 0.4, up - 0.5, 0.5, 0.5, (130, 150, 190))
    p.oval(*spots[-1], 0.9, 0.9, (250, 240, 190), ink, 0.4)
    if kind == 0:
        p.oval(0.6, y + 0.7, 4.4, 4.4, shade(rgb, 0.5))
        p.oval(0, y, 4.4, 4.4, _contrast(rgb, 0.85, 1.4), ink)
    elif kind == 1:
        p.oval(0, y + 2.6, 3.4, 3.4, None, METALS[0], 1.4)
        p.rounded(-2.6, y - 2, 2.6, y + 0.6, 1, METALS[2], edge_of(METALS[2]), 0.6)


def _desk_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A telephone for a desk, its receiver across the top, a dial or keys below, a cord that curls."""
    p = pen.at(0, 0, rng.uniform(0.9, 1.0), rng.uniform(-4, 4), rng.random() < 0.5)
    ink, base, neck, high = edge_of(rgb), rng.uniform(13, 15), rng.uniform(8, 11), rng.uniform(18, 21)
    for step in range(9):
        t = step / 8
        x, y = -14 - 3.2 * math.sin(math.pi * t), -high - 2 + (high - 1) * t
        p.oval(x, y, 1.6, 1.3, None, _contrast(rgb, 0.55, 1.35), 0.9)
    for x in (-neck * 0.55, neck * 0.55):
        p.rounded(x - 1.6, -high - 3, x + 1.6, -high + 2, 0.8, shade(rgb, 0.75), ink, 0.7)
    p.polygon([(-base, 0), (-base, -2), (-neck, -high), (neck, -high), (base, -2), (base, 0)], rgb, ink)
    receiver, thin, middle = _contrast(rgb, 0.88, 1.15), rng.uniform(3.2, 4.4), -high * 0.47
    for x in (-12.2, 12.2):
        p.rounded(x - 3.3, -high - 5, x + 3.3, -high + 1.6, 1, receiver, ink)
    p.rounded(-15.2, -high - 3.5 - thin, 15.2, -high - 2.6, 3, receiver, ink)
    if rng.random() < 0.5:
        size = high * 0.37
        p.oval(0, middle, size * 1.08, size, shade(rgb, 1.5), ink)
        for step in range(10):
            t = math.radians(30 * step - 230)
            p.oval(size * 0.76 * math.cos(t), middle + size * 0.7 * math.sin(t), 1.1, 1.1, GLASS)
        p.oval(0, middle, size * 0.36, size * 0.34, rgb, ink, 0.6)
        return
    p.rounded(-6.2, -high + 3, 6.2, -high + 6.4, 0.6, (176, 200, 150), GLASS, 0.7)
    for row in range(3):
        for column in range(3):
            x, y = -4.4 + 4.4 * column, -high + 9 + row * 3.4
            p.rounded(x - 1.7, y - 1.1, x + 1.7, y + 1.1, 0.5, _contrast(rgb, 1.7, 1.8), ink, 0.4)


def _charging_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A phone that leans, seen half from the side, on a stand, with a cable for its charge."""
    side = rng.choice((-1, 1))
    p, ink = pen.at(side * 2.0, 0, 1, 0.0, side < 0), edge_of(rgb)
    wide, tall, thick = rng.uniform(12, 15), rng.uniform(26, 29), rng.uniform(1.6, 2.4)
    rise, lean, left = rng.uniform(2.5, 4.5), rng.uniform(1, 4), -wide * 0.5

    def at(u: float, v: float, aside: float = 0.0) -> tuple[float, float]:
        """The place u across the front and v up it; `aside` is towards the edge that shows."""
        return left + wide * u + lean * v - aside, -2.4 - tall * v * (1 - 0.06 * u) - rise * u * (1 - v)

    def patch(a: float, b: float, c: float, d: float, fill: Rgb, edge: Rgb | None = None) -> None:
        p.polygon([at(a, b), at(c, b), at(c, d), at(a, d)], fill, edge, 0.8)

    if rng.random() < 0.6:
        p.line([(0, -0.6), (left - 3, 0.2), (left - 6, -1.6), (left - 9, 0)], (60, 60, 64), 1.4)
    stand = [(left + wide * 0.4, 0), (left + wide + 4, -1), (left + wide * 0.8 + lean, -tall * 0.4)]
    p.polygon(stand, shade(rgb, 0.6), ink)
    edge = [(0.0, 0.03), (0.03, 0.0), (0.97, 0.0), (1.0, 0.03)]
    edge += [(u, 1 - v) for u, v in reversed(edge)]
    p.polygon([at(u, v, thick) for u, v in edge], shade(rgb, 0.65), ink)
    p.polygon([at(u, v) for u, v in edge], rgb, ink)
    screen = _screen(rng, rgb)
    patch(0.12, 0.06, 0.88, 0.94, screen, GLASS)
    patch(0.4, 0.89, 0.6, 0.915, (8, 8, 10))
    light = ink_on(screen)
    if rng.random() < 0.5:
        patch(0.34, 0.4, 0.66, 0.64, screen, light)
        patch(0.44, 0.64, 0.56, 0.665, light)
        patch(0.38, 0.42, 0.62, rng.uniform(0.48, 0.6), (80, 200, 100))
        patch(0.3, 0.74, 0.7, 0.79, light)
    else:
        for step in range(12):
            u, v = 0.22 + 0.2 * (step % 3), 0.76 - 0.15 * (step // 3)
            patch(u, v, u + 0.15, v + 0.085, rng.choice(ICONS))
    foot = [(left - 2, -3.2), (left + wide + 1, -4.2), (left + wide + 2, -1), (left - 2, 0)]
    p.polygon(foot, shade(rgb, 0.8), ink)


def _typing_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A phone with small keys for letters below its screen, or with keys on a part that slides out."""
    p = pen.at(0, -16, 1, rng.uniform(-32, 32), rng.random() < 0.5)
    wide, tall, ink, slides = rng.uniform(8, 9.5), rng.uniform(14, 15.5), edge_of(rgb), rng.random() < 0.5
    low, keys = (4.0 if slides else rng.uniform(-1, 1.5)), _contrast(rgb, 1.6, 1.7)
    p.rounded(-wide, -tall + 2, wide, tall, rng.uniform(2, 5), shade(rgb, 0.8) if slides else rgb, ink)
    (rows, columns, gap), screen = (3, 3, 2.2) if slides else (4, 5, 4.4), _screen(rng, rgb)
    top = low + gap
    high, across = (tall - 1.8 - top) / rows, (2 * wide - 2.4) / columns
    for row in range(rows):
        for column in range(columns):
            x, y = -wide + 1.2 + column * across, top + row * high
            p.rounded(x + 0.3, y + 0.3, x + across - 0.3, y + high - 0.4, 0.8, keys, ink, 0.4)
    p.rounded(-wide, -tall, wide, low if slides else tall - 12, 3, rgb, ink if slides else None)
    p.rounded(-wide + 1.6, -tall + 3, wide - 1.6, low - (3.2 if slides else 0), 0.8, screen, GLASS, 1.2)
    _shown(p, rng, (-wide + 2.8, -tall + 4.6, wide - 2.8, low - (4.4 if slides else 1.4)), screen)
    p.rounded(-1.8, -tall + 1.2, 1.8, -tall + 2, 0.4, GLASS)
    y = low + (-1.6 if slides else 2.4)
    p.oval(0, y, 1.5, 1.2, _contrast(rgb, 0.6, 1.6), ink, 0.5)
    for left, fill in ((-wide + 1.4, (60, 170, 80)), (wide - 4.4, (205, 50, 45))):
        p.rounded(left, y - 0.8, left + 3, y + 0.8, 0.8, fill)


def draw_other_phone(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A phone: in a booklet, on its side, in a case from behind, for a desk, on a charger, with many keys."""
    forms = (_booklet_phone, _sideways_phone, _cased_phone, _desk_phone, _charging_phone, _typing_phone)
    forms[form](pen, rng, rgb)
