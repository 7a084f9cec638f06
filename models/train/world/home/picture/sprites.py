"""Draws any of the twelve things."""

from __future__ import annotations

from models.train.world.home.picture.handy_things import HANDY
from models.train.world.home.picture.large_things import LARGE
from models.train.world.home.picture.pen import Pen
from models.train.world.home.splits import STYLES
from models.train.world.home.things import origin_of, size_of
from models.train.world.scenes import Rgb
from models.train.world.variety.designs.catalogue import NUMBER, draw_design
from models.train.world.variety.designs.from_cutouts import draw_cutout

_DRAWN = HANDY | LARGE


def draw_thing(pen: Pen, kind: str, style: int, rgb: Rgb, label: str) -> None:
    """Draws a thing with the middle of its box's lower edge at the pen's origin."""
    own = pen.at(*origin_of(kind, style))
    if style < STYLES:
        _DRAWN[kind](own, style, rgb, label)
    elif style < STYLES + NUMBER:
        draw_design(own, kind, style - STYLES, rgb, label)
    else:
        draw_cutout(own, kind, style - STYLES - NUMBER, rgb, size_of(kind, 0))
