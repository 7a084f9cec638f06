"""Phones in six forms."""

from __future__ import annotations

import random

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.pocket.parts import CARDS, METALS, Box, pattern

GLASS: Rgb = (24, 26, 32)


def _wallpaper(rng: random.Random, rgb: Rgb) -> Rgb:
    """The colour of a screen: a shade of the phone's, or that of dark glass."""
    return GLASS if rng.random() < 0.3 else shade(rgb, rng.choice((0.8, 1.15, 1.3)))


def _icons(pen: Pen, rng: random.Random, box: Box, screen: Rgb) -> None:
    """What a screen shows: rows of icons, messages or a clock."""
    left, top, right, bottom = box
    kind, wide, columns = rng.randrange(3), right - left, rng.randint(3, 4)
    if kind == 0:
        step = wide / columns
        rows = min(rng.randint(2, 5), int((bottom - top) / step / 1.15))
        for row in range(rows):
            for column in range(columns):
                icon = rng.choice((*CARDS[:3], (232, 96, 84), (250, 250, 250)))
                x, y = left + column * step, top + row * step * 1.15
                pen.rounded(x + step * 0.16, y, x + step * 0.84, y + step * 0.7, step * 0.2, icon)
    elif kind == 1:
        for row in range(4):
            x = left + (wide * 0.3 if row % 2 else 0.6)
            y = top + row * (bottom - top) * 0.22
            icon = (120, 205, 130) if row % 2 else (240, 240, 242)
            pen.rounded(x, y, x + wide * rng.uniform(0.5, 0.64), y + 3, 1.2, icon)
    else:
        for part in (0.2, 0.34, 0.56, 0.7):
            pen.rect(left + wide * part, top + 2, left + wide * (part + 0.09), top + 5.4, ink_on(screen))
        pen.rounded(
            left + 1, top + 9, right - 1, top + 12.4, 1, shade(screen, 1.5 if max(screen) < 200 else 0.8)
        )


def _front(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, -16, 1, rng.uniform(-9, 9))
    wide, tall, rim = rng.uniform(7.6, 9), rng.uniform(15, 17), rng.uniform(1.2, 2.0)
    screen = _wallpaper(rng, rgb)
    rim += 0.8 if screen == GLASS else 0.0
    corner, button = rng.uniform(1.5, 3.5), rng.random() < 0.4
    p.rect(wide, -tall * 0.5, wide + 0.8, -tall * 0.2, shade(rgb, 0.7))
    p.rounded(-wide, -tall, wide, tall, corner, rgb, edge_of(rgb))
    chin = 2.4 if button else 0.0
    left, top, right, bottom = -wide + rim, -tall + rim + chin, wide - rim, tall - rim - chin * 1.6
    p.rounded(left, top, right, bottom, 0.4 if button else corner * 0.8, screen, (24, 26, 32), 0.8)
    if rng.random() < 0.4:
        p.polygon(
            [(left + 1, bottom - 1), (right - 1, bottom - 1), (right - 1, rng.uniform(-6, 6))],
            shade(screen, 1.2),
        )
    _icons(p, rng, (left + 0.8, top + 3.6, right - 0.8, bottom - 2), screen)
    if button:
        p.oval(0, tall - rim - 1.3, 1.7, 1.7, shade(rgb, 0.7), edge_of(rgb), 0.5)
        p.rounded(-2, -tall + 1.5, 2, -tall + 2.5, 0.5, (40, 42, 48))
    else:
        p.rounded(-rng.uniform(0.8, 3), top + 0.5, 2, top + 1.9, 0.7, (10, 10, 12))
        p.line([(-2.5, bottom - 1.2), (2.5, bottom - 1.2)], (235, 235, 235), 0.6)


def _rear(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, -16, 1, rng.uniform(-12, 12), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(7.6, 9), rng.uniform(15, 17), edge_of(rgb)
    p.rect(wide, -tall * 0.5, wide + 0.8, -tall * 0.25, shade(rgb, 0.7))
    p.rounded(-wide, -tall, wide, tall, rng.uniform(1.8, 4), rgb, ink)
    pattern(p, rng, (-wide + 1.4, -2, wide - 1.4, tall - 2.4), rgb)
    kind, lenses = rng.randrange(3), rng.randint(2, 3)
    spots = [(-wide + 3.6, -tall + 3.8 + 4.4 * step) for step in range(lenses)]
    if kind == 0:
        p.rounded(-wide + 1, -tall + 1.2, -wide + 10.4, -tall + 10.6, 2.4, shade(rgb, 0.75), ink, 0.7)
        spots = [(-wide + 3.6, -tall + 3.8), (-wide + 3.6, -tall + 8), (-wide + 7.9, -tall + 5.9)]
    elif kind == 1:
        p.rounded(
            -wide + 1, -tall + 1.2, -wide + 6.2, -tall + 2 + 4.6 * lenses, 2.5, shade(rgb, 0.75), ink, 0.7
        )
    else:
        p.rounded(-wide, -tall + 2, wide, -tall + 8, 0.8, shade(rgb, 0.7), ink, 0.7)
        spots = [(-4.6 + 4.6 * step, -tall + 5) for step in range(lenses)]
    for x, y in spots:
        p.oval(x, y, 1.8, 1.8, GLASS, METALS[0], 0.6)
        p.oval(x - 0.5, y - 0.5, 0.5, 0.5, (130, 150, 190))
    p.oval(spots[0][0] + 4.4 * (kind < 2) + 9 * (kind > 1), spots[0][1] - 0.6, 0.8, 0.8, (250, 240, 190))
    if rng.random() < 0.5:
        p.oval(0, rng.uniform(0, 4), 2.2, 2.2, shade(rgb, rng.choice((0.65, 1.4))))


def _keypad(pen: Pen, rng: random.Random, box: Box, rgb: Rgb, rows: int) -> None:
    """Three columns of keys inside `box`."""
    left, top, right, bottom = box
    step_x, step_y, corner = (right - left) / 3, (bottom - top) / rows, rng.choice((0.3, 1.2))
    ink = edge_of(rgb)
    for row in range(rows):
        for column in range(3):
            x, y = left + column * step_x, top + row * step_y
            pen.rounded(x + 0.4, y + 0.3, x + step_x - 0.4, y + step_y - 0.5, corner, rgb, ink, 0.4)


def _call_keys(pen: Pen, wide: float, y: float, rgb: Rgb) -> None:
    """The green and the red key and the round one between them."""
    pen.rounded(-wide, y - 1, -wide + 3.4, y + 1, 0.9, (60, 170, 80))
    pen.rounded(wide - 3.4, y - 1, wide, y + 1, 0.9, (205, 50, 45))
    pen.oval(0, y, 2.0, 1.7, shade(rgb, 1.6), edge_of(rgb), 0.6)


def _lcd(pen: Pen, rng: random.Random, left: float, top: float, right: float, bottom: float) -> None:
    """A small lit screen with bars for what it says."""
    light = rng.choice(((176, 200, 150), (160, 200, 225), (235, 238, 240), (70, 110, 160)))
    pen.rounded(left, top, right, bottom, 0.8, light, GLASS, 1.0)
    ink = shade(light, 0.4)
    for step in range(3):
        pen.rect(right - 1.6 - step, top + 2.4 - 0.5 * step, right - 1.1 - step, top + 2.6, ink)
    pen.rect(
        left + 1.2,
        (top + bottom) / 2,
        left + (right - left) * rng.uniform(0.4, 0.8),
        (top + bottom) / 2 + 1.2,
        ink,
    )


def _button_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, -15.5, 1, rng.uniform(-10, 10), rng.random() < 0.5)
    wide, tall, ink = rng.uniform(6.8, 8.2), rng.uniform(14.5, 16), edge_of(rgb)
    if rng.random() < 0.6:
        p.rounded(wide - 4, -tall - rng.uniform(3, 5), wide - 1.2, -tall + 2, 1.2, shade(rgb, 0.75), ink, 0.7)
    p.rounded(-wide, -tall, wide, tall, rng.uniform(2.5, 6), rgb, ink)
    p.rounded(-2, -tall + 1.4, 2, -tall + 2.4, 0.5, GLASS)
    low = rng.uniform(-2.5, -0.5)
    _lcd(p, rng, -wide + 1.6, -tall + 3.6, wide - 1.6, low)
    _call_keys(p, wide - 1.2, low + 2.6, rgb)
    keys = shade(rgb, rng.choice((1.4, 1.75)))
    _keypad(p, rng, (-wide + 1.4, low + 4.8, wide - 1.4, tall - 2), keys, 4)


def _flip_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    p = pen.at(0, 0, 1, rng.uniform(-5, 5), rng.random() < 0.5)
    wide, mid, ink, bend = rng.uniform(6.4, 7.8), rng.uniform(-16, -14.5), edge_of(rgb), rng.uniform(-10, 10)
    lid = p.at(0, mid, 1, bend)
    tall = rng.uniform(16, 18)
    if rng.random() < 0.5:
        lid.rounded(wide - 3, -tall - 4, wide - 1, -tall + 2, 0.9, shade(rgb, 0.7), ink, 0.6)
    lid.rounded(-wide, -tall, wide, 0, rng.uniform(2, 4.5), rgb, ink)
    screen = _wallpaper(rng, rgb)
    lid.rounded(-wide + 1.4, -tall + 3.4, wide - 1.4, -2.4, 0.8, screen, GLASS, 1.2)
    _icons(lid.at(0, 0, 0.8), rng, (-wide + 1, -tall * 1.25 + 5.4, wide - 1, -4), screen)
    lid.rounded(-2, -tall + 1.2, 2, -tall + 2.2, 0.5, GLASS)
    p.rounded(-wide, mid, wide, 0, rng.uniform(2, 4.5), rgb, ink)
    p.rounded(-wide * 0.7, mid - 1.3, wide * 0.7, mid + 1.3, 1.2, shade(rgb, 0.7), ink, 0.7)
    _call_keys(p, wide - 1.2, mid + 3.4, rgb)
    _keypad(p, rng, (-wide + 1.2, mid + 5.4, wide - 1.2, -1.4), shade(rgb, rng.choice((1.4, 1.75))), 3)


def _cordless(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    ink, wide, base = edge_of(rgb), rng.uniform(5.2, 6.2), rng.uniform(8.5, 10.5)
    p = pen.at(0, -2, 1, rng.uniform(-5, 5), rng.random() < 0.5)
    tall = rng.uniform(28, 31)
    if rng.random() < 0.6:
        p.rounded(wide - 3, -tall - 4, wide - 0.8, -tall + 3, 1, shade(rgb, 0.7), ink, 0.6)
    p.rounded(-wide, -tall, wide, 0, rng.uniform(2.4, 5), rgb, ink)
    p.rounded(-2, -tall + 1.5, 2, -tall + 2.5, 0.5, GLASS)
    low = -tall + rng.uniform(10.5, 13)
    _lcd(p, rng, -wide + 1.4, -tall + 3.8, wide - 1.4, low)
    _call_keys(p, wide - 1, low + 2.4, rgb)
    _keypad(p, rng, (-wide + 1, low + 4.2, wide - 1, -5), shade(rgb, rng.choice((1.4, 1.75))), 4)
    high = rng.uniform(5, 7)
    pen.polygon([(-base, 0), (-base * 0.8, -high), (base * 0.8, -high), (base, 0)], shade(rgb, 0.85), ink)
    pen.oval(base * 0.6, -high * 0.4, 0.8, 0.8, (90, 220, 110))


def _lying_phone(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    side = rng.choice((-1, 1))
    slant, wide, tall = side * rng.uniform(4, 8), rng.uniform(7.6, 9), rng.uniform(25, 30)
    far, thick = rng.uniform(0.75, 0.92), rng.uniform(1.2, 2.0)

    def on(u: float, v: float, drop: float = 0.0) -> tuple[float, float]:
        """The place u across (-1 to 1) and v up (0 to 1) the upper face, lowered by `drop`."""
        across = u * wide * (1 - (1 - far) * v)
        return across + slant * (v - 0.5), -thick - tall * v - u * side * 1.6 * (1 - v) - 1.6 + drop

    def patch(left: float, low: float, right: float, high: float, fill: Rgb, cut: float = 0.0) -> None:
        up = cut * 0.5
        corners = [(left + cut, low), (right - cut, low), (right, low + up), (right, high - up)]
        corners += [(right - cut, high), (left + cut, high), (left, high - up), (left, low + up)]
        pen.polygon([on(u, v) for u, v in corners], fill, GLASS if cut else None, 0.7)

    ink = edge_of(rgb)
    body = [(-0.8, 0.0), (0.8, 0.0), (1, 0.06), (1, 0.95), (0.8, 1.0), (-0.8, 1.0), (-1, 0.95), (-1, 0.06)]
    pen.polygon([on(u, v, thick) for u, v in body], shade(rgb, 0.65), ink)
    pen.polygon([on(u, v) for u, v in body], rgb, ink)
    screen = _wallpaper(rng, rgb)
    rim = rng.uniform(0.14, 0.2) + (0.08 if screen == GLASS else 0.0)
    patch(-1 + rim, 0.06, 1 - rim, 0.95, screen, 0.12)
    if rng.random() < 0.5:
        pen.oval(*on(0, 0.64), 2.8, 2.8, shade(screen, 1.6), edge_of(screen), 0.5)
        patch(-0.4, 0.42, 0.4, 0.46, (240, 240, 240))
        pen.oval(*on(-0.4, 0.2), 1.8, 1.6, (60, 180, 85))
        pen.oval(*on(0.4, 0.2), 1.8, 1.6, (215, 55, 50))
    else:
        for row in range(rng.randint(3, 5)):
            for column in range(3):
                u, v = -0.62 + 0.46 * column, 0.76 - 0.12 * row
                patch(u, v, u + 0.3, v + 0.075, rng.choice((*CARDS[:3], (232, 96, 84), (250, 250, 250))))
    patch(-0.2, 0.9, 0.2, 0.925, (10, 10, 12))


def draw_phone(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """A phone: front, back, with buttons, to flip open, cordless in its base, lying seen aslant."""
    forms = (_front, _rear, _button_phone, _flip_phone, _cordless, _lying_phone)
    forms[form](pen, rng, rgb)
