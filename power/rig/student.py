"""Student's t distribution for whole degrees of freedom, by its finite series (Abramowitz and Stegun, 26.7.3
and 26.7.4). The application's packages have no other; the rig needs it for a handful of repeats.
"""

from __future__ import annotations

import functools
import math


def beyond(t: float, degrees: int) -> float:
    """Probability of a value farther from zero than `t`, on either side."""
    angle = math.atan2(abs(t), math.sqrt(degrees))
    cosine_squared = math.cos(angle) ** 2
    odd = degrees % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for k in range(3 if odd else 2, degrees + 1, 2):
        total += term
        term *= cosine_squared * (k - 1) / k
    total *= math.sin(angle)
    within = 2 / math.pi * (angle + total) if odd else total
    return max(0.0, 1.0 - within)


@functools.cache
def limit(tail: float, degrees: int) -> float:
    """The value that `beyond` gives this probability, 1e-9 or more."""
    low, high = 0.0, 1.0
    while beyond(high, degrees) > tail:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle, degrees) > tail else (low, middle)
    return high
