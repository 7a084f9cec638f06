"""A slow machine, for measuring: a clock in which computing takes N times as long, and one core kept busy.

A program that is started in the stretched clock, and all that it starts, reads a clock that runs N times
faster than the computer's, and waits an Nth of the time (`stretched_clock.c`). So sound, pauses and time
limits keep their length, and whatever is computed, in a brick, in the main process or in the emulated
devices, takes N times as long beside them: as on a computer with as many cores, each N times slower. Memory
and the disk are as much slower, too.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

SOURCE = Path(__file__).with_name("stretched_clock.c")
TIMES = "CLOCK_N"
"""Set in the environment of a program in the stretched clock."""


def slowdown() -> float:
    """How many times longer computing takes in this program's clock; 1 in the computer's own."""
    return float(os.environ.get(TIMES, 1.0))


def run_stretched(times: float, command: Sequence[str]) -> int:
    """Runs a command in a clock in which computing takes so many times longer; its exit status. Raises
    SystemExit where the clock cannot be made here.
    """
    with tempfile.TemporaryDirectory() as folder:
        began = {"CLOCK_MONOTONIC_NS": str(time.monotonic_ns()), "CLOCK_REALTIME_NS": str(time.time_ns())}
        clock = {"LD_PRELOAD": str(_compiled(Path(folder))), TIMES: repr(times)}
        return subprocess.run(command, env={**os.environ, **clock, **began}).returncode


def _compiled(folder: Path) -> Path:
    compiler, library = shutil.which("cc"), folder / "stretched_clock.so"
    if compiler is None:
        raise SystemExit("--slowdown needs a C compiler, and there is no cc here.")
    made = subprocess.run(
        [compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"],
        capture_output=True,
        text=True,
    )
    if made.returncode:
        first = next(iter(made.stderr.splitlines()), "it gave no reason")
        raise SystemExit(f"--slowdown needs a clock that {compiler} cannot make here: {first}")
    return library


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
