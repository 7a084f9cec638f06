"""Random loads of a headband in use, and temperatures of its surroundings; not recorded."""

from __future__ import annotations

import random
from collections.abc import Iterator


def loads(rng: random.Random) -> Iterator[tuple[float, float]]:
    """(seconds, mA) of a headband in use, without end: asleep, listening, speaking, computing."""
    while True:
        kind = rng.choice(("asleep", "dozing", "listening", "listening", "working", "working"))
        if kind == "asleep":
            yield rng.uniform(20, 100) * 60, -rng.uniform(20, 30)
            continue
        base_ma = {"dozing": 25, "listening": rng.uniform(120, 260), "working": rng.uniform(350, 650)}[kind]
        until_s = rng.uniform(5, 45) * 60
        while until_s > 0:
            calm_s, burst_s = rng.uniform(15, 120), rng.uniform(3, 20)
            yield calm_s, -base_ma * rng.uniform(0.9, 1.1)
            yield burst_s, -rng.uniform(700, 1400)
            until_s -= calm_s + burst_s


def weather(rng: random.Random) -> Iterator[tuple[float, float]]:
    """(seconds, C) around the cell, without end: indoors, outdoors, near the body or in the sun."""
    while True:
        inside_c, outside_c, warm_c = rng.uniform(18, 26), rng.uniform(0, 18), rng.uniform(26, 40)
        yield rng.uniform(20, 120) * 60, rng.choice((inside_c, outside_c, warm_c))
