"""Days of the drawn home as the memory has them: their new views, placed at every exit."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.brick import Brick, BrickSpec, Context, Embed, Encode, Resume
from models.train.world.home.day import day
from models.train.world.home.picture.render import render
from models.train.world.home.truth import truth_of
from models.train.world.home.views import View

Places = NDArray[np.float32]
"""Float32 [exits, views, embedding], each of length 1."""
SAME_COSINE, COMPARED = 0.97, 4
"""A view is new unless the first exit places it so near to one of the last that were new. Training cannot
import the host's view gate, which looks at pixels; like it, this keeps about four in ten."""
_BATCH = 16


@dataclass(frozen=True, eq=False)
class Remembered:
    """The new views of a day, and their places."""

    views: tuple[View, ...]
    places: Places


@contextmanager
def loaded(spec: BrickSpec) -> Iterator[Brick]:
    """A brick in this process."""
    brick: Brick = importlib.import_module(spec.module).create(dict(spec.options), Context())
    brick.load()
    try:
        yield brick
    finally:
        brick.release()


def placed(eye: Brick, pictures: Sequence[NDArray[np.uint8]], exits: Sequence[int]) -> Places:
    """Pictures, uint8 [height, width, 3], at these exits, in rising order."""
    batches = []
    for start in range(0, len(pictures), _BATCH):
        found = tuple(eye.execute(Encode(tuple(pictures[start : start + _BATCH]), exits[0])))
        at_exits = []
        for depth in exits:
            found = tuple(eye.execute(Resume(found, depth)))
            at_exits.append(np.stack([each.vector for each in eye.execute(Embed(found))]))
        batches.append(np.stack(at_exits))
    return np.concatenate(batches, axis=1).astype(np.float32)


def new_views(
    eye: Brick, first_exit: int, seed: int, views: int, split: str
) -> tuple[list[View], list[NDArray[np.uint8]]]:
    """Views of a day with so many, and their pictures: none that is dark or blurred, and no repetition."""
    kept: list[View] = []
    pictures: list[NDArray[np.uint8]] = []
    last: list[NDArray[np.float32]] = []
    for view in day(seed, views, split).views:
        if truth_of(view).quality != "clear":
            continue
        picture = render(view)
        first = placed(eye, [picture], (first_exit,))[0, 0]
        if any(float(first @ each) >= SAME_COSINE for each in last):
            continue
        last = [*last, first][-COMPARED:]
        kept.append(view)
        pictures.append(picture)
    return kept, pictures


def remembered(eye: Brick, exits: Sequence[int], seed: int, views: int, split: str) -> Remembered:
    """What a memory has of a day with so many views."""
    kept, pictures = new_views(eye, exits[0], seed, views, split)
    return Remembered(tuple(kept), placed(eye, pictures, exits))
