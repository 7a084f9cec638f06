"""The values of the memory: moments, views, and what is found."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from host.memory.things import Seen, SeenThing
from models.brick import Activation, Recall

Vector = NDArray[np.float32]


class MemoryProblem(Exception):
    """The memory cannot do what was asked; the text is one sentence for the wearer."""


BUSY = "Another program holds the memory; try again."
"""The sentence of a problem that passes by itself: the file is checked, or made compact."""


class NotHere(MemoryProblem):
    """What was asked for is nowhere, or another board has its key; nothing is broken."""


class NoRoom(MemoryProblem):
    """The disk takes nothing more."""


class Damaged(MemoryProblem):
    """The file is no longer a whole database; nothing of it is deleted."""


class KeyWrong(MemoryProblem):
    """The rows are sealed with another key."""


@dataclass(frozen=True)
class Moment:
    """One moment by both clocks: the wall clock may jump, the monotonic one counts within one boot.

    boot: identifies the boot, `hw.linux.system_clock.boot_id`; monotonic_s: seconds on its clock; wall_s:
    seconds since 1970-01-01 UTC; doubted: this boot counts as one whose wall clock was never set.
    """

    boot: str
    monotonic_s: float
    wall_s: float
    doubted: bool = False


@dataclass(frozen=True, eq=False)
class NewView:
    """A view to remember.

    jpeg: the small picture; reason: why the gate kept it; vector: place in the recall space, float32
    [embedding] of length 1, None while the view has none; depth: blocks of the encoder that it has passed;
    encoder: identity of the encoder, "" without a vector; kept: the wearer asked for it, so retention takes
    it last; name: what the wearer calls it; activation: rows by value, from which this encoder can go on
    where the view stopped early; things: what the object detector found, None where it did not look.
    """

    taken: Moment
    jpeg: bytes
    reason: str = "new"
    vector: Vector | None = None
    depth: int = 0
    encoder: str = ""
    kept: bool = False
    name: str = ""
    activation: Activation | None = None
    things: tuple[SeenThing, ...] | None = None


@dataclass(frozen=True, eq=False)
class Placed:
    """What the encoder made of a view. place: in the recall space, None without one; activation: rows float32
    by value, from which the encoder can go on where it stopped before the last exit; things: what the object
    detector found in what it gives at its whole depth, None where it did not look.
    """

    place: Recall | None = None
    activation: Activation | None = None
    things: tuple[SeenThing, ...] | None = None


@dataclass(frozen=True)
class Row:
    """What is stored of a view, without its picture. time_s: when it was taken, seconds since 1970, as
    `host.memory.clocks` knows best.
    """

    number: int
    time_s: float
    reason: str
    depth: int
    encoder: str
    kept: bool
    name: str
    picture_bytes: int


@dataclass(frozen=True)
class Match:
    """A row and how alike it is to the query: cosine, -1 to 1. seen: how surely the object detector saw the
    thing that is asked for there; None where it did not look, or tells no such thing.
    """

    row: Row
    score: float
    seen: Seen | None = None


@dataclass(frozen=True)
class MemoryStatus:
    """What is in the store. first_s, last_s: times of the oldest and newest view, None without one. damaged:
    rows that cannot be opened; unembedded: rows without a place in the recall space; encoders, depths: rows
    by the encoder that placed them, and by the blocks after which it did; looked_through: views that the
    object detector saw; activations, activation_bytes: how many are stored, and their size.
    """

    views: int
    kept: int
    size_bytes: int
    first_s: float | None
    last_s: float | None
    damaged: int
    unembedded: int
    encoders: dict[str, int]
    depths: dict[int, int]
    looked_through: int
    activations: int
    activation_bytes: int


@dataclass(frozen=True)
class Verified:
    """What cannot be opened. views: numbers of those with a damaged value; activations: numbers of views
    whose activation is damaged, which are taken on from their pictures; problems: what SQLite finds wrong;
    things: numbers of views of which what the object detector found is damaged, so that it does not count.
    """

    views: list[int]
    activations: list[int]
    problems: list[str]
    things: list[int] = field(default_factory=list)
