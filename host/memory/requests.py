"""What the main process asks of the memory brick, and its answers: values that cross a pipe.

Every request carries the access, because the brick's process may have ended since the last one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from host.config import MemoryConfig
from host.memory.things import SeenThing
from host.memory.values import Moment, Vector
from models.brick import Activation

Rgb = NDArray[np.uint8]


@dataclass(frozen=True)
class Access:
    """Where the store is, what opens it, and when this was asked."""

    path: str
    key: bytes = field(repr=False)
    config: MemoryConfig
    now: Moment


@dataclass(frozen=True, eq=False)
class Remember:
    """A picture to remember, uint8 [h, w, 3]; answered by its number. The rest as in `NewView`."""

    access: Access
    rgb: Rgb
    taken: Moment
    reason: str
    vector: Vector | None
    depth: int
    encoder: str
    kept: bool = False
    name: str = ""
    activation: Activation | None = None
    things: tuple[SeenThing, ...] | None = None


@dataclass(frozen=True, eq=False)
class Find:
    """Answered by the `count` best `Match`es of a place in the recall space, as a tuple, and with a `thing`
    by the latest of those in which the object detector found it.
    """

    access: Access
    vector: Vector
    encoder: str
    count: int
    since_s: float | None = None
    until_s: float | None = None
    thing: str = ""
    colour: str = ""


@dataclass(frozen=True, eq=False)
class Place:
    """New places of views in the recall space, by number, and what was found in those that were looked
    through; answered by the numbers of those that are still there, as a tuple.
    """

    access: Access
    vectors: dict[int, Vector]
    depth: int
    encoder: str
    things: dict[int, tuple[SeenThing, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Shallow:
    """Answered by the numbers of views that the encoder has not placed after so many blocks, and with
    `look_through` of those that no object detector saw, as a tuple: of those before the number `before`, the
    `count` newest.
    """

    access: Access
    encoder: str
    depth: int
    before: int
    count: int
    look_through: bool = False


@dataclass(frozen=True)
class Between:
    """Answered by the `Row`s of these times, as a tuple, oldest first."""

    access: Access
    since_s: float | None = None
    until_s: float | None = None


@dataclass(frozen=True)
class Surest:
    """Answered by the `Row`s of these times that show the wearer's things most surely, as a tuple, one of
    each of so many parts, the latest first.
    """

    access: Access
    parts: int
    since_s: float | None = None
    until_s: float | None = None


@dataclass(frozen=True)
class ThingsOf:
    """Answered by what the object detector found in views, by number; without those that it did not see."""

    access: Access
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Named:
    """Answered by the `Row`s of these times that the wearer has given a name, as a tuple, oldest first."""

    access: Access
    since_s: float | None = None
    until_s: float | None = None


@dataclass(frozen=True)
class Picture:
    """Answered by a view's picture, uint8 [h, w, 3]; None if it is gone or damaged."""

    access: Access
    number: int


@dataclass(frozen=True)
class Begun:
    """Answered by what views are taken on from, each in a chunk with its number: its `Activation`, where one
    of this encoder is stored, else its picture as by `Picture`, which may be None.
    """

    access: Access
    numbers: tuple[int, ...]
    encoder: str


@dataclass(frozen=True)
class ForgetSince:
    """Answered by how many views of the last `ago_s` seconds, or since that time, were forgotten; and before
    that, as often as it takes, by how many are so far. until_s: later ones stay.
    """

    access: Access
    ago_s: float | None = None
    since_s: float | None = None
    until_s: float | None = None


@dataclass(frozen=True)
class Retain:
    """Answered by how many views were deleted because the settings allow no older ones, or no more; 0 where
    none is left of these.
    """

    access: Access


@dataclass(frozen=True)
class TimeNow:
    """Answered by the present time, seconds since 1970, as the boots of the store let it be known."""

    access: Access


Request = (
    Remember
    | Find
    | Place
    | Shallow
    | Between
    | Surest
    | ThingsOf
    | Named
    | Picture
    | Begun
    | ForgetSince
    | Retain
    | TimeNow
)
