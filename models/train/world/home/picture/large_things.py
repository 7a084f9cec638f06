"""Draws bag, cup, book, coat, umbrella and bottle in four styles each; conventions as in `handy_things`."""

from __future__ import annotations

import math

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb

_METAL, _DARK, _PAPER = (206, 208, 214), (42, 42, 48), (248, 246, 236)
_BRASS, _BRASS_EDGE = (222, 184, 92), (112, 84, 26)


def _bag(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge, dark = edge_of(rgb), shade(rgb, 0.78)
    if style == 0:  # handbag
        pen.arc(0, -25, 10.5, 14, 180, 360, edge, 4.2)
        pen.arc(0, -25, 10.5, 14, 180, 360, dark, 2.6)
        pen.polygon(((-14, -26), (14, -26), (19, -1), (17, 0), (-17, 0), (-19, -1)), rgb, edge, 1.2)
        pen.polygon(((-14, -26), (14, -26), (15.5, -17), (0, -11), (-15.5, -17)), dark, edge, 0.9)
        pen.oval(0, -12.5, 2.3, 2.3, _BRASS, _BRASS_EDGE, 0.7)
    elif style == 1:  # rucksack
        pen.rounded(-5, -41, 5, -34, 3, None, edge, 2.2)
        for x in (-17.5, 17.5):
            pen.rounded(x - 3.5, -19, x + 3.5, -2, 3, dark, edge, 0.9)
        pen.rounded(-15.5, -38, 15.5, 0, 11, rgb, edge, 1.2)
        pen.arc(0, -25, 12, 9, 180, 360, edge, 1.4)
        pen.rounded(-11, -19, 11, -3, 4, dark, edge, 1.0)
        pen.line(((-10, -14), (10, -14)), _METAL, 1.2)
        pen.rect(5, -14, 7, -9.6, _METAL)
    elif style == 2:  # carrier bag
        for x in (-1.2, 1.2):
            pen.arc(x, -27, 7, 13, 180, 360, edge, 1.8)
        pen.polygon(((-15, -28), (15, -28), (16, 0), (-16, 0)), rgb, edge, 1.2)
        pen.polygon(((9, -28), (15, -28), (16, 0), (11, 0)), dark)
        pen.polygon(((-15, -28), (15, -28), (15.1, -25), (-15.1, -25)), dark)
        pen.oval(-3, -13, 6, 6, shade(rgb, 1.5))
    else:  # travel bag
        pen.arc(0, -20, 12, 15, 180, 360, edge, 3.6)
        pen.arc(0, -20, 12, 15, 180, 360, dark, 2.0)
        pen.rounded(-23, -24, 23, 0, 9, rgb, edge, 1.2)
        pen.line(((-18, -20), (18, -20)), _METAL, 1.2)
        for x in (-11.5, 11.5):
            pen.rect(x - 2, -22, x + 2, 0, dark, edge, 0.8)
        pen.rounded(-7, -13, 7, -4, 2, dark, edge, 0.8)


def _cup(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge, inside = edge_of(rgb), (96, 58, 36)
    if style == 2:  # paper cup with a lid
        pen.polygon(((-9.5, -27), (9.5, -27), (7, 0), (-7, 0)), _PAPER, (120, 110, 96), 1.1)
        pen.polygon(((-9, -20), (9, -20), (7.8, -7), (-7.8, -7)), rgb, edge, 0.8)
        pen.rounded(-11, -30, 11, -26, 1.4, (70, 54, 44), (30, 24, 20))
        pen.rounded(-8.5, -33, 8.5, -29.6, 1.4, (70, 54, 44), (30, 24, 20))
        pen.oval(0, -13.5, 3, 4, _PAPER)
        pen.line(((0.8, -16.6), (-0.8, -13.5), (0.8, -10.4)), rgb, 0.9)
        return
    for x in (-4, 0.5, 5):
        top = -25 if style != 3 else -31
        pen.line([(x + 1.3 * math.sin(t), top - 1.4 * t) for t in range(6)], (214, 214, 218), 1.1)
    if style == 1:  # a tea cup on a saucer
        pen.oval(0, -1.8, 17, 3.4, shade(rgb, 1.25), edge, 1.0)
        pen.arc(11, -13, 6.2, 5.4, -80, 100, edge, 4.2)
        pen.arc(11, -13, 6.2, 5.4, -80, 100, rgb, 2.6)
        bowl = [
            (12.5 * math.cos(math.radians(d)), -19 + 17 * math.sin(math.radians(d)))
            for d in range(0, 181, 12)
        ]
        pen.polygon(bowl, rgb, edge, 1.1)
        pen.oval(0, -19, 12.5, 3.2, shade(rgb, 1.4), edge, 0.9)
        pen.oval(0, -18.6, 10.4, 2.1, inside)
        return
    tall = 28 if style == 3 else 22
    pen.arc(9.5, -tall / 2, 7, tall * 0.3, -85, 85, edge, 5.0)
    pen.arc(9.5, -tall / 2, 7, tall * 0.3, -85, 85, rgb, 3.2)
    pen.rounded(-11, -tall, 10.5, 0, 2.6, rgb, edge, 1.1)
    if style == 3:
        for y in (-8, -15):
            pen.rect(-10.6, y, 10.1, y + 3.4, ink_on(rgb))
    else:
        pen.rect(-8.6, -17, -6.6, -4, shade(rgb, 1.5))
    pen.oval(-0.25, -tall, 10.8, 2.8, shade(rgb, 1.35), edge, 0.9)
    pen.oval(-0.25, -tall + 0.3, 8.8, 1.8, inside)


def _book(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge, ink = edge_of(rgb), ink_on(rgb)
    if style == 1:  # open
        pen.polygon(((-22, -21), (0, -17), (22, -21), (22, -1), (0, 2), (-22, -1)), rgb, edge, 1.2)
        for side in (-1, 1):
            page = (
                (side * 20.4, -23),
                (side * 10, -23.4),
                (0, -18.6),
                (0, 0),
                (side * 10, -4),
                (side * 20.4, -3.4),
            )
            pen.polygon(page, _PAPER, (130, 126, 112), 0.9)
            for row in range(5):
                y = -19.6 + 3.2 * row
                pen.line(
                    ((side * 17.6, y), (side * 10, y - 0.4), (side * 3.2, y + 2.2)), (120, 120, 124), 0.8
                )
        return
    if style == 2:  # lying, its pages to the front
        pen.polygon(((-19, -10), (-13, -17), (22, -17), (19, -10)), rgb, edge, 1.1)
        pen.polygon(((-6, -11.6), (-2.6, -15.4), (12.4, -15.4), (10, -11.6)), shade(rgb, 1.5))
        pen.rounded(-20, -11, 19, 0, 1.6, rgb, edge, 1.1)
        pen.rect(-16.6, -8.8, 19.4, -2.2, _PAPER, (130, 126, 112), 0.7)
        for y in (-7, -5.4, -3.8):
            pen.line(((-16, y), (19, y)), (190, 186, 172), 0.6)
        return
    pen.polygon(((12, -31), (15, -29), (15, -1.5), (12, 0)), _PAPER, (130, 126, 112), 0.7)
    pen.rounded(-12.5, -32, 12.5, 0, 1.4, rgb, edge, 1.1)
    pen.rect(-12.5, -31.6, -8.6, -0.4, shade(rgb, 0.72))
    board = (246, 244, 234) if sum(rgb) < 600 else (60, 62, 80)
    pen.rect(-8, -28, 11.8, -17.6, board)
    if label:
        pen.text(1.9, -22.8, label, min(6.6, 20.0 / len(label)), ink_on(board))
    else:
        pen.line(((-3.6, -25), (7.4, -25)), ink_on(board), 1.2)
        pen.line(((-3.6, -21.4), (4.4, -21.4)), ink_on(board), 1.2)
    if style == 0:
        pen.line(((-4, -7), (8, -7)), ink, 0.9)
        pen.line(((-2, -4.4), (6, -4.4)), ink, 0.9)
    else:
        pen.polygon(((6, -17), (9.4, -17), (9.4, 3), (7.7, 0.6), (6, 3)), (206, 50, 60), (100, 20, 26), 0.6)
        pen.oval(-2.2, -8.6, 3.4, 3.4, None, ink, 0.9)


def _coat(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge, dark = edge_of(rgb), shade(rgb, 0.8)
    low = -16 if style == 3 else 0
    if style == 3:  # a jacket
        pen = pen.at(0, 16)
    pen.line(((0, -58), (0, -61), (2.6, -62.6)), (90, 90, 96), 1.4)
    for side in (-1, 1):
        sleeve = ((side * 9, -54), (side * 16, -50), (side * 23, -22), (side * 16, -20), (side * 11, -38))
        pen.polygon(sleeve, dark, edge, 1.1)
        pen.line(((side * 22.4, -25), (side * 15.6, -23)), edge, 1.0)
    hem = 17 if style != 3 else 13.5
    pen.polygon(
        ((-9, -56), (9, -56), (13.6, -50), (12, -30), (hem, low), (-hem, low), (-12, -30), (-13.6, -50)),
        rgb, edge, 1.2,
    )  # fmt: skip
    pen.line(((0, -44), (0, low)), edge, 1.1)
    for side in (-1, 1):
        if style in (0, 2):
            pen.polygon(((side * 2, -57), (side * 9, -55), (side * 7.4, -44), (0, -36)), dark, edge, 1.0)
        pen.line(((side * 5.4, low - 15), (side * 11.4, low - 17)), edge, 1.6)
    if style == 1:
        pen.oval(0, -54, 9.4, 7, dark, edge, 1.1)
        pen.oval(0, -53, 5.6, 4.6, shade(rgb, 0.5))
        pen.line(((0, -47), (0, low)), _METAL, 1.6)
    elif style == 3:
        pen.rounded(-8.4, -58, 8.4, -52.4, 2.4, dark, edge, 1.0)
        pen.line(((0, -52), (0, low)), _METAL, 1.6)
        pen.rounded(-13.6, low - 3.4, 13.6, low, 1.2, dark, edge, 1.0)
    else:
        if style == 2:
            pen.rect(-12.8, -31, 12.8, -26.6, dark, edge, 0.9)
            pen.rect(-2.8, -31.8, 2.8, -25.8, None, _BRASS, 1.2)
        button = ink_on(rgb)
        for y in (-32, -24, -12) if style == 0 else (-36, -20, -12):
            pen.oval(-3.4, y, 1.3, 1.3, button)
            if style == 2:
                pen.oval(3.4, y, 1.3, 1.3, button)


def _hooked_handle(pen: Pen, x: float, low: float) -> None:
    wood, dark = (150, 98, 56), (80, 48, 24)
    for width, rgb in ((3.4, dark), (2.0, wood)):
        pen.line(((x, low - 16), (x, low - 4)), rgb, width)
        pen.arc(x + 3.4, low - 4, 3.4, 3.8, 180, 10, rgb, width)


def _umbrella(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge = edge_of(rgb)
    if style in (0, 3):  # open
        pen.line(((0, -44), (0, -6)), _DARK, 1.8)
        _hooked_handle(pen, 0, 0)
        turns = [math.radians(180 + 6 * step) for step in range(31)]
        rim = [(24 * math.cos(t), -24 + 20 * math.sin(t)) for t in turns]
        low = [(24 - 12 * index - 6 + 6 * math.cos(math.radians(d)), -24 - 4 * math.sin(math.radians(d)))
               for index in range(4) for d in range(0, 181, 30)]  # fmt: skip
        pen.polygon([*rim, *low], rgb, edge, 1.2)
        for share in (-0.5, 0.0, 0.5):
            top = [
                (24 * share * math.sin(t / 8 * math.pi / 2), -24 - 20 * math.cos(t / 8 * math.pi / 2))
                for t in range(9)
            ]
            pen.line(top, edge, 0.9)
        if style == 3:
            for first in (-0.5, 0.5):
                panel = [
                    (24 * first * k / 8, -24 - 20 * math.sqrt(max(0.0, 1 - (k / 8) ** 2))) for k in range(9)
                ]
                pen.polygon(
                    [*panel, (24 * first - 6 * math.copysign(1, first), -27.4), (0, -24)], shade(rgb, 1.55)
                )
        pen.line(((0, -44), (0, -47.5)), _DARK, 1.6)
        return
    if style == 1:  # closed, its handle above
        turned = pen.at(0, -58, 1, 180)
        _hooked_handle(turned, 0, 0)
        pen.line(((0, -6), (0, 0)), _DARK, 1.6)
        half = ((2.4, -43), (5.2, -34), (4.4, -22), (1.2, -4))
        pen.polygon((*half, *((-x, y) for x, y in reversed(half))), rgb, edge, 1.1)
        for x in (-2, 1.4):
            pen.line(((x, -41), (x * 1.3, -30), (x * 0.4, -8)), edge, 0.8)
        pen.rect(-5.2, -32, 5.2, -29, shade(rgb, 0.6), edge, 0.6)
        return
    pen.line(((0, -50), (0, -6)), _DARK, 1.8)  # closed, loose, its handle below
    _hooked_handle(pen, 0, 0)
    loose = ((0, -50), (4.4, -36), (8.6, -16), (5.6, -18.6), (2.8, -15), (0, -18.6))
    pen.polygon((*loose, *((-x, y) for x, y in reversed(loose))), rgb, edge, 1.1)
    for x in (-2.8, 0, 2.8):
        pen.line(((0, -49), (x, -18)), edge, 0.9)
    pen.line(((0, -50), (0, -54)), _DARK, 1.6)


def _bottle(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge = edge_of(rgb)
    if style == 2:  # for sports, with a loop
        pen.arc(0, -36, 4.6, 5.4, 170, 370, _DARK, 2.0)
        pen.rounded(-4.6, -37, 4.6, -31, 1.6, _DARK, (110, 110, 116), 0.8)
        pen.rounded(-8.6, -32, 8.6, 0, 4, rgb, edge, 1.2)
        pen.rect(-6.6, -27, -4.6, -5, shade(rgb, 1.5))
        for y in (-8.0, -13.0, -18.0):
            pen.line(((3.4, y), (7, y)), ink_on(rgb), 0.9)
        return
    neck, shoulder = ((3.2, -26.0), (2.7, -25.0), (0.0, 0.0), (5.0, -28.0))[style]
    body = ((-neck, -38), (neck, -38), (neck, shoulder - 2), (10, shoulder + 5), (10, -2), (9, 0), (-9, 0),
            (-10, -2), (-10, shoulder + 5), (-neck, shoulder - 2))  # fmt: skip
    glass = (208, 230, 240) if style == 0 else rgb
    pen.polygon(body, glass, edge_of(glass) if style else (90, 120, 140), 1.1)
    if style == 0:
        pen.polygon(
            ((-9.6, -17), (9.6, -17), (9.6, -2), (8.8, -0.6), (-8.8, -0.6), (-9.6, -2)), (150, 200, 230)
        )
        for y in (-4.4, -19.4):
            pen.line(((-9.6, y), (9.6, y)), (90, 140, 170), 0.7)
    pen.rect(-8, shoulder + 6, -6.2, -3, shade(glass, 1.55))
    cap = rgb if style == 0 else (200, 170, 90) if style == 1 else (235, 235, 236)
    tall = 6 if style == 1 else 4
    pen.rounded(-neck - 0.9, -41, neck + 0.9, -41 + tall, 1, cap, edge_of(cap), 0.9)
    board = rgb if style == 0 else _PAPER
    pen.rect(-10, -17, 10, -7.4, board, edge_of(board), 0.7)
    if label:
        pen.text(0, -12.2, label, min(6.0, 20.0 / len(label)), ink_on(board))
    else:
        pen.oval(0, -12.2, 3, 3, shade(rgb, 0.8) if style else _PAPER)


LARGE = {
    "bag": _bag, "cup": _cup, "book": _book, "coat": _coat, "umbrella": _umbrella, "bottle": _bottle,
}  # fmt: skip
"""The function that draws each kind."""
