"""What passes between the main process and the motion brick: units of a clip, a question, its answer, and
that the clip is over.

A clip is a series of pictures of the last seconds, oldest first. A unit is one of them, taken through part of
the vision encoder. `models.bricks.motion` says what becomes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import Activation

MOST_UNITS = 16
"""The brick answers from so many units, the newest of a clip."""
NO_THING = ""
"""Where a question names no thing."""


@dataclass(frozen=True, eq=False)
class SmallPicture:
    """A picture's brightness, by which the turn of the head is told (`models.sensing.registration`).

    luma: uint8 [cells, cells]. across, down: extent of the picture in the square that the encoder sees, in
    parts of its side.
    """

    luma: NDArray[np.uint8]
    across: float = 1.0
    down: float = 1.0


@dataclass(frozen=True, eq=False)
class Unit:
    """One picture of a clip after some blocks of the encoder, answered by one `Held`. Its ring slot stays
    filled. The same picture may come at several depths; an answer is read from those that have all pictures.

    taken_s: when it was taken, of any clock that all units of the clip share. clip: number of the clip; a
    number other than that of the unit before begins anew. small: of the same picture; None: how the
    head turned is not known.
    """

    activation: Activation
    taken_s: float
    clip: int
    small: SmallPicture | None = None


@dataclass(frozen=True)
class Held:
    """What the brick has of a clip at the depth of a unit: units seen, and how many of them are finished."""

    clip: int
    units: int
    finished: int


@dataclass(frozen=True)
class ClipQuestion:
    """A question about a clip, answered by one `ClipAnswer`. family, thing, other: names of the pack's table;
    `NO_THING` for none. units: answered from so many, the newest.
    """

    family: str
    thing: str
    other: str
    clip: int
    units: int = MOST_UNITS


@dataclass(frozen=True)
class Forget:
    """Have the brick drop what it has of a clip, by its number. It is answered by nothing."""

    clip: int


@dataclass(frozen=True)
class ClipAnswer:
    """What the motion brick makes of a question."""

    label: str
    """The likeliest label of the question's family; "" where there are fewer than two units."""
    probability: float
    """Calibrated probability that it is right, 0 to 1."""
    units: int
    """Units that it was answered from."""
    depth: int = 0
    """Blocks of the encoder that they have passed, the most of them where they came at several depths."""
    distribution: Mapping[str, float] = field(default_factory=dict)
    """Probability by label of the family."""
    reasons: tuple[str, ...] = ()
    """What limited the answer, in words."""


def read_at(settings: Mapping[str, Any], depth: int) -> tuple[int, ...]:
    """The depths at which a clip's pictures become units, rising, where they pass `depth` blocks; settings:
    those of the pack's motion brick (`models.pack.brick_settings.MotionSettings`).
    """
    shallower = settings["depths"] if settings.get("shallower_too") else ()
    return (*sorted(each for each in shallower if each < depth), depth)
