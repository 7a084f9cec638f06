"""What can be seen in a stranger's view of a home: its facts, counted on a grid of points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tests.eval.stranger_home import facts as truth
from tests.eval.stranger_home.cutouts import filled
from tests.eval.stranger_home.facts import Facts, Item, Top
from tests.eval.stranger_home.outlines import LABELS, inside
from tests.eval.stranger_home.scene import Furniture, HomePicture, Thing

CELLS = 24
SEEN_FROM, PART_TO, PART_FROM, NOTHING_TO = 0.78, 0.5, 0.16, 0.02
"""Visible shares: from the first on a thing is seen, between the next two a part of it is, and up to the
last nothing. People would disagree about the others.
"""
BESIDE_TO, APART_FROM = 0.4, 0.56
"""Distances of middles, units, up to which things are next to each other, and from which they are not."""
READ_PX, UNREAD_PX = 10.0, 4.5
"""Letters of that height, px at a short side of 224, can be read; below the second height they cannot."""
LANDMARKS: Mapping[str, tuple[str, ...]] = {
    "kitchen": ("stove", "fridge"), "bedroom": ("bed", "wardrobe"), "living room": ("sofa", "tv"),
    "park": ("tree",),
}  # fmt: skip
_TOPS = ("table", "shelf", "sofa", "bed", "bench")


def facts_of(picture: HomePicture) -> Facts:
    """The facts of a view."""
    items = [_item(picture, at) for at in range(len(picture.things))]
    if picture.held is not None:
        held = picture.held
        letters = held.height * picture.short * letter_share(held) if held.label else 0.0
        read = _read(letters, picture) if held.label else True
        items.append(Item(held.name, truth.HAND, label=held.label.lower(), read=read, colour=held.colour))
    floor = "ground" if picture.place == "park" else "floor"
    tops = [_top(picture, each) for each in picture.furniture if each.kind in _TOPS]
    tops.append(Top(floor, truth.DOUBTFUL))
    return Facts(picture.place, _known(picture), tuple(items), tuple(tops), picture.look.state)


def letter_share(thing: Thing) -> float:
    """Height of the letters on a thing's label, in parts of its height."""
    _, _, half_width, half_height = LABELS[thing.name]
    return min(half_height * 1.3, half_width * 1.75 / (0.95 * len(thing.label)))


def _read(letters_px: float, picture: HomePicture) -> bool | None:
    usual_px = letters_px * 224 / picture.short
    long = max(picture.width, picture.height) / picture.short
    usual_px /= long**0.5  # a long picture is squeezed before anything looks at it
    if usual_px >= READ_PX:
        return True
    return False if usual_px < UNREAD_PX else None


def _points(thing: Thing) -> list[tuple[float, float]]:
    """Points of the room that belong to a thing."""
    cells = (np.arange(CELLS, dtype=np.float32) + 0.5) / CELLS
    aspect = thing.width / thing.height
    x, y = np.meshgrid((cells - 0.5) * aspect, cells - 1.0)
    turn = np.radians(thing.lean_deg)
    found = filled(thing.cutout, x, y) if thing.cutout else inside(thing.name, x, y)
    across, down = x[found] * thing.height, y[found] * thing.height
    return [
        (thing.x + np.cos(turn) * a - np.sin(turn) * d, thing.y + np.sin(turn) * a + np.cos(turn) * d)
        for a, d in zip(across.tolist(), down.tolist(), strict=True)
    ]


def _hidden(picture: HomePicture, nearer: Iterable[Thing], x: float, y: float) -> bool:
    cover = picture.cover
    if cover and cover.left <= x <= cover.right and cover.top <= y <= cover.bottom:
        return True
    for other in nearer:
        if abs(x - other.x) < other.width / 2 and other.y - other.height < y < other.y:
            return True
    if picture.held is None:
        return False
    held, (across, down) = picture.held, picture.to_picture(x, y)
    return (
        abs(across / picture.short - held.x) < max(held.width / 2, 0.12)
        and down / picture.short > held.y - held.height
    )


def _state(picture: HomePicture, points: list[tuple[float, float]], nearer: Iterable[Thing]) -> tuple:
    """(state, side) of something that consists of these points."""
    within = [picture.inside(x, y) for x, y in points]
    near = list(nearer)
    free = [ok and not _hidden(picture, near, x, y) for ok, (x, y) in zip(within, points, strict=True)]
    share, cut = sum(free) / len(points), 1 - sum(within) / len(points)
    if share >= SEEN_FROM:
        return truth.SEEN, ""
    if share <= NOTHING_TO:
        return truth.ABSENT if cut > 0.9 else truth.DOUBTFUL, ""
    if not PART_FROM <= share <= PART_TO:
        return truth.DOUBTFUL, ""
    covered = 1 - share - cut
    if cut > 3 * covered:
        return truth.CUT, _side(picture, points)
    return (truth.COVERED if covered > 3 * cut else truth.DOUBTFUL), ""


def _side(picture: HomePicture, points: list[tuple[float, float]]) -> str:
    placed = [picture.to_picture(x, y) for x, y in points]
    beyond = {
        "left": sum(across < 0 for across, _ in placed),
        "right": sum(across >= picture.width for across, _ in placed),
        "up": sum(down < 0 for _, down in placed),
        "down": sum(down >= picture.height for _, down in placed),
    }
    first, second = sorted(beyond, key=lambda side: -beyond[side])[:2]
    return first if beyond[first] > 2 * beyond[second] else ""


def _item(picture: HomePicture, at: int) -> Item:
    thing = picture.things[at]
    points = _points(thing)
    state, side = _state(picture, points, picture.things[at + 1 :])
    whole = all(picture.inside(x, y) and not _hidden(picture, (), x, y) for x, y in points)
    read: bool | None = True
    if thing.label:
        read = _read(thing.height * picture.px_per_unit * letter_share(thing), picture)
    beside, label = _beside(picture, thing), thing.label.lower()
    return Item(thing.name, thing.top, state, side, thing.x, beside, label, read, whole, thing.colour)


def _beside(picture: HomePicture, thing: Thing) -> tuple[str, ...] | None:
    found = []
    for way in (-1, 1):
        others = [each for each in picture.things if each.top == thing.top and (each.x - thing.x) * way > 0]
        if not others:
            continue
        nearest = min(others, key=lambda each: abs(each.x - thing.x))
        gap = abs(nearest.x - thing.x)
        index = picture.things.index(nearest)
        state, _ = _state(picture, _points(nearest), picture.things[index + 1 :])
        if BESIDE_TO < gap < APART_FROM or (gap <= BESIDE_TO and state != truth.SEEN):
            return None
        found += [nearest.name] if gap <= BESIDE_TO else []
    return tuple(found)


def _top(picture: HomePicture, piece: Furniture) -> Top:
    steps = np.linspace(piece.left, piece.right, 40)
    points = [(float(x), piece.y) for x in steps]
    within = [picture.inside(x, y) and picture.inside(x, y - 0.05) for x, y in points]
    share = sum(within) / len(within)
    if share >= 0.85:
        clear = not picture.held and not picture.cover
        return Top(piece.kind, truth.SEEN if clear else truth.DOUBTFUL)
    if share == 0:
        gone = not any(picture.inside(x, y + 0.06) for x, y in points)
        return Top(piece.kind, truth.ABSENT if gone else truth.DOUBTFUL)
    if not 0.2 <= share <= 0.5:
        return Top(piece.kind, truth.DOUBTFUL)
    side = _side(picture, points)
    return Top(piece.kind, truth.CUT if side in ("left", "right") else truth.DOUBTFUL, side)


def _known(picture: HomePicture) -> bool | None:
    shares = []
    for piece in picture.furniture:
        if piece.kind in LANDMARKS[picture.place]:
            xs, ys = np.linspace(piece.left, piece.right, 12), np.linspace(piece.y, piece.foot, 12)
            points = [(float(x), float(y)) for x in xs for y in ys]
            shares.append(
                sum(picture.inside(x, y) and not _hidden(picture, (), x, y) for x, y in points) / 144
            )
    most = max(shares, default=0.0)
    if most >= 0.65:
        return True
    return False if most <= 0.02 and picture.place != "park" else None
