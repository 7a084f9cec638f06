"""What one view shows, as values: the things, the camera's pose, the light, and what stands in the way.

A view is rendered by `picture.render.render`; `truth.truth_of` says what can be seen in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.train.world.home.layouts import Layout, layout
from models.train.world.home.things import size_of
from models.train.world.scenes import Rgb

SIDE_PX = 224
"""The usual side of a picture."""
HAND = "hand"
"""The surface of a thing that is held."""
DARK_BELOW = 0.1
"""Light under which nothing can be recognised."""
BLURRED_ABOVE = 0.05
"""Blur, as a share of the picture's side, above which nothing can be recognised."""


@dataclass(frozen=True)
class Thing:
    """One thing: `x` is its middle and `y` its lower edge, in units; parts of the picture when held."""

    kind: str
    style: int
    colour: str
    rgb: Rgb
    surface: str
    x: float
    y: float
    label: str = ""

    @property
    def held(self) -> bool:
        """True for a thing in the wearer's hand."""
        return self.surface == HAND

    @property
    def design(self) -> str:
        """Kind and style, the same for things of one form."""
        return f"{self.kind} {self.style}"


@dataclass(frozen=True)
class Camera:
    """Its pose: `x` (pan) and `y` (tilt) is what it looks at, `field` how wide a piece of the room it sees
    (zoom), units; `roll_deg` turns the picture clockwise.
    """

    x: float
    y: float
    field: float
    roll_deg: float = 0.0

    def pose(self, side_px: float) -> tuple[float, float, float, float, float, float]:
        """(a, b, c, d, e, f): (x, y) units lie at (ax + cy + e, bx + dy + f) pixels."""
        scale = side_px / self.field
        cos, sin = (
            scale * math.cos(math.radians(self.roll_deg)),
            scale * math.sin(math.radians(self.roll_deg)),
        )
        half = side_px / 2
        return cos, sin, -sin, cos, half - cos * self.x + sin * self.y, half - sin * self.x - cos * self.y

    def to_room(self, u: float, v: float) -> tuple[float, float]:
        """The units at the part (u, v) of the picture, each 0 to 1."""
        a, b, c, d, e, f = self.pose(1.0)
        size = a * d - b * c
        return (d * (u - e) - c * (v - f)) / size, (a * (v - f) - b * (u - e)) / size


@dataclass(frozen=True)
class Light:
    """`level` 1 is normal and below 0.1 too dark; `warmth` -1 to 1 is blue to yellow; `slope_x`, `slope_y`:
    change across the picture; `grain`: noise in grey levels; `blur`: as a share of the picture's side, over
    0.05 unreadable; `motion`: direction of motion blur ("", "x", "y").
    """

    level: float = 1.0
    warmth: float = 0.0
    slope_x: float = 0.0
    slope_y: float = 0.0
    grain: float = 2.0
    blur: float = 0.0
    motion: str = ""

    @property
    def quality(self) -> str:
        """clear, dark or blurred."""
        if self.level < DARK_BELOW:
            return "dark"
        return "blurred" if self.blur > BLURRED_ABOVE else "clear"


@dataclass(frozen=True)
class Cover:
    """Something near the camera that hides what is behind it, units. `look`: 0 carton, 1 cushion, 2 cloth."""

    left: float
    top: float
    right: float
    bottom: float
    rgb: Rgb
    look: int


@dataclass(frozen=True)
class View:
    """One view. `look` seeds the noise; `at_s`: seconds after midnight, where the view belongs to a day."""

    place: str
    layout_number: int
    things: tuple[Thing, ...]
    camera: Camera
    light: Light
    cover: Cover | None = None
    look: int = 0
    at_s: float = 0.0

    @property
    def layout(self) -> Layout:
        """The furnished place."""
        return layout(self.place, self.layout_number)

    @property
    def held(self) -> Thing | None:
        """The thing in the wearer's hand."""
        return next((thing for thing in self.things if thing.held), None)


def pose_of(thing: Thing, camera: Camera) -> tuple[float, float, float, float]:
    """x and y of its lower edge's middle, units, its scale, and its angle against the room in degrees.

    A held thing has the same size and place in the picture wherever the camera looks.
    """
    if not thing.held:
        return thing.x, thing.y, 1.0, 0.0
    x, y = camera.to_room(thing.x, thing.y)
    return x, y, 0.42 * camera.field / max(size_of(thing.kind, thing.style)), -camera.roll_deg


def corners_of(thing: Thing, camera: Camera) -> tuple[tuple[float, float], ...]:
    """The corners of the thing's box in the room, units."""
    x, y, scale, angle_deg = pose_of(thing, camera)
    width, height = size_of(thing.kind, thing.style)
    cos, sin = scale * math.cos(math.radians(angle_deg)), scale * math.sin(math.radians(angle_deg))
    local = ((-width / 2, -height), (width / 2, -height), (width / 2, 0.0), (-width / 2, 0.0))
    return tuple((x + cos * dx - sin * dy, y + sin * dx + cos * dy) for dx, dy in local)


def in_front(things: tuple[Thing, ...]) -> list[Thing]:
    """The things from the farthest to the nearest: the order in which they are drawn."""
    return sorted(things, key=lambda thing: (thing.held, thing.surface == "floor", thing.y, thing.x))
