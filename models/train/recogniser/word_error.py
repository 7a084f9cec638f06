"""Word error rate and its bootstrap interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def word_errors(reference: str, heard: str) -> int:
    """Least number of substituted, missing and inserted words."""
    wanted, got = reference.split(), heard.split()
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != other))
    return row[-1]


def bootstrap(
    numerators: Sequence[float], denominators: Sequence[float], rounds: int = 2000
) -> tuple[float, float, float]:
    """Ratio of the sums and its 95 % interval, resampling the cases (fixed seed)."""
    above, below = np.asarray(numerators, float), np.asarray(denominators, float)
    picks = np.random.default_rng(0).integers(0, len(above), (rounds, len(above)))
    ratios = above[picks].sum(1) / below[picks].sum(1)
    low, high = np.quantile(ratios, (0.025, 0.975))
    return float(above.sum() / below.sum()), float(low), float(high)
