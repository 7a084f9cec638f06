"""Short trainings for closed questions on made-up rows; needs PyTorch."""

from __future__ import annotations

from pathlib import Path

from models.train.reflex.batches import Examples
from models.train.reflex.examples import all_shards
from models.train.reflex.learning.plan import Plan
from models.train.reflex.learning.run import Run
from tests.models.train.reflex.tiny import WIDTH, TinySource

SIZES = (("width", 32), ("hidden", 64), ("heads", 4), ("blocks", 1), ("layers", 3))
PLAN = Plan(steps=300, pictures=12, questions=4, rate=4e-3, sizes=SIZES)
SOURCE = TinySource()


def examples(part: str) -> Examples:
    return Examples(all_shards(SOURCE, part), SOURCE.table, SOURCE.words)


def run(folder: Path, plan: Plan = PLAN, begun_from: Path | None = None) -> Run:
    return Run(folder, SOURCE, WIDTH, plan, 1, "cpu", begun_from)
