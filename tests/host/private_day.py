"""A short day of use, to be observed from another process: `python -m tests.host.private_day FOLDER`.

Questions about what is seen and about the device, a brick that is killed in the middle of an answer, a sleep
and speech that ends it, "remember this" and "stop recording". All files are written in FOLDER. The last line
is JSON: the outcome, and the time of the first question.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from host.config import JournalConfig, ListenConfig
from host.turn.early.transcript import EarlyTranscript
from hw.audio.sound_and_picture_files import read_image, read_wav
from hw.emulated.board import emulated_board
from models.brick import Transcript
from tests.demo_files import COLOUR, DEVICE
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.workbench import DEMO, QUIET, kill

VIEW, ABOUT_VIEW, ABOUT_DEVICE = DEMO / COLOUR[1], DEMO / COLOUR[0], DEMO / DEVICE[0]


async def day(folder: Path) -> dict[str, Any]:
    """Runs the day; see the module's docstring."""
    journal = JournalConfig(path=str(folder / "journal.jsonl"), work=True)
    listen = ListenConfig(follow_up_s=0.0, sleep_after_s=1.0)
    config = replace(QUIET, journal=journal, listen=listen)
    board = emulated_board(
        clock=loop_clock(),
        battery_percent=30,
        sound_card=False,
        sleeps=True,
        sysfs_root=_made(folder / "sys"),
    )
    board.camera.show(read_image(VIEW))
    turns: list[Any] = []
    events: list[str] = []
    killing = False
    killed: list[str] = []

    def observe(event: str, fields: dict[str, Any]) -> None:
        events.append(event)
        if event == "turn":
            turns.append(fields["turn"])
        pids = headband.bricks.pids() if killing and not killed else {}
        if "llm" in pids:
            kill(pids["llm"])
            killed.append("llm")

    async def until(so: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not so():
                await board.clock.sleep(0.02)
                board.pmu.catch_up()

    async def ask(question: Path) -> None:
        before = len(turns)
        board.microphone.say(read_wav(question))
        await until(lambda: len(turns) > before and headband.state.interaction == "standby")

    headband = micro_headband(board, config, observe=observe)
    async with headband:
        await headband.bricks.settled()
        running = asyncio.create_task(headband.run())
        began_s = time.time()
        await ask(ABOUT_VIEW)
        killing = True
        await ask(ABOUT_VIEW)
        await until(lambda: "asleep" in events)
        for words in ("remember this", "stop recording"):
            EarlyTranscript.transcript = _reads(words)  # type: ignore[method-assign]
            await ask(ABOUT_DEVICE)
        headband.stop("the day is over")
        board.wake.set(True)
        await running
    await board.close()
    return {
        "began_s": began_s,
        "answers": [turn.answer for turn in turns],
        "killed": killed,
        "slept": "awake" in events,
        "recording": headband.state.recording,
        "looked": board.camera.captures,
    }


def _reads(words: str) -> Callable[..., Any]:
    async def read(self: EarlyTranscript, heard: object) -> Transcript:
        return Transcript(words, 0.99)

    return read


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


if __name__ == "__main__":
    print(json.dumps(simulate(day(Path(sys.argv[1])))))
