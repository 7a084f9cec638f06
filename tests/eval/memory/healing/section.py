"""`just eval memory --section healing`: each way of healing the exits, on the same held-out days.

Each way is trained by `models.train.recall.heal.trial` in the training environment, on drawn days of the
training split; what it places is judged here. Two situations: the pack's own exits, which were taught to
stop early when the eye was trained, and the paper's, an eye that never was: full depth's exit stands at every
exit.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from models.pack.catalogue import Pack
from models.pack.chain import Chain
from tests.eval.eye.page import Lacks, Table
from tests.eval.eye.pieces import Eye, loaded, phrases
from tests.eval.memory.days import Places, of_pack
from tests.eval.memory.healing.days import HeldDay, held_day
from tests.eval.memory.healing.figures import ASKED, WORDS, Figures, Placed, figures, relative, spread

PYTHON = Path(__file__).parents[4] / ".venv-train" / "bin" / "python"
EXITS = (1, 3, 12)
"""Those of `models.train.recall.heal.trial`, which cannot be imported without PyTorch."""
METHODS: Mapping[str, str] = {
    "none": "no healing",
    "heads": "exits only (the simple baseline)",
    "progressive": "progressive, one suite (ours)",
    "untouched": "progressive, exits as they were",
    "per_exit": "one suite for each exit",
    "joint": "one suite, all exits at once",
}
SITUATIONS = ("trained exits", "untrained exits")
_UNSEEDED = ("none",)
Trials = Mapping[tuple[str, str], Sequence[Figures]]
"""By situation and method, one for each seed."""


def tables(pack: Pack, chain: Chain, seeds: Sequence[int], options: argparse.Namespace) -> list[Table]:
    """The section's tables. seeds: of held-out days; options: those of the command line. Raises Lacks."""
    if not PYTHON.exists():
        raise Lacks("Healing needs the training environment; ./justw test-train makes it.")
    cache = of_pack(options.cache, pack)
    with loaded(pack.bricks["vision"]) as brick:
        days = [held_day(Eye(brick), chain, seed, options.views, cache) for seed in seeds]
    with loaded(pack.bricks["text"]) as tower:
        texts = [phrases(tower, day.queries) for day in days]
    wanted = options.methods or list(METHODS)
    trials: dict[tuple[str, str], list[Figures]] = {}
    for seed in range(1, options.seeds + 1):
        for situation in SITUATIONS:
            for method in wanted:
                if method in _UNSEEDED and seed > 1:
                    continue
                file = _trial(pack, situation, method, seed, days, options)
                trials.setdefault((situation, method), []).append(_judged(file, days, texts))
    queries, views = sum(len(day.queries) for day in days), sum(len(day.full) for day in days)
    title = f"{queries} sentences, {len(days)} held-out days, {views} views that the gate keeps"
    found = [_exits(situation, title, trials) for situation in SITUATIONS]
    return [*found, _stored(trials)]


def _judged(file: Path, days: Sequence[HeldDay], texts: Sequence[Places]) -> Figures:
    with np.load(file) as made:
        placed = Placed(made["places"], made["onward"], tuple(map(int, made["recomputed"])))
    return figures(placed, days, texts, EXITS)


def _trial(
    pack: Pack, situation: str, method: str, seed: int, days: Sequence[HeldDay], options: argparse.Namespace
) -> Path:
    """The file of a trial, made where it is not there yet. Raises Lacks."""
    bare = ["--untrained"] if situation == SITUATIONS[1] else []
    held = f"{len(days)}_{options.views}"
    name = f"trial_{method}{''.join(bare)}_{seed}_{options.train_days}_{options.epochs}_{held}.npz"
    file = of_pack(options.cache, pack) / name
    if file.is_file():
        return file
    print(f"{situation}, {METHODS[method]}, seed {seed}", flush=True)
    words = ["--pack", pack.root, "--cache", options.cache, "--method", method, *bare, "--seed", seed]
    words += ["--days", options.train_days, "--epochs", options.epochs, "--out", file]
    command = [PYTHON, "-m", "models.train.recall.heal.trial", *words, "--held", *(day.stems for day in days)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run([str(word) for word in command], env=environment, check=False)
    if done.returncode:
        raise Lacks(f"The trial of {METHODS[method]} failed.")
    return file


def _exits(situation: str, title: str, trials: Trials) -> Table:
    """R@1 at each exit, and by how much more than without healing."""
    before = trials[situation, "none"][0] if (situation, "none") in trials else None
    rows = []
    for depth in EXITS:
        for method, name in METHODS.items():
            found = trials.get((situation, method))
            if found is None:
                continue
            cells = []
            for asked in ASKED:
                values = [each.percent[depth, asked] for each in found]
                more = "" if before is None or method == "none" else (
                    f" ({relative(values, before.percent[depth, asked])})"
                )  # fmt: skip
                cells.append(spread(values) + more)
            rows.append((f"after block {depth}", name, *cells, str(len(found))))
    columns = ("exit", "healing", *(f"R@1 by {asked}" for asked in ASKED), "seeds")
    notes = ["Median, and the least and the largest of the seeds; in brackets: relative to no healing."]
    notes += _against_bar(situation, trials)
    return Table(f"Healing, {situation}: {title}", columns, rows, notes)


def _against_bar(situation: str, trials: Trials) -> list[str]:
    """Ours against the exits alone and one suite for each exit, at the exits before full depth."""
    ours, said = trials.get((situation, "progressive")), []
    for depth in EXITS[:-1] if ours else ():
        for method in ("heads", "per_exit"):
            other = trials.get((situation, method))
            if other is None or ours is None:
                continue
            told = ", ".join(f"{_gap(ours, other, depth, asked):+.1f} by {asked}" for asked in ASKED)
            said.append(f"Ours minus {METHODS[method]}, after block {depth}, points of R@1: {told}.")
    return said


def _gap(ours: Sequence[Figures], other: Sequence[Figures], depth: int, asked: str) -> float:
    """Median over the seeds that both have."""
    pairs = zip(ours, other, strict=False)
    return median(one.percent[depth, asked] - two.percent[depth, asked] for one, two in pairs)


def _stored(trials: Trials) -> Table:
    """What an activation is worth that was stored as soon as its exit was done."""
    rows = []
    for situation in SITUATIONS:
        for method, name in METHODS.items():
            found = trials.get((situation, method))
            for depth in EXITS[:-1] if found else ():
                assert found is not None
                again = max(each.recomputed[depth] for each in found)
                onward = spread([each.onward[depth] for each in found])
                exact = spread([each.percent[EXITS[-1], WORDS] for each in found])
                rows.append((situation, name, f"after block {depth}", str(again), onward, exact))
    columns = (
        "exits", "healing", "stored", "blocks to recompute", "R@1 by words, taken on with none recomputed",
        "R@1 of full depth itself",
    )  # fmt: skip
    notes = [
        "An activation is stored when its exit is done (with all exits at once: after as many sessions of "
        "the training as the exit's number), and taken on by what the whole training made."
    ]
    return Table("Activations that were stored on the way", columns, rows, notes)
