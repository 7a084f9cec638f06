"""A slow machine, for measuring: the bricks' processes are held to a share of the time, and one core is kept
busy.

A process beside this one stops the bricks (SIGSTOP) and lets them go on (SIGCONT), so that they run for one
Nth of the time, all of them at once: to them the clock is stretched. It measures how long it let them run, so
that a late wake-up does not change the share. What the bricks wait for, the sound, and the main process are
not slowed.

    python -m tests.eval.cost.slow_machine PID N    holds the bricks below that process until its input closes
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

RUN_S = 0.01
"""The bricks run for so long at a time: short beside a sentence, long beside the slices of a core that other
processes take: in a shorter one a brick beside a busy process may not get its turn.
"""
LOOK_S = 0.05
"""New bricks are found within this time."""
BRICK = "brick-"
"""Their processes' names begin with this."""


@contextlib.contextmanager
def held(slowdown: float) -> Iterator[None]:
    """The bricks of this process take so many times longer; 1: they are left alone."""
    if slowdown <= 1:
        yield
        return
    with _beside([__name__, str(os.getpid()), str(slowdown)]):
        yield


@contextlib.contextmanager
def rival(wanted: bool) -> Iterator[None]:
    """One busy process of ours, which takes what it gets of one core."""
    if not wanted:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            yield
        finally:
            busy.kill()


@contextlib.contextmanager
def _beside(arguments: list[str]) -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-m", *arguments], stdin=subprocess.PIPE) as process:
        try:
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()


def bricks_below(pid: int) -> list[int]:
    """Processes of bricks among the descendants of a process."""
    found, pending = [], [pid]
    while pending:
        each = pending.pop()
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                pending += [int(child) for child in task.read_text().split()]
        with contextlib.suppress(OSError):
            if Path(f"/proc/{each}/comm").read_text().startswith(BRICK):
                found.append(each)
    return found


def hold(pid: int, slowdown: float) -> None:
    """Hold the bricks below a process to their share until standard input closes."""
    held_pids: list[int] = []
    looked_s = 0.0
    try:
        while not select.select([sys.stdin], [], [], 0)[0]:
            if time.monotonic() - looked_s > LOOK_S:
                held_pids, looked_s = bricks_below(pid), time.monotonic()
            began_s = time.monotonic()
            _send(held_pids, signal.SIGCONT)
            time.sleep(RUN_S)
            _send(held_pids, signal.SIGSTOP)
            ran_s = time.monotonic() - began_s
            time.sleep((slowdown - 1) * ran_s)
    finally:
        _send({*held_pids, *bricks_below(pid)}, signal.SIGCONT)


def _send(pids: list[int] | set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


if __name__ == "__main__":
    hold(int(sys.argv[1]), float(sys.argv[2]))
