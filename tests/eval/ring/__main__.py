"""Measurements of the ring: hand-over compared with a queue and a pipe, a stress test, kills at random times.

    python -m tests.eval.ring [--hand-overs 300] [--slots 1000000] [--kills 10000] [--only PART]

The exit status is 0 if every figure is within its limit.
"""

from __future__ import annotations

import argparse
import os

import numpy as np

from tests.eval.arguments import counted
from tests.eval.ring.hand_over import DTYPE, SHAPE, TRANSPORTS, hand_over
from tests.eval.ring.kills import kill_at_random
from tests.eval.ring.stress import stress

WANTED_RATIO = 15.0


def _hand_overs(count: int) -> bool:
    cores = len(os.sched_getaffinity(0))
    print(
        f"Hand-over of {SHAPE[0]} x {SHAPE[1]} {DTYPE}, {count} times each, {cores} core(s) for both sides:"
    )
    results = {name: hand_over(name, count) for name in TRANSPORTS}
    medians = {name: float(np.median(result.times_ms)) for name, result in results.items()}
    for name, result in results.items():
        print(
            f"  {name:5s} median {medians[name]:7.3f} ms, p95 {np.percentile(result.times_ms, 95):7.3f} ms, "
            f"least {result.times_ms.min():6.3f} ms; processor time of both sides {result.cpu_ms:6.3f} ms"
        )
    ring, room_ms = results["ring"], float(np.median(results["ring"].room_ms))
    faster = {name: medians[name] / medians["ring"] for name in ("queue", "pipe")}
    cpu_share = ring.cpu_ms / results["queue"].cpu_ms
    print(
        f"  ring: {faster['queue']:.1f} times as fast as the queue (wanted >= {WANTED_RATIO:g}), "
        f"{faster['pipe']:.1f} times as fast as the pipe, {cpu_share:.1%} of the queue's processor time\n"
        f"  finding a slot, before the rows are made, takes {room_ms:.3f} ms more; with that counted in, "
        f"{medians['queue'] / (medians['ring'] + room_ms):.1f} times as fast as the queue"
    )
    return faster["queue"] >= WANTED_RATIO and cpu_share < 1.0


def _stress(slots: int) -> bool:
    figures = stress(slots)
    print(
        f"Stress: {figures.slots} slots from 3 producers to 3 consumers in {figures.seconds:.0f} s: "
        f"{figures.lost} lost, {figures.torn} torn, {figures.twice} twice (wanted 0)"
    )
    return figures.lost == figures.torn == figures.twice == 0


def _kills(kills: int, seed: int) -> bool:
    figures = kill_at_random(kills, seed)
    print(
        f"Kills: {figures.kills} at random moments, {figures.in_hand} slots in the hands of the dead, "
        f"{figures.passed} fills passed between: {figures.wedged} slots wedged, {figures.torn} torn "
        "(wanted 0)"
    )
    return figures.wedged == figures.torn == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hand-overs", type=counted, default=300)
    parser.add_argument("--slots", type=counted, default=1_000_000)
    parser.add_argument("--kills", type=counted, default=10_000)
    parser.add_argument("--seed", type=counted, default=1)
    parser.add_argument("--only", choices=["hand-over", "stress", "kills"])
    options = parser.parse_args()
    parts = {
        "hand-over": lambda: _hand_overs(options.hand_overs),
        "stress": lambda: _stress(options.slots),
        "kills": lambda: _kills(options.kills, options.seed),
    }
    verdicts = [parts[name]() for name in parts if options.only in (None, name)]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
