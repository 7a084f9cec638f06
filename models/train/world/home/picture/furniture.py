"""Draws the pieces of furniture on which things lie."""

from __future__ import annotations

from models.train.world.home.layouts import Surface, hook_places
from models.train.world.home.picture.pen import Pen, shade
from models.train.world.scenes import Rgb


def _top(pen: Pen, one: Surface, edge: Rgb, thick: float = 5) -> None:
    """The board seen from slightly above: a band `depth` deep and its front."""
    light, front = shade(one.rgb, 1.25), one.y + one.depth
    pen.polygon(
        ((one.left + 4, one.y - 2), (one.right - 4, one.y - 2), (one.right, front), (one.left, front)),
        light,
        edge,
    )
    pen.rect(one.left, front, one.right, front + thick, one.rgb, edge)


def _table(pen: Pen, one: Surface, edge: Rgb) -> None:
    leg = shade(one.rgb, 0.8)
    if one.look == 3:
        middle = (one.left + one.right) / 2
        pen.rect(middle - 4, one.y + 15, middle + 4, one.y + 46, leg, edge)
        pen.rounded(middle - 22, one.y + 44, middle + 22, one.y + 50, 3, leg, edge)
    else:
        for x in (one.left + 5, one.right - 11):
            pen.rect(x, one.y + 15, x + 6, one.y + 50, leg, edge)
        if one.look == 1:
            pen.rect(one.left + 11, one.y + 17, one.right - 11, one.y + 26, shade(one.rgb, 0.9), edge)
    _top(pen, one, edge)


def _counter(pen: Pen, one: Surface, edge: Rgb) -> None:
    pen.rect(one.left + 3, one.y + 12, one.right - 3, one.y + 50, shade(one.rgb, 0.85), edge)
    pen.rect(one.left + 5, one.y + 50, one.right - 5, one.y + 54, shade(one.rgb, 0.4))
    parts = 2 + one.look % 2
    step = (one.right - one.left - 6) / parts
    for index in range(parts):
        x = one.left + 3 + step * index
        pen.rect(x + 3, one.y + 20, x + step - 3, one.y + 47, one.rgb, edge, 0.7)
        pen.rect(x + step - 9, one.y + 30, x + step - 6, one.y + 38, (60, 60, 64))
    _top(pen, Surface(one.kind, one.left, one.right, one.y, one.depth, (196, 192, 186)), (90, 88, 84), 4)


def _shelf(pen: Pen, one: Surface, edge: Rgb) -> None:
    for x in (one.left + 8, one.right - 12):
        pen.polygon(((x, one.y + 7), (x + 4, one.y + 7), (x, one.y + 15)), (80, 80, 84))
    _top(pen, one, edge, 4)


def _chair(pen: Pen, one: Surface, edge: Rgb) -> None:
    dark = shade(one.rgb, 0.82)
    pen.rect(one.left + 2, one.y - 44, one.left + 7, one.y, dark, edge)
    pen.rect(one.right - 7, one.y - 44, one.right - 2, one.y, dark, edge)
    if one.look % 2:
        pen.rounded(one.left + 3, one.y - 43, one.right - 3, one.y - 14, 6, one.rgb, edge)
    else:
        for y in (one.y - 41, one.y - 28):
            pen.rect(one.left + 6, y, one.right - 6, y + 8, one.rgb, edge)
    for x in (one.left + 2, one.right - 7):
        pen.rect(x, one.y + 9, x + 5, one.y + 44, dark, edge)
    _top(pen, one, edge, 4)


def _sofa(pen: Pen, one: Surface, edge: Rgb) -> None:
    dark, middle = shade(one.rgb, 0.82), (one.left + one.right) / 2
    pen.rounded(one.left + 4, one.y - 38, one.right - 4, one.y + 4, 9, dark, edge)
    pen.line(((middle, one.y - 36), (middle, one.y)), edge, 0.9)
    pen.rect(one.left + 10, one.y - 2, one.right - 10, one.y + 12, shade(one.rgb, 1.15), edge)
    pen.line(((middle, one.y - 2), (middle, one.y + 24)), edge, 0.9)
    pen.rect(one.left + 8, one.y + 12, one.right - 8, one.y + 26, one.rgb, edge)
    for left in (one.left, one.right - 14):
        pen.rounded(left, one.y - 18, left + 14, one.y + 27, 6, one.rgb, edge)
        pen.rect(left + 4, one.y + 27, left + 9, one.y + 34, (60, 44, 32))


def _bed(pen: Pen, one: Surface, edge: Rgb) -> None:
    wood, sheet = one.rgb, (236, 236, 240)
    blanket = ((120, 150, 190), (180, 120, 120), (130, 165, 130), (170, 160, 130))[one.look]
    pen.rounded(one.left - 2, one.y - 38, one.left + 8, one.y + 40, 4, wood, edge)
    pen.rect(one.right - 7, one.y - 8, one.right, one.y + 40, wood, edge)
    pen.rect(one.left + 8, one.y + 8, one.right - 6, one.y + 30, shade(wood, 0.85), edge)
    pen.polygon(
        (
            (one.left + 8, one.y - 2),
            (one.right - 8, one.y - 2),
            (one.right - 6, one.y + 20),
            (one.left + 6, one.y + 20),
        ),
        sheet,
        edge,
    )
    pen.polygon(
        (
            (one.left + 38, one.y - 3),
            (one.right - 7, one.y - 3),
            (one.right - 5, one.y + 26),
            (one.left + 36, one.y + 26),
        ),
        blanket,
        edge,
    )
    pen.line(((one.left + 46, one.y - 2), (one.left + 44, one.y + 25)), shade(blanket, 1.4), 3)
    pen.rounded(one.left + 9, one.y - 12, one.left + 34, one.y + 3, 6, (250, 250, 252), (170, 170, 180))


def _hook(pen: Pen, one: Surface, edge: Rgb) -> None:
    pen.rect(one.left, one.y - 8, one.right, one.y + 2, one.rgb, edge)
    for x in hook_places(one):
        pen.line(((x, one.y - 4), (x, one.y + 5), (x + 4, one.y + 7), (x + 5, one.y + 3)), (60, 60, 66), 2)


def _bench(pen: Pen, one: Surface, edge: Rgb) -> None:
    metal = (74, 78, 84)
    for x in (one.left + 8, one.right - 13):
        pen.rect(x, one.y - 28, x + 5, one.y + 34, metal)
    for y in (one.y - 28, one.y - 17):
        pen.rect(one.left, y, one.right, y + 8, one.rgb, edge)
    for x in (one.left + 4, one.right - 9):
        pen.rect(x, one.y + 10, x + 5, one.y + 34, metal)
    _top(pen, one, edge, 4)


_DRAWN = {
    "table": _table, "counter": _counter, "shelf": _shelf, "chair": _chair, "sofa": _sofa, "bed": _bed,
    "hook": _hook, "bench": _bench,
}  # fmt: skip


def draw_surface(pen: Pen, surface: Surface, edge: Rgb) -> None:
    """Draws one piece of furniture; the floor is drawn with the place."""
    if surface.kind in _DRAWN:
        _DRAWN[surface.kind](pen, surface, edge)
