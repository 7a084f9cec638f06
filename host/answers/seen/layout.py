"""Where the shapes of a scene lie to each other, as a person would judge it. Parts of the picture's side."""

from __future__ import annotations

from math import hypot

from host.answers.seen.scene import Item, Scene

_SCENE_PX = 128
"""The distances below are of pictures of this side."""
BESIDE, SAME = 27 / _SCENE_PX, 9 / _SCENE_PX
"""Up to the first gap two are next to each other; up to the second offset neither is left of the other."""
BIGGER = 1.2
"""From this ratio of their sizes on, one thing is bigger."""
OPPOSITE = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
POSITIONS = (
    "at the top left", "at the top", "at the top right", "on the left", "in the middle", "on the right",
    "at the bottom left", "at the bottom", "at the bottom right",
)  # fmt: skip


def ratio(one: Item, other: Item) -> float:
    """How much bigger the first is."""
    return one.radius / max(other.radius, 1e-6)


def gap(one: Item, other: Item, scene: Scene) -> float:
    """Free space between two, parts of the side."""
    dx, dy = abs(one.x - other.x), abs(one.y - other.y)
    if other is not scene.sign:
        return hypot(dx, dy) - one.radius - other.radius
    return hypot(max(dx - other.half_width, 0.0), max(dy - other.half_height, 0.0)) - one.radius


def offset(relation: str, a: Item, b: Item) -> float:
    """How far `a` is from `b` in the direction of a relation; negative on the opposite side."""
    along = {"left of": b.x - a.x, "right of": a.x - b.x, "above": b.y - a.y, "below": a.y - b.y}
    return along[relation]


def holds(relation: str, a: Item, b: Item, scene: Scene) -> bool:
    """Whether `a` is so to `b`."""
    if relation == "next to":
        return gap(a, b, scene) <= BESIDE
    if relation == "bigger than":
        return ratio(a, b) >= BIGGER
    if relation == "smaller than":
        return ratio(b, a) >= BIGGER
    return offset(relation, a, b) > 0


def position_of(item: Item) -> str:
    """The ninth of the picture that its middle lies in."""
    column, row = (min(max(int(3 * part), 0), 2) for part in (item.x, item.y))
    return POSITIONS[3 * row + column]
