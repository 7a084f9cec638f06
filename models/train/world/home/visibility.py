"""Which share of something the camera sees: what the border cuts off, and what nearer things hide.

Shares are those of a thing's silhouette: of the cells of its box that its drawing fills, the part that is
inside the picture and not behind a filled cell of something nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.train.world.home.picture.silhouettes import CELLS, silhouette
from models.train.world.home.views import Camera, Thing, View, corners_of

Corners = Sequence[tuple[float, float]]
Box = tuple[float, float, float, float]
_EVERYWHERE: Corners = tuple(((column + 0.5) / 9, (row + 0.5) / 9) for row in range(9) for column in range(9))


def to_picture(points: Corners, camera: Camera) -> list[tuple[float, float]]:
    """Points of the room as parts of the picture, 0 to 1 inside it."""
    a, b, c, d, e, f = camera.pose(1.0)
    return [(a * x + c * y + e, b * x + d * y + f) for x, y in points]


def hull(points: Corners) -> Box:
    """Left, top, right and bottom of the upright box around `points`."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]


def _side(points: Corners) -> str:
    """Where most of what is outside the picture lies."""
    beyond = {"left": 0, "right": 0, "up": 0, "down": 0}
    for u, v in points:
        if u < 0:
            beyond["left"] += 1
        elif u > 1:
            beyond["right"] += 1
        if v < 0:
            beyond["up"] += 1
        elif v > 1:
            beyond["down"] += 1
    most = max(beyond, key=lambda side: beyond[side])
    return most if beyond[most] else ""


@dataclass(frozen=True)
class Shadow:
    """What lies behind `box` is hidden where `cells` are filled, everywhere without them."""

    box: Box
    cells: tuple[tuple[bool, ...], ...] | None = None

    def hides(self, x: float, y: float) -> bool:
        """True for a point that is hidden."""
        left, top, right, bottom = self.box
        if not (left < x < right and top < y < bottom):
            return False
        if self.cells is None:
            return True
        row, column = int((y - top) / (bottom - top) * CELLS), int((x - left) / (right - left) * CELLS)
        return self.cells[min(row, CELLS - 1)][min(column, CELLS - 1)]


@dataclass(frozen=True)
class Front:
    """What is nearer: lying things and the cover in units, held things in parts of the picture."""

    room: tuple[Shadow, ...] = ()
    picture: tuple[Shadow, ...] = ()


def share_seen(
    corners: Corners, front: Front, camera: Camera, parts: Corners = _EVERYWHERE
) -> tuple[float, float, float, str]:
    """Visible, cut and covered shares of the `parts` of the box in the room, and the side of the cut."""
    left, top, right, bottom = whole = hull(to_picture(corners, camera))
    if right <= 0 or bottom <= 0 or left >= 1 or top >= 1:
        return 0.0, 1.0, 0.0, _side(to_picture(corners, camera))
    own = hull(corners)
    room = [box for box in front.room if _overlap(box.box, own)]
    picture = [box for box in front.picture if _overlap(box.box, whole)]
    if not room and not picture and left >= 0 and top >= 0 and right <= 1 and bottom <= 1:
        return 1.0, 0.0, 0.0, ""
    (x0, y0), (x1, y1), _, (x3, y3) = corners
    across_x, across_y, down_x, down_y = x1 - x0, y1 - y0, x3 - x0, y3 - y0
    a, b, c, d, e, f = camera.pose(1.0)
    inside = free = 0
    placed = []
    for along, below in parts:
        x, y = x0 + across_x * along + down_x * below, y0 + across_y * along + down_y * below
        u, v = a * x + c * y + e, b * x + d * y + f
        placed.append((u, v))
        if 0 <= u <= 1 and 0 <= v <= 1:
            inside += 1
            if not ((room and _hidden(room, x, y)) or (picture and _hidden(picture, u, v))):
                free += 1
    total = len(parts)
    side = "" if inside == total else _side(placed)
    return free / total, 1 - inside / total, (inside - free) / total, side


def _hidden(shadows: Sequence[Shadow], x: float, y: float) -> bool:
    for each in shadows:  # noqa: SIM110  this runs for every point of every thing
        if each.hides(x, y):
            return True
    return False


def corners_around(box: Box) -> Corners:
    """The corners of a box, clockwise from its upper left."""
    left, top, right, bottom = box
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def front_of(things: Sequence[Thing], view: View) -> Front:
    """What `things` and the cover hide."""
    room: list[Shadow] = []
    picture: list[Shadow] = []
    for thing in things:
        corners, cells = corners_of(thing, view.camera), silhouette(thing.kind, thing.style)
        if thing.held:
            picture.append(Shadow(hull(to_picture(corners, view.camera)), cells))
            picture.append(Shadow((thing.x - 0.11, thing.y - 0.05, thing.x + 0.13, 2.0)))
        else:
            room.append(Shadow(hull(corners), cells))
    if view.cover is not None:
        room.append(Shadow((view.cover.left, view.cover.top, view.cover.right, view.cover.bottom)))
    return Front(tuple(room), tuple(picture))
