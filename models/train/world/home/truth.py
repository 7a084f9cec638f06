"""What can be seen in a view, computed from its values: boxes, visible shares, neighbours, causes.

Shares are those of a thing's box, not of its outline: of points spread over the box, the part that is inside
the picture and not behind the box of something nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.train.world.home.layouts import LANDMARKS, OUTDOORS, Surface
from models.train.world.home.things import label_height
from models.train.world.home.views import SIDE_PX, Camera, Thing, View, corners_of, in_front, pose_of

SEEN, PART, GLIMPSE = 0.62, 0.52, 0.14
"""A thing is seen from the visible share SEEN on; between GLIMPSE and PART a part of it is seen. What lies
between PART and SEEN, or below GLIMPSE but above NOTHING, is a matter of judgement."""
NOTHING = 0.03
PLACE_KNOWN, PLACE_UNKNOWN = 0.55, 0.25
"""The place is known from this visible share of a landmark on, and unknown below the second share."""
READABLE_PX, UNREADABLE_PX = 8.0, 6.0
"""Letters of this height can be read; below the second height they cannot."""
_NEAR = 5.0
_STEPS = tuple((index + 0.5) / 9 for index in range(9))
Corners = Sequence[tuple[float, float]]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class SeenThing:
    """A thing of the view. `box`: left, top, right, bottom, px, also outside the picture; `visible`, `cut`
    and `covered`: shares of the box that are seen, outside the picture, hidden; `cut_side`: where most of the
    outside lies (left, right, up, down); `beside`: position words such as "left of the cup", nearest first;
    `letter_px`: height of its label's letters.
    """

    kind: str
    style: int
    colour: str
    surface: str
    box: Box
    visible: float
    cut: float
    covered: float
    cut_side: str
    beside: tuple[str, ...]
    label: str
    letter_px: float
    room_x: float

    @property
    def held(self) -> bool:
        """True in the wearer's hand."""
        return self.surface == "hand"


@dataclass(frozen=True)
class SeenSurface:
    """A surface of the place. `name` as spoken ("desk", "ground"); `visible`: share of its upper side."""

    kind: str
    name: str
    box: Box
    visible: float
    cut_side: str


@dataclass(frozen=True)
class Truth:
    """Everything true of a view. `landmark`: visible share of what the place is known by; `signs`: the
    words on the signs whose boards are seen in full, with the height of their letters, px.
    """

    place: str
    quality: str
    landmark: float
    things: tuple[SeenThing, ...]
    surfaces: tuple[SeenSurface, ...]
    signs: tuple[tuple[str, float], ...]
    pictures: tuple[tuple[str, str], ...]

    def thing(self, kind: str) -> SeenThing | None:
        """The thing of that kind, also where it cannot be seen."""
        return next((thing for thing in self.things if thing.kind == kind), None)

    @property
    def seen(self) -> tuple[SeenThing, ...]:
        """The things that can be recognised, from left to right."""
        if self.quality != "clear":
            return ()
        return tuple(sorted((t for t in self.things if t.visible >= SEEN), key=lambda thing: thing.box[0]))

    @property
    def judged(self) -> tuple[SeenThing, ...]:
        """The things of which nobody can say whether they are seen, seen in part, or not in view."""
        return tuple(t for t in self.things if PART <= t.visible < SEEN or NOTHING <= t.visible < GLIMPSE)


def surface_name(place: str, kind: str) -> str:
    """The spoken name of a surface: the table at the desk is "desk", the floor outdoors "ground"."""
    if (place, kind) == ("desk", "table"):
        return "desk"
    return "ground" if kind == "floor" and place in OUTDOORS else kind


def _grid(corners: Corners, steps: Sequence[float] = _STEPS) -> list[tuple[float, float]]:
    (x0, y0), (x1, y1), _, (x3, y3) = corners
    return [
        (x0 + (x1 - x0) * u + (x3 - x0) * v, y0 + (y1 - y0) * u + (y3 - y0) * v) for u in steps for v in steps
    ]


def _to_picture(points: Corners, camera: Camera) -> list[tuple[float, float]]:
    a, b, c, d, e, f = camera.pose(1.0)
    return [(a * x + c * y + e, b * x + d * y + f) for x, y in points]


def _hull(points: Corners) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]


def _inside(point: tuple[float, float], box: Box) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]


def _side(points: Corners) -> str:
    """Where most of what is outside the picture lies."""
    beyond = {
        "left": sum(u < 0 for u, _ in points),
        "right": sum(u > 1 for u, _ in points),
        "up": sum(v < 0 for _, v in points),
        "down": sum(v > 1 for _, v in points),
    }
    most = max(beyond, key=lambda side: beyond[side])
    return most if beyond[most] else ""


@dataclass(frozen=True)
class _Front:
    """Boxes of what is nearer: lying things and the cover in units, held things in parts of the picture."""

    room: tuple[Box, ...] = ()
    picture: tuple[Box, ...] = ()


def _share(corners: Corners, front: _Front, camera: Camera) -> tuple[float, float, float, str]:
    """Visible, cut and covered shares of the box in the room, and the side of the cut."""
    left, top, right, bottom = hull = _hull(_to_picture(corners, camera))
    if right <= 0 or bottom <= 0 or left >= 1 or top >= 1:
        return 0.0, 1.0, 0.0, _side(_to_picture(corners, camera))
    own = _hull(corners)
    room = [box for box in front.room if _overlap(box, own)]
    picture = [box for box in front.picture if _overlap(box, hull)]
    if not room and not picture and left >= 0 and top >= 0 and right <= 1 and bottom <= 1:
        return 1.0, 0.0, 0.0, ""
    points = _grid(corners)
    placed = _to_picture(points, camera)
    inside = free = 0
    for point, (u, v) in zip(points, placed, strict=True):
        if 0 <= u <= 1 and 0 <= v <= 1:
            inside += 1
            hidden = any(_inside(point, box) for box in room) or any(_inside((u, v), box) for box in picture)
            free += not hidden
    total = len(points)
    return free / total, 1 - inside / total, (inside - free) / total, _side(placed)


def _box_corners(box: Box) -> Corners:
    left, top, right, bottom = box
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _front(things: Sequence[Thing], view: View) -> _Front:
    """What `things` and the cover hide; a thing hides less than its whole box."""
    room: list[Box] = []
    picture: list[Box] = []
    for thing in things:
        corners = corners_of(thing, view.camera)
        box = _hull(_to_picture(corners, view.camera) if thing.held else corners)
        inset_x, inset_y = 0.12 * (box[2] - box[0]), 0.08 * (box[3] - box[1])
        smaller = (box[0] + inset_x, box[1] + inset_y, box[2] - inset_x, box[3])
        if thing.held:
            picture += [smaller, (thing.x - 0.11, thing.y - 0.05, thing.x + 0.13, 2.0)]
        else:
            room.append(smaller)
    if view.cover is not None:
        room.append((view.cover.left, view.cover.top, view.cover.right, view.cover.bottom))
    return _Front(tuple(room), tuple(picture))


def _beside(thing: Thing, seen: dict[str, float], view: View) -> tuple[str, ...]:
    """Position words against the recognisable things on the same surface."""
    if thing.held:
        return ()
    others = [
        other
        for other in view.things
        if other is not thing
        and other.surface == thing.surface
        and seen[other.kind] >= SEEN
        and abs(other.x - thing.x) > _NEAR
    ]
    others.sort(key=lambda other: abs(other.x - thing.x))
    return tuple(f"{'left' if thing.x < other.x else 'right'} of the {other.kind}" for other in others)


def _surface(surface: Surface, view: View, side_px: int) -> SeenSurface:
    camera = view.camera
    left, right = surface.left, surface.right
    if surface.kind == "floor":
        left, right = camera.x - camera.field / 2, camera.x + camera.field / 2
    low = surface.y + max(surface.depth, 8.0)
    corners = _box_corners((left, surface.y, right, low))
    visible, _, _, side = _share(corners, _front((), view), camera)
    hull = _hull([(u * side_px, v * side_px) for u, v in _to_picture(_box_corners(surface.box), camera)])
    return SeenSurface(surface.kind, surface_name(view.place, surface.kind), hull, visible, side)


def _landmark(view: View, front: _Front) -> float:
    kinds, place = LANDMARKS[view.place], view.layout
    boxes = [s.box for s in place.surfaces if s.kind in kinds]
    boxes += [(f.left, f.top, f.right, f.bottom) for f in place.fixtures if f.kind in kinds]
    return max(_share(_box_corners(box), front, view.camera)[0] for box in boxes)


def truth_of(view: View, side_px: int = SIDE_PX) -> Truth:
    """What is true of `view`; boxes and letters in pixels of a picture `side_px` wide."""
    camera, order = view.camera, in_front(view.things)
    scale = side_px / camera.field
    shares = {}
    for index, thing in enumerate(order):
        front = _Front() if thing.held else _front(order[index + 1 :], view)
        shares[thing.kind] = _share(corners_of(thing, camera), front, camera)
    visible = {kind: share[0] for kind, share in shares.items()}
    things = []
    for thing in order:
        own = pose_of(thing, camera)[2] * scale
        hull = _hull([(u * side_px, v * side_px) for u, v in _to_picture(corners_of(thing, camera), camera)])
        seen, cut, covered, side = shares[thing.kind]
        letters = label_height(thing.kind, thing.label) * own if thing.label else 0.0
        things.append(
            SeenThing(
                thing.kind, thing.style, thing.colour, thing.surface, hull, seen, cut, covered, side,
                _beside(thing, visible, view), thing.label, letters, thing.x,
            )
        )  # fmt: skip
    front = _front(order, view)
    signs, pictures = [], []
    for sign in view.layout.signs:
        half_w, half_h = sign.half_width, sign.height * 0.5 + 4
        board = _box_corners((sign.x - half_w, sign.y - half_h, sign.x + half_w, sign.y + half_h))
        if _share(board, front, camera)[0] > 0.98:
            signs.append((sign.spoken, sign.height * scale))
    for poster in view.layout.posters:
        r = poster.radius
        board = _box_corners((poster.x - r, poster.y - r, poster.x + r, poster.y + r))
        if _share(board, front, camera)[0] > 0.98:
            pictures.append((poster.shape, poster.colour))
    surfaces = tuple(_surface(surface, view, side_px) for surface in view.layout.surfaces)
    return Truth(
        view.place,
        view.light.quality,
        _landmark(view, front),
        tuple(things),
        surfaces,
        tuple(signs),
        tuple(pictures),
    )


def cause(truth: Truth, kind: str) -> str | None:
    """Why a thing cannot be told: dark, blurred, cut off, occluded or absent; "" where it is seen, None where
    that is a matter of judgement.
    """
    if truth.quality != "clear":
        return truth.quality
    thing = truth.thing(kind)
    if thing is None or thing.visible < NOTHING:
        return "absent"
    if thing in truth.judged:
        return None
    if thing.visible >= SEEN:
        return ""
    return "cut off" if thing.cut >= thing.covered else "occluded"


def tall_enough(letter_px: float) -> bool | None:
    """True where letters can be read, False where they cannot, None between."""
    if letter_px >= READABLE_PX:
        return True
    return False if letter_px < UNREADABLE_PX else None
