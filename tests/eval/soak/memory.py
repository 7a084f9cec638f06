"""A memory that is worn for a day and a night: do its process, its file or its handles grow?

    python -m tests.eval.soak memory [--hours 24] [--views 60] [--seed 1]

The memory brick runs in this process, so that all it holds is counted here. Each simulated hour brings so
many views, a search after every tenth, looks at stored pictures and takes views on from their activations,
now and then something forgotten or kept, a restart of the computer with another clock; the store is opened
again. Retention is an hour, so that from the
second hour on as much goes as comes. Counted are memory, open files, threads and the bytes on the disk.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from host.config import MemoryConfig
from host.memory.brick import MemoryBrick
from host.memory.files import files
from host.memory.requests import (
    Access,
    Begun,
    Between,
    Find,
    ForgetSince,
    Picture,
    Place,
    Remember,
    Request,
    Rgb,
    TimeNow,
)
from host.memory.values import Moment
from models.brick import Activation
from tests.eval.arguments import counted
from tests.eval.soak.census import Census, census_of_process

HOUR_S = 3600.0
SETTLED_HOUR = 3
"""From then on nothing may grow: the second hour fills what retention leaves."""
GROWTH_MIB, GROWTH_SHARE = 2.0, 0.25
"""Most growth after that, from the first third to the last: of memory at their ends, of the most bytes that
the disk had in them.
"""
WIDTH = 256


@dataclass(frozen=True)
class Hour:
    """The count at the end of an hour. remembered: views in the store; disk_bytes: of its file."""

    census: Census
    remembered: int
    disk_bytes: int


class Wearer:
    """Uses a memory as a wearer does, on a simulated clock."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._path = folder / "memory.db"
        self._rng, self._chance = random.Random(seed), np.random.default_rng(seed)
        self._brick = MemoryBrick()
        self._boot, self._monotonic_s, self._wall_s = 1, 10.0, 1_790_000_000.0
        self._config = MemoryConfig(retention_days=1 / 24)
        self.searches = 0

    def hour(self, views: int) -> None:
        """One hour."""
        for number in range(views):
            self._passes(HOUR_S / views)
            kept, early = self._rng.random() < 0.01, self._rng.random() < 0.5
            self._ask(Remember(
                self._access(), self._picture(), self._now(), "new", self._direction(), 1 if early else 12,
                "e", kept, activation=self._activation() if early else None,
            ))  # fmt: skip
            if number % 10 == 0:
                found = self._ask(Find(self._access(), self._direction(), "e", 10))
                self.searches += 1
                self._ask(Picture(self._access(), found[0].row.number))
                self._ask(Begun(self._access(), (found[0].row.number,), "e"))
                self._ask(Place(self._access(), {found[0].row.number: self._direction()}, 12, "e"))
        if self._rng.random() < 0.3:
            self._ask(ForgetSince(self._access(), ago_s=300.0))
        if self._rng.random() < 0.2:
            self._boot, self._monotonic_s = self._boot + 1, 5.0
            self._wall_s += self._rng.uniform(0, 2)
        self._ask(TimeNow(self._access()))

    def counted(self) -> Hour:
        """The count now; then the store is closed, so that the bytes are not those of its log."""
        rows, census = self._ask(Between(self._access())), census_of_process()
        self._brick.release()
        return Hour(census, len(rows), sum(each.stat().st_size for each in files(self._path)))

    def close(self) -> None:
        """Closes the store."""
        self._brick.release()

    def _passes(self, seconds: float) -> None:
        self._monotonic_s += seconds
        self._wall_s += seconds

    def _now(self) -> Moment:
        return Moment(f"boot {self._boot}", self._monotonic_s, self._wall_s)

    def _access(self) -> Access:
        return Access(str(self._path), bytes(range(32)), self._config, self._now())

    def _picture(self) -> Rgb:
        """A picture whose JPEG is of a usual size, uint8 [480, 640, 3]."""
        coarse = self._chance.integers(0, 256, (15, 20, 3), np.uint8)
        return np.repeat(np.repeat(coarse, 32, axis=0), 32, axis=1)

    def _activation(self) -> Activation:
        return Activation(1, "e", self._chance.standard_normal((64, 128), np.float32))

    def _direction(self) -> Any:
        vector = self._chance.standard_normal(WIDTH).astype(np.float32)
        return vector / np.linalg.norm(vector)

    def _ask(self, request: Request) -> Any:
        (answer,) = self._brick.execute(request)
        return answer


def worn(folder: Path, hours: int, views: int, seed: int) -> tuple[list[Hour], int]:
    """The counts of each hour, and how many searches there were."""
    wearer = Wearer(folder, seed)
    counts = []
    try:
        for _ in range(hours):
            wearer.hour(views)
            counts.append(wearer.counted())
    finally:
        wearer.close()
    return counts, wearer.searches


def problems(counts: Sequence[Hour]) -> list[str]:
    """What grew between the first settled hours and the last, a sentence each."""
    settled = counts[SETTLED_HOUR - 1 :]
    if len(settled) < 2:
        return [f"There are only {len(counts)} hours, so that nothing can be said of growth."]
    part = max(1, len(settled) // 3)
    early, late = settled[:part], settled[-part:]
    found = list(early[-1].census.grown(late[-1].census))
    grown = late[-1].census.resident_mib - early[-1].census.resident_mib
    if grown > GROWTH_MIB:
        found.append(f"memory grew by {grown:.1f} MiB")
    before, after = (max(hour.disk_bytes for hour in each) for each in (early, late))
    if after > before * (1 + GROWTH_SHARE):
        found.append(f"the disk has up to {after / 1e6:.1f} MB after {before / 1e6:.1f}")
    return found


def main(arguments: Sequence[str]) -> int:
    """Command line; 1 where something grew."""
    parser = argparse.ArgumentParser(
        prog="just soak memory", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=counted, default=24, help="simulated hours (default 24)")
    parser.add_argument("--views", type=counted, default=60, help="new views an hour (default 60)")
    parser.add_argument("--seed", type=counted, default=1)
    options = parser.parse_args(arguments)
    if not options.hours or not options.views:
        print("An hour and a view at least are needed.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        counts, searches = worn(Path(folder), options.hours, options.views, options.seed)
    print(f"soak memory: {options.hours} simulated hours, {options.views} views in each, {searches} searches")
    for number in sorted({min(SETTLED_HOUR, len(counts)), len(counts)}):
        hour = counts[number - 1]
        print(
            f"  after hour {number:3d}  {hour.census.resident_mib:.1f} MiB, {hour.census.files.total()} open "
            f"files, {hour.remembered} views, {hour.disk_bytes / 1e6:.1f} MB on the disk"
        )
    told = problems(counts)
    print("\n".join(f"  {each}" for each in told) or "  steady")
    return 1 if told else 0
