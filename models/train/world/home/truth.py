"""What can be seen in a view, computed from its values: boxes, visible shares, neighbours, causes."""

from __future__ import annotations

from dataclasses import dataclass

from models.train.world.home.layouts import LANDMARKS, OUTDOORS, Surface
from models.train.world.home.picture.silhouettes import filled_cells
from models.train.world.home.things import label_height
from models.train.world.home.views import SIDE_PX, Thing, View, corners_of, in_front, pose_of
from models.train.world.home.visibility import (
    Box,
    Front,
    corners_around,
    front_of,
    hull,
    share_seen,
    to_picture,
)

SEEN, PART, GLIMPSE = 0.62, 0.52, 0.14
"""A thing is seen from the visible share SEEN on; between GLIMPSE and PART a part of it is seen. What lies
between PART and SEEN, or below GLIMPSE but above NOTHING, is a matter of judgement."""
NOTHING = 0.03
PLACE_KNOWN, PLACE_UNKNOWN = 0.55, 0.25
"""The place is known from this visible share of a landmark on, and unknown below the second share."""
READABLE_PX, UNREADABLE_PX = 8.0, 6.0
"""Letters of this height can be read; below the second height they cannot."""
_NEAR = 5.0


@dataclass(frozen=True)
class SeenThing:
    """A thing of the view. `box`: left, top, right, bottom, px, also outside the picture; `visible`, `cut`
    and `covered`: shares of its silhouette that are seen, outside the picture, hidden; `cut_side`: where most
    of the outside lies (left, right, up, down); `beside`: position words such as "left of the cup", nearest
    first; `letter_px`: height of its label's letters.
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
    corners = corners_around((left, surface.y, right, low))
    visible, _, _, side = share_seen(corners, front_of((), view), camera)
    box = hull([(u * side_px, v * side_px) for u, v in to_picture(corners_around(surface.box), camera)])
    return SeenSurface(surface.kind, surface_name(view.place, surface.kind), box, visible, side)


def _landmark(view: View, front: Front) -> float:
    kinds, place = LANDMARKS[view.place], view.layout
    boxes = [s.box for s in place.surfaces if s.kind in kinds]
    boxes += [(f.left, f.top, f.right, f.bottom) for f in place.fixtures if f.kind in kinds]
    return max(share_seen(corners_around(box), front, view.camera)[0] for box in boxes)


def truth_of(view: View, side_px: int = SIDE_PX) -> Truth:
    """What is true of `view`; boxes and letters in pixels of a picture `side_px` wide."""
    camera, order = view.camera, in_front(view.things)
    scale = side_px / camera.field
    shares = {}
    for index, thing in enumerate(order):
        front = Front() if thing.held else front_of(order[index + 1 :], view)
        shares[thing.kind] = share_seen(
            corners_of(thing, camera), front, camera, filled_cells(thing.kind, thing.style)
        )
    visible = {kind: share[0] for kind, share in shares.items()}
    things = []
    for thing in order:
        own = pose_of(thing, camera)[2] * scale
        box = hull([(u * side_px, v * side_px) for u, v in to_picture(corners_of(thing, camera), camera)])
        seen, cut, covered, side = shares[thing.kind]
        letters = label_height(thing.kind, thing.label) * own if thing.label else 0.0
        things.append(
            SeenThing(
                thing.kind, thing.style, thing.colour, thing.surface, box, seen, cut, covered, side,
                _beside(thing, visible, view), thing.label, letters, thing.x,
            )
        )  # fmt: skip
    front = front_of(order, view)
    signs, pictures = [], []
    for sign in view.layout.signs:
        half_w, half_h = sign.half_width, sign.height * 0.5 + 4
        board = corners_around((sign.x - half_w, sign.y - half_h, sign.x + half_w, sign.y + half_h))
        if share_seen(board, front, camera)[0] > 0.98:
            signs.append((sign.spoken, sign.height * scale))
    for poster in view.layout.posters:
        r = poster.radius
        board = corners_around((poster.x - r, poster.y - r, poster.x + r, poster.y + r))
        if share_seen(board, front, camera)[0] > 0.98:
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
