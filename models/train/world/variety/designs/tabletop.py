"""Cups, bottles and books in six forms each; a random generator decides everything else about them."""

from __future__ import annotations

from models.train.world.variety.designs.books import draw_book
from models.train.world.variety.designs.bottles import draw_bottle
from models.train.world.variety.designs.cups import draw_cup

__all__ = ["DESIGNS", "draw_book", "draw_bottle", "draw_cup"]

DESIGNS = {"cup": draw_cup, "bottle": draw_bottle, "book": draw_book}
"""The function that draws each kind."""
