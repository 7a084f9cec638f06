"""Trains the vision encoder, the text tower and the decoder together from random weights, and exports them.

    python -m models.train.sight.train --out .cache/train/vlm/out

Batches, and what is drawn in a step, depend only on the seed and the step. An interrupted run resumes
from its checkpoint in .cache/train/vlm, written every five minutes, on SIGTERM and on Ctrl-C. In the last
`--decay` of the `--steps` the learning rate falls. A run with no planned end (`--steps 1000000`) is brought
to one at any time: stop it, and start it again with `--finish-in 4000`, which lets the rate fall from there
and ends after so many steps.

    python -m models.train.sight.train --from models/packs/micro --minutes 70 --rate 1e-3 --out OUT

trains the network of a pack on, with its decoder of six layers, for that long; the rate falls by time. The
heads of the auxiliary losses, which no pack has, learn alone at first. With `--keep-blocks 6` the first six
blocks stay as they are, and with them what a motion brick learned from activations of that depth; `--hidden`
gives the others, and the decoder's, more units, which change nothing at first. With `--decoder-only` the eye
and the text tower stay, and their files to the byte, so that every other brick of the pack still fits.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from models.train.beginning import beginning
from models.train.sight.data.labels import Arrays
from models.train.sight.data.loader import Batches, worker
from models.train.sight.data.training_batches import ON_FROM_A_PACK, BatchPlan, with_pictures
from models.train.sight.export.files import export, write_reference
from models.train.sight.learning.checkpoint import Progress
from models.train.sight.learning.run import Training
from models.train.sight.learning.schedule import schedule, schedule_by_time
from models.train.sight.model import Vlm
from models.train.sight.text_words import TextWords
from models.train.sight.validation import (
    Check,
    home_checks,
    recall_check,
    shape_checks,
    validate,
    validate_recall,
)
from models.train.sight.vocabulary import Words
from models.train.stopping import stopping
from models.train.world.variety.designs.from_cutouts import add_argument, use_given

_SAVE_EVERY_S = 240.0
_KEPT_BATCHES = 600
"""Of which some are used again."""
_FILES = ("vision", "text.onnx", "text.json", "decoder.gguf")


def keep_best(
    averaged: Vlm,
    checks: Sequence[Check],
    progress: Progress,
    words: Words,
    text_words: TextWords,
    out: Path,
    cache: Path,
    eye_of: Path | None = None,
) -> None:
    """Validates the network; writes its files to `out`, and what PyTorch computes with it to `cache`, if none
    was better before. eye_of: as for `export`.
    """
    shares = validate(averaged, checks)
    print("validation", json.dumps({k: round(v, 3) for k, v in shares.items()}), flush=True)
    if shares["all"] >= progress.best:
        progress.best = shares["all"]
        export(averaged, words, text_words, out, eye_of)
        write_reference(averaged, words, text_words, cache / "parity.npz")


def train(
    out: Path, run: Training, steps: int, decay: int, check_every: int, minutes: float = 0.0,
    workers: int = 1, again: int = 0,
) -> None:  # fmt: skip
    """Trains up to step `steps`, or for `minutes`; validates every `check_every` steps and exports the best
    network. workers: processes that draw. again: after each new batch, so many of the last ones are used
    again. Raises SystemExit where a signal stops it before the end.
    """
    words, progress = run.words, run.progress
    checks = [*shape_checks(words), *home_checks(words)]
    to_find = recall_check(words, run.text_words)
    batches = Batches(words, run.text_words, run.plan, progress.step, steps, run.seed)
    loader = DataLoader(
        batches, batch_size=None, num_workers=workers, prefetch_factor=8, worker_init_fn=worker
    )
    kept: deque[Arrays] = deque(maxlen=_KEPT_BATCHES if again else 1)
    chooser = random.Random(run.seed)
    started, before_s = time.monotonic(), progress.spent_s
    saved = started
    with stopping() as stop:
        for step, arrays in enumerate(loader, progress.step):
            if minutes:
                factor = schedule_by_time(step * (again + 1), progress.spent_s / (60 * minutes))
            else:
                factor = schedule(step, steps, decay, run.plan.sight_steps)
            kept.append(arrays)
            for extra in range(again + 1):
                run.step(step * (again + 1) + extra, chooser.choice(kept) if extra else arrays, factor)
            progress.step, progress.spent_s = step + 1, before_s + time.monotonic() - started
            done = step + 1
            last = done == steps or (minutes > 0 and progress.spent_s >= 60 * minutes)
            if done % 50 == 0:
                run.report(done, progress.spent_s)
            if stop or last or time.monotonic() - saved > _SAVE_EVERY_S:
                run.save()
                saved = time.monotonic()
            if done % check_every == 0 or last:
                averaged = run.trained.averaged.eval()
                found = validate_recall(averaged, to_find)
                print(
                    "recall",
                    json.dumps({k: [round(v, 3) for v in pair] for k, pair in found.items()}),
                    flush=True,
                )
                if done > run.plan.sight_steps:
                    keep_best(averaged, checks, progress, words, run.text_words, out, run.cache, run.eye_of)
                    run.save()
            if stop:
                print(json.dumps({"stopped": done}), flush=True)
            if last:
                break
            if stop:
                raise stop.ended(f"Stopped after step {done}; the same command goes on from there.")


def begun_as(options: argparse.Namespace) -> str:
    """A mark of the pack's network and of what learns. A pack that its own training writes into changes, so
    it is not looked at.
    """
    pack: Path | None = options.pack
    own = pack is not None and pack.resolve() == options.out.resolve()
    files = [] if pack is None or own else [pack / name for name in _FILES]
    return beginning(files, pack is None, own, options.keep_blocks, options.hidden, options.decoder_only)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the exported files")
    parser.add_argument("--cache", type=Path, default=Path(".cache/train/vlm"), help="checkpoints")
    parser.add_argument("--from", type=Path, dest="pack", help="begin with the network of this pack")
    parser.add_argument("--minutes", type=float, default=0.0, help="with --from: how long it trains")
    parser.add_argument(
        "--keep-blocks", type=int, default=0, help="with --from: the stem and so many blocks do not learn"
    )
    parser.add_argument(
        "--decoder-only", action="store_true", help="with --from: eye and text tower do not learn"
    )
    parser.add_argument(
        "--hidden", type=int, default=0, help="with --from: hidden units of what learns, if it has fewer"
    )
    parser.add_argument(
        "--augment", action="store_true", help="outlines, lines and textures of every picture are changed"
    )
    parser.add_argument(
        "--again",
        type=int,
        default=0,
        help="with --from: batches used again after each new one (use --augment)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the batches")
    parser.add_argument("--steps", type=int, default=24_000)
    parser.add_argument("--decay", type=int, help="last steps, with a falling learning rate (default 40 %%)")
    parser.add_argument("--finish-in", type=int, help="end after so many steps from here, the rate falling")
    parser.add_argument(
        "--sight-steps", type=int, default=BatchPlan().sight_steps, help="first steps, without questions"
    )
    parser.add_argument("--rest-steps", type=int, default=BatchPlan().rest_steps, help="then, decoder only")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--check-every", type=int, default=500)
    parser.add_argument("--workers", type=int, default=1, help="processes that draw")
    parser.add_argument(
        "--pictures", type=int, help="with --from: of a batch, instead of those for a small machine"
    )
    add_argument(parser)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    use_given(options)
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    torch.set_flush_denormal(True)  # gradients become denormal, and arithmetic with denormal numbers is slow
    plan = BatchPlan(sight_steps=options.sight_steps, rest_steps=options.rest_steps)
    if options.again and options.pack is None:
        parser.error("--again needs --from.")
    if (options.pack is None) != (not options.minutes):
        parser.error("--from and --minutes go together.")
    if options.decoder_only and (options.pack is None or options.keep_blocks):
        parser.error("--decoder-only needs --from, and keeps all blocks.")
    if options.pack is not None:
        plan, options.steps = ON_FROM_A_PACK, 10**9
        if options.pictures:
            plan = with_pictures(plan, options.pictures)
        if options.decoder_only:
            plan = replace(plan, captions=0, picture_only_share=0.0)
    run = Training(
        options.cache, options.rate, plan, options.device, options.pack, options.seed, options.keep_blocks,
        options.hidden, options.augment, options.decoder_only, begun_as(options),
    )  # fmt: skip
    progress = run.progress
    if options.finish_in is not None:
        progress.steps, progress.decay = progress.step + options.finish_in, options.finish_in
    elif not progress.finishing:
        progress.steps = options.steps
        progress.decay = int(0.4 * options.steps) if options.decay is None else options.decay
    progress.finishing = progress.finishing or options.finish_in is not None
    train(
        options.out,
        run,
        progress.steps,
        progress.decay,
        options.check_every,
        options.minutes,
        options.workers,
        options.again,
    )


if __name__ == "__main__":
    main()
