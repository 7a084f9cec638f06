"""Trains the motion brick: `python -m models.train.motion.train --out DIR [--cache DIR] [--epochs N]`.

Draws clips by many hands and encodes them with the eye of a pack (in a second process, while training begins
on the first), trains with a fixed seed, resumes from the eye's folder in the cache, as if it had not been
interrupted (each epoch is stored, and on SIGTERM and Ctrl-C the step under way is the last one), chooses
on validation clips, most of which have something that training never had (`mixes`), the temperature and from
which probability on an answer is given, and writes DIR/motion with the average of the weights. `--start` goes
on from the brick of another pack, whose eye this one's was trained from; with `--only 12` everything stays as
it is there but what reads activations after block 12, for an eye whose earlier blocks are the same.
`--window 40` learns from so many shards in each epoch, from the next ones in the next, so that memory has
room for them. `--aggregation` trains a baseline of the same size instead, which writes nothing but its state;
`--without` leaves parts out, to compare.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from models.pack.catalogue import Pack, load_pack
from models.train.beginning import KEY, beginning, require_same_beginning
from models.train.motion.batches import Batch, batch_of, in_batches, some_of, weights_of
from models.train.motion.disturbance import disturbed
from models.train.motion.export import FOLDER, export
from models.train.motion.features import DEPTHS, Encoded, eye_folder, read_shard, shard_path
from models.train.motion.guidance import Guides
from models.train.motion.model import Motion
from models.train.motion.objective import SMOOTHING, answer_loss, logits_of
from models.train.motion.shape import Aggregation, Shape
from models.train.motion.start import start_from
from models.train.motion.thresholds import choose, means
from models.train.motion.validation import answers, by_mix, right
from models.train.pack import PACK
from models.train.stopping import Stopping, helper, stopping
from models.train.world.clips.values import FAMILIES, LABELS
from models.train.world.home.splits import KINDS

SHARDS, VALIDATION_SHARDS = 40, 4
EPOCHS, RATE = 14, 1.2e-3
AVERAGED = 0.998
"""How much of the average of the weights is kept at each step, less at the first ones."""
PARTS = ("guidance", "disturbance", "average", "smoothing", "turn")
"""Of the training, which can be left out; "turn": how far the picture came as the head turned."""


def shape() -> Shape:
    """The sizes of the brick."""
    return Shape(families=len(FAMILIES), things=len(KINDS), labels=len(LABELS))


@dataclass
class UnderWay:
    """An epoch that was interrupted. shards: whose clips it has; batches: the numbers of the clips of each,
    none for an epoch that has not begun; done: so many batches; loss: the sum of theirs.
    """

    shards: list[int] = field(default_factory=list)
    batches: list[list[int]] = field(default_factory=list)
    done: int = 0
    loss: float = 0.0


def _start(model: Motion, pack: Path) -> None:
    """As `start_from`. Raises SystemExit with one sentence."""
    try:
        start_from(model, pack)
    except (OSError, LookupError, ValueError, RuntimeError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise SystemExit(
            f"{pack} has no motion brick that this training can begin with ({reason})."
        ) from error


class Training:
    """A network in training, with the average of its weights."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        torch.manual_seed(options.seed)
        self.options, self.rng = options, random.Random(options.seed)
        self.without = frozenset(options.without)
        self.model, self.guides = Motion(shape(), options.aggregation), Guides(shape())
        if options.start is not None:
            _start(self.model, options.start)
        self.at = options.depth if options.only is None else DEPTHS.index(options.only)
        if options.only is not None:
            self.model.requires_grad_(False).units[self.at].requires_grad_(True)
        self.average = AveragedModel(self.model, avg_fn=_averaged)
        every = [*self.model.parameters(), *self.guides.parameters()]
        self.optimiser = torch.optim.AdamW(every, lr=options.rate, weight_decay=0.02)
        self.begun, self.under_way = 0, UnderWay()
        graphs = [] if options.start is None else sorted((options.start / FOLDER).glob("*.onnx"))
        self._begun = beginning(graphs, options.start is None, options.only)
        self.kept = folder / f"{options.name or options.aggregation}-{options.seed}.pt"
        if self.kept.exists():
            stored = torch.load(self.kept, weights_only=True)
            require_same_beginning(self.kept, stored, self._begun)
            self.begun = stored["epoch"]
            self.model.load_state_dict(stored["model"])
            self.guides.load_state_dict(stored["guides"])
            self.optimiser.load_state_dict(stored["optimiser"])
            self.average.module.load_state_dict(stored["average"])
            self.average.n_averaged.fill_(stored["averaged"])
            if "random" in stored:  # not in those of earlier versions
                self.rng.setstate(stored["random"])
                torch.set_rng_state(stored["torch_random"])
                self.under_way = UnderWay(**stored["under_way"])

    @property
    def best(self) -> Motion:
        """The network to use."""
        averaged = self.average.module
        assert isinstance(averaged, Motion)
        return self.model if "average" in self.without else averaged

    def epoch(self, clips: Sequence[Encoded], epoch: int, stop: Stopping | None = None) -> float:
        """Learns from all clips once, or from those that an interrupted epoch left; the mean loss. stop: ends
        it after the step under way; then `under_way` has the batches.
        """
        options, weights, at = self.options, weights_of(clips), self.under_way
        if not at.batches:
            numbers = {id(clip): number for number, clip in enumerate(clips)}
            at.batches = [[numbers[id(clip)] for clip in group] for group in in_batches(clips, self.rng)]
        for number in range(at.done, len(at.batches)):
            if stop:
                return at.loss / max(at.done, 1)
            group = [clips[each] for each in at.batches[number]]
            done = (epoch + number / len(at.batches)) / options.epochs
            for each in self.optimiser.param_groups:
                each["lr"] = options.rate * min(1.0, 30 * done + 0.05) * (1 - done) ** 1.2
            depth = self.rng.randrange(len(DEPTHS)) if self.at is None else self.at
            batch = batch_of(group, depth, [some_of(clip, self.rng, weights) for clip in group])
            if "disturbance" not in self.without:
                batch.clips[:] = disturbed(batch.clips, self.rng)
            at.loss += self.step(batch, depth)
            at.done = number + 1
        self.under_way = UnderWay()
        return at.loss / len(at.batches)

    def step(self, batch: Batch, depth: int) -> float:
        """Learns from a batch; the loss."""
        logits, cells, scores = logits_of(self.model, batch, depth)
        loss = answer_loss(logits, batch.label, 0.0 if "smoothing" in self.without else SMOOTHING)
        if "guidance" not in self.without:
            loss = loss + self.guides.loss(cells, scores, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.average.update_parameters(self.model)
        return float(loss.detach())

    def keep(self, epoch: int) -> None:
        """Stores everything, atomically."""
        unfinished = self.kept.with_suffix(".part")
        torch.save(
            {
                "epoch": epoch, "model": self.model.state_dict(), "guides": self.guides.state_dict(),
                "optimiser": self.optimiser.state_dict(), "average": self.average.module.state_dict(),
                "averaged": int(self.average.n_averaged), "random": self.rng.getstate(),
                "torch_random": torch.get_rng_state(), "under_way": asdict(self.under_way),
                KEY: self._begun,
            },
            unfinished,
        )  # fmt: skip
        os.replace(unfinished, self.kept)


def _averaged(before: Tensor, now: Tensor, steps: Tensor | int) -> Tensor:
    """The average of the weights after so many steps and a further one."""
    kept = min(AVERAGED, (1 + int(steps)) / (10 + int(steps)))
    return before + (1 - kept) * (now - before)


Drawing = Sequence[subprocess.Popen[bytes]]
"""The processes that make shards."""


def train(options: argparse.Namespace, pack: Pack, stop: Stopping, drawing: Drawing = ()) -> Motion:
    """Trains, or goes on. Raises SystemExit where a signal stops it before the end, and where a shard is
    missing that nobody draws.
    """
    folder = eye_folder(options.cache, pack)
    training = Training(options, folder)

    def waited(split: str, numbers: Iterable[int]) -> dict[int, list[Encoded]] | None:
        return stop.unless(lambda: {each: shard(split, each) for each in numbers})

    def shard(split: str, number: int) -> list[Encoded]:
        clips = waited_for(folder, split, number, drawing)
        if "turn" not in options.without:
            return clips
        return [replace(each, shifts=np.zeros_like(each.shifts)) for each in clips]

    held = waited("validation", range(options.validation_shards))
    validation = [clip for shard in (held or {}).values() for clip in shard]
    shards: dict[int, list[Encoded]] = {}
    for epoch in range(training.begun, options.epochs):
        wanted = training.under_way.shards or _wanted(folder, epoch, options)
        for number in [each for each in shards if each not in wanted]:
            del shards[number]
        more = waited("train", [number for number in wanted if number not in shards])
        if held is None or more is None:
            raise stop.ended(f"Stopped in epoch {epoch + 1}; the same command goes on from there.")
        shards |= more
        training.under_way.shards = wanted
        clips = [clip for shard in shards.values() for clip in shard]
        begun_s = time.monotonic()
        loss = training.epoch(clips, epoch, stop)
        if training.under_way.batches:
            training.keep(epoch)
            raise stop.ended(
                f"Stopped in epoch {epoch + 1}, after {training.under_way.done} of its "
                f"{len(training.under_way.batches)} steps; the same command goes on from there."
            )
        told = by_mix(answers(training.best, validation, len(DEPTHS) - 1))
        seconds = time.monotonic() - begun_s
        print(
            f"epoch {epoch + 1} of {len(clips)} clips, loss {loss:.4f}, {seconds:.0f} s: {told}", flush=True
        )
        training.keep(epoch + 1)
    if held is None:
        raise stop.ended("Stopped; the same command goes on from there.")
    by_depth = [answers(training.best, validation, depth) for depth in range(len(DEPTHS))]
    for depth, found in zip(DEPTHS, by_depth, strict=True):
        print(f"after {depth} blocks, the mean of the families (decided by order alone): {by_mix(found)}")
        print({family: round(100 * share, 1) for family, share in right(found).items()})
    together = [means(by_depth[: place + 1]) for place in range(len(DEPTHS))]
    for depth, found in zip(DEPTHS[1:], together[1:], strict=True):
        print(f"the mean of the logits up to {depth} blocks: {by_mix(found)}")
        print({family: round(100 * share, 1) for family, share in right(found).items()})
    if options.aggregation == "order" and options.out is not None:
        encoder = str(pack.bricks["vision"].options["encoder"]).rpartition(" ")[2]
        export(training.best, choose(together), options.out, encoder)
    return training.best


def _wanted(folder: Path, epoch: int, options: argparse.Namespace) -> list[int]:
    """The shards of an epoch: the window, or all that are there, but five more in each epoch at least."""
    if options.window:
        turn = ((epoch * options.window + number) % options.shards for number in range(options.window))
        return [options.first + number for number in turn]
    every = range(options.first, options.first + options.shards)
    least = min(options.shards, max(4, 5 * (epoch + 1)))
    missing = (number for number in every if not shard_path(folder, "train", number).exists())
    return list(range(options.first, max(options.first + least, next(missing, every.stop))))


def waited_for(folder: Path, split: str, number: int, drawing: Drawing) -> list[Encoded]:
    """A shard, as soon as it is drawn. Raises SystemExit where the processes that draw have ended without."""
    path = shard_path(folder, split, number)
    while not path.exists():
        ended = [process.poll() is not None for process in drawing]
        if ended and all(ended) and not path.exists():  # with none, somebody else draws
            raise SystemExit(f"{path} is missing, and the processes that draw have ended.")
        time.sleep(1.0)
    return read_shard(folder, split, number)


def main() -> None:
    """Starts the drawing, trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for motion/")
    parser.add_argument("--cache", type=Path, default=Path(".cache/train/motion"))
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--rate", type=float, default=RATE, help="the highest learning rate")
    parser.add_argument("--shards", type=int, default=SHARDS, help="of 250 clips each")
    parser.add_argument("--first", type=int, default=0, help="number of the first of them")
    parser.add_argument(
        "--window", type=int, default=0, help="shards of an epoch (default 0: all that are drawn by then)"
    )
    parser.add_argument("--validation-shards", type=int, default=VALIDATION_SHARDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="folder of a pack whose brick this one goes on from")
    parser.add_argument("--name", default="", help="of the state in the cache, for several trainings")
    parser.add_argument("--without", choices=PARTS, nargs="*", default=[], help="parts to leave out")
    aggregations: tuple[Aggregation, ...] = ("order", "mean", "last", "ends")
    parser.add_argument("--aggregation", choices=aggregations, default="order")
    parser.add_argument("--depth", type=int, help="train at this position of the depths only")
    parser.add_argument(
        "--only", type=int, choices=DEPTHS, help="teach only what reads activations of this depth"
    )
    parser.add_argument("--pack", type=Path, default=PACK, help="whose eye encodes the clips")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    pack = load_pack(options.pack)
    command = [sys.executable, "-m", "models.train.motion.features", "--out", str(options.cache)]
    command += ["--pack", str(options.pack)]
    wanted = (("validation", 0, options.validation_shards), ("train", options.first, options.shards))
    folder = eye_folder(options.cache, pack)
    with stopping() as stop:
        drawing = [
            helper([*command, "--split", split, "--first", str(first), "--count", str(count)])
            for split, first, count in wanted
            if not shard_path(folder, split, first + count - 1).exists()
        ]
        try:
            train(options, pack, stop, drawing)
        finally:
            for process in drawing:
                process.terminate()


if __name__ == "__main__":
    main()
