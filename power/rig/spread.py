"""How much figures differ between repeats: from a figure's own few repeats, and from those of all others.

Three repeats tell a figure's variance badly, but the variances of all figures of a kind show together how
large one usually is. Smyth's empirical Bayes estimate (2004, "Linear models and empirical Bayes methods for
assessing differential expression"): variances spread about a common one as if that were known with so many
degrees of freedom, which are found from how much the logarithms of the variances differ. Where they differ
more than chance explains, a figure keeps its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_LEAST_FIGURES = 5
_MOST_DEGREES = 10.0
"""A handful of variances may be alike by chance."""


@dataclass(frozen=True)
class Usual:
    """The variance that figures of a report usually have, relative to their size."""

    variance: float
    degrees: float
    """How surely: degrees of freedom that it adds to a figure's own. 0: nothing is known."""

    def with_own(self, variance: float, degrees: int) -> tuple[float, int]:
        """(variance, degrees of freedom) of a figure whose own repeats have that variance."""
        together = (self.degrees * self.variance + degrees * variance) / (self.degrees + degrees)
        return together, int(self.degrees + degrees)


UNKNOWN = Usual(0.0, 0.0)


def usual(figures: Sequence[tuple[float, int]]) -> Usual:
    """From the variances of figures of one kind and their degrees of freedom. Figures that do not differ at
    all, as modelled ones may, tell nothing.
    """
    known = [(variance, own) for variance, own in figures if variance > 0]
    if len(known) < _LEAST_FIGURES:
        return UNKNOWN
    logs = np.array([math.log(variance) - _mean_log(own) for variance, own in known])
    beyond_chance = float(logs.var(ddof=1)) - float(np.mean([_trigamma(own / 2) for _, own in known]))
    found = _MOST_DEGREES if beyond_chance <= 0 else min(_MOST_DEGREES, 2 * _inverse_trigamma(beyond_chance))
    return Usual(math.exp(float(logs.mean()) - _mean_log(found)), found)


def _mean_log(degrees: float) -> float:
    """Mean logarithm of a variance that is estimated with so many degrees of freedom, where 1 is true."""
    return _digamma(degrees / 2) - math.log(degrees / 2)


def _digamma(x: float) -> float:
    total = 0.0
    while x < 8:
        total -= 1 / x
        x += 1
    return total + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)


def _trigamma(x: float) -> float:
    total = 0.0
    while x < 8:
        total += 1 / x**2
        x += 1
    return total + 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)


def _inverse_trigamma(value: float) -> float:
    """By halving: trigamma falls."""
    low, high = 1e-3, 1e3
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _trigamma(middle) > value else (low, middle)
    return high
