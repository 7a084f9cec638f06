"""The choice of a configuration replayed on a published latency table and accuracy table.

    python -m tests.eval.sensing.published FOLDER

FOLDER has `latency_table.json` and `accuracy_table.json` as the code of MMEdge has them (its folder
`Online/data`): milliseconds by video model, frames a second, audio model and audio chunk, and the percentage
right of each of its classes with each of those configurations. The rule is that of `models.sensing.choice`.

What the tables cannot show: they have no clip, so that no feature of one can be tested; a choice by class
knows the answer before it is given, and so is a bound and no method. Every percentage is of so few samples
that choosing and judging by the same number rewards luck: both are also drawn apart, binomially, from the
table's own percentages.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.sensing.choice import best_within
from models.sensing.latency import Load

LEVELS = 4
"""Names before a latency: video model, frames a second, audio model, audio chunk."""
TIGHTNESS = (0.1, 0.5, 0.9)
DRAWS = 200
Floats = NDArray[np.float32]


class TableProblem(Exception):
    """The tables cannot be read; one sentence."""


@dataclass(frozen=True, eq=False)
class Tables:
    """ways: names of each configuration. loads: in their order. right: share by class and configuration."""

    ways: tuple[tuple[str, ...], ...]
    loads: tuple[Load, ...]
    right: Floats


def read_tables(folder: Path) -> Tables:
    """Raises TableProblem."""
    latencies, accuracies = (
        _leaves(_json(folder / f"{name}_table.json")) for name in ("latency", "accuracy")
    )
    if not latencies or any(len(key) != LEVELS for key in latencies):
        raise TableProblem(f"The latencies in {folder} are not named by {LEVELS} things.")
    classes = sorted({key[LEVELS:] for key in accuracies})
    ways = tuple(sorted(latencies))
    missing = [way for way in ways for name in classes if (*way, *name) not in accuracies]
    if not classes or any(len(name) != 1 for name in classes) or missing:
        raise TableProblem(f"The accuracies in {folder} are not those of the latencies' configurations.")
    right = [[accuracies[*way, *name] / 100 for way in ways] for name in classes]
    loads = tuple(Load(latencies[way] / 1000, latencies[way] / 1000, 0) for way in ways)
    return Tables(ways, loads, np.array(right, np.float32))


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TableProblem(f"{path} cannot be read ({error}).") from None


def _leaves(told: Any, key: tuple[str, ...] = ()) -> Mapping[tuple[str, ...], float]:
    if isinstance(told, Mapping):
        found: dict[tuple[str, ...], float] = {}
        for name, each in told.items():
            found.update(_leaves(each, (*key, str(name))))
        return found
    try:
        value = float(told)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise TableProblem(f"{' '.join(key) or 'The table'} has no number.")
    return {key: value}


def samples_of(right: Floats) -> int | None:
    """The fewest samples, to 1,000, of which all shares are whole numbers; None where there are none."""
    for number in range(1, 1001):
        if np.abs(right * number - np.rint(right * number)).max() < 1e-3:
            return number
    return None


def by_class(judged: Floats, chosen_by: Floats, tables: Tables, limit_s: float) -> float:
    """Right where each class has its own best configuration."""
    ways = [best_within(row, tables.loads, limit_s)[0] for row in chosen_by]
    return float(np.mean([row[way] for row, way in zip(judged, ways, strict=True)]))


def for_all(judged: Floats, chosen_by: Floats, tables: Tables, limit_s: float) -> float:
    """Right with the one configuration that is best for all classes together."""
    way, _ = best_within(chosen_by.mean(axis=0), tables.loads, limit_s)
    return float(judged[:, way].mean())


def drawn_apart(tables: Tables, samples: int, limit_s: float) -> tuple[list[float], list[float]]:
    """Gain of a choice by class over one for all, in points: chosen and judged by one draw, and by two."""
    rng = np.random.default_rng(4)
    same: list[float] = []
    apart: list[float] = []
    for _ in range(DRAWS):
        one, other = ((rng.binomial(samples, tables.right) / samples).astype(np.float32) for _ in range(2))
        for judged, gains in ((one, same), (other, apart)):
            gain = by_class(judged, one, tables, limit_s) - for_all(judged, one, tables, limit_s)
            gains.append(100 * gain)
    return same, apart


def lines(tables: Tables) -> list[str]:
    """The report."""
    latencies = np.array([each.latency_s for each in tables.loads])
    samples = samples_of(tables.right)
    means = 100 * tables.right.mean(axis=0)
    told = [
        f"{len(tables.ways)} configurations of {1000 * latencies.min():.1f} to {1000 * latencies.max():.1f} "
        f"ms, {len(tables.right)} classes, mean accuracy {means.min():.1f} to {means.max():.1f} %",
        f"R2 between latency and mean accuracy {np.corrcoef(latencies, means)[0, 1] ** 2:.2f}",
    ]
    if samples is not None:
        width = 196 * (0.25 / samples) ** 0.5
        told.append(f"every percentage may be of {samples} samples: up to {width:.0f} points each way")
    slowest, fastest = int(latencies.argmax()), int(latencies.argmin())
    for quantile in TIGHTNESS:
        limit_s = float(np.quantile(latencies, quantile))
        one = 100 * for_all(tables.right, tables.right, tables, limit_s)
        own = 100 * by_class(tables.right, tables.right, tables, limit_s)
        late = " (too late)" if latencies[slowest] > limit_s else ""
        told.append(
            f"limit {1000 * limit_s:.1f} ms: best for all {one:.1f} %, each class its own {own:.1f} % (a "
            f"bound); the slowest {means[slowest]:.1f} %{late}, the fastest {means[fastest]:.1f} %"
        )
        if samples is not None:
            same, apart = (statistics.median(each) for each in drawn_apart(tables, samples, limit_s))
            told.append(f"  its gain, chosen and judged by one draw, {same:.1f} points; by two, {apart:.1f}")
    return told


def main() -> int:
    """Command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("folder", type=Path, help="folder with both tables")
    options = parser.parse_args()
    try:
        tables = read_tables(options.folder)
    except TableProblem as problem:
        print(problem, file=sys.stderr)
        return 2
    print("\n".join(lines(tables)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
