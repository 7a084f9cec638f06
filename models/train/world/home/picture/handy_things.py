"""Draws keys, glasses, phone, wallet, remote control and medicine box in four styles each.

A sprite's origin is the middle of its lower edge; y is negative above it.
"""

from __future__ import annotations

import math

from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb

_METAL, _METAL_EDGE, _DARK = (206, 208, 214), (92, 96, 104), (38, 40, 46)
_BRASS, _BRASS_EDGE = (222, 184, 92), (112, 84, 26)
_PAPER = (248, 247, 240)


def _key(pen: Pen, bow: str, rgb: Rgb, brass: bool, length: float = 20) -> None:
    """One key hanging down from the ring at the origin: its bow above, blade and teeth below."""
    metal, edge = (_BRASS, _BRASS_EDGE) if brass else (_METAL, _METAL_EDGE)
    tip = length
    teeth = ((1.7, tip - 9), (4.6, tip - 9), (4.6, tip - 6.6), (1.7, tip - 6.6), (1.7, tip - 4.6))
    point = ((4.0, tip - 4.6), (4.0, tip - 2), (1.7, tip - 2), (0.4, tip), (-1.7, tip - 1))
    pen.polygon(((-1.7, 8), (1.7, 8), *teeth, *point), metal, edge, 0.7)
    if bow == "square":
        pen.rounded(-5, 0, 5, 9.6, 2, rgb, edge_of(rgb))
    elif bow == "clover":
        for x, y in ((-3.2, 5.6), (3.2, 5.6), (0, 1.8)):
            pen.oval(x, y, 3.7, 3.7, rgb, edge_of(rgb))
    else:
        pen.oval(0, 4.8, 5.4, 5.2, rgb, edge_of(rgb))
    pen.oval(0, 2.9, 1.7, 1.7, (250, 250, 250), edge_of(rgb), 0.6)


def _keys(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    ring = -24.0
    if style == 0:
        for turn, brass in ((-32, False), (30, True)):
            _key(pen.at(0, ring + 3, 1, turn), "round", rgb, brass, 22)
    elif style == 1:
        for turn in (38, 0, -38):
            _key(pen.at(0, ring + 3, 1, turn), "square", rgb, False, 22)
    elif style == 2:
        _key(pen.at(0, ring + 3, 1, 40), "clover", rgb, True, 23)
        _key(pen.at(0, ring + 3, 1, 6), "clover", rgb, True, 23)
        tag = pen.at(-1, ring + 3, 1, -42)
        tag.rounded(-4.6, 3, 4.6, 21, 4, shade(rgb, 0.7), edge_of(rgb))
    else:
        _key(pen.at(0, ring + 3, 1, 34), "round", _DARK, False, 24)
        fob = pen.at(-2, ring + 2, 1, -16)
        fob.rounded(-5.5, 2, 5.5, 22, 5, rgb, edge_of(rgb))
        for y in (8, 13, 18):
            fob.oval(0, y, 2.4, 1.7, shade(rgb, 0.55), edge_of(rgb), 0.5)
    pen.oval(0, ring, 5.6, 5.6, None, _METAL_EDGE, 2.2)
    pen.oval(0, ring, 5.6, 5.6, None, _METAL, 1.0)


def _glasses(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge = edge_of(rgb)
    lens = ((214, 232, 240), (220, 236, 240), (46, 50, 58), (206, 228, 238))[style]
    for side in (-1, 1):
        temple = ((side * 15.5, -10.5), (side * 18.5, -13), (side * 18.0, -3.5))
        pen.line(temple, edge, 3.0)
        pen.line(temple, rgb, 1.8)
    for x in (-8.6, 8.6):
        if style == 0:
            pen.oval(x, -7.2, 7.2, 7.0, lens, edge, 3.4)
            pen.oval(x, -7.2, 7.2, 7.0, None, rgb, 2.0)
        elif style == 3:
            side = 1 if x > 0 else -1
            shape = (
                (x - 7.2 * side, -11),
                (x + 9.6 * side, -14.5),
                (x + 6 * side, -2),
                (x, 0),
                (x - 6 * side, -3),
            )
            pen.polygon(shape, lens, edge, 3.4)
            pen.polygon(shape, None, rgb, 2.0)
        else:
            low = 0.5 if style == 2 else -1
            pen.rounded(x - 7.6, -13.4, x + 7.6, low, 3 if style == 1 else 5, lens, edge, 3.4)
            pen.rounded(x - 7.6, -13.4, x + 7.6, low, 3 if style == 1 else 5, None, rgb, 2.0)
        pen.line(((x - 2.5, -4), (x + 2.5, -10)), shade(lens, 1.7), 1.2)
    pen.arc(0, -8, 2.4, 3, 190, 350, edge, 3.2)
    pen.arc(0, -8, 2.4, 3, 190, 350, rgb, 1.9)


def _phone(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge = edge_of(rgb)
    if style == 3:  # with keys and an aerial
        pen.rect(3.6, -35, 6, -26, _DARK)
        pen.rounded(-7.5, -29, 7.5, 0, 4, rgb, edge, 1.0)
        pen.rect(-5.2, -26, 5.2, -16, (176, 204, 160), _DARK, 0.8)
        for row in range(4):
            for column in (-4, 0, 4):
                pen.rounded(
                    column - 1.5, -13.4 + 3.2 * row, column + 1.5, -11.2 + 3.2 * row, 0.9, ink_on(rgb)
                )
        return
    pen.rounded(-8, -31, 8, 0, 3.2, rgb, edge, 1.0)
    if style == 2:  # the back, with the cameras
        pen.rounded(-6.4, -29.4, 0.6, -19.5, 2.2, shade(rgb, 0.75), edge, 0.7)
        for x, y in ((-4.4, -26.8), (-4.4, -22.2), (-1.4, -24.5)):
            pen.oval(x, y, 1.7, 1.7, (20, 22, 30), (150, 156, 170), 0.6)
        pen.oval(0, -11, 2.5, 2.5, shade(rgb, 1.35 if rgb[0] + rgb[1] + rgb[2] < 600 else 0.8))
        return
    if style == 0:
        screen = (24, 30, 54)
        pen.rounded(-6.7, -29.6, 6.7, -1.4, 2.2, screen)
        pen.rounded(-2.2, -29.2, 2.2, -27.8, 0.7, (5, 5, 8))
        tints = ((240, 90, 80), (90, 200, 110), (80, 150, 240), (250, 200, 70))
        for row in range(4):
            for column in range(3):
                x, y = -5.2 + 3.7 * column, -25.6 + 4.4 * row
                pen.rounded(x, y, x + 2.8, y + 2.9, 0.8, tints[(row + 2 * column) % 4])
        for column in range(3):
            pen.rounded(-5.2 + 3.7 * column, -5.2, -2.4 + 3.7 * column, -2.3, 0.8, (236, 238, 244))
    else:  # with a round button below a message
        pen.rect(-6.3, -27, 6.3, -6.2, (70, 120, 180))
        pen.rounded(-2, -29.5, 2, -28.6, 0.4, ink_on(rgb))
        pen.oval(0, -3.1, 2.0, 2.0, None, ink_on(rgb), 0.7)
        pen.rounded(-5, -25, 3.4, -19.4, 1.2, (240, 244, 248))
        pen.rounded(-3, -17.6, 5, -12.4, 1.2, (120, 220, 130))


def _wallet(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge, note, card = edge_of(rgb), (140, 190, 140), (90, 130, 200)
    stitch = shade(rgb, 1.45) if sum(rgb) < 560 else shade(rgb, 0.7)
    if style == 1:  # open, cards and notes inside
        pen.rect(-15, -24, 15, -17, note, (60, 110, 64), 0.8)
        pen.oval(0, -20.5, 3, 2.4, (196, 224, 190), (60, 110, 64), 0.6)
        pen.rounded(-19, -19, 19, 0, 2.4, rgb, edge, 1.1)
        pen.line(((0, -19), (0, 0)), edge, 1.3)
        for step, tint in enumerate((card, (220, 90, 80), (236, 200, 90))):
            pen.rounded(-16, -16.5 + 4 * step, -3, -9 + 4 * step, 1, tint, edge, 0.6)
        pen.rect(-17, -5, -2, -1.4, rgb, edge, 0.7)
        pen.rect(3.4, -15, 15.4, -5, (226, 232, 236), edge, 0.7)
        return
    if style != 3:
        pen.rect(-11, -23.5, 10, -14, note, (60, 110, 64), 0.8)
        pen.oval(-1, -20.6, 2.4, 1.9, (196, 224, 190), (60, 110, 64), 0.6)
        pen.rect(-8, -22, 13, -14, shade(note, 1.3), (60, 110, 64), 0.8)
    else:
        for step, tint in enumerate((card, (220, 90, 80), (236, 200, 90))):
            pen.rounded(-11 + 3 * step, -25 + 2.6 * step, 7 + 3 * step, -12, 1.2, tint, (60, 60, 70), 0.7)
    pen.rounded(-15, -19, 15, 0, 3, rgb, edge, 1.2)
    dashes = range(-12, 12, 4)
    for y in (-16.6, -2.4):
        for x in dashes:
            pen.line(((x, y), (x + 2.2, y)), stitch, 0.8)
    if style == 0:
        pen.rounded(4, -12.5, 16, -6.5, 2.6, shade(rgb, 0.78), edge, 0.9)
        pen.oval(8, -9.5, 1.7, 1.7, _BRASS, _BRASS_EDGE, 0.6)
    elif style == 2:  # with a flap, and coins before it
        flap = [
            (15 * math.cos(math.radians(d)), -16 + 9 * math.sin(math.radians(d))) for d in range(0, 181, 15)
        ]
        pen.polygon([(15, -18.4), *flap, (-15, -18.4)], shade(rgb, 0.82), edge, 0.9)
        pen.oval(0, -9.6, 1.9, 1.9, _METAL, _METAL_EDGE, 0.6)
        for coin in (pen.at(11.5, -2.6), pen.at(15.5, -3.8)):
            coin.oval(0, 0, 3.6, 3.6, _BRASS, _BRASS_EDGE, 0.8)
            coin.oval(0, 0, 1.9, 1.9, None, _BRASS_EDGE, 0.5)
    else:
        pen.line(((-15, -13.4), (12, -13.4)), _METAL_EDGE, 1.8)
        pen.line(((-15, -13.4), (12, -13.4)), _METAL, 0.9)
        pen.rect(11, -14.6, 13, -9.6, _METAL, _METAL_EDGE, 0.6)


def _remote(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge, knob = edge_of(rgb), ink_on(rgb)
    half = 5.4 if style == 1 else 7.0
    pen.rounded(-half, -40, half, 0, 2 if style == 2 else 5, rgb, edge, 1.1)
    pen.oval(-half + 3.2, -36.6, 1.7, 1.7, (226, 40, 44))
    if style == 0:
        pen.oval(0, -27.5, 4.6, 4.6, knob, edge, 0.6)
        pen.oval(0, -27.5, 1.9, 1.9, rgb, edge, 0.6)
    elif style == 1:
        pen.oval(0, -29, 3.7, 3.7, None, knob, 1.3)
    elif style == 2:
        for column, tint in enumerate(((220, 50, 50), (60, 180, 80), (240, 210, 60), (60, 110, 220))):
            pen.rect(-5.6 + 3 * column, -32, -3.4 + 3 * column, -29.6, tint)
    else:
        for x, y in ((0, -31.5), (0, -24.5), (-3.6, -28), (3.6, -28)):
            pen.oval(x, y, 1.7, 1.7, knob)
    if style != 1:
        for row in range(4):
            for column in (-4, 0, 4):
                pen.rounded(column - 1.3, -20.5 + 3.8 * row, column + 1.3, -18.3 + 3.8 * row, 0.6, knob)
        pen.line(((-3, -3), (3, -3)), knob, 0.8)
        return
    for x in (-2.7, 2.7):
        pen.rounded(x - 1.5, -22, x + 1.5, -12, 1.4, knob)
    for y in (-8.5, -4.8):
        pen.oval(-2.6, y, 1.2, 1.2, knob)
        pen.oval(2.6, y, 1.2, 1.2, knob)


def _pill(pen: Pen, x: float, y: float, turn: float, rgb: Rgb) -> None:
    one = pen.at(x, y, 1, turn)
    one.rounded(-4, -1.9, 4, 1.9, 1.9, _PAPER, (110, 110, 116), 0.7)
    one.rounded(-4, -1.9, 0.4, 1.9, 1.9, rgb, (110, 110, 116), 0.7)


def _medicine_box(pen: Pen, style: int, rgb: Rgb, label: str) -> None:
    edge, mark = edge_of(rgb), (255, 255, 255)
    if sum(rgb) > 600:
        mark = (214, 36, 40)
    if style == 1:  # a case with a handle
        pen.rounded(-6.5, -26, 6.5, -18, 3, None, edge, 2.6)
        pen.rounded(-18, -22, 18, 0, 4, rgb, edge, 1.1)
        pen.line(((-18, -16.5), (18, -16.5)), edge, 0.8)
        pen.oval(0, -9, 7.6, 7.6, (255, 255, 255))
        pen.cross(0, -9, 5.6, (214, 36, 40))
        return
    if style == 2:  # a week of pills
        pen.rounded(-21, -18, 21, 0, 3, rgb, edge, 1.1)
        for index, day in enumerate("MTWTFSS"):
            x = -17.2 + 5.75 * index
            pen.rounded(x - 2.5, -10.6, x + 2.5, -1.8, 1, (226, 240, 248), edge, 0.6)
            pen.text(x, -14.2, day, 4.2, ink_on(rgb))
            if index > 1:
                pen.oval(x, -7.6, 1.6, 1.6, (236, 120, 120), (110, 60, 60), 0.5)
                pen.oval(x - 0.2, -4.1, 1.6, 1.6, (250, 240, 150), (110, 100, 60), 0.5)
        return
    depth = 4.0
    pen.polygon(((-16, -23), (-12, -23 - depth), (19, -23 - depth), (15, -23)), shade(rgb, 1.3), edge, 0.8)
    pen.polygon(((15, -23), (19, -23 - depth), (19, -depth), (15, 0)), shade(rgb, 0.75), edge, 0.8)
    pen.rect(-16, -23, 15, 0, rgb, edge, 1.0)
    if style == 0:
        pen.cross(-10.4, -16.4, 4.4, mark)
    else:
        pen.rect(-16, -10, 15, -5, mark)
        pen.cross(-10.4, -16.4, 4.4, mark)
    if label:
        pen.rect(-5, -21, 14.4, -12, _PAPER)
        pen.text(4.7, -16.5, label, min(6.4, 20.0 / len(label)), (20, 20, 24))
    _pill(pen, 5, -3.2, -18, mark if mark != (255, 255, 255) else (230, 90, 90))
    _pill(pen, 12.5, -2.4, 12, (90, 150, 220))


HANDY = {
    "keys": _keys, "glasses": _glasses, "phone": _phone, "wallet": _wallet, "remote control": _remote,
    "medicine box": _medicine_box,
}  # fmt: skip
"""The function that draws each kind."""
