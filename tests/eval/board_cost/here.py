"""How many times longer a core of the board takes than one of this computer: the micro pack's counted
programs, run here as they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from power.board_cost.board import load_boards, parts
from power.board_cost.validation import load_counted, load_published, validate
from tests.eval.board_cost.emulated import PROGRAMS, CannotCount
from tests.eval.board_cost.runs import runs

REPEATS = 5
STAGES = {
    "stt": (("micro stt", 1),),
    "vision": (("micro vision", 2),),
    "reflex": tuple(("micro reflex", at) for at in range(1, 8)),
    "llm": (("micro llm", 1),),
    "tts": (("micro tts", 2),),
    "load": tuple((f"micro {brick}", 0) for brick in ("stt", "vision", "reflex", "llm", "tts")),
}
"""By stage of power/rk3566.toml the regions that are its work."""


def longer() -> Iterator[tuple[str, float, float, float]]:
    """(stage, seconds of one core of the board by the counts, processor seconds here, their ratio), a core
    against a core, the kernel's work in neither. Raises `CannotCount`.
    """
    sources, rows = load_published()
    boards, kept = load_boards(), load_counted()
    fit = validate(rows, sources, boards, kept).fit
    here = {run: _median(run) for run in dict.fromkeys(run for each in STAGES.values() for run, _ in each)}
    for stage, regions in STAGES.items():
        board_s = sum(parts(kept[run][at], boards["rk3566"]).total_ms(1, fit) / 1e3 for run, at in regions)
        here_s = sum(here[run][at] for run, at in regions)
        yield stage, board_s, here_s, board_s / here_s


def _median(name: str) -> list[float]:
    """Processor seconds of each region, median of processes of one thread."""
    run, repeats = runs()[name], []
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, str(PROGRAMS / run.program), *run.arguments(Path(folder))]
        for number in range(REPEATS):
            times = Path(folder) / f"times-{number}"
            told = {**os.environ, "REGION_TIMES": str(times), "OMP_NUM_THREADS": "1"}
            done = subprocess.run(words, env=told, capture_output=True, text=True, check=False)
            if done.returncode:
                raise CannotCount(f"{name} does not run here: {done.stderr.strip().splitlines()[-1]}")
            repeats.append([float(line) for line in times.read_text().split()])
    return [median(each) for each in zip(*repeats, strict=True)]
