"""Pictures of both worlds as rows of a pack's eye, with the labels of their cells: shards that are kept.

    python -m models.train.detector.data --eye models/packs/micro --processes 2

Pictures are drawn and look in many manners, and most things of the home have other designs than the usual
styles (`models.train.world.variety`). Validation has mixes of what training has and of what it never has. A
shard depends on the eye's files, its part and its number only. A run that is interrupted goes on with the
shards that are missing.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.train.detector.labels import of_scene, of_view
from models.train.reflex.data import Eye, make_shards
from models.train.reflex.unseen import KNOWN, MIXES, Unseen, with_designs
from models.train.sight.data.camera import plain, random_shot, taken
from models.train.sight.data.labels import Arrays
from models.train.sight.data.training_batches import BatchPlan, scene_to_ask_about, training_view
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.scenes import random_scene
from models.train.world.variety.designs.from_cutouts import add_argument, mark, use_given
from models.train.world.variety.manner import USUAL, Picture, random_manner

PICTURES = 2000
"""Of a shard."""
SHARDS = {"train": 28, "validation": 3}
_RECIPE = "things-1"
"""In the names of shards, so that those of another way to draw are not taken."""
_HOME_SHARE, _UNUSABLE_SHARE, _SHOT_SHARE, _MANNER_SHARE = 0.5, 0.04, 0.6, 0.7
_PLAN = BatchPlan(unnamed_colour_share=0.15, unnamed_shape_share=0.1)


def random_picture(rng: random.Random, part: str, side_px: int, unseen: Unseen) -> tuple[Picture, Arrays]:
    """A picture of a part, and its labels."""
    trained = part == "train"
    shot = random_shot(rng, side_px) if rng.random() < _SHOT_SHARE else plain(side_px)
    usual = not unseen.looks and rng.random() >= _MANNER_SHARE
    manner = USUAL if usual else random_manner(rng, unseen.looks)
    if unseen.home_only or rng.random() < _HOME_SHARE:
        if trained:
            view = training_view(rng, _PLAN.word_share)
        else:
            view = random_view(rng, "validation", _UNUSABLE_SHARE)
        view = with_designs(view, rng, unseen, _PLAN.design_share)
        size = round(side_px * min(shot.window.width, shot.window.height))
        truth = truth_of(view, size)
        pixels = taken(manner.view(view, shot.drawn_px), shot, side_px, bright=truth.quality != "dark")
        labels, clear = of_view(view, truth, size, shot.window), truth.quality == "clear"
    else:
        scene = random_scene(rng, "train" if trained else "validation", _UNUSABLE_SHARE)
        if trained:
            scene = scene_to_ask_about(scene, rng, _PLAN)
        drawn = manner.scene(scene, 0, shot.drawn_px)
        pixels = taken(drawn, shot, side_px, bright=scene.quality != "dark")
        labels, clear = of_scene(scene, shot.window), scene.quality == "clear"
    return manner.looked(pixels) if clear else pixels, labels


def shard_path(folder: Path, part: str, number: int) -> Path:
    """Where a shard is kept."""
    return folder / f"{part}-{_RECIPE}-{number:04d}.npz"


def write_shard(eye: Eye, folder: Path, part: str, number: int, pictures: int = PICTURES) -> None:
    """Draws, encodes and stores one shard, atomically. rows: float16 [pictures, tokens, width]."""
    rng = random.Random(f"detector {_RECIPE} {part} {number}")
    mixes = (KNOWN,) if part == "train" else MIXES
    rows, labels = [], []
    for picture in range(pictures):
        pixels, told = random_picture(rng, part, eye.side_px, mixes[picture % len(mixes)])
        rows.append(eye.rows(pixels))
        labels.append(told)
    path = shard_path(folder, part, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.part.npz")
    stacked = {key: np.stack([each[key] for each in labels]) for key in labels[0]}
    np.savez(unfinished, rows=np.stack(rows), **stacked)  # type: ignore[arg-type]
    os.replace(unfinished, path)


def read_shards(folder: Path, part: str, count: int) -> dict[str, NDArray]:
    """All shards of a part together. Raises OSError."""
    stored = [np.load(shard_path(folder, part, number)) for number in range(count)]
    return {key: np.concatenate([each[key] for each in stored]) for key in stored[0].files}


def eye_folder(cache: Path, eye: Eye) -> Path:
    """Where an eye's shards are kept, with the cutouts in use."""
    return cache / (eye.identity + mark())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the commands need to find or make shards."""
    parser.add_argument("--eye", type=Path, required=True, help="folder of a pack with the vision encoder")
    parser.add_argument(
        "--cache", type=Path, default=Path(".cache/train/detector"), help="shards, checkpoints"
    )
    parser.add_argument("--shards", type=int, default=SHARDS["train"], help=f"of {PICTURES} pictures each")
    add_argument(parser)


def _make_missing(options: argparse.Namespace, process: int) -> None:
    use_given(options)
    eye = Eye(options.eye)
    folder = eye_folder(options.cache, eye)
    wanted = {**SHARDS, "train": options.shards}
    every = [(part, number) for part in ("validation", "train") for number in range(wanted[part])]
    for part, number in every[process :: options.processes]:
        if not shard_path(folder, part, number).exists():
            begun_s = time.monotonic()
            write_shard(eye, folder, part, number)
            print(f"{part} {number}: {time.monotonic() - begun_s:.0f} s", flush=True)


if __name__ == "__main__":
    make_shards(__doc__, add_arguments, _make_missing)
