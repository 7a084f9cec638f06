"""Fixtures: the four bricks with the real runtimes and the micro pack's models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hw.device import MICROPHONE_RATE_HZ
from models.brick import (
    Frame,
    Prompt,
    Sentence,
    Utterance,
)
from models.pack.catalogue import PACKS_FOLDER, Pack, load_pack, missing_files
from models.pack.manifest import read_manifest
from models.process.bricks import Bricks
from models.process.residency import Residency
from models.process.rss import tree

Scenario = Callable[[Bricks], Coroutine[Any, Any, None]]
Play = Callable[[Scenario], None]

MICRO = PACKS_FOLDER / "micro"
REQUESTS: dict[str, Any] = {
    "stt": Utterance(np.zeros(MICROPHONE_RATE_HZ, np.float32)),
    "vision": Frame(np.full((120, 160, 3), 200, np.uint8)),
    "llm": Prompt("what colour is the circle", (), 16),
    "tts": Sentence("The circle is red."),
}


def micro() -> Pack:
    """The micro pack; skips the test where a file is missing."""
    missing = [file.path for file in missing_files(read_manifest(MICRO))]
    if missing:
        pytest.skip(f"the micro pack lacks {', '.join(missing)}")
    return load_pack(MICRO)


@contextmanager
def started(residency: Residency | None = None, pack: Pack | None = None) -> Iterator[Play]:
    """Runs scenarios with the micro pack, one after the other, and checks that no child process remains."""
    before = tree()
    with asyncio.Runner() as runner:
        bricks = Bricks(pack or micro(), threads=2)
        runner.run(bricks.apply(residency or Residency("budgeted")))
        try:
            yield lambda scenario: runner.run(asyncio.wait_for(scenario(bricks), 60))
        finally:
            runner.run(asyncio.wait_for(bricks.close(), 10))
    assert set(tree()) <= set(before)


def run_bricks(scenario: Scenario, residency: Residency | None = None, pack: Pack | None = None) -> None:
    """Runs one scenario with the micro pack."""
    with started(residency, pack) as play:
        play(scenario)


async def answer(bricks: Bricks, name: str, request: Any = None) -> list[Any]:
    """All chunks of an answer."""
    return [chunk async for chunk in bricks.run(name, request or REQUESTS[name])]


def files_of(pids: dict[str, int]) -> dict[str, str]:
    """What is mapped in the processes of bricks, and in the server that started them."""
    status = Path(f"/proc/{pids['tts']}/status").read_text()
    server = int(status.partition("PPid:")[2].split()[0])
    return {name: Path(f"/proc/{pid}/maps").read_text() for name, pid in {**pids, "server": server}.items()}
