"""95 % intervals of shares and of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_DRAWS = 200_000
_Z = 1.959964
"""Standard normal deviate of a two-sided 95 % interval."""


def share(groups: Sequence[Sequence[bool]]) -> tuple[float, float]:
    """Interval of the share of hits, as two shares. Trials in a group, such as one utterance in several
    noises, are alike and count for less.

    Clopper and Pearson's interval at the effective number of trials (Korn and Graubard 1998): trials divided
    by the variance between groups over that of independent trials, and at least one per group. Without a
    miss, or without a hit, that ratio is unknown and a group counts as one trial.
    """
    sizes = np.array([len(group) for group in groups], float)
    hits = np.array([sum(group) for group in groups], float)
    total = sizes.sum()
    found = hits.sum() / total
    alike = sizes.mean()
    if 0 < found < 1 and len(groups) > 1:
        between = np.sum((hits - found * sizes) ** 2) * len(groups) / (len(groups) - 1) / total**2
        alike = min(max(between / (found * (1 - found) / total), 1.0), alike)
    trials = total / alike
    rng = np.random.default_rng(0)
    lost = (1 - found) * trials
    low = np.quantile(rng.beta(found * trials, lost + 1, _DRAWS), 0.025) if found > 0 else 0.0
    high = np.quantile(rng.beta(found * trials + 1, lost, _DRAWS), 0.975) if found < 1 else 1.0
    return float(low), float(high)


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Interval of the share of hits among independent trials (Wilson 1927)."""
    share, extra = hits / trials, _Z * _Z / trials
    middle = (share + extra / 2) / (1 + extra)
    half = _Z * math.sqrt(share * (1 - share) / trials + extra / (4 * trials)) / (1 + extra)
    return max(0.0, middle - half), min(1.0, middle + half)


def count(seen: int) -> tuple[float, float]:
    """Interval of the mean of a count (Garwood 1936)."""
    rng = np.random.default_rng(0)
    low = np.quantile(rng.gamma(seen, size=_DRAWS), 0.025) if seen else 0.0
    return float(low), float(np.quantile(rng.gamma(seen + 1, size=_DRAWS), 0.975))


def shown(groups: Sequence[Sequence[bool]]) -> str:
    """Hits, trials and percent with the interval of `share`."""
    hits, trials = sum(map(sum, groups)), sum(map(len, groups))
    return _told(hits, trials, share(groups))


def wilson_shown(hits: Sequence[bool]) -> str:
    """Hits, trials and percent with Wilson's interval."""
    return _told(sum(hits), len(hits), wilson(sum(hits), len(hits)))


def bootstrap_shown(hits: Sequence[bool]) -> str:
    """Hits, trials and percent with the bootstrap's interval over the trials; "0/0" without any."""
    if not hits:
        return "0/0"
    means = np.random.default_rng(0).choice(np.array(hits, float), (2000, len(hits))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return _told(sum(hits), len(hits), (low, high))


def _told(hits: int, trials: int, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{hits}/{trials} = {100 * hits / trials:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
