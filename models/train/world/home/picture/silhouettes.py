"""Which parts of its box a thing fills, from its own drawing."""

from __future__ import annotations

from functools import cache

from PIL import Image

from models.train.world.home.picture.pen import Pen, differs_from
from models.train.world.home.picture.sprites import draw_thing
from models.train.world.home.things import size_of

CELLS = 12
"""Rows and columns of a silhouette."""
_CELL_PX = 6
_NOTHING = (255, 0, 255)


@cache
def silhouette(kind: str, style: int) -> tuple[tuple[bool, ...], ...]:
    """Rows from the top of the box down: True where the sprite covers at least half of the cell."""
    side, (width, height) = CELLS * _CELL_PX, size_of(kind, style)
    image = Image.new("RGB", (side, side), _NOTHING)
    draw_thing(
        Pen(image, (side / width, 0.0, 0.0, side / height, side / 2, side)), kind, style, (0, 90, 0), ""
    )
    drawn = differs_from(image, _NOTHING)
    filled = drawn.reshape(CELLS, _CELL_PX, CELLS, _CELL_PX).mean(axis=(1, 3)) >= 0.5
    return tuple(tuple(bool(cell) for cell in row) for row in filled)


@cache
def filled_cells(kind: str, style: int) -> tuple[tuple[float, float], ...]:
    """(u, v) of the middle of each filled cell, parts of the box from its upper left corner."""
    rows = silhouette(kind, style)
    return tuple(
        ((column + 0.5) / CELLS, (row + 0.5) / CELLS)
        for row in range(CELLS)
        for column in range(CELLS)
        if rows[row][column]
    )
