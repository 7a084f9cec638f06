"""A quantile of a few numbers. NumPy's `quantile` and `median` import `numpy.ma`, which nothing else uses:
more than a mebibyte of a process that listens all day.
"""

from __future__ import annotations

from collections.abc import Iterable


def quantile(values: Iterable[float], share: float) -> float:
    """What this share (0 to 1) of the values stays below, between two values in proportion; 0.5: the median.
    Raises `IndexError` for no values.
    """
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    below = int(at)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return float(low + (at - below) * (high - low))
