"""A stranger's view of a home, as values.

A room has units: its wall is about 1 high, x to the right, y down. The camera looks at a point of it; a
picture's short side shows 1 / zoom units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.train.cutouts import Cutout
from tests.eval.stranger.truth import Rgb
from tests.eval.stranger_home.outlines import ASPECT


@dataclass(frozen=True)
class Thing:
    """A thing that stands with its middle on (x, y), `height` units high. label: a word in capitals.
    colour: what people call `rgb`. cutout: its picture, where somebody else has drawn or photographed it.
    """

    name: str
    top: str
    x: float
    y: float
    height: float
    rgb: Rgb
    lean_deg: float = 0.0
    label: str = ""
    colour: str = ""
    cutout: Cutout | None = None

    @property
    def width(self) -> float:
        """Units."""
        return self.height * (self.cutout.aspect if self.cutout else ASPECT[self.name])


@dataclass(frozen=True)
class Furniture:
    """A piece from `left` to `right`. y: where things stand on it, or its top; foot: its lower edge."""

    kind: str
    left: float
    right: float
    y: float
    foot: float
    rgb: Rgb
    cloth: Rgb


@dataclass(frozen=True)
class Cover:
    """Something near that hides a rectangle of the room, units."""

    left: float
    top: float
    right: float
    bottom: float
    rgb: Rgb


@dataclass(frozen=True)
class Look:
    """How a picture is made. edge: soft edge, px; gloss, shadow, vignette: 0 to 1; gain: brightness, below
    0.08 nobody sees anything; warmth: -1 to 1; grain: levels of 0 to 255; quality: of JPEG; blur: radius as a
    share of the short side, above 0.05 nobody recognises anything; motion_deg: direction of a shake, None for
    a lens out of focus; paper: of the wall, one of `render.PAPERS`.
    """

    wall: Rgb
    floor: Rgb
    paper: str
    edge: float = 1.4
    gloss: float = 0.5
    shadow: float = 0.4
    gain: float = 1.0
    warmth: float = 0.0
    vignette: float = 0.1
    grain: float = 2.0
    quality: int = 80
    blur: float = 0.0
    motion_deg: float | None = None
    seed: int = 0

    @property
    def state(self) -> str:
        """clear, dark or blurred."""
        if self.gain < 0.08:
            return "dark"
        return "blurred" if self.blur > 0.05 else "clear"


@dataclass(frozen=True)
class HomePicture:
    """`width` x `height` pixels. things: from the back to the front; held: in the wearer's hand, its x, y and
    height in parts of the picture's short side; at: the middle of the view, units.
    """

    width: int
    height: int
    place: str
    floor_y: float
    furniture: tuple[Furniture, ...]
    things: tuple[Thing, ...]
    held: Thing | None
    cover: Cover | None
    look: Look
    at: tuple[float, float]
    zoom: float
    lean_deg: float = 0.0

    @property
    def short(self) -> int:
        """The shorter side, px."""
        return min(self.width, self.height)

    @property
    def px_per_unit(self) -> float:
        """Scale of the picture."""
        return self.short * self.zoom

    @property
    def form(self) -> str:
        """square, wide or tall."""
        if self.width == self.height:
            return "square"
        return "wide" if self.width > self.height else "tall"

    def to_picture(self, x: float, y: float) -> tuple[float, float]:
        """Pixels of a point of the room."""
        cos, sin = math.cos(math.radians(self.lean_deg)), math.sin(math.radians(self.lean_deg))
        dx, dy = (x - self.at[0]) * self.px_per_unit, (y - self.at[1]) * self.px_per_unit
        return self.width / 2 + cos * dx - sin * dy, self.height / 2 + sin * dx + cos * dy

    def inside(self, x: float, y: float) -> bool:
        """Whether a point of the room is within the picture's border."""
        across, down = self.to_picture(x, y)
        return 0 <= across < self.width and 0 <= down < self.height
