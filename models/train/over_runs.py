"""What several runs of one thing have in common: their mean, and how far it is sure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, stdev

_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Two-sided 95 % quantiles of Student's distribution for 1 to 9 degrees of freedom."""


def over(values: Sequence[float], unit: str = " %", digits: int = 1, *, shares: bool = False) -> str:
    """Mean of some days' or runs' values with its 95 % interval by Student's distribution. shares: values
    are percent of something, so the interval ends at 0 and 100.
    """
    middle = mean(values)
    if len(values) < 2:
        return f"{middle:.{digits}f}{unit}"
    quantile = _STUDENT[min(len(values) - 2, len(_STUDENT) - 1)]
    half = quantile * stdev(values) / math.sqrt(len(values))
    low, high = middle - half, middle + half
    if shares:
        low, high = max(0.0, low), min(100.0, high)
    return f"{middle:.{digits}f}{unit} [{low:.{digits}f}, {high:.{digits}f}]"
