"""Drawn clips as the motion brick reads them: the eye's activations, kept in a cache folder.

    python -m models.train.motion.features --out DIR --split train --first 0 --count 20

writes DIR/train-0000.npz and so on, each a pure function of split, number and eye. Needs NumPy and the
runtimes only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.brick import Brick, Encode, Resume
from models.pack.catalogue import load_pack
from models.train.pack import PACK
from models.train.recall.views import loaded
from models.train.world.clips.draw import random_clip
from models.train.world.clips.values import Clip, ClipQuestion
from models.train.world.home.picture.render import render

DEPTHS = (3, 6, 12)
"""Blocks of the eye after which the brick can read."""
CLIPS_PER_SHARD = 250
_SIDE_PX = 192


@dataclass(frozen=True, eq=False)
class Encoded:
    """A clip without its pictures. activations: float16 [depths, units, tokens, width]. times_s: float32
    [units].
    """

    activations: NDArray[np.float16]
    times_s: NDArray[np.float32]
    event: str
    turned: bool
    questions: tuple[ClipQuestion, ...]


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


def encoded(eye: Brick, clip: Clip) -> Encoded:
    """What the brick reads of a clip."""
    pictures = [render(view, _SIDE_PX) for view in clip.views]
    times_s = np.array(clip.times_s, np.float32)
    return Encoded(activations_of(eye, pictures), times_s, clip.event, clip.turned, clip.questions)


def clips_of(split: str, number: int, count: int = CLIPS_PER_SHARD) -> Iterator[Clip]:
    """The clips of a shard."""
    rng = random.Random(f"clips {split} {number}")
    for _ in range(count):
        yield random_clip(rng, split)


def shard_path(folder: Path, split: str, number: int) -> Path:
    """Where a shard is kept."""
    return folder / f"{split}-{number:04d}.npz"


def write_shard(eye: Brick, folder: Path, split: str, number: int) -> None:
    """Draws, encodes and stores one shard, atomically."""
    made = [encoded(eye, clip) for clip in clips_of(split, number)]
    about = [
        {"event": each.event, "turned": each.turned, "asked": [vars(q) for q in each.questions]}
        for each in made
    ]
    path = shard_path(folder, split, number)
    unfinished = path.with_suffix(".part.npz")
    np.savez(
        unfinished,
        activations=np.concatenate([each.activations for each in made], axis=1),
        units=np.array([len(each.times_s) for each in made]),
        times_s=np.concatenate([each.times_s for each in made]),
        about=json.dumps(about),
    )
    os.replace(unfinished, path)


def read_shard(folder: Path, split: str, number: int) -> list[Encoded]:
    """The clips of a stored shard. Raises OSError."""
    with np.load(shard_path(folder, split, number)) as stored:
        activations, units, times_s = stored["activations"], stored["units"], stored["times_s"]
        about = json.loads(str(stored["about"]))
    ends = np.cumsum(units)
    return [
        Encoded(
            activations[:, end - n : end],
            times_s[end - n : end],
            told["event"],
            told["turned"],
            tuple(ClipQuestion(**each) for each in told["asked"]),
        )
        for end, n, told in zip(ends, units, about, strict=True)
    ]


def main() -> None:
    """Writes the shards that are missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", default="train")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--pack", type=Path, default=PACK)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with loaded(load_pack(options.pack).bricks["vision"]) as eye:
        for number in range(options.first, options.first + options.count):
            if not shard_path(options.out, options.split, number).exists():
                begun_s = time.monotonic()
                write_shard(eye, options.out, options.split, number)
                print(f"{options.split} {number}: {time.monotonic() - begun_s:.1f} s", flush=True)


if __name__ == "__main__":
    main()
