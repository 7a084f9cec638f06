"""What a picture may show, as values that sentences can be told from: the likeliest scene, and others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from models.detection import Candidate, Chances, Detection

_SAME = 0.6
"""Two candidates closer than this part of their extents are one."""


@dataclass(frozen=True)
class Item:
    """One thing. x, y, half_width, half_height: parts of the picture's side."""

    name: str
    colour: str
    x: float
    y: float
    half_width: float
    half_height: float
    lying: str = ""
    whole: bool = True

    @property
    def radius(self) -> float:
        """Of the circle of its extent."""
        return (self.half_width + self.half_height) / 2

    @property
    def pair(self) -> tuple[str, str]:
        """(colour, name)."""
        return self.colour, self.name


@dataclass(frozen=True)
class Scene:
    """shapes, things: from left to right; sign: the one that is there. place: "" where it is not known.
    colours, names, kinds: all colours, shapes and things in their usual order.
    """

    shapes: tuple[Item, ...]
    things: tuple[Item, ...]
    sign: Item | None
    place: str
    colours: tuple[str, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]

    def matching(self, shape: str = "", colour: str = "", size: str = "") -> list[Item]:
        """The shapes with all the given properties."""
        return [
            item
            for item in self.shapes
            if shape in ("", item.name) and colour in ("", item.colour) and size in ("", size_of(item))
        ]

    def thing(self, name: str) -> Item | None:
        """The thing of that name."""
        return next((item for item in self.things if item.name == name), None)


LARGE_FROM = 13.5 / 128
"""Radius from which on a shape is large."""


def size_of(item: Item) -> str:
    """ "large" or "small"."""
    return "large" if item.radius >= LARGE_FROM else "small"


def scenes(detection: Detection, number: int, seed: int = 0) -> Iterator[Scene]:
    """The likeliest scene, and further ones drawn by the probabilities of what is in each place, in which
    everything lies a little elsewhere, as far as the detector errs.
    """
    yield _scene(detection, None)
    rng = random.Random(seed)
    for _ in range(number - 1):
        yield _scene(detection, rng)


def _scene(detection: Detection, rng: random.Random | None) -> Scene:
    found: list[Item] = []
    for candidate in detection.candidates:
        item = _item(candidate, detection, rng)
        if item is not None and not any(_alike(item, other) for other in found):
            found.append(item)
    found.sort(key=lambda item: item.x)
    signs = [item for item in found if item.name == detection.sign]
    things: dict[str, Item] = {}
    for item in found:
        if item.name in detection.things:
            things.setdefault(item.name, item)
    return Scene(
        tuple(item for item in found if item.name in detection.shapes),
        tuple(things.values()),
        signs[0] if signs else None,
        _one(detection.place, rng),
        detection.colours,
        detection.shapes,
        detection.things,
    )


def _item(candidate: Candidate, detection: Detection, rng: random.Random | None) -> Item | None:
    name = _one(candidate.what, rng)
    if not name:
        return None

    def about(value: float, error: float) -> float:
        return value if rng is None else value + rng.gauss(0.0, error)

    scale = 1.0 if rng is None else max(0.5, 1.0 + rng.gauss(0.0, detection.extent_error))
    whole = candidate.whole >= 0.5 if rng is None else rng.random() < candidate.whole
    return Item(
        name,
        _one(candidate.colour, rng),
        about(candidate.x, detection.middle_error),
        about(candidate.y, detection.middle_error),
        candidate.half_width * scale,
        candidate.half_height * scale,
        _one(candidate.lying, rng),
        whole,
    )


def _one(chances: Chances, rng: random.Random | None) -> str:
    """The likeliest name, or one drawn by the probabilities."""
    if not chances:
        return ""
    if rng is None:
        return chances[0][0]
    draw = rng.random() * sum(chance for _, chance in chances)
    for name, chance in chances:
        draw -= chance
        if draw < 0:
            return name
    return chances[0][0]


def _alike(item: Item, other: Item) -> bool:
    """Whether two lie so near each other that they are one thing, which two cells tell of."""
    reach = _SAME * (item.radius + other.radius)
    return (item.x - other.x) ** 2 + (item.y - other.y) ** 2 < reach**2
