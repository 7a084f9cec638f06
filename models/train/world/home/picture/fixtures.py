"""Draws what belongs to a place and holds no things: stove, window, tree, house."""

from __future__ import annotations

import random

from models.train.world.home.layouts import Fixture
from models.train.world.home.picture.pen import Pen, edge_of, shade

_STEEL, _DARK, _GLASS = (176, 180, 186), (52, 54, 60), (190, 220, 238)


def _fridge(pen: Pen, w: float, h: float, one: Fixture) -> None:
    body = (_STEEL, (236, 238, 240), one.rgb, (225, 225, 220))[one.look]
    pen.rounded(0, 0, w, h, 4, body, edge_of(body))
    pen.line(((0, h * 0.36), (w, h * 0.36)), edge_of(body), 1.4)
    pen.rect(5, h * 0.2, 8, h * 0.33, _DARK)
    pen.rect(5, h * 0.4, 8, h * 0.62, _DARK)


def _stove(pen: Pen, w: float, h: float, one: Fixture) -> None:
    body = (_STEEL, (238, 238, 238), (70, 72, 78), one.rgb)[one.look]
    pen.rect(w * 0.1, 0, w * 0.9, 14, shade(body, 0.8), edge_of(body))
    pen.rect(w * 0.3, 14, w * 0.7, 40, shade(body, 0.9), edge_of(body))
    pen.rect(0, 54, w, h, body, edge_of(body))
    pen.rect(0, 50, w, 56, _DARK)
    for x in (0.2, 0.4, 0.6, 0.8):
        pen.oval(w * x, 62, 2.6, 2.6, (230, 230, 230), _DARK)
    pen.rounded(6, 72, w - 6, h - 10, 3, (40, 42, 48), edge_of(body))
    pen.rect(8, 68, w - 8, 70, (210, 210, 214))
    pen.rounded(w * 0.28, 36, w * 0.72, 50, 3, (150, 60, 56), (70, 30, 28))
    pen.line(((w * 0.72, 41), (w * 0.95, 39)), _DARK, 2.4)


def _door(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.rect(-4, -4, w + 4, h, shade(one.rgb, 1.5), edge_of(one.rgb))
    pen.rect(0, 0, w, h, one.rgb, edge_of(one.rgb))
    for top, bottom in ((8, 44), (54, h - 10)):
        pen.rect(9, top, w - 9, bottom, shade(one.rgb, 0.88), edge_of(one.rgb), 0.7)
    pen.oval(w - 6, h * 0.5, 2.6, 2.6, (220, 190, 90), (90, 70, 20))


def _window(pen: Pen, w: float, h: float, one: Fixture) -> None:
    sky = ((176, 214, 240), (210, 226, 240), (150, 196, 232), (60, 70, 110))[one.look]
    pen.rect(0, 0, w, h, (240, 240, 236), (130, 130, 126))
    pen.rect(4, 4, w - 4, h - 4, sky)
    pen.oval(w * 0.25, h - 6, w * 0.2, 10, (120, 160, 110))
    pen.rect(4, h - 4, w - 4, h, (240, 240, 236))
    pen.rect(w / 2 - 1.5, 4, w / 2 + 1.5, h - 4, (240, 240, 236))
    pen.rect(4, h / 2 - 1.5, w - 4, h / 2 + 1.5, (240, 240, 236))
    pen.rect(-4, h, w + 4, h + 4, (225, 225, 220), (130, 130, 126))
    for left in (-5, w - 8):
        pen.rect(left, -5, left + 13, h + 2, one.rgb, edge_of(one.rgb), 0.7)


def _mirror(pen: Pen, w: float, h: float, one: Fixture) -> None:
    if one.look % 2:
        pen.oval(w / 2, h / 2, w / 2, h / 2, (200, 220, 228), one.rgb, 3)
    else:
        pen.rounded(0, 0, w, h, 3, (200, 220, 228), shade(one.rgb, 0.6), 3)
    for x in (0.3, 0.42):
        pen.line(((w * x, h * 0.75), (w * (x + 0.28), h * 0.28)), (240, 248, 250), 2)


def _monitor(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.rect(w / 2 - 3, h - 14, w / 2 + 3, h - 2, _DARK)
    pen.rect(w / 2 - 12, h - 4, w / 2 + 12, h, _DARK)
    pen.rounded(0, 0, w, h - 11, 2, (34, 36, 40), (90, 92, 96))
    pen.rect(3, 3, w - 3, h - 14, ((60, 90, 140), (230, 232, 236), (40, 60, 60), (90, 60, 110))[one.look])
    for index, length in enumerate((0.6, 0.4, 0.7, 0.5)):
        pen.rect(6, 6 + 5 * index, 6 + length * (w - 14), 8 + 5 * index, (170, 190, 210))


def _tv(pen: Pen, w: float, h: float, one: Fixture) -> None:
    stand = shade(one.rgb, 0.7)
    pen.rect(2, 50, w - 2, h - 4, stand, edge_of(stand))
    pen.line(((w / 2, 50), (w / 2, h - 4)), edge_of(stand), 1)
    pen.rect(w / 2 - 10, 44, w / 2 + 10, 50, _DARK)
    pen.rounded(0, 0, w, 46, 2, (24, 25, 28), (90, 92, 96))
    screen = ((44, 48, 56), (90, 140, 180), (60, 110, 70), (44, 48, 56))[one.look]
    pen.rect(3, 3, w - 3, 43, screen)
    pen.polygon(((8, 40), (26, 6), (36, 6), (18, 40)), shade(screen, 1.2))


def _lamp(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.rect(w / 2 - 1.3, 16, w / 2 + 1.3, h, (90, 84, 70))
    pen.oval(w / 2, h - 1, w * 0.42, 4, (90, 84, 70))
    pen.polygon(((w * 0.28, 0), (w * 0.72, 0), (w, 26), (0, 26)), (246, 226, 160), (150, 128, 70))


def _bath(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.line(((w - 12, 0), (w - 12, -14), (w - 22, -14), (w - 22, -9)), _STEEL, 3.4)
    pen.rounded(2, 6, w - 2, h - 5, 18, (244, 246, 248), (130, 138, 146), 1.2)
    pen.rect(8, h - 8, 16, h, _STEEL, _DARK, 0.7)
    pen.rect(w - 16, h - 8, w - 8, h, _STEEL, _DARK, 0.7)
    pen.rounded(-2, 0, w + 2, 9, 4, (252, 253, 254), (130, 138, 146), 1.2)
    for x, y, r in ((18, -2, 6), (28, -4, 7), (39, -2, 6)):
        pen.oval(x, y, r, r * 0.8, (232, 244, 252), (180, 200, 214), 0.6)


def _basin(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.line(((w / 2, h - 8), (w / 2, 4), (w / 2 + 9, 4), (w / 2 + 9, 9)), (96, 100, 108), 4.6)
    pen.line(((w / 2, h - 8), (w / 2, 4), (w / 2 + 9, 4), (w / 2 + 9, 9)), _STEEL, 3.0)
    pen.polygon(((0, h - 12), (w, h - 12), (w - 7, h), (7, h)), (246, 248, 250), (130, 138, 146), 1.1)
    for x in (w / 2 - 8, w / 2 + 8):
        pen.oval(x, h - 14, 2.6, 2.6, _STEEL, (96, 100, 108), 0.7)


def _toilet(pen: Pen, w: float, h: float, one: Fixture) -> None:
    white, line = (246, 248, 250), (130, 138, 146)
    pen.rounded(5, 0, w - 5, 26, 3, white, line, 1.1)
    pen.rect(w / 2 - 4, 5, w / 2 + 4, 8, (170, 176, 182))
    pen.polygon(((9, 46), (w - 9, 46), (w - 13, h), (13, h)), white, line, 1.1)
    pen.oval(w / 2, 40, w / 2, 11, white, line, 1.1)
    pen.oval(w / 2, 38, w / 2 - 6, 6, (196, 210, 220), line, 0.8)


def _rack(pen: Pen, w: float, h: float, one: Fixture) -> None:
    """Shelves of a shop with tins and packets in rows."""
    rng = random.Random(f"goods {one.rgb}")
    pen.rect(0, 0, w, h, (226, 226, 222), (120, 120, 116), 1.1)
    for row in range(4):
        base, x = 28 + row * h / 4.2, 4.0
        while x < w - 9:
            width, height = rng.uniform(6, 9), rng.uniform(11, 17)
            tint = (rng.randint(90, 220), rng.randint(90, 200), rng.randint(70, 190))
            pen.rect(x, base - height, x + width, base, tint)
            pen.rect(x, base - height * 0.65, x + width, base - height * 0.35, shade(tint, 1.6))
            x += width + 1.4
        pen.rect(0, base, w, base + 3, (150, 150, 148))


def _till(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.rect(3, h - 11, w - 2, h, (70, 74, 82), (30, 32, 36))
    pen.polygon(((6, h - 11), (w - 4, h - 11), (w - 8, 9), (12, 9)), (104, 110, 120), (30, 32, 36))
    pen.rect(11, 0, w - 9, 9, (30, 34, 38), (20, 20, 20))
    pen.text(w / 2 + 1, 4.5, "9.50", 4.6, (130, 240, 150))
    for row in range(2):
        for column in range(3):
            pen.rect(13 + 4 * column, 11 + 2.6 * row, 16 + 4 * column, 13 + 2.6 * row, (230, 230, 230))


def _bus_stop(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.rect(8, 14, w - 2, 60, _GLASS, (96, 100, 108))
    pen.rect(w / 2 - 1.6, 0, w / 2 + 1.6, h, (96, 100, 108))
    pen.rounded(4, 0, w - 4, 22, 3, ((30, 90, 170), (200, 40, 40), (30, 130, 70), (230, 180, 30))[one.look])
    pen.rounded(11, 5, w - 11, 15, 2, (250, 250, 250))
    for x in (14, w - 14):
        pen.oval(x, 16.5, 2.2, 2.2, (250, 250, 250))


def _tree(pen: Pen, w: float, h: float, one: Fixture) -> None:
    bark, leaf = (110, 78, 50), ((70, 130, 60), (90, 150, 70), (54, 110, 66), (150, 140, 60))[one.look]
    pen.polygon(((w * 0.42, h), (w * 0.45, h * 0.5), (w * 0.57, h * 0.5), (w * 0.62, h)), bark, edge_of(bark))
    for x, y, r in ((0.28, 0.42, 0.27), (0.72, 0.42, 0.27), (0.5, 0.24, 0.34), (0.5, 0.44, 0.3)):
        pen.oval(w * x, h * y, w * r, w * r, leaf)
    for x, y in ((0.3, 0.3), (0.55, 0.2), (0.65, 0.38), (0.4, 0.45)):
        pen.arc(w * x, h * y, 7, 5, 190, 340, shade(leaf, 0.75), 1.4)


def _slide(pen: Pen, w: float, h: float, one: Fixture) -> None:
    metal = (120, 124, 130)
    pen.line(((6, h), (12, 4)), metal, 3)
    pen.line(((20, h), (22, 4)), metal, 3)
    for step in range(5):
        pen.line(((8, h - 12 - 12 * step), (20, h - 12 - 12 * step)), metal, 2)
    pen.line(((14, 8), (26, 8), (w - 14, h - 8), (w, h - 6)), shade(one.rgb, 0.9), 8)


def _plant(pen: Pen, w: float, h: float, one: Fixture) -> None:
    leaf = (70, 140, 80)
    for turn in (-48, -24, 0, 24, 48):
        pen.at(w / 2, h - 16, 1, turn).oval(0, -20, 4.5, 20, shade(leaf, 1 + 0.004 * turn), (40, 90, 50), 0.7)
    pen.polygon(((3, h - 18), (w - 3, h - 18), (w - 7, h), (7, h)), (176, 96, 66), (96, 50, 34))


def _wardrobe(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.rect(0, 0, w, h, one.rgb, edge_of(one.rgb), 1.1)
    for left in (3, w / 2 + 1):
        pen.rect(left, 5, left + w / 2 - 4, h - 8, shade(one.rgb, 0.9), edge_of(one.rgb))
    for x in (w / 2 - 4, w / 2 + 3):
        pen.rect(x, h * 0.42, x + 1.6, h * 0.55, _DARK)


def _house(pen: Pen, w: float, h: float, one: Fixture) -> None:
    brick = shade(one.rgb, 0.92)
    pen.rect(0, 18, w, h, brick, edge_of(brick))
    pen.polygon(((-4, 20), (w / 2, -6), (w + 4, 20)), (120, 70, 60), (60, 36, 30))
    for x in (12, w / 2 - 9, w - 30):
        pen.rect(x, 30, x + 18, 56, (206, 226, 240), (240, 240, 240), 2)
        pen.line(((x + 9, 30), (x + 9, 56)), (240, 240, 240), 1.4)
    pen.rect(w - 36, 84, w - 12, h, (84, 60, 46), (40, 28, 20))
    pen.rect(10, 76, 50, 112, (206, 226, 240), (240, 240, 240), 2)


def _mat(pen: Pen, w: float, h: float, one: Fixture) -> None:
    pen.polygon(((4, 0), (w - 4, 0), (w, h), (0, h)), one.rgb, edge_of(one.rgb))
    pen.polygon(((9, 3), (w - 9, 3), (w - 6, h - 3), (6, h - 3)), None, shade(one.rgb, 1.4), 1.2)


_DRAWN = {
    "fridge": _fridge, "stove": _stove, "door": _door, "window": _window, "mirror": _mirror, "tv": _tv,
    "monitor": _monitor, "lamp": _lamp, "bath": _bath, "toilet": _toilet, "rack": _rack, "till": _till,
    "bus stop": _bus_stop, "tree": _tree, "slide": _slide, "plant": _plant, "wardrobe": _wardrobe,
    "house": _house, "mat": _mat, "basin": _basin,
}  # fmt: skip


def draw_fixture(pen: Pen, fixture: Fixture) -> None:
    """Draws one fixture within its box."""
    width, height = fixture.right - fixture.left, fixture.bottom - fixture.top
    _DRAWN[fixture.kind](pen.at(fixture.left, fixture.top), width, height, fixture)
