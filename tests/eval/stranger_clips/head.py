"""How a head holds its camera: when pictures are taken, its unrest, and turns from one thing to another."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

FEWEST, MOST = 4, 16
_INTERVALS_S = (0.16, 0.24, 0.33, 0.48, 0.75)
_BUSY_INTERVALS_S = (0.16, 0.24)
_LENGTHS_S = (1.6, 6.5)
_LATE_SHARE, _LATE_S = 0.08, (0.12, 0.35)
_BEFORE_SHARE, _BEFORE_S = 0.25, (1.1, 2.6)
_TURN_SHARES = (0.25, 0.8)

Point = tuple[float, float]


def moments(rng: random.Random, busy: bool = False) -> tuple[float, ...]:
    """When pictures are taken, seconds from 0: at an interval, some of them late, and in a part of the clips
    the first long before the others. busy: as often as it takes to count something, and none of them late.
    """
    if busy:
        interval_s = rng.choice(_BUSY_INTERVALS_S)
        return tuple(interval_s * number for number in range(rng.randint(MOST // 2, MOST)))
    interval_s = rng.choice(_INTERVALS_S)
    count = max(FEWEST, min(MOST, 1 + round(rng.uniform(*_LENGTHS_S) / interval_s)))
    times_s = [0.0]
    for _ in range(count - 1):
        late_s = rng.uniform(*_LATE_S) if rng.random() < _LATE_SHARE else abs(rng.gauss(0, 0.015))
        times_s.append(times_s[-1] + interval_s + late_s)
    if rng.random() < _BEFORE_SHARE:
        extra_s = rng.uniform(*_BEFORE_S)
        times_s[1:] = [each + extra_s for each in times_s[1:]]
    return tuple(times_s)


def eased(share: float) -> float:
    """From rest to rest: 0 before 0, 1 after 1, fastest in the middle."""
    inside = min(1.0, max(0.0, share))
    return inside**3 * (10 - 15 * inside + 6 * inside**2)


def unrest(times_s: Sequence[float], rng: random.Random) -> list[tuple[float, float, float]]:
    """(right, down, lean) of a head that holds still as well as it can, at each time: parts of the view's
    width, and degrees. It sways slowly and trembles a little.
    """
    sway, tremor, lean_deg = rng.uniform(0.001, 0.009), rng.uniform(0.0, 0.0025), rng.uniform(0.1, 0.7)
    waves = [(rng.uniform(0.3, 1.5), rng.uniform(0, 2 * math.pi)) for _ in range(3)]

    def swayed(axis: int, at_s: float) -> float:
        hertz, phase = waves[axis]
        return math.sin(2 * math.pi * hertz * at_s + phase)

    return [
        (
            sway * swayed(0, at_s) + rng.gauss(0, tremor),
            0.7 * sway * swayed(1, at_s) + rng.gauss(0, tremor),
            lean_deg * swayed(2, at_s),
        )
        for at_s in times_s
    ]


def turning(first: Point, last: Point, times_s: Sequence[float], rng: random.Random) -> list[Point]:
    """Where the middle of the view is at each time, when the head turns once from one point to another."""
    whole_s = times_s[-1]
    lasts_s = rng.uniform(*_TURN_SHARES) * whole_s
    begins_s = rng.uniform(0, whole_s - lasts_s)
    dx, dy = last[0] - first[0], last[1] - first[1]
    shares = [eased((at_s - begins_s) / lasts_s) for at_s in times_s]
    return [(first[0] + share * dx, first[1] + share * dy) for share in shares]
