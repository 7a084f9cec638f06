"""What a clip shows, read off the values of its pictures, and which questions these decide.

A question is asked only where people who look at the pictures would agree on the answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tests.eval.stranger_clips.film import Film
from tests.eval.stranger_home.facts import THINGS
from tests.eval.stranger_home.outlines import ASPECT, inside
from tests.eval.stranger_home.scene import HomePicture, Thing

FAMILIES = (
    "direction", "whether", "moved", "first", "flashes", "blinked", "appeared", "gone", "swapped", "speed",
)  # fmt: skip
UNSEEN, NOTHING, STILL = "unseen", "nothing", "still"
SEEN_FROM, HARDLY_TO = 0.78, 0.02
"""Visible shares: from the first on a thing is recognised, up to the second it is not there for the eye."""
_MOSTLY = 0.8
MOVED_FROM, STILL_TO = 0.1, 0.004
"""Between the first and the last picture, view widths, beside the head's own motion."""
_STRAIGHT = 3.0
FAST_FROM, SLOW_TO = 0.6, 0.17
"""Mean speeds between two pictures, view widths a second; slow is what is never faster than the second."""
_FLASH_FROM, _STEADY_TO = 1.5, 1.08
"""Ratios of light to the usual, or of the usual to it."""
_CELLS = 20
_MOST_OF_A_FAMILY = 2
_STILL_SHARE = 0.15
"""Of the things that stay where they are, so many are asked about: there are too many of them."""


@dataclass(frozen=True)
class Truth:
    """A question with its answer. thing, other: names, "" for none."""

    family: str
    thing: str
    other: str
    answer: str


def visible_share(picture: HomePicture, thing: Thing) -> float:
    """Share of a thing that is inside the picture and not behind anything, 0 to 1."""
    cells = (np.arange(_CELLS) + 0.5) / _CELLS
    x, y = np.meshgrid((cells - 0.5) * ASPECT[thing.name], cells - 1.0)
    own = inside(thing.name, x, y)
    across, down = x[own] * thing.height, y[own] * thing.height
    cos, sin = _turn(thing.lean_deg)
    room_x, room_y = thing.x + cos * across - sin * down, thing.y + sin * across + cos * down
    cos, sin = _turn(picture.lean_deg)
    dx, dy = (room_x - picture.at[0]) * picture.px_per_unit, (room_y - picture.at[1]) * picture.px_per_unit
    column = picture.width / 2 + cos * dx - sin * dy
    row = picture.height / 2 + sin * dx + cos * dy
    free = (column >= 0) & (column < picture.width) & (row >= 0) & (row < picture.height)
    for nearer in picture.things[picture.things.index(thing) + 1 :]:
        free &= ~_upon(nearer, room_x, room_y)
    cover = picture.cover
    if cover is not None:
        beside = (room_x < cover.left) | (room_x > cover.right)
        free &= beside | (room_y < cover.top) | (room_y > cover.bottom)
    return float(free.mean())


def _turn(degrees: float) -> tuple[float, float]:
    return float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))


def _upon(thing: Thing, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points of the room a thing is before."""
    cos, sin = _turn(thing.lean_deg)
    dx, dy = x - thing.x, y - thing.y
    return inside(thing.name, (cos * dx + sin * dy) / thing.height, (cos * dy - sin * dx) / thing.height)


@dataclass(frozen=True)
class Reading:
    """What can be said of a clip."""

    film: Film

    @cached_property
    def shares(self) -> Mapping[str, tuple[float, ...]]:
        """Visible share of each thing by picture; 0 where it is not in the room."""
        found: dict[str, list[float]] = {name: [] for name in self.film.names}
        for picture in self.film.pictures:
            there = {thing.name: thing for thing in picture.things}
            for name, shares in found.items():
                shares.append(visible_share(picture, there[name]) if name in there else 0.0)
        return {name: tuple(shares) for name, shares in found.items()}

    def places(self, name: str) -> list[tuple[float, float] | None]:
        """Where a thing is in the room, by picture, in view widths; None where it is not there."""
        width = self.film.pictures[0].width / self.film.pictures[0].px_per_unit
        found: list[tuple[float, float] | None] = []
        for picture in self.film.pictures:
            thing = next((each for each in picture.things if each.name == name), None)
            found.append(None if thing is None else (thing.x / width, thing.y / width))
        return found

    def followed(self, name: str) -> bool:
        """Recognised in the first picture, in the last, and in most of those between."""
        shares = self.shares.get(name, (0.0,))
        clear = sum(share >= SEEN_FROM for share in shares)
        return min(shares[0], shares[-1]) >= SEEN_FROM and clear >= _MOSTLY * len(shares)

    def unseen(self, name: str) -> bool:
        """In none of the pictures."""
        return max(self.shares.get(name, (0.0,))) <= HARDLY_TO

    def still(self, name: str) -> bool:
        """There all the time and never elsewhere."""
        places = self.places(name)
        start = places[0]
        return start is not None and all(
            each is not None and _apart(each, start) <= STILL_TO for each in places
        )

    def way(self, name: str) -> str:
        """left, right, up or down, STILL, or "" where people would disagree."""
        if self.still(name):
            return STILL
        places = self.places(name)
        start, end = places[0], places[-1]
        if start is None or end is None or _apart(start, end) < MOVED_FROM:
            return ""
        dx, dy = end[0] - start[0], end[1] - start[1]
        if abs(dx) >= _STRAIGHT * abs(dy):
            return "left" if dx < 0 else "right"
        return ("up" if dy < 0 else "down") if abs(dy) >= _STRAIGHT * abs(dx) else ""

    def speed(self, name: str) -> str:
        """fast, slow, STILL, or ""."""
        if self.still(name):
            return STILL
        places = self.places(name)
        speeds = [
            _apart(before, after) / (after_s - before_s)
            for (before, before_s), (after, after_s) in pairwise(zip(places, self.film.times_s, strict=True))
            if before is not None and after is not None
        ]
        going = [speed for speed in speeds if speed > 0.01]
        if not self.way(name) or not going:
            return ""
        if max(going) >= FAST_FROM:
            return "fast"
        return "slow" if max(going) <= SLOW_TO and len(going) > 1 else ""

    @property
    def flashes(self) -> int | None:
        """How often the light changed for a moment; None where the pictures leave that open."""
        gains = [picture.look.gain for picture in self.film.pictures]
        ratios = [max(gain / gains[0], gains[0] / gain) for gain in gains]
        if any(_STEADY_TO < ratio < _FLASH_FROM for ratio in ratios) or ratios[-1] > _STEADY_TO:
            return None
        lit = [ratio >= _FLASH_FROM for ratio in ratios]
        return sum(after and not before for before, after in pairwise(lit))

    def came(self, name: str) -> tuple[int, int] | None:
        """The numbers of the pictures with a first trace of it, and with all of it; None without."""
        shares = self.shares.get(name, (0.0,))
        trace = next((number for number, share in enumerate(shares) if share > HARDLY_TO), None)
        clear = next((number for number, share in enumerate(shares) if share >= SEEN_FROM), None)
        return None if trace is None or clear is None else (trace, clear)

    def added(self, name: str) -> bool:
        """Put into the room, and recognised at the end."""
        places = self.places(name)
        return places[0] is None and places[-1] is not None and self.shares[name][-1] >= SEEN_FROM

    def removed(self, name: str) -> bool:
        """Taken out of the room, and recognised at the beginning."""
        places = self.places(name)
        return places[0] is not None and places[-1] is None and self.shares[name][0] >= SEEN_FROM

    def exchanged(self, one: str, other: str) -> bool:
        """Each is at the end where the other was."""
        a, b = self.places(one), self.places(other)
        ends = (a[0], b[-1]), (b[0], a[-1])
        return not self.still(one) and all(
            before is not None and after is not None and _apart(before, after) <= STILL_TO
            for before, after in ends
        )


def _apart(one: tuple[float, float], other: tuple[float, float]) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def decided(film: Film, rng: random.Random) -> list[Truth]:
    """Questions that the pictures decide, drawn from all of them."""
    return questions(Reading(film), rng)


def questions(reading: Reading, rng: random.Random) -> list[Truth]:
    """The same: at most two of a family, with different answers."""
    found: list[Truth] = []
    for family in FAMILIES:
        drawn = _DECIDED[family](reading, rng)
        rng.shuffle(drawn)
        kept: list[Truth] = []
        for each in drawn:
            if len(kept) < _MOST_OF_A_FAMILY and all(each.answer != other.answer for other in kept):
                kept.append(each)
        found += kept
    return found


def _away(reading: Reading, rng: random.Random) -> str:
    return rng.choice([name for name in THINGS if reading.unseen(name)])


def _quiet(reading: Reading) -> bool:
    """Everything that was ever in the room stays where it is."""
    return all(map(reading.still, reading.film.names))


def _one_mover(reading: Reading) -> str:
    """The only thing that does not stay where it is, followed all the time; "" for none."""
    movers = [name for name in reading.film.names if not reading.still(name)]
    if len(movers) != 1 or not reading.followed(movers[0]) or not reading.way(movers[0]):
        return ""
    return movers[0]


def _of_each(reading: Reading, rng: random.Random, family: str, of: Callable[[str], str]) -> list[Truth]:
    found = [
        Truth(family, name, "", of(name))
        for name in reading.film.names
        if reading.followed(name) and of(name) and (not reading.still(name) or rng.random() < _STILL_SHARE)
    ]
    if rng.random() < 0.2:
        found.append(Truth(family, _away(reading, rng), "", UNSEEN))
    return found


def _direction(reading: Reading, rng: random.Random) -> list[Truth]:
    return _of_each(reading, rng, "direction", reading.way)


def _whether(reading: Reading, rng: random.Random) -> list[Truth]:
    def of(name: str) -> str:
        way = reading.way(name)
        return "no" if way == STILL else "yes" if way else ""

    found = _of_each(reading, rng, "whether", of)
    if _quiet(reading):
        found.append(Truth("whether", "", "", "no"))
    elif _one_mover(reading):
        found.append(Truth("whether", "", "", "yes"))
    return found


def _moved(reading: Reading, rng: random.Random) -> list[Truth]:
    if _quiet(reading):
        return [Truth("moved", "", "", NOTHING)]
    mover = _one_mover(reading)
    return [Truth("moved", "", "", mover)] if mover else []


def _first(reading: Reading, rng: random.Random) -> list[Truth]:
    came = {name: each for name in reading.film.names if (each := reading.came(name)) is not None}
    pairs = [(a, b) for a in came for b in came if _before(came[a], came[b])]
    found = []
    for early, late in rng.sample(pairs, min(2, len(pairs))):
        named = rng.sample((early, late), 2)
        found.append(Truth("first", named[0], named[1], early))
    traces = [name for name in reading.film.names if not reading.unseen(name)]
    alone = [a for a in came if all(b == a or (b in came and _before(came[a], came[b])) for b in traces)]
    if alone and len(traces) > 1:
        found.append(Truth("first", "", "", alone[0]))
    return found


def _before(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[1] < other[0]


def _flashes(reading: Reading, rng: random.Random) -> list[Truth]:
    count = reading.flashes
    if count is None or (count == 0 and rng.random() < 0.8):
        return []
    return [Truth("flashes", "", "", str(count))]


def _blinked(reading: Reading, rng: random.Random) -> list[Truth]:
    count = reading.flashes
    if count is None or (count == 0 and rng.random() < 0.8):
        return []
    return [Truth("blinked", "", "", "yes" if count else "no")]


def _changed(family: str, changed: Callable[[Reading, str], bool]) -> Callable[..., list[Truth]]:
    def of(reading: Reading, rng: random.Random) -> list[Truth]:
        if reading.film.turned:
            return []  # what the border hides and shows looks like it
        names = reading.film.names
        there = [name for name in names if changed(reading, name)]
        if len(there) == 1:
            return [Truth(family, "", "", there[0])]
        nothing = not there and (_quiet(reading) or any(map(reading.added, names)) or _removed_one(reading))
        return [Truth(family, "", "", NOTHING)] if nothing and rng.random() < 0.5 else []

    return of


def _removed_one(reading: Reading) -> bool:
    return any(map(reading.removed, reading.film.names))


def _swapped(reading: Reading, rng: random.Random) -> list[Truth]:
    names = [name for name in reading.film.names if reading.followed(name)]
    pairs = [(a, b) for a in names for b in names if a < b]
    found = [_of_pair(pair, "yes", rng) for pair in pairs if reading.exchanged(*pair)]
    quiet = [pair for pair in pairs if all(map(reading.still, pair))]
    if quiet and (found or rng.random() < 0.25):
        found.append(_of_pair(rng.choice(quiet), "no", rng))
    return found


def _of_pair(pair: tuple[str, str], answer: str, rng: random.Random) -> Truth:
    one, other = rng.sample(pair, 2)
    return Truth("swapped", one, other, answer)


def _speed(reading: Reading, rng: random.Random) -> list[Truth]:
    return [] if reading.film.turned else _of_each(reading, rng, "speed", reading.speed)


_DECIDED: Mapping[str, Callable[[Reading, random.Random], list[Truth]]] = {
    "direction": _direction, "whether": _whether, "moved": _moved, "first": _first, "flashes": _flashes,
    "blinked": _blinked, "appeared": _changed("appeared", Reading.added),
    "gone": _changed("gone", Reading.removed), "swapped": _swapped, "speed": _speed,
}  # fmt: skip
