"""Which thing lies where, in one day: picked up, held, carried in a pocket, put down elsewhere."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from models.train.world.home.layouts import OUTDOORS, Layout, surfaces_of
from models.train.world.home.random_views import new_thing, put_down
from models.train.world.home.schedule import Segment
from models.train.world.home.splits import KINDS, allowed_place
from models.train.world.home.things import SENSIBLE
from models.train.world.home.views import HAND, Thing

POCKET = "pocket"
"""The surface of a thing that the wearer carries unseen."""
_AT_HOME = ("kitchen", "hall", "desk", "bedroom", "bathroom", "living room")
_FOR_OUTDOORS = ("keys", "phone", "wallet", "bag", "glasses", "umbrella", "coat", "bottle", "book")
_AWAY = (*OUTDOORS, "shop")
_NOWHERE = ""


@dataclass(frozen=True)
class Move:
    """From `at_s` on, seconds after midnight, the thing is as `thing` says (its surface may be the hand or
    the pocket), at `place`; the pocket has no place.
    """

    at_s: float
    place: str
    thing: Thing


class _Household:
    """Where everything is while a day is made."""

    def __init__(self, places: Mapping[str, Layout], split: str, rng: random.Random) -> None:
        self.places, self.split, self.rng = places, split, rng
        self.now: dict[str, Move] = {}
        self.moves: list[Move] = []

    def record(self, at_s: float, place: str, thing: Thing) -> None:
        move = Move(at_s, place, thing)
        self.now[thing.kind] = move
        self.moves.append(move)

    def lying(self, place: str) -> list[Thing]:
        return [m.thing for m in self.now.values() if m.place == place and m.thing.surface != HAND]

    def put(self, thing: Thing, place: str, at_s: float, avoid: str = "") -> bool:
        """Puts the thing on a surface of `place`, not `avoid`; False where it may not or cannot lie there."""
        if not allowed_place(thing.kind, place, self.split):
            return False
        fit = [kind for kind in SENSIBLE[thing.kind] if kind in surfaces_of(place) and kind != avoid]
        for kind in self.rng.sample(fit, len(fit)):
            down = put_down(thing, kind, self.places[place], self.lying(place), self.rng)
            if down is not None:
                self.record(at_s, place, down)
                return True
        return False

    def take(self, thing: Thing, place: str, at_s: float) -> Thing:
        u, v = self.rng.uniform(0.36, 0.64), self.rng.uniform(0.68, 0.8)
        held = replace(thing, surface=HAND, x=u, y=v)
        self.record(at_s, place, held)
        return held


def _initial(home: _Household, start_s: float) -> None:
    """Everything lies somewhere at home when the day begins, or is in the pocket where there is no room."""
    for kind in KINDS:
        thing = new_thing(kind, home.rng, home.split)
        if not any(home.put(thing, place, start_s) for place in home.rng.sample(_AT_HOME, len(_AT_HOME))):
            home.record(start_s, _NOWHERE, replace(thing, surface=POCKET, x=0.0, y=0.0))


def _unpack(home: _Household, segment: Segment, at_s: float) -> float:
    """Things from the pocket are held for a while and then put down; the time after that."""
    for move in list(home.now.values()):
        if move.thing.surface != POCKET or home.rng.random() < (0.5 if segment.place in _AWAY else 0.15):
            continue
        if segment.place in _AWAY and move.thing.kind not in _FOR_OUTDOORS:
            continue
        if not allowed_place(move.thing.kind, segment.place, home.split):
            continue
        held = home.take(move.thing, segment.place, at_s)
        at_s += home.rng.uniform(15, 50)
        if not home.put(held, segment.place, at_s):
            home.record(at_s, _NOWHERE, replace(held, surface=POCKET, x=0.0, y=0.0))
        at_s += home.rng.uniform(5, 30)
    return at_s


def _use(home: _Household, segment: Segment, at_s: float) -> float:
    """One thing is picked up, held, and put down elsewhere in the same place; the time after that."""
    here = home.lying(segment.place)
    if not here:
        return at_s
    chosen = home.rng.choice(here)
    held = home.take(chosen, segment.place, at_s)
    at_s += home.rng.uniform(20, 150)
    if not home.put(held, segment.place, at_s, avoid=chosen.surface):
        home.record(at_s, _NOWHERE, replace(held, surface=POCKET, x=0.0, y=0.0))
    return at_s


def _pack(home: _Household, segment: Segment, at_s: float, outdoors_next: bool) -> float:
    """Before the wearer leaves, one or two things are picked up and pocketed."""
    here = [t for t in home.lying(segment.place) if not outdoors_next or t.kind in _FOR_OUTDOORS]
    away = segment.place in _AWAY
    wanted = len(here) if away else home.rng.choice((0, 1, 1, 2))
    for thing in home.rng.sample(here, min(wanted, len(here))):
        held = home.take(thing, segment.place, at_s)
        at_s += home.rng.uniform(8, 25)
        home.record(at_s, _NOWHERE, replace(held, surface=POCKET, x=0.0, y=0.0))
        at_s += 1.0
    return at_s


def errands(
    segments: Sequence[Segment], places: Mapping[str, Layout], split: str, rng: random.Random
) -> tuple[Move, ...]:
    """Every move of every thing in order of time; the first of each kind is at the start of the day.

    At most one thing is held at a time, and what is left in the hand is put away before the next segment.
    """
    home = _Household(places, split, rng)
    _initial(home, segments[0].start_s)
    for index, segment in enumerate(segments):
        if segment.what != "dwell":
            continue
        following = next((s for s in segments[index + 1 :] if s.what == "dwell"), None)
        at_s = _unpack(home, segment, segment.start_s + rng.uniform(5, 30))
        leave_s = segment.end_s - 75
        while (at_s := at_s + rng.expovariate(1 / 700) + 20) < leave_s - 160:
            at_s = _use(home, segment, at_s)
        if following is not None and leave_s > max(at_s - 700, segment.start_s):
            latest = max((move.at_s for move in home.moves), default=0.0)
            _pack(home, segment, max(leave_s, latest + 1), following.place in _AWAY)
    return tuple(home.moves)
