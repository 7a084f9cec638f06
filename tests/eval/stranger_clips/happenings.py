"""What happens in front of a stranger's camera: things are slid, lifted, lowered, set down, taken or traded,
and a lamp flashes. Every function gives the things or the light at each time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tests.eval.stranger_clips.head import eased
from tests.eval.stranger_home.scene import Cover, HomePicture, Thing

_SIDEWAYS_BOW = 0.012
_SLOW, _QUICK = (0.05, 0.09), (0.75, 1.9)
"""Mean speeds, view widths a second."""
_DISTANCES = (0.13, 0.5)
"""View widths."""
_FLASH_S, _DARK_S = (0.1, 0.45), (0.2, 0.9)
"""How long a flash lasts, and what lies between two."""
_MOST_FLASHES = 6
_TRIES = 40
_BRIGHTER, _DARKER = (1.65, 2.1), (0.25, 0.5)
_SLEEVES = ((64, 72, 96), (120, 70, 60), (196, 190, 178), (74, 92, 70))
_PASSES_S = 0.7


@dataclass(frozen=True)
class Stage:
    """Where something is to happen. first: the view with every thing in it."""

    first: HomePicture
    times_s: tuple[float, ...]

    @property
    def view_width(self) -> float:
        """Units of the room."""
        return self.first.width / self.first.px_per_unit


@dataclass(frozen=True)
class Happened:
    """things: of each picture. light: each picture's, relative to the first. covers: what is before the
    things.
    """

    things: Sequence[Sequence[Thing]]
    light: Sequence[float]
    covers: Sequence[Cover | None]


def _plain(
    stage: Stage,
    things: Sequence[Sequence[Thing]] | None = None,
    light: Sequence[float] | None = None,
    covers: Sequence[Cover | None] | None = None,
) -> Happened:
    count = len(stage.times_s)
    return Happened(things or [stage.first.things] * count, light or [1.0] * count, covers or [None] * count)


def nothing(stage: Stage, rng: random.Random) -> Happened:
    """All stays as it is."""
    return _plain(stage)


def moved(stage: Stage, rng: random.Random) -> Happened | None:
    """One thing goes left, right, up or down, from rest to rest; None where the time is too short."""
    if not stage.first.things:
        return None
    thing = rng.choice(stage.first.things)
    across, down = rng.choice(((-1, 0), (1, 0), (0, -1), (0, 1)))
    speed, whole_s = rng.uniform(*(_QUICK if rng.random() < 0.5 else _SLOW)), stage.times_s[-1]
    least, most = _DISTANCES
    most = min(most * (0.7 if down else 1.0), speed * whole_s)
    if most < least:
        return None
    distance = rng.uniform(least, most)
    lasts_s = distance / speed
    begins_s = rng.uniform(0.0, whole_s - lasts_s)
    arrives = down == 1 or rng.random() < 0.5
    things = []
    for at_s in stage.times_s:
        done = eased((at_s - begins_s) / lasts_s)
        away = (done - arrives) * distance * stage.view_width
        bow = _SIDEWAYS_BOW * 4 * done * (1 - done) if across else 0.0
        there = replace(thing, x=thing.x + across * away, y=thing.y + down * away - bow)
        things.append([*(each for each in stage.first.things if each is not thing), there])
    return _plain(stage, things)


def flashes(stage: Stage, rng: random.Random) -> Happened | None:
    """A lamp goes on or off for moments; None where the time is too short for so many."""
    count, whole_s = rng.randint(1, _MOST_FLASHES), stage.times_s[-1]
    level = rng.uniform(*rng.choice((_BRIGHTER, _DARKER)))
    gap_s = max(after - before for before, after in pairwise(stage.times_s))
    for _ in range(_TRIES):
        spans: list[tuple[float, float]] = []
        at_s = rng.uniform(0.1, 0.9)
        for _ in range(count):
            ends_s = at_s + max(gap_s * rng.uniform(1.0, 1.3), rng.uniform(*_FLASH_S))
            spans.append((at_s, ends_s))
            at_s = ends_s + max(gap_s * rng.uniform(1.0, 1.4), rng.uniform(*_DARK_S))
        if spans[-1][1] < whole_s:
            light = [
                level if any(begins <= each < ends for begins, ends in spans) else 1.0
                for each in stage.times_s
            ]
            return _plain(stage, light=light)
    return None


def _change(stage: Stage, rng: random.Random, earliest: int = 1) -> int:
    """The number of the first picture after a change."""
    return rng.randint(earliest, len(stage.times_s) - 1)


def _sleeve(stage: Stage, thing: Thing, at: int, rng: random.Random) -> list[Cover | None]:
    """In half of the clips an arm is before the thing just before a change is done, at most in a few
    pictures.
    """
    covers: list[Cover | None] = [None] * len(stage.times_s)
    if rng.random() < 0.5:
        left, right = thing.x - 0.6 * thing.width, thing.x + 0.6 * thing.width
        arm = Cover(left, thing.y - 1.1 * thing.height, right, thing.y + 0.9, rng.choice(_SLEEVES))
        begins_s = stage.times_s[at] - rng.uniform(0.1, _PASSES_S)
        for number in range(1, at):
            if stage.times_s[number] >= begins_s:
                covers[number] = arm
    return covers


def set_down(stage: Stage, rng: random.Random) -> Happened | None:
    """A thing is put there."""
    if not stage.first.things:
        return None
    thing, at = rng.choice(stage.first.things), _change(stage, rng)
    without = [each for each in stage.first.things if each is not thing]
    things = [without if number < at else stage.first.things for number in range(len(stage.times_s))]
    return _plain(stage, things, covers=_sleeve(stage, thing, at, rng))


def taken(stage: Stage, rng: random.Random) -> Happened | None:
    """A thing is taken away."""
    if not stage.first.things:
        return None
    thing, at = rng.choice(stage.first.things), _change(stage, rng)
    without = [each for each in stage.first.things if each is not thing]
    things = [without if number >= at else stage.first.things for number in range(len(stage.times_s))]
    return _plain(stage, things, covers=_sleeve(stage, thing, at, rng))


def two_set_down(stage: Stage, rng: random.Random) -> Happened | None:
    """Two things are put there, one after the other."""
    if len(stage.first.things) < 2:
        return None
    early, late = rng.sample(stage.first.things, 2)
    at, later = sorted(rng.sample(range(1, len(stage.times_s)), 2))
    begins = {early.name: at, late.name: later}
    things = [
        [each for each in stage.first.things if number >= begins.get(each.name, 0)]
        for number in range(len(stage.times_s))
    ]
    return _plain(stage, things)


def traded(stage: Stage, rng: random.Random) -> Happened | None:
    """Two things on one surface exchange their places: at once, or one over the other in half a second."""
    pairs = [
        (a, b)
        for a in stage.first.things
        for b in stage.first.things
        if a.x < b.x and a.top == b.top and b.x - a.x < 0.8 * stage.view_width
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    at = _change(stage, rng)
    lasts_s = rng.choice((0.0, 0.5, 0.9))
    ends_s = stage.times_s[at]
    things = []
    for number, at_s in enumerate(stage.times_s):
        done = float(number >= at) if not lasts_s else eased(1 - (ends_s - at_s) / lasts_s)
        over = 4 * done * (1 - done) * other.height
        there = {
            one.name: replace(one, x=one.x + done * (other.x - one.x)),
            other.name: replace(other, x=other.x + done * (one.x - other.x), y=other.y - over),
        }
        things.append([there.get(each.name, each) for each in stage.first.things])
    if lasts_s and stage.times_s[0] > ends_s - lasts_s:
        return None
    return _plain(stage, things)


Happening = Callable[[Stage, random.Random], Happened | None]
EVENTS: Mapping[str, Happening] = {
    "moved": moved, "nothing": nothing, "flashes": flashes, "set down": set_down, "taken": taken,
    "two set down": two_set_down, "traded": traded, "looked over": nothing,
}  # fmt: skip
"""By name; "looked over": the head turns from one thing to another."""
WITH_A_TURN = ("moved", "nothing", "looked over")
"""Events in which the head may turn."""
