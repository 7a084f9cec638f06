"""Coats in six further forms, every part of them varied at random."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from models.train.world.home.picture.pen import Pen, edge_of, luminance, shade
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.worn.parts import METAL, accent, both, smooth, tone

WOODS: tuple[Rgb, ...] = ((150, 105, 60), (176, 132, 84), (98, 66, 40), (84, 84, 88))
FURS: tuple[Rgb, ...] = ((226, 214, 192), (150, 128, 104), (92, 78, 68), (240, 240, 238))


def _limb(
    pen: Pen, path: Sequence[tuple[float, float]], wide: tuple[float, float], rgb: Rgb, cuff: Rgb
) -> None:
    """A sleeve along `path`, as wide as `wide` at its start and its end, with a cuff."""
    middle = smooth(path, closed=False)
    left, right = [], []
    for k, (x, y) in enumerate(middle):
        (x0, y0), (x1, y1) = middle[max(k - 1, 0)], middle[min(k + 1, len(middle) - 1)]
        far = math.hypot(x1 - x0, y1 - y0) or 1.0
        half = (wide[0] + (wide[1] - wide[0]) * k / (len(middle) - 1)) / 2
        dx, dy = (y1 - y0) / far * half, -(x1 - x0) / far * half
        left.append((x + dx, y + dy))
        right.append((x - dx, y - dy))
    pen.polygon([*left, *reversed(right)], rgb, edge_of(rgb))
    pen.polygon([*left[-3:], *reversed(right[-3:])], cuff, edge_of(rgb), 0.7)


def _hook(pen: Pen, neck: float) -> None:
    """The hook of a hanger above `neck`."""
    pen.line([(0, neck + 2), (0, neck - 3)], shade(METAL, 0.65), 1.3)
    pen.arc(0, neck - 5, 2.2, 2.2, 90, -160, shade(METAL, 0.65), 1.3)


def _folds(pen: Pen, rng: random.Random, rgb: Rgb, top: float, half: float) -> None:
    """Folds that fall from `top` to the hem."""
    for _ in range(rng.randint(2, 4)):
        x = rng.uniform(-0.8, 0.8) * half
        pen.line([(x * 0.8, top * rng.uniform(0.5, 0.9)), (x, -rng.uniform(0.8, 3))], tone(rgb, 0.24), 0.9)


def _on_chair(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Over the back of a chair, seen from behind it: sleeves at both sides, legs below."""
    u, edge, wood = rng.uniform, edge_of(rgb), rng.choice(WOODS)
    top, half, hem = -u(54, 58), u(13.5, 15.5), -u(9, 15)
    dark, leg = shade(wood, 0.6), half - 2.5
    pen.rect(-leg, -19, leg, -15, shade(wood, 0.8), dark)
    for x, foot in ((-leg + 4, -3), (leg - 4, -3), (-leg, 0), (leg, 0)):
        pen.rect(x - 1.3, -22, x + 1.3, foot, wood if foot == 0 else shade(wood, 0.75), dark, 0.7)
    pen.line([(-leg, -6), (leg, -6)], wood, 1.4)
    trunk = both([(4, top + 1), (half - 3, top + 1.6), (half, top + 5), (half + 0.3, -30),
        (half + u(-1.5, 1.5), hem)])  # fmt: skip
    pen.polygon(trunk, rgb, edge)
    sway = u(-1, 1)
    pen.line([(0, top + 4), (sway, hem * 1.6)], tone(rgb, 0.35), 0.9)
    pen.line([(sway - 0.4, hem * 1.9), (sway - 1, hem - 0.3)], edge, 1.2)
    for x in (-0.7, 0.6):
        pen.line([(x * half, top + 18), (x * half * u(0.8, 1.1), hem - 1)], tone(rgb, 0.24), 0.9)
    if rng.random() < 0.5:
        pen.rounded(-half * 0.6, top + 21, half * 0.6, top + 24, 1, tone(rgb, 0.15), edge, 0.7)
        for x in (-half * 0.45, half * 0.45):
            pen.oval(x, top + 22.5, 0.8, 0.8, tone(rgb, 0.6))
    cuff = tone(rgb, u(0.1, 0.4))
    for flip in (False, True):
        arm, out = pen.at(0, 0, flip=flip), u(0.5, 4)
        path = [(half - 1, top + 5), (half + 1.8, top + 10), (half + 2 + out * 0.6, -34),
            (half + 1 + out, -u(20, 26))]  # fmt: skip
        _limb(arm, path, (u(7, 8), u(5.5, 6.5)), tone(rgb, 0.1), cuff)
    if rng.random() < 0.35:
        hood = both([(3, top - 1.5), (7, top + 2), (6, top + 10), (2, top + 14)])
        pen.polygon(smooth(hood), tone(rgb, 0.14), edge)
    else:
        pen.polygon(both([(4, top - 3), (6.4, top - 0.5), (7.4, top + 4.5), (2, top + 5.6)]),
            tone(rgb, 0.18), edge)  # fmt: skip
        pen.line([(-3.4, top - 2), (3.4, top - 2)], tone(rgb, 0.5), 1.2)


def _back(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """On a hanger, seen from behind: yoke or hood, half belt, slit in the hem."""
    u, edge = rng.uniform, edge_of(rgb)
    top, shoulder, hem, waist = -u(50, 55), u(12.5, 14.5), u(14, 19), u(10.5, 12.5)
    _hook(pen, top - 1.5)
    cuff = tone(rgb, u(0, 0.4))
    for flip in (False, True):
        path = [(shoulder - 2.5, top + 5), (shoulder + 2, top + 12), (shoulder + u(3, 6),
            -30), (hem + u(2, 4), -u(17, 22))]  # fmt: skip
        _limb(pen.at(0, 0, flip=flip), path, (u(7, 8), u(5.5, 6.5)), tone(rgb, 0.08), cuff)
    right = [(3.5, top), (shoulder, top + 3), (shoulder, top + 14), (waist, top * 0.52), (hem,
        -1), (hem * 0.5, 0)]  # fmt: skip
    pen.polygon(both(right), rgb, edge)
    _folds(pen, rng, rgb, top * 0.45, hem)
    pen.line([(0, top + 4), (0, -16)], tone(rgb, 0.4), 0.9)
    pen.polygon([(-0.6, 0.3), (0.2, -u(13, 18)), (u(1.5, 3), 0.3)], tone(rgb, 0.5), edge, 0.7)
    belt = top * u(0.5, 0.54)
    sash = accent(rng, rgb) if rng.random() < 0.12 else tone(rgb, u(0.1, 0.3))
    reach = waist if rng.random() < 0.4 else waist * 0.62
    pen.rounded(-reach, belt - 1.8, reach, belt + 1.8, 1, sash, edge, 0.7)
    for x in (-reach + 2, reach - 2):
        pen.oval(x, belt, 0.9, 0.9, rng.choice([METAL, tone(rgb, 0.6)]), edge, 0.4)
    style = rng.randrange(3)
    if style == 0:
        hood = both([(2, top - 2), (8, top + 1), (8.5, top + 9), (4, top + 15), (1, top + 17)])
        pen.polygon(smooth(hood), tone(rgb, 0.14), edge)
        pen.line([(0, top - 1), (0, top + 16)], edge, 0.8)
        return
    if style == 1:
        yoke = both([(3.5, top), (shoulder, top + 3), (shoulder, top + 10), (5, top + 12.5)])
        pen.polygon(yoke, tone(rgb, 0.14), edge, 0.8)
    pen.polygon(both([(4, top - 2.4), (6, top + 0.5), (7.5, top + 4), (0.4, top + 5.5)]),
        tone(rgb, 0.22), edge, 0.8)  # fmt: skip


def _spread(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """Laid flat and seen from above, at an angle, the sleeves away from the trunk, with a hood."""
    u, edge, size = rng.uniform, edge_of(rgb), rng.uniform(0.84, 0.94)
    paint = random.Random(rng.random())  # colours are drawn apart, so that the form is the same in each
    turn = rng.choice((-1, 1)) * u(15, 55)
    pen = pen.at(0, -22, size, turn).at(0, 22)
    top, half, hem = -u(42, 45), u(11, 12.5), u(12.5, 15)
    cuff, trim = tone(rgb, u(0.15, 0.4)), paint.choice([METAL, tone(rgb, 0.6), accent(paint, rgb)])
    for flip in (False, True):
        arm, rise = pen.at(0, 0, flip=flip), u(4, 20)
        end = (half + u(11, 14), top + rise + u(4, 9))
        if rng.random() < 0.25:
            end = (half + u(3, 6), top + rise + u(14, 18))
        path = [(half - 4, top + 5), (half + 3, top + 5 + rise * 0.35), (half + 8, top + 4 +
            rise * 0.85), end]  # fmt: skip
        _limb(arm, path, (u(9, 10), u(6, 7)), rgb, cuff)
    pen.polygon(both([(4, top), (half, top + 3.5), (half - 0.5, top + 14), (hem, -1), (hem *
        0.5, 0)]), rgb, edge)  # fmt: skip
    fur = paint.choice([c for c in FURS if abs(luminance(c) - luminance(rgb)) > 50])
    furry, wide, high = rng.random() < 0.6, u(7.5, 9), u(8, 10)
    pen.oval(0, top - 2, wide, high, fur if furry else tone(rgb, 0.12), shade(fur, 0.7) if furry else edge)
    pen.oval(0, top - 1.2, wide - 2.6, high - 2.8, tone(rgb, 0.5), edge, 0.7)
    if rng.random() < 0.5:
        lining = accent(paint, rgb) if paint.random() < 0.3 else tone(rgb, 0.55)
        pen.polygon([(-1, top + 6), (1, top + 6), (u(3, 6), 0), (-u(2, 3), 0)], lining, edge, 0.8)
    else:
        pen.line([(0, top + 6), (0, 0)], trim, 1.3)
    for side in (-1, 1):
        x, y = side * hem * 0.6, -u(13, 14)
        pen.rounded(x - 3.2, y, x + 3.2, y + 8, 1.2, tone(rgb, 0.1), edge, 0.7)
        pen.line([(x - 3, y + 2.6), (x + 3, y + 2.6)], edge, 0.8)
        if rng.random() < 0.5:
            pen.line([(side * 3, top + 5), (side * 3.4, top + u(9, 12))], tone(rgb, 0.7), 0.8)
    if rng.random() < 0.5:
        pen.line([(-half * 0.9, top * 0.5), (half * 0.9, top * 0.5)], tone(rgb, 0.3), 1)


def _side(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """On a hook, seen from its side: one sleeve over the trunk, the buttons along the front edge."""
    u, edge, wood = rng.uniform, edge_of(rgb), rng.choice(WOODS)
    pen = pen.at(0, 0, flip=rng.random() < 0.5)
    top, front, back = -u(51, 55), u(13.5, 17), -u(11, 14)
    pen.rounded(-u(3, 6), top - 5.5, u(3, 6), top - 1, 1, wood, shade(wood, 0.6), 0.7)
    pen.line([(0, top - 3), (1, top), (0, top + 2)], shade(METAL, 0.6), 1.4)
    far_path = [(6, top + 7), (12, top + 15), (front + 1, -34), (front + u(2, 4), -u(19, 24))]
    _limb(pen, far_path, (7, u(5.5, 6.5)), tone(rgb, 0.28), tone(rgb, 0.4))
    trunk = [(-2.5, top), (2.5, top), (8, top + 5), (11, top + 15), (front, top * 0.4), (front
        + u(0, 2), -1), (2, 0)]  # fmt: skip
    pen.polygon([*trunk, (back - 1, -1.5), (back, top * 0.4), (-10, top + 14), (-8, top + 4)], rgb, edge)
    lapel = [(1.5, top - 1), (6, top + 2), (12, top + 13), (9.5, top + 18), (5, top + 9)]
    pen.line([(8.4, top + 13), (front - 4.4, -0.6)], edge, 0.9)
    button = rng.choice([tone(rgb, 0.6), accent(rng, rgb), METAL])
    count = rng.randint(3, 5)
    for k in range(count):
        share = 0.12 + 0.6 * k / count
        x, y = 10 + (front - 12) * share, (top + 15) * (1 - share)
        pen.oval(x, y, 1, 1.1, button, edge, 0.4)
    _folds(pen, rng, rgb, top * 0.4, 8)
    if rng.random() < 0.4:
        pen.rect(back + 0.6, top * 0.5, front - 0.6, top * 0.5 + 3.4, tone(rgb, 0.3), edge, 0.7)
    pen.rounded(3, -19, front - 5.4, -16.4, 0.6, tone(rgb, 0.15), edge, 0.7)
    sway, low = u(-2.5, 1.5), -u(17, 22)
    path = [(-3.5, top + 5), (-4.5, top + 13), (-4 + sway * 0.3, -34), (sway - 2, low)]
    _limb(pen, path, (u(9, 10.5), u(6.5, 7.5)), tone(rgb, 0.1), tone(rgb, u(0.2, 0.4)))
    if rng.random() < 0.4:
        pen.polygon(smooth([(-3, top - 1), (2, top - 1), (5, top + 5), (-5, top + 12), (-11,
            top + 9)]), tone(rgb, 0.2), edge)  # fmt: skip
        return
    pen.polygon(lapel, tone(rgb, 0.2), edge, 0.8)
    pen.polygon(smooth([(-5, top + 1), (-2, top - 2.4), (3, top - 2), (4.5, top + 3), (0, top
        + 4.5)]), tone(rgb, 0.22), edge)  # fmt: skip


def _toggles(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A coat of thick cloth with a hood, closed by wooden toggles in loops of cord."""
    u, edge, wood = rng.uniform, edge_of(rgb), rng.choice([(214, 180, 130), (150, 100, 56), (236, 226, 204)])
    top, shoulder, hem = -u(46, 50), u(12, 14), u(15, 18)
    wood = (90, 58, 34) if luminance(rgb) > 150 else wood
    for flip in (False, True):
        path = [(shoulder - 2.5, top + 5.5), (shoulder + 1.5, top + 12), (shoulder + 3, -28),
            (hem + u(0.5, 2.5), -u(12, 17))]  # fmt: skip
        _limb(pen.at(0, 0, flip=flip), path, (u(8, 9), u(6.5, 7.5)), tone(rgb, 0.07), tone(rgb, u(0.1, 0.35)))
    pen.polygon(both([(3, top), (shoulder, top + 3), (shoulder - 0.4, top + 14), (hem, -1),
        (4, 0)]), rgb, edge)  # fmt: skip
    yoke = tone(rgb, u(0.08, 0.2))
    pen.polygon(both([(3, top), (shoulder, top + 3), (shoulder - 0.2, top + 10), (1, top +
        12)]), yoke, edge, 0.8)  # fmt: skip
    pen.line([(u(1.5, 2.5), top + 5), (2.5, 0)], edge, 1)
    up = rng.random() < 0.5
    peak = top - (u(8.5, 11) if up else u(3, 4.5))
    hood = ([(1, peak), (6.5, peak + 4), (9, top + 1), (6, top + 7)] if up else [(3, peak),
        (9.5, top), (8, top + 5)])  # fmt: skip
    pen.polygon(smooth(both([*hood, (1, top + 8)])), tone(rgb, 0.1), edge)
    lining = accent(rng, rgb) if rng.random() < 0.25 else tone(rgb, 0.55)
    pen.polygon(smooth(both([(0.8, peak + 3), (4.6, peak + (6 if up else 4)), (3.4, top + 3),
        (0.6, top + 6.5)])), lining, edge)  # fmt: skip
    count = rng.choice((3, 3, 4))
    for k in range(count):
        y = top + 12 + k * 26 / count
        for side in (-1, 1):
            pen.line([(0.5, y), (0.5 + side * u(4.5, 5.5), y - 0.7)], tone(wood, 0.35), 0.9)
            pen.line([(0.5, y), (0.5 + side * u(4.5, 5.5), y + 0.9)], tone(wood, 0.35), 0.9)
        pen.rounded(-2.4, y - 1, 3.4, y + 1.1, 1, wood, shade(wood, 0.5), 0.5)
    for side in (-1, 1):
        x, y = side * hem * 0.58, -u(15, 16)
        pen.rounded(x - 3.8, y, x + 3.8, y + 9, 1, tone(rgb, 0.09), edge, 0.8)
        pen.line([(x - 3.8, y + 2.8), (x + 3.8, y + 2.8)], edge, 0.9)


def _short(pen: Pen, rng: random.Random, rgb: Rgb) -> None:
    """A short jacket with knitted cuffs and hem, or with a slanted zip, on a hanger."""
    u, edge = rng.uniform, edge_of(rgb)
    top, half, slanted = -u(40, 44), u(14, 16), rng.random() < 0.45
    _hook(pen, top - 1)
    ribs = accent(rng, rgb) if not slanted and rng.random() < 0.3 else tone(rgb, u(0.25, 0.45))
    sleeve = tone(rgb, u(0, 0.16))
    for flip in (False, True):
        path = [(half - 3, top + 6), (half + 3, top + 13), (half + u(5, 7), -20), (half + u(4,
            6.5), -u(4, 9))]  # fmt: skip
        _limb(pen.at(0, 0, flip=flip), path, (u(9, 10.5), u(6, 7)), sleeve, ribs)
    right = [(4, top), (half - 1, top + 3.5), (half, top + 13), (half + 0.6, -8), (half - 1, -4)]
    pen.polygon(both(right), rgb, edge)
    pen.rounded(-half + 0.6, -5, half - 0.6, 0, 1.2, ribs, edge)
    for k in range(-5, 6):
        pen.line([(k * half / 6, -4.4), (k * half / 6, -0.6)], edge_of(ribs), 0.5)
    metal = rng.choice([METAL, (214, 176, 80)])
    pen.polygon([(-4, top), (4, top), (0, top + 6)], tone(rgb, 0.6), edge, 0.6)
    if slanted:
        pen.line([(6.5, top + 9), (-2, -18), (-2.4, -0.5)], metal, 1.3)
        for flip in (False, True):
            flap = [(3, top - 1), (6, top + 1), (8.6, top + 10), (5, top + 11.5), (0.4, top + 7)]
            pen.at(0, 0, flip=flip).polygon(flap, tone(rgb, 0.16), edge, 0.8)
        pen.line([(-11, -17), (-6, -20)], metal, 1.2)
        pen.line([(5, -20), (11, -16)], metal, 1.2)
    else:
        pen.line([(0, top + 5), (0, -0.5)], edge, 2)
        pen.line([(0, top + 5), (0, -0.5)], metal, 1)
        pen.polygon(both([(4, top - 2.6), (6, top + 0.6), (4.6, top + 4), (0.4, top + 6.6)]), ribs, edge, 0.8)
        pen.polygon(smooth(both([(1, top - 1.6), (3.4, top - 1), (0.6, top + 4)])), tone(rgb, 0.6))
        for side in (-1, 1):
            pen.line([(side * 6, -18), (side * 10.5, -9.5)], edge, 1.3)
        if rng.random() < 0.5:
            pen.rounded(4, top + 13, 10, top + 17, 0.8, tone(rgb, 0.2), edge, 0.7)


def draw_other_coat(pen: Pen, form: int, rng: random.Random, rgb: Rgb, label: str) -> None:
    """Over a chair, from behind, laid flat with a hood, from its side, with toggles, or short."""
    forms = (_on_chair, _back, _spread, _side, _toggles, _short)
    forms[form](pen.at(0, 0, 1, rng.uniform(-3, 3)), rng, rgb)
