"""The twelve things of the home: their sizes, where each can lie, and which carry a word."""

from __future__ import annotations

from collections.abc import Mapping

from models.train.world.grammar import SIGN_WORDS
from models.train.world.home.layouts import SURFACES

_SIZES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "keys": ((28, 31), (34, 31), (34, 31), (32, 31)),
    "glasses": ((38, 15), (38, 15), (38, 15), (40, 16)),
    "phone": ((17, 32), (17, 32), (17, 32), (16, 36)),
    "wallet": ((32, 25), (39, 25), (38, 25), (31, 26)),
    "bag": ((39, 40), (43, 42), (33, 41), (47, 36)),
    "cup": ((30, 33), (34, 33), (23, 34), (30, 39)),
    "book": ((28, 33), (45, 25), (43, 18), (28, 33)),
    "coat": ((47, 63), (47, 63), (47, 63), (47, 47)),
    "umbrella": ((50, 48), (16, 62), (18, 55), (50, 48)),
    "bottle": ((22, 42), (22, 42), (19, 43), (22, 42)),
    "remote control": ((15, 41), (12, 41), (15, 41), (15, 41)),
    "medicine box": ((36, 28), (37, 28), (43, 19), (36, 28)),
}
_WORDS = {"book": (0, 3), "bottle": (0, 1, 3), "medicine box": (0, 3)}
_LYING = ("table", "shelf", "chair", "sofa", "bed", "counter", "floor", "bench")
SENSIBLE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_SIZES, _LYING),
    "coat": ("hook", "chair", "bed", "sofa", "bench"),
    "umbrella": ("hook", "floor", "bench", "chair"),
    "bag": SURFACES,
    "keys": SURFACES,
    "cup": ("table", "shelf", "counter", "bench", "floor"),
}
"""The kinds of surface on which a thing is put."""


def size_of(kind: str, style: int) -> tuple[float, float]:
    """Width and height of the thing's box, units."""
    return _SIZES[kind][style]


def carries_word(kind: str, style: int) -> bool:
    """True for things with a label that can hold a word."""
    return style in _WORDS.get(kind, ())


LABEL_WORDS = tuple(word for word in SIGN_WORDS if len(word) <= 4)
"""Words that stand on things, short enough for large letters."""


def label_height(kind: str, word: str) -> float:
    """Height of the letters on such a thing, units."""
    most = 6.6 if kind == "book" else 6.0 if kind == "bottle" else 6.4
    return min(most, 20.0 / len(word))
