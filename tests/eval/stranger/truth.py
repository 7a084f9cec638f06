"""What a stranger's picture contains, as values: coordinates in pixels, x to the right and y down."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("circle", "square", "triangle", "star", "heart", "cross", "diamond", "ring")
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "white", "black")
Rgb = tuple[int, int, int]

_BORDER_SHARE = 0.06
"""Centres closer than this share of the picture to the border of a third are at no certain place."""


@dataclass(frozen=True)
class Item:
    """One shape. `size`: large or small; `radius`: of the enclosing circle; `lean_deg`: rotation."""

    kind: str
    colour: str
    size: str
    x: float
    y: float
    radius: float
    lean_deg: float
    rgb: Rgb

    @property
    def name(self) -> str:
        """Colour and kind: "red star"."""
        return f"{self.colour} {self.kind}"


@dataclass(frozen=True)
class Board:
    """A sign: its centre, half its extents, letters ("EXIT", "42") and how these are written."""

    text: str
    colour: str
    rgb: Rgb
    ink: Rgb
    x: float
    y: float
    half_width: float
    half_height: float
    letter_height: float
    stroke: float
    slant: float
    corner: float


@dataclass(frozen=True)
class Style:
    """How a picture is made: everything that is not its contents.

    backdrop: one of `backdrop.BACKDROPS`; edge: width of the soft edge of shapes, px; shadow, gloss, rim:
    strengths of 0 to 1; gain: brightness; grain: standard deviation of the noise, levels of 0 to 255;
    quality: of JPEG.
    """

    backdrop: str
    tone: Rgb
    second_tone: Rgb
    edge: float
    shadow: float
    gloss: float
    rim: float
    gain: float
    vignette: float
    grain: float
    quality: int
    seed: int


@dataclass(frozen=True)
class Picture:
    """A picture of `width` x `height` pixels."""

    width: int
    height: int
    items: tuple[Item, ...]
    board: Board | None
    style: Style

    @property
    def short(self) -> int:
        """The shorter side, px."""
        return min(self.width, self.height)

    @property
    def form(self) -> str:
        """square, wide or tall."""
        if self.width == self.height:
            return "square"
        return "wide" if self.width > self.height else "tall"

    def found(self, kind: str = "", colour: str = "", size: str = "") -> tuple[Item, ...]:
        """The items with all the given properties."""
        return tuple(
            item
            for item in self.items
            if kind in ("", item.kind) and colour in ("", item.colour) and size in ("", item.size)
        )

    def place(self, x: float, y: float) -> str | None:
        """The ninth of the picture: "top left", "middle", "right"; None close to its border."""
        across, down = x / self.width, y / self.height
        if any(abs(at - edge) < _BORDER_SHARE for at in (across, down) for edge in (1 / 3, 2 / 3)):
            return None
        row = ("top", "", "bottom")[int(down * 3)]
        column = ("left", "", "right")[int(across * 3)]
        return f"{row} {column}".strip() or "middle"


@dataclass(frozen=True)
class Change:
    """One change between two pictures. how: moved, appeared, gone or recoloured; `before` is None for a new
    item, `after` for one that is gone; `direction`: left, right, up or down of a moved one.
    """

    how: str
    before: Item | None
    after: Item | None
    direction: str = ""

    @property
    def item(self) -> Item:
        """The item as it was, or as it appeared."""
        found = self.before or self.after
        assert found is not None
        return found


@dataclass(frozen=True)
class Pair:
    """Two pictures of one place, the older first, and all that changed. All items differ in kind."""

    first: Picture
    second: Picture
    changes: tuple[Change, ...]
