"""Where the items of a scene are and how large, as a person would judge it."""

from __future__ import annotations

from math import hypot

from models.train.world.grammar import POSITIONS
from models.train.world.scenes import SIDE_PX, Sign, Thing

CLEAR_PX = 14.0
SAME_PX = 4.0
BORDER_PX = 4.0
BESIDE_PX, APART_PX = 22.0, 32.0
"""A gap up to which two things are next to each other, and from which on they are not."""
_BIGGER, _ALIKE = 1.3, 1.12
"""A ratio of sizes from which on one thing is bigger, and up to which both are about the same size."""
Item = Thing | Sign


def offset_px(relation: str, a: Item, b: Item) -> float:
    """Distance of `a` from `b` in the direction of `relation`, px; negative on the opposite side."""
    along = {"left of": b.x - a.x, "right of": a.x - b.x, "above": b.y - a.y, "below": a.y - b.y}
    return along[relation]


def position_of(item: Item) -> str | None:
    """The part of the picture, one of POSITIONS; None less than 4 px from the border of a part."""
    third = SIDE_PX / 3
    if any(abs(v - edge) < BORDER_PX for v in (item.x, item.y) for edge in (third, 2 * third)):
        return None
    return POSITIONS[3 * int(item.y // third) + int(item.x // third)]


def gap_px(one: Thing, other: Item) -> float:
    """Free space between a thing and another item, px."""
    dx, dy = abs(one.x - other.x), abs(one.y - other.y)
    if isinstance(other, Thing):
        return hypot(dx, dy) - one.radius_px - other.radius_px
    return hypot(max(dx - other.width_px / 2, 0.0), max(dy - other.height_px / 2, 0.0)) - one.radius_px


def bigger_of(first: Thing, second: Thing) -> str | None:
    """ "first", "second", "same", or None where the difference is hard to judge."""
    ratio = max(first.radius_px, second.radius_px) / min(first.radius_px, second.radius_px)
    if ratio <= _ALIKE:
        return "same"
    if ratio < _BIGGER:
        return None
    return "first" if first.radius_px > second.radius_px else "second"
