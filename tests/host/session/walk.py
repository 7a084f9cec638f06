"""A long random walk through the core: sessions of random events, each drained at the end and in between.

`python -m tests.host.session.walk --events 1000000 --seed 1` prints events, seconds, events per second and
what it found. Exit status 1 if that is anything.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator

from tests.host.session.world import World

MOST_PER_SESSION = 300


def session(seed: int, most: int = MOST_PER_SESSION, drained: bool = True) -> World:
    """One session from a seed; some are full of what is rare. It is drained at its end."""
    choices = random.Random(seed)
    world = World(
        choices, rare=choices.choice((0.0, 0.02, 0.02, 0.3)), quick=choices.choice((0.15, 0.4, 0.6))
    )
    world.start()
    for _ in range(choices.randrange(most)):
        world.one()
        if choices.random() < 0.02:
            world.drain()
        if world.seen.ends and choices.random() < 0.2:
            break
    if drained:
        world.drain()
    return world


def sessions(events: int, seed: int) -> Iterator[tuple[int, World]]:
    """Sessions with their seeds, until so many events were fed."""
    chances, fed = random.Random(seed), 0
    while fed < events:
        each = chances.getrandbits(48)
        world = session(each)
        fed += world.events
        yield each, world


def main() -> int:
    """Walks, and prints the figures."""
    parser = argparse.ArgumentParser(description="Random events for the session core.")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begun, fed, count, wrong = time.perf_counter(), 0, 0, 0
    for seed, world in sessions(options.events, options.seed):
        fed += world.events
        count += 1
        if world.violations:
            print(f"session {seed}: {world.violations[0]}")
            wrong += 1
    took_s = time.perf_counter() - begun
    print(
        f"seed {options.seed}: {fed} events in {count} sessions, {took_s:.0f} s, {fed / took_s:.0f} "
        f"events/s, {wrong} sessions with violations"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
