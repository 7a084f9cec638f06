"""A drawn clip: its views in the order of time, what happens in it, and questions with their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from models.train.world.home.splits import KINDS
from models.train.world.home.views import View

Direction = Literal["left", "right", "up", "down"]
DIRECTIONS: tuple[Direction, ...] = ("left", "right", "up", "down")
MOST_FLASHES = 6
UNSEEN, NOTHING, STILL = "unseen", "nothing", "still"
COUNTS = tuple(map(str, range(MOST_FLASHES + 1)))
LABELS = (*DIRECTIONS, STILL, UNSEEN, "yes", "no", NOTHING, *COUNTS, "fast", "slow", *KINDS)
"""Every answer."""
FAMILIES: dict[str, tuple[str, ...]] = {
    "direction": (*DIRECTIONS, STILL, UNSEEN),
    "whether": ("yes", "no", UNSEEN),
    "moved": (*KINDS, NOTHING),
    "first": (*KINDS, UNSEEN),
    "flashes": COUNTS,
    "blinked": ("yes", "no"),
    "appeared": (*KINDS, NOTHING),
    "gone": (*KINDS, NOTHING),
    "swapped": ("yes", "no", UNSEEN),
    "speed": ("fast", "slow", STILL, UNSEEN),
}
"""Family of questions -> the answers that it may have."""
ORDER_ONLY = ("direction", "first", "appeared", "gone")
"""Families with answers that differ in the order of the same pictures only."""


@dataclass(frozen=True)
class ClipQuestion:
    """`thing` and `other`: kinds, "" for none. `answer`: one of the family's labels."""

    family: str
    thing: str
    other: str
    answer: str


def decided_by_order(question: ClipQuestion) -> bool:
    """The same pictures in another order have another answer."""
    return question.family in ORDER_ONLY and question.answer not in (STILL, UNSEEN, NOTHING)


@dataclass(frozen=True)
class Clip:
    """`times_s`: when each view was taken, seconds, rising from 0. `event`: what happens, "still" for
    nothing. `turned`: the wearer's head turns, beyond its usual small motion.
    """

    views: tuple[View, ...]
    times_s: tuple[float, ...]
    event: str
    turned: bool
    questions: tuple[ClipQuestion, ...]
