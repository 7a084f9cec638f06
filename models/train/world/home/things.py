"""The twelve things of the home: their sizes, where each can lie, and which carry a word."""

from __future__ import annotations

from collections.abc import Mapping

from models.train.world.grammar import SIGN_WORDS
from models.train.world.home.layouts import SURFACES
from models.train.world.home.splits import STYLES
from models.train.world.variety.designs import catalogue, from_cutouts

_EXTENTS: Mapping[str, tuple[tuple[float, float, float, float], ...]] = {
    "keys": (
        (-12.5, -30.5, 14.5, -1.5),
        (-15.0, -30.5, 16.0, 1.5),
        (-16.0, -30.5, 15.0, 2.0),
        (-15.0, -30.5, 8.5, 0.0),
    ),
    "glasses": (
        (-20.0, -16.0, 20.0, 1.5),
        (-20.0, -15.0, 20.0, 1.0),
        (-20.0, -15.0, 20.0, 2.0),
        (-20.0, -16.0, 20.0, 1.5),
    ),
    "phone": (
        (-8.5, -31.5, 8.5, 0.5),
        (-8.5, -31.5, 8.5, 0.5),
        (-8.5, -31.5, 8.5, 0.5),
        (-8.0, -35.0, 8.0, 0.5),
    ),
    "wallet": (
        (-15.5, -24.0, 16.5, 0.5),
        (-19.5, -24.0, 19.5, 0.5),
        (-15.5, -24.0, 19.5, 1.5),
        (-15.5, -25.0, 16.0, 0.5),
    ),
    "bag": (
        (-19.5, -41.0, 20.0, 0.5),
        (-21.5, -42.0, 21.5, 0.5),
        (-16.5, -41.0, 17.0, 0.5),
        (-23.5, -37.0, 24.0, 0.5),
    ),
    "cup": (
        (-11.5, -32.0, 19.0, 0.5),
        (-17.5, -32.0, 19.5, 2.0),
        (-11.5, -33.5, 11.5, 0.5),
        (-11.5, -38.0, 19.0, 0.5),
    ),
    "book": (
        (-13.0, -32.5, 15.5, 0.5),
        (-22.5, -24.0, 23.0, 2.5),
        (-20.5, -17.5, 22.5, 0.5),
        (-13.0, -32.5, 15.5, 3.0),
    ),
    "coat": (
        (-23.5, -63.0, 23.5, 0.5),
        (-23.5, -63.0, 23.5, 0.5),
        (-23.5, -63.0, 23.5, 0.5),
        (-23.5, -47.0, 23.5, 0.5),
    ),
    "umbrella": (
        (-24.5, -47.5, 25.0, 1.5),
        (-8.5, -59.5, 6.0, 0.0),
        (-9.0, -54.0, 9.0, 1.5),
        (-24.5, -47.5, 25.0, 1.5),
    ),
    "bottle": (
        (-10.5, -41.5, 10.5, 0.5),
        (-10.5, -41.5, 10.5, 0.5),
        (-9.0, -42.5, 9.0, 0.5),
        (-10.5, -41.5, 10.5, 0.5),
    ),
    "remote control": (
        (-7.5, -40.5, 7.5, 0.5),
        (-6.0, -40.5, 6.0, 0.5),
        (-7.5, -40.5, 7.5, 0.5),
        (-7.5, -40.5, 7.5, 0.5),
    ),
    "medicine box": (
        (-16.5, -27.0, 19.5, 0.5),
        (-18.5, -27.0, 18.5, 0.5),
        (-21.5, -18.5, 21.5, 0.5),
        (-16.5, -27.0, 19.5, 0.5),
    ),
}
"""Left, top, right and bottom of each style as its sprite is drawn around the origin, units."""
_WORDS = {"book": (0, 3), "bottle": (0, 1, 3), "medicine box": (0, 3)}
_LYING = ("table", "shelf", "chair", "sofa", "bed", "counter", "floor", "bench")
SENSIBLE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_EXTENTS, _LYING),
    "coat": ("hook", "chair", "bed", "sofa", "bench"),
    "umbrella": ("hook", "floor", "bench", "chair"),
    "bag": SURFACES,
    "keys": SURFACES,
    "cup": ("table", "shelf", "counter", "bench", "floor"),
}
"""The kinds of surface on which a thing is put."""


def _extent(kind: str, style: int) -> tuple[float, float, float, float]:
    """A style from `STYLES` on is a design of the catalogue, and after those one from a cutout."""
    if style < STYLES:
        return _EXTENTS[kind][style]
    design = style - STYLES
    if design < catalogue.NUMBER:
        return catalogue.extent(kind, design)
    return from_cutouts.extent(kind, design - catalogue.NUMBER, size_of(kind, 0))


def size_of(kind: str, style: int) -> tuple[float, float]:
    """Width and height of the thing's box, units."""
    left, top, right, bottom = _extent(kind, style)
    return right - left, bottom - top


def origin_of(kind: str, style: int) -> tuple[float, float]:
    """Where the sprite's own origin lies, seen from the middle of its box's lower edge, units."""
    left, _, right, bottom = _extent(kind, style)
    return -(left + right) / 2, -bottom


def carries_word(kind: str, style: int) -> bool:
    """True for things with a label that can hold a word."""
    if style < STYLES:
        return style in _WORDS.get(kind, ())
    return style < STYLES + catalogue.NUMBER and catalogue.has_label(kind, style - STYLES)


LABEL_WORDS = tuple(word for word in SIGN_WORDS if len(word) <= 4)
"""Words that stand on things, short enough for large letters."""


def label_height(kind: str, word: str) -> float:
    """Height of the letters on such a thing, units."""
    most = 6.6 if kind == "book" else 6.0 if kind == "bottle" else 6.4
    return min(most, 20.0 / len(word))
