"""How long a sleeping headband is awake for one look, on the emulated board by its clock; its camera takes no
time, and the computer resumes and suspends in none.

    python -m tests.eval.memory.look [--looks 8]

Every other look shows a new view of a held-out day. The micro pack's bricks work for real.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from host.config import JournalConfig, ListenConfig
from hw.emulated.board import emulated_board
from tests.eval.eye.days import candidates
from tests.eval.eye.held_home import picture_of
from tests.host.simulated import micro_headband
from tests.host.workbench import QUIET, change_settings

WAKE_S = 10.0
SEED = 9001


async def looked(folder: Path, count: int) -> list[dict[str, Any]]:
    """The journal's lines of so many looks."""
    journal = folder / "journal.jsonl"
    config = replace(
        QUIET,
        journal=JournalConfig(path=str(journal)),
        listen=ListenConfig(follow_up_s=0.0, sleep_after_s=1.0),
        power=replace(QUIET.power, memory_wake_s=WAKE_S),
    )
    views = [picture_of(view) for view in candidates(SEED, 400, 1).views[:: 400 // count]]
    board = emulated_board(sound_card=False, sleeps=True, key_file=folder / "memory.key")
    looks: list[dict[str, Any]] = []
    async with micro_headband(board, config, boot=lambda: "boot") as headband:
        running = asyncio.create_task(headband.run())
        board.camera.show(views[0])
        change_settings(headband, memory=True)
        while len(looks) < count:
            await board.clock.sleep(0.5)
            lines = map(json.loads, journal.read_text().splitlines())
            before, looks = len(looks), [line for line in lines if line["event"] == "look"]
            if len(looks) > before and len(looks) % 2:
                board.camera.show(views[len(looks) % len(views)])
        headband.stop()
        board.wake.set(True)
        await running
    await board.close()
    return looks


def main() -> None:
    """Prints the median seconds by the gate's verdict."""
    parser = argparse.ArgumentParser(description="How long a headband that remembers is awake for one look.")
    parser.add_argument("--looks", type=int, default=8, help="every 11 seconds one (default 8)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        looks = asyncio.run(looked(Path(folder), options.looks))
    for what, those in (("new", True), ("not new", False)):
        took_s = [each["took_s"] for each in looks if (each.get("gate") == "new") is those]
        if took_s:
            print(f"a look at a view that is {what}: {statistics.median(took_s):.3f} s, {len(took_s)} looks")


if __name__ == "__main__":
    main()
