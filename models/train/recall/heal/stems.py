"""What an eye is healed from: pictures after the stem, made once for each eye and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.brick import Brick, Encode
from models.train.recall.views import new_views

Stems = NDArray[np.float32]
"""Float32 [views, tokens, width], activations of depth 0."""
_BATCH = 16


def stems(eye: Brick, pictures: Iterable[NDArray[np.uint8]]) -> Stems:
    """Of pictures, uint8 [height, width, 3]."""
    found, waiting = [], iter(pictures)
    while some := tuple(islice(waiting, _BATCH)):
        found += [np.array(each.rows, np.float32) for each in eye.execute(Encode(some, 0))]
    return np.stack(found)


def drawn_day(
    eye: Brick, encoder: str, first_exit: int, seed: int, views: int, split: str, cache: Path
) -> Stems:
    """Of the new views of a day of the drawn home. encoder: the identity of the eye, part of the file's name
    in the cache.
    """
    file = cache / f"{hashlib.sha256(encoder.encode()).hexdigest()[:12]}_{split}_{seed}_{views}.npy"
    if not file.is_file():
        made = stems(eye, new_views(eye, first_exit, seed, views, split)[1])
        kept(file, made)
    found: Stems = np.load(file)
    return found


def kept(file: Path, values: Stems) -> None:
    """Writes a file that is whole whenever it is there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".new.npy")
    np.save(unfinished, values)
    unfinished.replace(file)


def together(days: Sequence[Stems]) -> Stems:
    """The views of several days."""
    return np.concatenate(days)
