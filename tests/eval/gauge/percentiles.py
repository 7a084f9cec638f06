"""Percentiles of errors: a value that was found, never one between two."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """The quantile `share`, 0 to 1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def p95(errors: Sequence[float]) -> float:
    """95th percentile of the absolute values."""
    return percentile([abs(error) for error in errors], 0.95)
