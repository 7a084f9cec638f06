"""A stranger's clip as values: views of a home in the order of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.eval.stranger_home.render import render
from tests.eval.stranger_home.scene import HomePicture


@dataclass(frozen=True)
class Film:
    """pictures: all of one size, oldest first. times_s: when each was taken, seconds, rising from 0. event:
    what was made to happen, one of `happenings.EVENTS`; no truth rests on it. turned: the head turns,
    beyond its unrest.
    """

    pictures: tuple[HomePicture, ...]
    times_s: tuple[float, ...]
    event: str
    turned: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Every thing that is somewhere in the room at any time."""
        return tuple(dict.fromkeys(thing.name for each in self.pictures for thing in each.things))


def developed(film: Film) -> list[NDArray[np.uint8]]:
    """The pixels of each picture, uint8 [height, width, 3]."""
    return [render(picture, frame) for frame, picture in enumerate(film.pictures, 1)]
