"""Places as values: the surfaces, fixtures, pictures and signs of each, laid out by a number.

`layout(place, number)` is a pure function. Furniture stands in columns side by side, so nothing of it covers
what lies on another surface.
"""

from __future__ import annotations

import colorsys
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from models.train.world.grammar import COLOURS, NUMBER_WORDS, SHAPES, SIGN_WORDS
from models.train.world.home.splits import layout_split
from models.train.world.scenes import Rgb, allowed_pair, paint

GROUND_Y = 150.0
"""Where the wall meets the floor, in units, of which a room is 200 high."""
OUTDOORS = ("street", "park")
SURFACES = ("table", "shelf", "chair", "sofa", "bed", "counter", "floor", "hook", "bench")


@dataclass(frozen=True)
class Surface:
    """Where things lie: from `left` to `right` at the height `y`, over a band `depth` units deep; a fixture
    may stand left of `free_left`. Things hang below a hook.
    """

    kind: str
    left: float
    right: float
    y: float
    depth: float
    rgb: Rgb
    look: int = 0
    free_left: float = 0.0

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of the whole piece of furniture, units."""
        rise, fall = _EXTENT[self.kind]
        return self.left, self.y - rise, self.right, self.y + fall


@dataclass(frozen=True)
class Fixture:
    """Something of the place on which nothing lies. `kind`: stove, window, tree ...; `look`: 0 to 3."""

    kind: str
    left: float
    top: float
    right: float
    bottom: float
    rgb: Rgb
    look: int


@dataclass(frozen=True)
class Poster:
    """A framed picture of one of the old shapes; `radius` in units."""

    shape: str
    colour: str
    rgb: Rgb
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class WallSign:
    """A sign with a word or number; `height` of its letters in units."""

    text: str
    rgb: Rgb
    x: float
    y: float
    height: float

    @property
    def spoken(self) -> str:
        """The text in spoken words: "stop", "forty two"."""
        return NUMBER_WORDS[int(self.text)] if self.text.isdigit() else self.text.lower()

    @property
    def half_width(self) -> float:
        """Half the width of the board, units."""
        return 0.46 * self.height * len(self.text) + 4


@dataclass(frozen=True)
class Layout:
    """One place as it is furnished. `pattern`: 0 plain, 1 tiles, 2 stripes, 3 panels."""

    place: str
    number: int
    surfaces: tuple[Surface, ...]
    fixtures: tuple[Fixture, ...]
    posters: tuple[Poster, ...]
    signs: tuple[WallSign, ...]
    wall: Rgb
    floor: Rgb
    pattern: int
    width: float

    def surface(self, kind: str) -> Surface:
        """Its surface of that kind; raises KeyError when it has none."""
        for surface in self.surfaces:
            if surface.kind == kind:
                return surface
        raise KeyError(kind)


_EXTENT: Mapping[str, tuple[float, float]] = {
    "table": (2, 50), "shelf": (2, 9), "chair": (44, 44), "sofa": (38, 34), "bed": (38, 40),
    "counter": (2, 54), "floor": (0, 30), "hook": (8, 8), "bench": (30, 34),
}  # fmt: skip
"""How far a piece of furniture reaches above and below its `y`, units."""
_WIDTHS = {"table": (92, 108), "shelf": (70, 86), "chair": (44, 50), "sofa": (118, 130), "bed": (122, 134),
           "counter": (104, 120), "hook": (84, 96), "bench": (92, 106)}  # fmt: skip
_Y = {"table": (114, 121), "shelf": (60, 66), "chair": (125, 130), "sofa": (131, 136), "bed": (129, 134),
      "counter": (106, 111), "hook": (44, 50), "bench": (133, 138)}  # fmt: skip
_DEPTH = {"table": 12, "shelf": 4, "chair": 7, "sofa": 9, "bed": 15, "counter": 10, "hook": 0, "bench": 7}
_FIXTURE_SIZE: Mapping[str, tuple[float, float, float]] = {
    "fridge": (46, 52, 162), "stove": (50, 52, 162), "door": (52, 46, 154), "window": (56, 22, 78),
    "mirror": (40, 24, 84), "monitor": (46, 76, 118), "lamp": (24, 66, 166), "bath": (104, 112, 164),
    "toilet": (40, 90, 166), "rack": (84, 34, 160), "till": (34, 84, 110), "bus stop": (40, 40, 162),
    "tree": (66, 14, 158), "tv": (74, 76, 162), "mat": (60, 166, 182), "plant": (26, 108, 166),
    "house": (96, 4, 150), "wardrobe": (60, 40, 162), "slide": (80, 88, 160), "basin": (36, 80, 110),
}  # fmt: skip
"""Width, top and bottom of each fixture, units."""
_COLUMNS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "kitchen": (("counter", "shelf"), ("table", "poster"), ("stove", "sign"), ("fridge", "")),
    "hall": (("bench", "shelf"), ("", "hook"), ("door", "sign"), ("chair", "mirror")),
    "desk": (("table monitor", ""), ("chair", "window"), ("plant", "shelf"), ("lamp", "poster")),
    "bedroom": (("bed", "shelf"), ("wardrobe", ""), ("chair", "window"), ("lamp", "poster")),
    "bathroom": (("counter basin", "mirror"), ("bath", "shelf"), ("toilet", "sign")),
    "living room": (("sofa", "poster"), ("table", ""), ("tv", ""), ("plant", "shelf"), ("lamp", "")),
    "shop": (("counter till", "sign"), ("rack", ""), ("table", "shelf")),
    "street": (("bench", "house"), ("bus stop", ""), ("table", "house"), ("chair", "sign")),
    "park": (("bench", ""), ("tree", ""), ("table", "sign"), ("slide", "")),
}
"""What stands below and hangs above in each column of a place; a fixture after a surface stands on it."""
LANDMARKS: Mapping[str, tuple[str, ...]] = {
    "kitchen": ("stove", "fridge"), "hall": ("door", "hook"), "desk": ("monitor",),
    "bedroom": ("bed", "wardrobe"), "bathroom": ("bath", "toilet", "basin"), "living room": ("sofa", "tv"),
    "shop": ("rack", "till"), "street": ("bus stop", "house"), "park": ("tree", "slide"),
}  # fmt: skip
"""The surfaces and fixtures by which a place is known; no other place has them."""


def hook_places(one: Surface) -> tuple[float, ...]:
    """The x of its three hooks, units."""
    third = (one.right - one.left) / 3
    return tuple(one.left + third * (index + 0.5) for index in range(3))


def surfaces_of(place: str) -> tuple[str, ...]:
    """The kinds of surface that every layout of `place` has."""
    named = {word for column in _COLUMNS[place] for item in column for word in item.split()}
    return tuple(kind for kind in SURFACES if kind in named or kind == "floor")


def _pale(rng: random.Random, saturation: float, low: float, high: float) -> Rgb:
    parts = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.04, saturation), rng.uniform(low, high))
    red, green, blue = (round(part * 255) for part in parts)
    return red, green, blue


def _wood(rng: random.Random) -> Rgb:
    """Wood, or lacquer in white, grey or a dull colour."""
    if rng.random() < 0.6:
        parts = colorsys.hsv_to_rgb(
            rng.uniform(0.06, 0.11), rng.uniform(0.3, 0.6), rng.choice((0.42, 0.6, 0.75))
        )
        red, green, blue = (round(part * 255) for part in parts)
        return red, green, blue
    return _pale(rng, 0.3, 0.4, 0.85)


def _sign(x: float, y: float, rng: random.Random) -> WallSign:
    text = str(rng.randrange(100)) if rng.random() < 0.3 else rng.choice(SIGN_WORDS).upper()
    return WallSign(text, paint(rng.choice(COLOURS), rng), x, y, rng.uniform(9, 11))


def _poster(x: float, y: float, split: str, rng: random.Random) -> Poster:
    while True:
        shape, colour = rng.choice(SHAPES), rng.choice(COLOURS)
        if allowed_pair(shape, colour, split):
            return Poster(shape, colour, paint(colour, rng), x, y, rng.uniform(12, 15))


@lru_cache(maxsize=4096)
def layout(place: str, number: int) -> Layout:
    """The furnished place of that number; the same number gives the same layout."""
    rng = random.Random(f"layout {place} {number}")
    split = layout_split(number)
    columns = rng.sample(_COLUMNS[place], len(_COLUMNS[place]))
    widths = [max(_width(item, rng) for item in column) for column in columns]
    surfaces: list[Surface] = []
    fixtures: list[Fixture] = []
    posters: list[Poster] = []
    signs: list[WallSign] = []
    x = 0.0
    for column, width in zip(columns, widths, strict=True):
        x += rng.uniform(4, 14)
        for item in column:
            middle = x + width / 2 + rng.uniform(-2, 2)
            if item == "sign":
                signs.append(_sign(middle, rng.uniform(24, 38), rng))
            elif item == "poster":
                posters.append(_poster(middle, rng.uniform(37, 42), split, rng))
            else:
                _furnish(item, middle, width, rng, surfaces, fixtures)
        x += width
    if place in ("bathroom", "living room", "hall"):
        fixtures.append(_fixture("mat", rng.uniform(60, x - 60), rng))
    surfaces.append(Surface("floor", 0, x + 8, 176, 18, (0, 0, 0)))
    wall = (150, 200, 235) if place in OUTDOORS else _pale(rng, 0.3, 0.55, 0.92)
    if place in OUTDOORS:
        light = rng.uniform(0.75, 1.15)
        wall = tuple(min(255, round(part * light)) for part in wall)  # type: ignore[assignment]
    floor = _wood(rng) if place not in OUTDOORS else _pale(rng, 0.1, 0.45, 0.65)
    if place == "park":
        floor = (rng.randint(70, 120), rng.randint(140, 175), rng.randint(60, 80))
    pattern = 1 if place in ("kitchen", "bathroom") else rng.choice((0, 2, 3))
    return Layout(
        place,
        number,
        tuple(surfaces),
        tuple(fixtures),
        tuple(posters),
        tuple(signs),
        wall,
        floor,
        pattern,
        x + 8,
    )


def _width(item: str, rng: random.Random) -> float:
    kind = item.split(" ")[0] if item.split(" ")[0] in _WIDTHS else item
    if kind in _WIDTHS:
        return rng.uniform(*_WIDTHS[kind])
    return _FIXTURE_SIZE[kind][0] if kind in _FIXTURE_SIZE else 34.0 if kind else 0.0


def _fixture(kind: str, middle: float, rng: random.Random) -> Fixture:
    width, top, bottom = _FIXTURE_SIZE[kind]
    return Fixture(
        kind,
        middle - width / 2,
        top,
        middle + width / 2,
        bottom,
        _pale(rng, 0.6, 0.45, 0.9),
        rng.randrange(4),
    )


def _furnish(
    item: str,
    middle: float,
    width: float,
    rng: random.Random,
    surfaces: list[Surface],
    fixtures: list[Fixture],
) -> None:
    """Adds a surface, a fixture, or a surface with a fixture standing on its end."""
    kind, _, on_top = item.partition(" ") if item.split(" ")[0] in _WIDTHS else (item, "", "")
    if kind in _FIXTURE_SIZE:
        fixtures.append(_fixture(kind, middle, rng))
    elif kind:
        half = min(width, rng.uniform(*_WIDTHS[kind])) / 2
        y = rng.uniform(*_Y[kind])
        left, right = middle - half, middle + half
        free = left + (_FIXTURE_SIZE[on_top][0] + 4 if on_top else 0)
        surfaces.append(Surface(kind, left, right, y, _DEPTH[kind], _wood(rng), rng.randrange(4), free))
        if on_top:
            size = _FIXTURE_SIZE[on_top]
            fixture = _fixture(on_top, left + size[0] / 2 + 2, rng)
            tall = size[2] - size[1]
            fixtures.append(
                Fixture(on_top, fixture.left, y + 2 - tall, fixture.right, y + 2, fixture.rgb, fixture.look)
            )
