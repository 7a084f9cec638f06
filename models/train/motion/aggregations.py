"""What the order of the units is worth, over several trainings.

    python -m models.train.motion.aggregations --cache DIR --seeds 5 --first 300 --shards 20

trains networks of the same size from nothing, on the same clips: one that knows the order of the units, one
that averages them (NanoMind's way, N4), and one that reads the last unit alone, with each seed. All read the
eye after the same blocks. They are judged once on held-out clips (styles, layouts and places that no
training has), by the weights of their last pass: nothing is chosen. A training that was stopped goes on from
its last pass; one that is there is not made again. Needs PyTorch.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from models.pack.catalogue import Pack, load_pack
from models.train.motion.features import DEPTHS, Encoded, activations_of, eye_folder, read_shard, shifts_in
from models.train.motion.pictures import SIDE_PX, cells_of
from models.train.motion.shape import Aggregation
from models.train.motion.train import RATE, Training
from models.train.motion.validation import answers, right
from models.train.over_runs import over
from models.train.pack import PACK
from models.train.recall.views import loaded
from models.train.world.clips.draw import random_clip
from models.train.world.home.picture.render import render

WAYS: tuple[Aggregation, ...] = ("order", "mean", "last")
TOLD = {"order": "in their order", "mean": "averaged", "last": "the last alone"}


def held_out(pack: Pack, count: int, depth: int) -> list[Encoded]:
    """Held-out clips, encoded at one depth, by its position in `DEPTHS`; activations of others are 0."""
    rng, found = random.Random("aggregations held"), []
    with loaded(pack.bricks["vision"]) as eye:
        for _ in range(count):
            clip = random_clip(rng, "held")
            pictures = [render(view, SIDE_PX) for view in clip.views]
            rows = activations_of(eye, pictures, (DEPTHS[depth],))[0]
            activations = np.zeros((len(DEPTHS), *rows.shape), np.float16)
            activations[depth] = rows
            kinds, moved = cells_of(clip)
            found.append(
                Encoded(
                    activations=activations,
                    shifts=shifts_in(pictures),
                    times_s=np.array(clip.times_s, np.float32),
                    event=clip.event,
                    turned=clip.turned,
                    questions=clip.questions,
                    mix="held",
                    kinds=kinds,
                    moved=moved,
                )
            )
    return found


def trained(options: argparse.Namespace, folder: Path, clips: Sequence[Encoded]) -> Training:
    """The training of `options.seed` and `options.aggregation`, from where it stopped to its end."""
    training = Training(options, folder)
    for epoch in range(training.begun, options.epochs):
        training.epoch(clips, epoch)
        training.keep(epoch + 1)
    return training


def report(by_order: dict[Aggregation, list[float]], every: dict[Aggregation, list[float]]) -> list[str]:
    """Lines of the table: of what order alone decides, and of all families, percent over the seeds."""
    lines = [
        f"  {TOLD[way]:16} decided by order alone {over(shares, shares=True)}, "
        f"mean of the families {over(every[way], shares=True)}"
        for way, shares in by_order.items()
    ]
    for way, shares in by_order.items():
        if way != "order":
            more = [one - other for one, other in zip(by_order["order"], shares, strict=True)]
            lines.append(f"  in their order against {TOLD[way]}: {over(more, ' points')} more (goal 19.5)")
    return lines


def main() -> None:
    """Trains what is missing, and judges all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True, help="where the encoded clips and states are")
    parser.add_argument("--pack", type=Path, default=PACK, help="whose eye encoded the clips")
    parser.add_argument("--first", type=int, default=0, help="number of the first shard")
    parser.add_argument("--shards", type=int, default=20, help="of 250 clips each")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--clips", type=int, default=400, help="held-out ones")
    parser.add_argument("--depth", type=int, choices=DEPTHS, default=6, help="blocks of the eye")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    pack = load_pack(options.pack)
    folder = eye_folder(options.cache, pack)
    depth = DEPTHS.index(options.depth)
    numbers = range(options.first, options.first + options.shards)
    clips = [clip for number in numbers for clip in read_shard(folder, "train", number)]
    judges = held_out(pack, options.clips, depth)
    by_order: dict[Aggregation, list[float]] = {way: [] for way in WAYS}
    every: dict[Aggregation, list[float]] = {way: [] for way in WAYS}
    for seed in range(1, options.seeds + 1):
        for way in WAYS:
            told = argparse.Namespace(
                seed=seed, aggregation=way, without=[], start=None, only=None, depth=depth, rate=RATE,
                epochs=options.epochs, name=f"of-{len(clips)}-{options.epochs}-{way}",
            )  # fmt: skip
            shares = right(answers(trained(told, folder, clips).best, judges, depth))
            by_order[way].append(100 * shares["order"])
            every[way].append(100 * shares["all"])
            print(f"seed {seed}, {TOLD[way]}: by order alone {100 * shares['order']:.1f} %", flush=True)
    print(
        f"{len(clips)} clips, {options.epochs} passes, after {options.depth} blocks, {options.seeds} seeds, "
        f"{len(judges)} held-out clips:"
    )
    print("\n".join(report(by_order, every)))


if __name__ == "__main__":
    main()
