"""What a drawn clip begins with: a place with things in it, and where the camera looks, turning or not."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.train.world.home.layouts import Layout, layout
from models.train.world.home.random_views import random_things
from models.train.world.home.splits import PLACES, random_layout_number
from models.train.world.home.views import Camera, Light, Thing, View


@dataclass(frozen=True)
class Stage:
    """What a clip begins with: the place, and the things, camera and light of each view before anything
    happens.
    """

    place: Layout
    things: tuple[Thing, ...]
    cameras: tuple[Camera, ...]
    lights: tuple[Light, ...]
    times_s: tuple[float, ...]
    turned: bool

    @property
    def frames(self) -> int:
        return len(self.times_s)

    @property
    def first_view(self) -> View:
        """What the camera sees first, before anything happens."""
        return View(self.place.place, self.place.number, self.things, self.cameras[0], self.lights[0])


Point = tuple[float, float]
Dress = Callable[[View, random.Random], View]
"""Gives the things of a view other drawing styles."""


def as_they_are(view: View, rng: random.Random) -> View:
    """Changes no style."""
    return view


def furnished(rng: random.Random, split: str, fewest: int, most: int) -> tuple[Layout, list[Thing]]:
    """A place of a split, and so many things in it."""
    place = layout(rng.choice(PLACES), random_layout_number(rng, split))
    return place, random_things(place, rng.randint(fewest, most), rng, split)


@dataclass(frozen=True)
class Aim:
    """How a camera is aimed at one thing, in parts of the field of view."""

    beside: float
    """How far beside the thing it looks, standard deviation."""
    longest: float
    """The longest turn of the head."""
    flat: float
    """How far up or down a turn may go, as a share of how far to the side."""


def aimed(things: Sequence[Thing], field: float, aim: Aim, rng: random.Random) -> tuple[Point, Point, bool]:
    """Where a camera looks first, by how far it turns, and whether it does: in half of all clips, past the
    thing at which it is aimed.
    """
    target = rng.choice(things)
    x, y = target.x + rng.gauss(0, aim.beside) * field, target.y - 12 + rng.gauss(0, aim.beside) * field
    if rng.random() >= 0.5:
        return (x, y), (0.0, 0.0), False
    angle, length = rng.uniform(0, 2 * math.pi), rng.uniform(0.12, aim.longest) * field
    step = (length * math.cos(angle), aim.flat * length * math.sin(angle))
    return (x - step[0] / 2, y - step[1] / 2), step, True


def far_apart(things: Sequence[Thing], least: float, rng: random.Random) -> tuple[Thing, Thing] | None:
    """Two things with more than `least` between them; None where there are none."""
    pairs = [(a, b) for a in things for b in things if abs(a.x - b.x) > least]
    return rng.choice(pairs) if pairs else None


def from_one_to_other(
    pair: tuple[Thing, Thing], field: float, beside: tuple[float, float], rng: random.Random
) -> tuple[Point, Point]:
    """Where a camera looks that turns from one thing to another, and by how far. beside: how far to the side
    of and above them it looks, standard deviations in parts of the field of view.
    """
    (x, y), (end_x, end_y) = (
        (each.x + rng.gauss(0, beside[0]) * field, each.y - 12 + rng.gauss(0, beside[1]) * field)
        for each in pair
    )
    return (x, y), (end_x - x, end_y - y)
