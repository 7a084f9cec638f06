"""When the wearer is where, in one day: segments of walking, dwelling and idle hours."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

_MIN_S = 60.0
_BLOCKS: Mapping[str, tuple[tuple[str, float, float], ...]] = {
    "morning": (
        ("bedroom", 8, 20),
        ("bathroom", 10, 20),
        ("kitchen", 20, 40),
        ("living room", 5, 20),
        ("hall", 3, 6),
    ),
    "shopping": (
        ("hall", 3, 5),
        ("street", 8, 15),
        ("shop", 15, 30),
        ("street", 5, 12),
        ("hall", 3, 5),
        ("kitchen", 8, 15),
    ),
    "outing": (("hall", 3, 5), ("street", 6, 12), ("park", 20, 50), ("street", 6, 12), ("hall", 3, 5)),
    "work": (("desk", 50, 95), ("kitchen", 10, 20), ("desk", 40, 80)),
    "tidying": (("bedroom", 5, 15), ("bathroom", 5, 10), ("living room", 10, 20), ("kitchen", 10, 20)),
    "evening": (("kitchen", 25, 45), ("living room", 40, 80), ("bathroom", 8, 15), ("bedroom", 10, 25)),
}
"""Visits in order: place, and the least and most minutes there."""
_IDLE_PLACES = ("living room", "desk", "bedroom", "kitchen")


@dataclass(frozen=True)
class Segment:
    """The wearer walks through, dwells in, or has laid the headband down (idle) in `place`; seconds after
    midnight.
    """

    place: str
    what: str
    start_s: float
    end_s: float

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_s - self.start_s


def schedule(rng: random.Random) -> tuple[Segment, ...]:
    """The segments of a day of about 12 hours without a gap, with one or two idle hours among them."""
    middle = ["shopping", "outing", "work", "tidying", "idle", *rng.sample(("work", "tidying", "idle"), 1)]
    rng.shuffle(middle)
    now = rng.uniform(6.4, 7.8) * 3600
    found: list[Segment] = []

    def add(place: str, what: str, seconds: float) -> None:
        nonlocal now
        found.append(Segment(place, what, now, now + seconds))
        now += seconds

    for block in ("morning", *middle, "evening"):
        visits = _BLOCKS.get(block) or ((rng.choice(_IDLE_PLACES), 45, 100),)
        for place, least, most in visits:
            if found and found[-1].place != place:
                add(place, "walk", rng.uniform(20, 60))
            add(place, "idle" if block == "idle" else "dwell", rng.uniform(least, most) * _MIN_S)
    return tuple(found)
