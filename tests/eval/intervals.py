"""95 % intervals of shares and of counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_DRAWS = 200_000


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


def count(seen: int) -> tuple[float, float]:
    """Interval of the mean of a count (Garwood 1936)."""
    rng = np.random.default_rng(0)
    low = np.quantile(rng.gamma(seen, size=_DRAWS), 0.025) if seen else 0.0
    return float(low), float(np.quantile(rng.gamma(seen + 1, size=_DRAWS), 0.975))


def shown(groups: Sequence[Sequence[bool]]) -> str:
    """Hits, trials and percent with the interval of `share`."""
    hits, trials = sum(map(sum, groups)), sum(map(len, groups))
    low, high = share(groups)
    return f"{hits}/{trials} = {100 * hits / trials:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
