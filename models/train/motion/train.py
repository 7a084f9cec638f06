"""Trains the motion brick: `python -m models.train.motion.train --out DIR [--cache DIR] [--epochs N]`.

Draws clips and encodes them with the eye of a pack (in a second process, while training begins on the first),
trains with a fixed seed, resumes from the last epoch in the cache folder, chooses on validation clips the
temperature and from which probability on an answer is given, and writes DIR/motion. `--aggregation` trains a
baseline of the same size instead, which writes nothing but its state.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from models.pack.catalogue import load_pack
from models.train.motion.export import export
from models.train.motion.features import DEPTHS, Encoded, read_shard, shard_path
from models.train.motion.model import Aggregation, Motion, Shape
from models.train.motion.thresholds import Answered, choose
from models.train.pack import PACK
from models.train.world.clips.values import FAMILIES, LABELS, ClipQuestion, decided_by_order
from models.train.world.home.splits import KINDS

SHARDS, VALIDATION_SHARDS = 40, 3
EPOCHS, BATCH, RATE = 14, 24, 1.2e-3
QUESTIONS = 6
"""Of one clip in a batch."""


def shape() -> Shape:
    """The sizes of the brick."""
    return Shape(families=len(FAMILIES), things=len(KINDS), labels=len(LABELS))


def numbers_of(question: ClipQuestion) -> tuple[int, int, int]:
    """Family, thing and other thing as the network takes them, from 1; 0 for none."""
    kinds = ("", *KINDS)
    family = 1 + tuple(FAMILIES).index(question.family)
    return family, kinds.index(question.thing), kinds.index(question.other)


_ALLOWED = torch.full((len(FAMILIES) + 1, len(LABELS)), float("-inf"))
for _number, _labels in enumerate(FAMILIES.values(), 1):
    _ALLOWED[_number, [LABELS.index(label) for label in _labels]] = 0.0


def allowed(question: Tensor) -> Tensor:
    """0 for the labels that a question's family may have, -inf for others, [b, labels]."""
    return _ALLOWED[question[:, 0]]


@dataclass(frozen=True, eq=False)
class Batch:
    """Clips with their questions. of_clip: which clip a question is about."""

    clips: list[Tensor]
    ages_s: Tensor
    present: Tensor
    question: Tensor
    of_clip: Tensor
    label: Tensor


def batch_of(clips: Sequence[Encoded], depth: int, asked: Sequence[Sequence[ClipQuestion]]) -> Batch:
    """A batch at one depth, by its position in `DEPTHS`."""
    rows = [torch.from_numpy(each.activations[depth]).float() for each in clips]
    ages = [torch.from_numpy(each.times_s[-1] - each.times_s) for each in clips]
    pad = torch.nn.utils.rnn.pad_sequence
    present = pad([torch.ones(len(each), dtype=torch.bool) for each in ages], batch_first=True)
    flat = [(number, question) for number, each in enumerate(asked) for question in each]
    return Batch(
        rows,
        pad(ages, batch_first=True),
        present,
        torch.tensor([numbers_of(question) for _, question in flat]),
        torch.tensor([number for number, _ in flat]),
        torch.tensor([LABELS.index(question.answer) for _, question in flat]),
    )


def logits_of(model: Motion, batch: Batch, depth: int) -> Tensor:
    """Logits of a batch's questions, -inf where the family does not allow a label."""
    cells = model.cells(batch.clips, depth)
    of = batch.of_clip
    keys, values = model.answer.seen(cells)
    found = model.answer.from_seen(keys[of], values[of], batch.ages_s[of], batch.question, batch.present[of])
    return found + allowed(batch.question)


def some_of(clip: Encoded, rng: random.Random, weights: dict[tuple[str, str], float]) -> list[ClipQuestion]:
    """A few questions of a clip, those with rare answers more often."""
    most = min(QUESTIONS, len(clip.questions))
    keyed = [
        (rng.random() ** (1.0 / weights[each.family, kind_or(each.answer)]), number)
        for number, each in enumerate(clip.questions)
    ]
    return [clip.questions[number] for _, number in sorted(keyed, reverse=True)[:most]]


def kind_or(answer: str) -> str:
    """The answer, or "a thing" for any of them."""
    return "a thing" if answer in KINDS else answer


def weights_of(clips: Sequence[Encoded]) -> dict[tuple[str, str], float]:
    """How much rarer than the commonest each answer of a family is, its square root."""
    counts: dict[tuple[str, str], int] = {}
    for clip in clips:
        for each in clip.questions:
            key = each.family, kind_or(each.answer)
            counts[key] = counts.get(key, 0) + 1
    most = max(counts.values())
    return {key: (most / count) ** 0.5 for key, count in counts.items()}


def in_batches(clips: Sequence[Encoded], rng: random.Random) -> Iterator[list[Encoded]]:
    """All clips in a random order, those of like length together."""
    order = sorted(clips, key=lambda clip: len(clip.times_s) + 3 * rng.random())
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(groups)
    yield from groups


@torch.no_grad()
def answers(model: Motion, clips: Sequence[Encoded], depth: int) -> list[Answered]:
    """What the network says to every question of clips, at a depth by its position in `DEPTHS`."""
    model.eval()
    found = []
    for at in range(0, len(clips), BATCH):
        group = clips[at : at + BATCH]
        batch = batch_of(group, depth, [clip.questions for clip in group])
        logits = logits_of(model, batch, depth)
        flat = [(clip, question) for clip in group for question in clip.questions]
        for (clip, question), row in zip(flat, logits, strict=True):
            found.append(Answered(question, row.numpy(), clip.event, clip.turned))
    model.train()
    return found


def right(found: Sequence[Answered]) -> dict[str, float]:
    """Share right by family, and of all families alike."""
    by: dict[str, list[bool]] = {}
    for each in found:
        by.setdefault(each.question.family, []).append(each.label == each.question.answer)
    shares = {family: sum(each) / len(each) for family, each in by.items()}
    return shares | {"all": sum(shares.values()) / len(shares)}


def train(options: argparse.Namespace) -> Motion:
    """Trains, or goes on."""
    torch.manual_seed(options.seed)
    rng = random.Random(options.seed)
    model = Motion(shape(), options.aggregation)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.02)
    kept = options.cache / f"{options.aggregation}-{options.seed}.pt"
    begun = 0
    if kept.exists():
        stored = torch.load(kept, weights_only=True)
        begun = stored["epoch"]
        model.load_state_dict(stored["model"])
        optimiser.load_state_dict(stored["optimiser"])
    validation = [c for n in range(VALIDATION_SHARDS) for c in _waited_for(options.cache, "validation", n)]
    clips: list[Encoded] = []
    for epoch in range(begun, options.epochs):
        have = min(options.shards, max(4, 5 * (epoch + 1)))
        while len(clips) < have * 250 and len(clips) // 250 < options.shards:
            clips += _waited_for(options.cache, "train", len(clips) // 250)
        weights, sums, since_s = weights_of(clips), [0.0, 0.0], time.monotonic()
        groups = list(in_batches(clips, rng))
        for number, group in enumerate(groups):
            done = (epoch + number / len(groups)) / options.epochs
            for each in optimiser.param_groups:
                each["lr"] = RATE * min(1.0, 30 * done + 0.05) * (1 - done) ** 1.2
            depth = rng.randrange(len(DEPTHS)) if options.depth is None else options.depth
            batch = batch_of(group, depth, [some_of(clip, rng, weights) for clip in group])
            loss = functional.cross_entropy(logits_of(model, batch, depth), batch.label)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            sums[0] += float(loss.detach())
            sums[1] += 1
        told = {k: round(v, 3) for k, v in right(answers(model, validation, len(DEPTHS) - 1)).items()}
        seconds = time.monotonic() - since_s
        print(f"epoch {epoch + 1} loss {sums[0] / sums[1]:.4f} {seconds:.0f} s {told}", flush=True)
        unfinished = kept.with_suffix(".part")
        torch.save(
            {"epoch": epoch + 1, "model": model.state_dict(), "optimiser": optimiser.state_dict()}, unfinished
        )
        os.replace(unfinished, kept)
    found = answers(model, validation, len(DEPTHS) - 1)
    by_order = [each.label == each.question.answer for each in found if decided_by_order(each.question)]
    told = {k: round(v, 3) for k, v in right(found).items()}
    print(f"validation: decided by order alone {sum(by_order) / len(by_order):.3f}, {told}")
    if options.aggregation == "order" and options.out is not None:
        chosen = choose([answers(model, validation, depth) for depth in range(len(DEPTHS))])
        eye = load_pack(options.pack).bricks["vision"]
        export(model, chosen, options.out, str(eye.options["encoder"]).rpartition(" ")[2])
    return model


def _waited_for(folder: Path, split: str, number: int) -> list[Encoded]:
    while not shard_path(folder, split, number).exists():
        time.sleep(1.0)
    return read_shard(folder, split, number)


def main() -> None:
    """Starts the drawing, trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for motion/")
    parser.add_argument("--cache", type=Path, default=Path(".cache/train/motion"))
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--shards", type=int, default=SHARDS, help="of 250 clips each")
    parser.add_argument("--seed", type=int, default=1)
    aggregations: tuple[Aggregation, ...] = ("order", "mean", "last", "ends")
    parser.add_argument("--aggregation", choices=aggregations, default="order")
    parser.add_argument("--depth", type=int, help="train at this position of the depths only")
    parser.add_argument("--pack", type=Path, default=PACK, help="whose eye encodes the clips")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    command = [sys.executable, "-m", "models.train.motion.features", "--out", str(options.cache)]
    command += ["--pack", str(options.pack)]
    wanted = (("validation", VALIDATION_SHARDS), ("train", options.shards))
    drawing = [
        subprocess.Popen([*command, "--split", split, "--count", str(count)])
        for split, count in wanted
        if not shard_path(options.cache, split, count - 1).exists()
    ]
    try:
        train(options)
    finally:
        for process in drawing:
            process.terminate()


if __name__ == "__main__":
    main()
