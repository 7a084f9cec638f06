"""Draws a place without its things: wall, floor, fixtures, furniture, pictures and signs."""

from __future__ import annotations

import random

from models.train.world.drawing import outline
from models.train.world.home.layouts import GROUND_Y, OUTDOORS, Layout, Poster, WallSign
from models.train.world.home.picture.fixtures import draw_fixture
from models.train.world.home.picture.furniture import draw_surface
from models.train.world.home.picture.pen import Pen, edge_of, ink_on, shade
from models.train.world.scenes import Rgb

_BEHIND = frozenset({"house", "mat", "window", "mirror"})
_ON_FURNITURE = frozenset({"monitor", "till", "basin"})
Span = tuple[float, float, float, float]
"""Left, top, right and bottom of what the camera sees, units."""


def _wall_pattern(pen: Pen, place: Layout, seen: Span) -> None:
    left, top, right, _ = seen
    faint = shade(place.wall, 0.93)
    if place.pattern == 1:
        for step in range(int(left // 18), int(right // 18) + 1):
            pen.line(((step * 18, top), (step * 18, GROUND_Y)), faint, 0.8)
        for step in range(int(top // 18), int(GROUND_Y // 18) + 1):
            pen.line(((left, step * 18), (right, step * 18)), faint, 0.8)
    elif place.pattern == 2:
        for step in range(int(left // 22), int(right // 22) + 1):
            pen.rect(step * 22, top, step * 22 + 9, GROUND_Y, faint)
    elif place.pattern == 3:
        pen.rect(left, 108, right, GROUND_Y, shade(place.wall, 0.9))
        pen.line(((left, 108), (right, 108)), shade(place.wall, 0.75), 2)


def _outdoors(pen: Pen, place: Layout, seen: Span) -> None:
    """Sky with clouds; grass with tufts, or pavement with a road at its lower border."""
    left, _, right, bottom = seen
    rng = random.Random(place.number)
    for _ in range(5):
        x, y = rng.uniform(0, place.width), rng.uniform(4, 60)
        for dx, dy, r in ((-14, 2, 8), (0, -2, 11), (13, 2, 8)):
            pen.oval(x + dx, y + dy, r * 1.5, r * 0.8, shade(place.wall, 1.6))
    if place.place == "park":
        pen.oval(place.width * 0.3, GROUND_Y + 4, 150, 30, shade(place.floor, 0.86))
        pen.oval(place.width * 0.8, GROUND_Y + 4, 130, 22, shade(place.floor, 0.92))
        pen.rect(left, GROUND_Y, right, bottom, place.floor)
        for _ in range(40):
            x, y = rng.uniform(0, place.width), rng.uniform(GROUND_Y + 6, 200)
            pen.line(((x - 1.5, y - 4), (x, y), (x + 2, y - 4)), shade(place.floor, 0.75), 0.8)
        return
    pen.rect(left, 138, right, GROUND_Y, shade(place.wall, 0.7))
    pen.rect(left, GROUND_Y, right, bottom, place.floor)
    for step in range(int(left // 30), int(right // 30) + 1):
        pen.line(((step * 30, GROUND_Y), (step * 30 - 12, 196)), shade(place.floor, 0.88), 0.8)
    pen.rect(left, 196, right, 200, shade(place.floor, 0.7))
    pen.rect(left, 200, right, max(bottom, 201), (70, 72, 78))
    for step in range(int(left // 60), int(right // 60) + 1):
        pen.rect(step * 60, 216, step * 60 + 30, 220, (225, 225, 215))


def _indoors(pen: Pen, place: Layout, seen: Span) -> None:
    left, _, right, bottom = seen
    _wall_pattern(pen, place, seen)
    pen.rect(left, GROUND_Y, right, bottom, place.floor)
    joint = shade(place.floor, 0.88)
    if place.pattern == 1 or place.place == "shop":
        for step in range(int(left // 36) - 1, int(right // 36) + 2):
            pen.line(((step * 36, GROUND_Y), (step * 36 - 26, bottom)), joint, 1)
        for y in (GROUND_Y + 12, GROUND_Y + 30, GROUND_Y + 54):
            pen.line(((left, y), (right, y)), joint, 1)
    else:
        for row, y in enumerate((GROUND_Y + 8, GROUND_Y + 20, GROUND_Y + 36, GROUND_Y + 56)):
            pen.line(((left, y), (right, y)), joint, 0.9)
            for step in range(int(left // 80) - 1, int(right // 80) + 1):
                pen.line(((step * 80 + 31 * row, y), (step * 80 + 31 * row, y + 12)), joint, 0.9)
    pen.rect(left, GROUND_Y - 5, right, GROUND_Y, shade(place.wall, 1.4), shade(place.wall, 0.7), 0.7)


def draw_shape(pen: Pen, shape: str, x: float, y: float, radius: float, rgb: Rgb, behind: Rgb) -> None:
    """One of the old shapes on ground of the colour `behind`."""
    if shape in ("circle", "ring"):
        pen.oval(x, y, 0.95 * radius, 0.95 * radius, rgb)
        if shape == "ring":
            pen.oval(x, y, 0.52 * radius, 0.52 * radius, behind)
    else:
        pen.polygon([(x + radius * dx, y + radius * dy) for dx, dy in outline(shape)], rgb)


def _poster(pen: Pen, poster: Poster) -> None:
    side = poster.radius + 4
    ground = (120, 125, 132) if poster.colour in ("white", "black", "yellow") else (232, 230, 224)
    pen.rect(poster.x - side - 3, poster.y - side - 3, poster.x + side + 3, poster.y + side + 3, (96, 70, 44))
    pen.rect(poster.x - side, poster.y - side, poster.x + side, poster.y + side, ground)
    draw_shape(pen, poster.shape, poster.x, poster.y, poster.radius, poster.rgb, ground)


def _sign(pen: Pen, sign: WallSign, outdoors: bool) -> None:
    half_w, half_h, ink = sign.half_width, sign.height * 0.5 + 4, ink_on(sign.rgb)
    if outdoors:
        pen.rect(sign.x - 1.5, sign.y, sign.x + 1.5, GROUND_Y + 6, (110, 112, 118))
    pen.rect(sign.x - half_w, sign.y - half_h, sign.x + half_w, sign.y + half_h, sign.rgb, ink, 1.2)
    pen.text(sign.x, sign.y, sign.text, sign.height, ink)


def draw_place(pen: Pen, place: Layout, seen: Span) -> None:
    """Everything of the place that the camera may see; the image is already filled with the wall's colour."""
    left, _, right, _ = seen
    outdoors = place.place in OUTDOORS
    (_outdoors if outdoors else _indoors)(pen, place, seen)

    def visible(x0: float, x1: float) -> bool:
        return x1 > left and x0 < right

    fixtures = [each for each in place.fixtures if visible(each.left - 6, each.right + 6)]
    for fixture in fixtures:
        if fixture.kind in _BEHIND:
            draw_fixture(pen, fixture)
    for fixture in fixtures:
        if fixture.kind not in _BEHIND | _ON_FURNITURE:
            draw_fixture(pen, fixture)
    for poster in place.posters:
        if visible(poster.x - 20, poster.x + 20):
            _poster(pen, poster)
    for sign in place.signs:
        if visible(sign.x - sign.half_width, sign.x + sign.half_width):
            _sign(pen, sign, outdoors)
    for surface in place.surfaces:
        if visible(surface.left - 4, surface.right + 4):
            draw_surface(pen, surface, edge_of(surface.rgb))
    for fixture in fixtures:
        if fixture.kind in _ON_FURNITURE:
            draw_fixture(pen, fixture)
