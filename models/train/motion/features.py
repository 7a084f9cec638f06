"""Drawn clips as the motion brick reads them: the eye's activations, kept in a cache folder.

    python -m models.train.motion.features --out DIR --split train --first 0 --count 20

writes DIR/EYE/turns-train-designs-0000.npz and so on, each a pure function of split, number, eye and the
recipe by which clips are drawn. What `pictures` has drawn ahead is not drawn again. Needs NumPy and the
runtimes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.brick import Brick, Encode, Resume
from models.pack.catalogue import Pack, load_pack
from models.sensing.registration import shifts_of, small_picture
from models.train.motion.pictures import drawn_clips, drawn_path, read_drawn, shard_name
from models.train.motion.shards import (
    ClipFacts,
    FactsOfShard,
    facts_in,
    shard_arguments,
    store,
    write_missing,
)
from models.train.pack import PACK
from models.train.recall.views import loaded

DEPTHS = (3, 6, 12)
"""Blocks of the eye after which the brick can read."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Encoded(ClipFacts):
    """A clip without its pictures. activations: float16 [depths, views, tokens, width]; a view is a unit.
    shifts: float32 [views, 2, 3], as `models.sensing.registration.shifts_of`.
    """

    activations: NDArray[np.float16]
    shifts: NDArray[np.float32]


def activations_of(
    eye: Brick, pictures: Sequence[NDArray[np.uint8]], depths: Sequence[int] = DEPTHS
) -> NDArray[np.float16]:
    """Activations of pictures, uint8 [height, width, 3], at rising depths, as `Encoded.activations`."""
    found = tuple(eye.execute(Encode(tuple(pictures), depths[0])))
    at_depths = []
    for depth in depths:
        found = tuple(eye.execute(Resume(found, depth)))
        at_depths.append(np.stack([each.rows for each in found]).astype(np.float16))
    return np.stack(at_depths)


def shifts_in(pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """How far each of a clip's pictures came, as `Encoded.shifts`."""
    small = [None, None, *(small_picture(each) for each in pictures)]
    return np.stack([shifts_of(*small[at : at + 3]) for at in range(len(pictures))])


def eye_folder(folder: Path, pack: Pack) -> Path:
    """Where shards of a pack's eye are kept."""
    return folder / str(pack.bricks["vision"].options["encoder"]).rpartition(" ")[2]


def shard_path(folder: Path, split: str, number: int) -> Path:
    """Where a shard is kept; folder: `eye_folder`. Those of earlier recipes, without turns, are not taken."""
    return folder / f"turns-{shard_name(split, number)}"


def write_shard(eye: Brick, folder: Path, split: str, number: int) -> None:
    """Encodes and stores one shard, atomically; its pictures are drawn where they are not there yet."""
    ahead = drawn_path(folder.parent, split, number).exists()
    clips = read_drawn(folder.parent, split, number) if ahead else drawn_clips(split, number)
    made, shifts, facts = [], [], FactsOfShard()
    for clip in clips:
        made.append(activations_of(eye, list(clip.pictures)))
        shifts.append(shifts_in(list(clip.pictures)))
        facts.add(clip)
    folder.mkdir(parents=True, exist_ok=True)
    path = shard_path(folder, split, number)
    activations = np.concatenate(made, axis=1)
    store(path, activations=activations, shifts=np.concatenate(shifts), **facts.arrays())


def read_shard(folder: Path, split: str, number: int) -> list[Encoded]:
    """The clips of a stored shard; folder: `eye_folder`. Raises OSError."""
    with np.load(shard_path(folder, split, number)) as stored:
        activations, shifts = stored["activations"], stored["shifts"]
        return [
            Encoded(activations=activations[:, here], shifts=shifts[here], **known)
            for here, known in facts_in(stored)
        ]


def main() -> None:
    """Writes the shards that are missing."""
    parser = shard_arguments(__doc__)
    parser.add_argument("--pack", type=Path, default=PACK)
    options = parser.parse_args()
    pack = load_pack(options.pack)
    options.out = eye_folder(options.out, pack)
    with loaded(pack.bricks["vision"]) as eye:
        write_missing(options, shard_path, partial(write_shard, eye))


if __name__ == "__main__":
    main()
