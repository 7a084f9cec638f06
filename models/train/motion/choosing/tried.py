"""Dense clips, looked at in every way: what a pack's motion brick answers, kept in a cache folder.

    python -m models.train.motion.choosing.tried --out DIR --split train --first 0 --count 16

A dense clip has a view every 0.2 s. Its questions are answered with each interval, depth and number of units
of `models.sensing.configuration`, and with the usual depth after each of its units. No clip is one that the
motion brick was trained on, and the things of every second one, but for held-out clips, are in styles and
designs kept back from that training, so that what is learned of accuracy holds for things that are new. Needs
NumPy and the runtimes only.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.brick import Activation, Brick, Embed
from models.clip import MOST_UNITS, ClipAnswer, SmallPicture, Unit, read_at
from models.clip import ClipQuestion as Asked
from models.pack.catalogue import Pack, load_pack
from models.sensing.configuration import INTERVALS_S, UNITS
from models.sensing.features import luma_of
from models.sensing.picture_quality import quality_of
from models.sensing.registration import small_picture
from models.train.motion.features import activations_of
from models.train.motion.pictures import random_dress
from models.train.motion.shards import shard_arguments, store, write_missing
from models.train.pack import PACK
from models.train.recall.views import loaded
from models.train.world.clips.draw import DENSE_GAP_S, dense_times, random_clip
from models.train.world.clips.stage import as_they_are
from models.train.world.clips.values import LABELS, Clip, ClipQuestion
from models.train.world.home.picture.render import render

CLIPS_PER_SHARD = 120
STEPS = tuple(round(each / DENSE_GAP_S) for each in INTERVALS_S)
"""Of a dense clip every so many pictures are taken, by interval."""
CHECKED_STEPS = STEPS[:2]
"""Intervals for which the answers after each unit are kept."""
_SIDE_PX = 192
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Tried:
    """A clip and its answers. lumas: float32 [views, 16, 16]; sharpness: [views], NaN for a plain wall;
    places: float32 [views, embedding], by the exit at the least depth. right: bool [questions, ways],
    `ways()` in order. after: for each of `CHECKED_STEPS` the probabilities of all labels after each unit,
    float16 [questions, units, labels], 0 for the first and for labels of other families.
    """

    times_s: Floats
    lumas: Floats
    sharpness: Floats
    places: Floats
    event: str
    turned: bool
    questions: tuple[ClipQuestion, ...]
    right: NDArray[np.bool_]
    after: tuple[NDArray[np.float16], ...]


def ways(depths: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    """Step, depth and units of each way."""
    return tuple(product(STEPS, depths, UNITS))


def tried(eye: Brick, brick: Brick, pack: Pack, clip: Clip, number: int) -> Tried:
    """Looks at a clip in every way. number: the first of the brick's clip numbers that are free."""
    settings = pack.bricks["motion"].options
    depths, usual = tuple(settings["depths"]), int(settings["depth"])
    pictures = [render(view, _SIDE_PX) for view in clip.views]
    rows = activations_of(eye, pictures, depths)
    encoder = str(pack.bricks["vision"].options["encoder"])
    small = [small_picture(each) for each in pictures]
    shallow = tuple(Activation(depths[0], encoder, each) for each in rows[0])
    places = np.stack([each.vector for each in eye.execute(Embed(shallow))]).astype(np.float32)
    right, after = [], []
    for at, (step, depth) in enumerate(product(STEPS, depths)):
        checked = depth == usual and step in CHECKED_STEPS
        read = {each: rows[depths.index(each)] for each in read_at(settings, depth)}
        found = _answers(brick, clip, read, small, step, number + at, encoder, checked)
        right += [
            [each.label == q.answer for each, q in zip(asked, clip.questions, strict=True)]
            for asked in found[0]
        ]
        if checked:
            after.append(found[1])
    quality = [quality_of(each).sharpness for each in pictures]
    return Tried(
        np.array(clip.times_s, np.float32),
        np.stack([luma_of(each) for each in pictures]),
        np.array([np.nan if each is None else each for each in quality], np.float32),
        places,
        clip.event,
        clip.turned,
        clip.questions,
        np.array(right, bool).T,
        tuple(after),
    )


def taken(views: int, step: int) -> range:
    """The views of a dense clip that are taken: every `step`-th, and the first of all."""
    return range(0, views, step)


def _answers(
    brick: Brick,
    clip: Clip,
    rows: Mapping[int, NDArray[np.float16]],
    small: Sequence[SmallPicture],
    step: int,
    number: int,
    encoder: str,
    checked: bool,
) -> tuple[list[list[ClipAnswer]], NDArray[np.float16]]:
    """The answers to all questions by number of units, and after each unit where `checked`; rows: those of
    the views by depth.
    """
    numbers = taken(len(clip.views), step)
    after = np.zeros((len(clip.questions), len(numbers), len(LABELS)), np.float16)
    for at, view in enumerate(numbers):
        for depth, each in rows.items():
            unit = Unit(Activation(depth, encoder, each[view]), clip.times_s[view], number, small[view])
            list(brick.execute(unit))
        if checked and at:
            for row, question in enumerate(clip.questions):
                for label, chance in _asked(brick, question, number, MOST_UNITS).distribution.items():
                    after[row, at, LABELS.index(label)] = chance
    by_units = [[_asked(brick, each, number, units) for each in clip.questions] for units in UNITS]
    return by_units, after


def _asked(brick: Brick, question: ClipQuestion, number: int, units: int) -> ClipAnswer:
    (found,) = brick.execute(Asked(question.family, question.thing, question.other, number, units))
    assert isinstance(found, ClipAnswer)
    return found


def shard_path(folder: Path, split: str, number: int) -> Path:
    """Where a shard is kept."""
    return folder / f"tried-{split}-{number:04d}.npz"


def write_shard(eye: Brick, brick: Brick, pack: Pack, folder: Path, split: str, number: int) -> None:
    """Draws, looks at and stores one shard, atomically."""
    rng = random.Random(f"tried {split} {number}")
    each_way = len(STEPS) * len(pack.bricks["motion"].options["depths"])
    made = []
    for at in range(CLIPS_PER_SHARD):
        new = split != "held" and at % 2 == 1
        clip = random_clip(rng, split, dense_times, random_dress(rng, split, True) if new else as_they_are)
        made.append(tried(eye, brick, pack, clip, 1 + each_way * (CLIPS_PER_SHARD * number + at)))
    about = [
        {"event": each.event, "turned": each.turned, "asked": [vars(q) for q in each.questions]}
        for each in made
    ]
    arrays = {
        f"{name}_{at}": getattr(each, name)
        for at, each in enumerate(made)
        for name in ("times_s", "lumas", "sharpness", "places", "right")
    }
    checks = {f"after_{at}_{step}": a for at, each in enumerate(made) for step, a in enumerate(each.after)}
    store(shard_path(folder, split, number), about=json.dumps(about), **arrays, **checks)


def read_shard(folder: Path, split: str, number: int) -> list[Tried]:
    """The clips of a stored shard. Raises OSError."""
    with np.load(shard_path(folder, split, number)) as stored:
        about = json.loads(str(stored["about"]))
        return [
            Tried(
                stored[f"times_s_{at}"],
                stored[f"lumas_{at}"],
                stored[f"sharpness_{at}"],
                stored[f"places_{at}"],
                told["event"],
                told["turned"],
                tuple(ClipQuestion(**each) for each in told["asked"]),
                stored[f"right_{at}"],
                tuple(stored[f"after_{at}_{step}"] for step in range(len(CHECKED_STEPS))),
            )
            for at, told in enumerate(about)
        ]


def clips_in(folder: Path, split: str) -> list[Tried]:
    """All stored clips of a split. Raises FileNotFoundError without one."""
    names = sorted(path.stem for path in folder.glob(f"tried-{split}-*.npz"))
    found = [clip for name in names for clip in read_shard(folder, split, int(name[-4:]))]
    if not found:
        raise FileNotFoundError(f"{folder} has no clips of the split {split}.")
    return found


def main() -> None:
    """Writes the shards that are missing."""
    parser = shard_arguments(__doc__)
    parser.add_argument("--pack", type=Path, default=PACK)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    pack = load_pack(options.pack)
    with loaded(pack.bricks["vision"]) as eye, loaded(pack.bricks["motion"]) as brick:
        write_missing(options, shard_path, partial(write_shard, eye, brick, pack))


if __name__ == "__main__":
    main()
