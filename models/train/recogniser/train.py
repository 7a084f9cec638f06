"""Trains the micro pack's speech recogniser: `python -m models.train.recogniser.train --out DIR [--steps N]`.

Synthesises the data (in a second process, while training starts on the first shards), trains with fixed
seeds, resumes from the last checkpoint in the cache folder, and writes DIR/stt.bin whenever the validation
result improves. Early batches have short questions only (`models.train.recogniser.batches`).

With `--from FILE` the weights of an earlier stt.bin take the place of the first round: words that it knows
stay known, and words that are new to it are learned in one round at a lower rate, which ends at `--steps`.
The more steps, the better: a run that has ended goes on when it is started again with more.
"""

from __future__ import annotations

import argparse
import copy
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from models.train.beginning import beginning
from models.train.recogniser.batches import EASY_STEPS, POSITIONS_PER_BATCH, BatchesOf, Pool, TokenRows
from models.train.recogniser.run import SEED, Run, export
from models.train.recogniser.schedule import FROM_WEIGHTS, ROUNDS, Schedule, shards_wanted
from models.train.recogniser.shards import Example, load_shard, shard_path
from models.train.recogniser.validation import show, validate
from models.train.sound.people.recordings import Unreadable, read_list
from models.train.stopping import Stopping, ended_by_its_parent, helper, stopping

CHECKPOINT_S = 60.0
TOLD_EVERY = 50


@dataclass(frozen=True)
class Pace:
    """How the work is cut. workers: processes that make batches ahead, 0 for none; positions: of the encoder
    in a batch; steps_at_once: between two looks for more shards; validate_every: steps.
    """

    workers: int = 0
    positions: int = POSITIONS_PER_BATCH
    steps_at_once: int = 20
    validate_every: int = 500


class Clips:
    """The training clips that are there so far."""

    def __init__(self, folder: Path, most_shards: int, tokens: TokenRows, positions: int) -> None:
        self.pool = Pool(tokens, SEED, positions)
        self._folder, self._most, self._loaded = folder, most_shards, 0

    def more(self, schedule: Schedule, step: int) -> None:
        """Reads the shards that a step needs, waiting for them; by time, also all others that are there."""
        least = min(self._most, schedule.least_shards(step))
        while self._loaded < least or (
            schedule.minutes
            and self._loaded < self._most
            and shard_path(self._folder, "train", self._loaded).exists()
        ):
            self.pool.add(load_shard(self._folder, "train", self._loaded))
            self._loaded += 1


def train(
    out: Path, run: Run, folder: Path, most_shards: int, schedule: Schedule, pace: Pace, stop: Stopping
) -> None:
    """Trains to the end of the schedule, or until a signal stops it; then the checkpoint is written. folder:
    of the shards, of which at most `most_shards` are used.
    """
    tokens = TokenRows(run.tokens)
    held = stop.unless(lambda: load_shard(folder, "validation", 0))
    if held is None:
        return
    if run.from_weights and not run.step:
        show(run.step, validate(run.average, held, tokens))
    encoder = copy.deepcopy(run.model.encoder).cpu() if not run.encoder_rate else None
    clips, saved_s = Clips(folder, most_shards, tokens, pace.positions), time.monotonic()
    begun = run.step
    while not schedule.ended(run.step, run.spent_s):
        stop.unless(lambda: clips.more(schedule, run.step))
        if stop:
            break
        until = min(run.step + pace.steps_at_once, schedule.steps)
        easy_steps = 0 if run.from_weights else EASY_STEPS
        ahead = BatchesOf(clips.pool, run.step, until - run.step, easy_steps, encoder)
        batches = DataLoader(
            ahead, batch_size=None, num_workers=pace.workers, worker_init_fn=ended_by_its_parent
        )
        _some_steps(run, batches, schedule, stop)
        ended = schedule.ended(run.step, run.spent_s)
        if not stop and (run.step % pace.validate_every < pace.steps_at_once or ended):
            _keep_best(run, held, tokens, out)
        if time.monotonic() - saved_s > CHECKPOINT_S or ended:
            run.save()
            saved_s = time.monotonic()
    if stop and run.step > begun:
        run.save()


def _some_steps(run: Run, batches: DataLoader, schedule: Schedule, stop: Stopping) -> None:
    """The steps of these batches, or until the schedule ends or a signal stops it."""
    begun_s, spent_s = time.monotonic(), run.spent_s
    told_s, sums, since = begun_s, torch.zeros(2, device=run.device), run.step
    for batch in batches:
        sums += run.update(batch, schedule.factor(run.step, run.spent_s))
        run.spent_s = spent_s + time.monotonic() - begun_s
        if run.step % TOLD_EVERY == 0:
            count = run.step - since
            ce, ctc = (sums / count).tolist()
            pace_s = (time.monotonic() - told_s) / count
            print(f"step {run.step} ce {ce:.4f} ctc {ctc:.4f} {pace_s:.2f} s/step", flush=True)
            told_s, since = time.monotonic(), run.step
            sums.zero_()
        if stop or schedule.ended(run.step, run.spent_s):
            break


def _keep_best(run: Run, held: Sequence[Example], tokens: TokenRows, out: Path) -> None:
    """Validates the average of the weights, and writes it where none was better before."""
    found = validate(run.average, held, tokens)
    score = found["word_error"] + 0.1 * (found["false_text"] + 1.0 - found["other_marked"])
    show(run.step, found)
    if score < run.best:
        run.best = score
        export(run.average, out / "stt.bin")


def begun_as(start: Path | None, out: Path) -> str:
    """A mark of the weights that a training begins with. A file that it writes itself changes, so it is not
    looked at.
    """
    own = start is not None and start.resolve() == (out / "stt.bin").resolve()
    return beginning([] if start is None or own else [start], own)


def main() -> None:
    """Parse the command line, start the processes that synthesise, train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for stt.bin")
    parser.add_argument("--from", dest="start", type=Path, help="begin with the weights of this stt.bin")
    parser.add_argument("--steps", type=int, help="end at this step (default: of the last round)")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="with --from: how long it trains, in place of --steps"
    )
    parser.add_argument("--shards", type=int, help="use no more of 1000 clips (default: of the last round)")
    parser.add_argument(
        "--rate",
        type=float,
        default=FROM_WEIGHTS.rate,
        help="with --from: learning rate, relative to the first round's (default: %(default)s)",
    )
    parser.add_argument("--cache", type=Path, default=Path(".cache/train/stt"))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--drawers", type=int, default=1, help="processes that synthesise")
    parser.add_argument(
        "--recorded",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="so many of the clips that are made in recorded voices, of flite and RHVoice, which have to be "
        "installed (default: %(default)s)",
    )
    parser.add_argument(
        "--people",
        type=Path,
        metavar="FOLDER",
        help="a third of the clips that are made of people's recordings, which FOLDER/recordings.tsv lists",
    )
    parser.add_argument("--workers", type=int, default=0, help="processes that make batches ahead")
    parser.add_argument(
        "--positions",
        type=int,
        default=POSITIONS_PER_BATCH,
        help="of the encoder in a batch (default: %(default)s)",
    )
    parser.add_argument(
        "--encoder-rate",
        type=float,
        default=1.0,
        help="with --from: learning rate of the encoder, relative to the decoder's. Below 1 there is no CTC "
        "loss; with 0 only the decoder is trained, at four times the pace, for new words and wordings "
        "(default: %(default)s)",
    )
    options = parser.parse_args()
    if (options.minutes or options.encoder_rate != 1) and not options.start:
        parser.error("--minutes and --encoder-rate go with --from.")
    if not 0 <= options.encoder_rate <= 1:
        parser.error("--encoder-rate is from 0 to 1.")
    if options.people:
        try:
            read_list(options.people)
        except Unreadable as error:
            parser.error(str(error))
    torch.set_float32_matmul_precision("high")
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # gradients become denormal, and arithmetic with denormal numbers is slow
    rounds = (FROM_WEIGHTS,) if options.start else ROUNDS
    steps = options.steps or (10**9 if options.minutes else rounds[-1].ends_at)
    shards = min(shards_wanted(steps - 1, rounds), options.shards or rounds[-1].shards)
    pace = Pace(options.workers, options.positions)
    if options.minutes:
        shards = options.shards or rounds[-1].shards
        pace = replace(pace, steps_at_once=250, validate_every=4000)
    if options.start:
        rounds = (replace(FROM_WEIGHTS, ends_at=steps, rate=options.rate),)
    folder = options.cache / "shards"
    schedule = Schedule(rounds, steps, options.minutes)
    with stopping() as stop:
        processes = _start_synthesis(folder, shards, options.drawers, options.recorded, options.people)
        try:
            begun = begun_as(options.start, options.out)
            run = Run(
                options.cache / "checkpoint.pt", options.start, options.device, options.encoder_rate, begun
            )
            train(options.out, run, folder, shards, schedule, pace, stop)
        finally:
            for process in processes:
                process.terminate()
    if stop and not schedule.ended(run.step, run.spent_s):
        raise stop.ended(f"Stopped after step {run.step}; the same command goes on from there.")


def _start_synthesis(
    folder: Path, shards: int, drawers: int, recorded_share: float, people: Path | None
) -> list[subprocess.Popen[bytes]]:
    """Starts what makes the shards that are missing: validation in one process, training in others."""
    command = [sys.executable, "-m", "models.train.recogniser.shards", "--out", str(folder)]
    command += ["--recorded", str(recorded_share)]
    command += ["--people", str(people)] if people else []
    parts = [
        ("validation", 0, 1, 1),
        *(("train", first, shards - first, drawers) for first in range(drawers)),
    ]
    return [
        helper(
            [*command, "--split", split, "--first", str(first), "--count", str(count), "--step", str(every)]
        )
        for split, first, count, every in parts
    ]


if __name__ == "__main__":
    main()
