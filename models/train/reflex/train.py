"""Trains the network for closed questions on rows of a trained eye, chooses its thresholds, and exports it.

    python -m models.train.reflex.train --eye models/packs/micro --out models/packs/micro
    python -m models.train.reflex.train --data DIR ...        on a folder of VQAv2 or VizWiz
    python -m models.train.reflex.train --from FROM ...       on from the checkpoint of another run, or a pack
    python -m models.train.reflex.train --from PACK --frozen 3 --layers 5 ...     two more layers on its three

A batch depends on the seed and the step only. An interrupted run goes on from its checkpoint, which is
written every four minutes, on SIGTERM and on Ctrl-C, by eye and seed. From the share `PRUNING_FROM` of the
whole on, image rows are pruned (V4), a random share in each step; in the last `DECAY` the learning rate falls
(`models.train.reflex.learning.plan`). With `--minutes` the whole is a time, not a number of steps. Then the
exit scores (V3) are fitted on views that training held back, and thresholds are chosen on validation.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from models.convert.reflex.weights import ReflexShape
from models.pack.chain import EYE
from models.train.reflex.asked import asked_by_words
from models.train.reflex.batches import Examples, vocabulary
from models.train.reflex.data import Eye, add_arguments, world_source
from models.train.reflex.examples import Source, all_shards
from models.train.reflex.export import Trained, export
from models.train.reflex.extend import export_extended, extended
from models.train.reflex.learning.begin import known_words
from models.train.reflex.learning.plan import Plan
from models.train.reflex.learning.run import Run
from models.train.reflex.pack_eye import EYES, PackEye
from models.train.reflex.predict import predictions, right_by_layer
from models.train.reflex.scores import fit_scores
from models.train.reflex.thresholds import choose, choose_keep, outcome, with_temperature
from models.train.reflex.vqa.record import DataError
from models.train.reflex.vqa.source import ANSWERS, Encoder, VqaSource
from models.train.stopping import stopping

_SAVE_EVERY_S = 240.0


def train(run: Run, examples: Examples, validation: Examples, check_every: int) -> None:
    """Trains until the plan's end. Raises SystemExit where a signal stops it before."""
    started_s, spent_s = time.monotonic(), run.spent_s
    saved_s, sums, since = started_s, dict[str, Tensor](), run.step
    with stopping() as stop:
        while run.done < 1 and not stop:
            for name, part in run.update(examples).items():
                sums[name] = sums.get(name, 0.0) + part
            run.spent_s = spent_s + time.monotonic() - started_s
            done = run.done >= 1
            if run.step % 50 == 0 or done:
                count = max(run.step - since, 1)
                means = {name: round(float(value) / count, 3) for name, value in sums.items()}
                print(json.dumps({"step": run.step, "seconds": round(run.spent_s), **means}), flush=True)
                sums, since = {}, run.step
            if run.step % check_every == 0 and not done:
                found = predictions(run.averaged, validation, 1.0)
                print("validation", [round(share, 3) for share in right_by_layer(found)], flush=True)
            if done or stop or time.monotonic() - saved_s > _SAVE_EVERY_S:
                run.save()
                saved_s = time.monotonic()
    if stop:
        raise stop.ended(f"Stopped after step {run.step}; the same command goes on from there.")


def finish(run: Run, source: Source, validation: Examples, encoder: str = "") -> Trained:
    """Fits the exit scores, chooses keep ratio, temperature, thresholds and which questions are asked, and
    prints what is right.
    """
    model = copy.deepcopy(run.averaged).eval()
    keep = choose_keep(model, Examples(all_shards(source, "validation", 1), source.table, source.words))
    held_back = Examples(all_shards(source, "score"), source.table, source.words)
    fit_scores(model, held_back, (keep, 1.0))
    found = predictions(model, validation, keep)
    chosen = choose(found, keep)
    table = with_temperature(source.table, chosen.temperature)
    closed = validation.labels[:, 0] > 0
    shares = [round(share, 3) for share in right_by_layer(found, closed)]
    print(f"closed questions right by layer, {keep:.0%} of the rows kept: {shares}", flush=True)
    normal = outcome(found, chosen, chosen.caution["normal"])
    through = normal.layer[~normal.refused].mean()
    print(f"layers of a question that is not refused: {through:.2f} of {len(shares)}", flush=True)
    held = outcome(predictions(model, held_back, keep), chosen, chosen.caution["normal"])
    asked = asked_by_words(
        (held_back, held.answered), (validation, normal.answered), len(vocabulary(source.words))
    )
    return Trained(model, source.words, table, chosen, validation.rows_of(0).shape[0], encoder, asked)


def at_least_one(text: str) -> int:
    """A number of an argument. Raises ArgumentTypeError below 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Arguments of the training itself."""
    parser.add_argument("--steps", type=at_least_one, default=Plan.steps)
    parser.add_argument("--minutes", type=float, default=0.0, help="how long it trains, in place of --steps")
    parser.add_argument("--pictures", type=at_least_one, default=Plan.pictures, help="of a batch")
    parser.add_argument(
        "--questions", type=at_least_one, default=Plan.questions, help="of each of a batch's pictures"
    )
    parser.add_argument("--layers", type=at_least_one, default=ReflexShape.layers, help="cross-modal layers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--check-every", type=at_least_one, default=500)
    parser.add_argument(
        "--from",
        dest="begun_from",
        type=Path,
        help="a run's last.pt or a pack, from whose weights this one begins",
    )
    parser.add_argument(
        "--frozen",
        type=at_least_one,
        help="with --from PACK: its first stage and so many layers, all that it has, stay as they are",
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")


def trained(source: Source, folder: Path, options: argparse.Namespace) -> tuple[Run, Examples]:
    """A run to its end, or on to it, and the questions of validation. Raises SystemExit where a signal stops
    it before.
    """
    shards = all_shards(source, "train")
    examples = Examples(shards, source.table, source.words)
    validation = Examples(all_shards(source, "validation"), source.table, source.words)
    sizes = (("layers", options.layers),)
    plan = Plan(options.steps, options.pictures, options.questions, options.rate, sizes=sizes,
                minutes=options.minutes, frozen=options.frozen or 0)  # fmt: skip
    width = shards[0].rows.shape[2]
    run = Run(folder, source, width, plan, options.seed, options.device, options.begun_from)
    print(f"{len(examples)} questions, {len(validation)} of validation, from step {run.step}", flush=True)
    train(run, examples, validation, options.check_every)
    return run, validation


def main() -> None:
    """Command line. Data that can't be used is told in one sentence, with status 2; status 130 after Ctrl-C
    and 143 after SIGTERM, as there is no network yet.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    add_plan(parser)
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of the pack; files go to reflex/ in it"
    )
    parser.add_argument("--data", type=Path, help="VQAv2 or VizWiz, in place of the drawn worlds")
    parser.add_argument(
        "--brick",
        choices=EYES,
        help="with --data: which eye of the pack looks (default vision); recall: the memory's own",
    )
    parser.add_argument(
        "--answers", type=at_least_one, default=ANSWERS, help=f"vocabulary of --data ({ANSWERS})"
    )
    parser.add_argument(
        "--eight-bits", action="store_true", help="of the layers' weights, which a pack's --from cannot read"
    )
    options = parser.parse_args()
    if options.brick is not None and options.data is None:
        parser.error("--brick needs --data.")
    if options.frozen and (options.data is not None or options.begun_from is None or options.eight_bits):
        parser.error("--frozen needs --from PACK, and is not for --data or --eight-bits.")
    if options.frozen and options.layers <= options.frozen:
        parser.error(f"--layers {options.layers} puts none on {options.frozen} frozen ones.")
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    torch.set_flush_denormal(True)  # arithmetic with denormal numbers is slow
    with stopping() as stop:
        try:
            write = stop.unless(lambda: _trained(options))
        except DataError as error:
            print(error, file=sys.stderr)
            raise SystemExit(2) from error
        if write is None:
            raise stop.ended("Stopped; nothing is written, and the same command goes on with what is there.")
        write()


def _trained(options: argparse.Namespace) -> Callable[[], None]:
    """What writes the network that the command line asks for. Raises DataError."""
    source, eye, name = _source(options)
    run, validation = trained(source, options.cache / "runs" / f"{name}-{options.seed}", options)
    if not options.frozen:
        return partial(_write, finish(run, source, validation, eye), options)
    pack, held_back = options.begun_from, Examples(all_shards(source, "score"), source.table, source.words)
    made = extended(run.averaged, pack, options.frozen, held_back, validation)
    return partial(export_extended, *made, pack, options.frozen, options.out)


def _write(made: Trained, options: argparse.Namespace) -> None:
    export(replace(made, eye=options.brick or EYE), options.out, eight_bits=options.eight_bits)
    print(made.how_chosen, flush=True)


def _source(options: argparse.Namespace) -> tuple[Source, str, str]:
    """Where examples come from, the eye's identity, and what a run on them is called. Raises DataError."""
    if options.data is None:
        worlds = world_source(options, known_words(options.begun_from) if options.frozen else ())
        return worlds, worlds.eye.identity, worlds.eye.identity
    brick = options.brick or (EYE if (options.eye / "pack.toml").is_file() else "")
    eye: Encoder = PackEye(options.eye, brick) if brick else Eye(options.eye)
    data = VqaSource(options.data, eye, options.cache, options.answers)
    return data, eye.identity, f"{eye.identity}-{data.identity}-{options.answers}"


if __name__ == "__main__":
    main()
