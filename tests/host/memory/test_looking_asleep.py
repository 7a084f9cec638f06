"""A headband that remembers wakes up from its sleep to look."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from host.config import JournalConfig, ListenConfig
from hw.emulated.board import emulated_board
from tests.host.memory.test_remembering import pictures
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.workbench import QUIET, change_settings

WAKE_S = 10.0


def test_what_comes_into_view_while_it_sleeps_is_remembered(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    config = replace(
        QUIET,
        journal=JournalConfig(path=str(journal)),
        listen=ListenConfig(follow_up_s=0.0, sleep_after_s=1.0),
        power=replace(QUIET.power, memory_wake_s=WAKE_S, frames_between_questions=False),
    )
    told: list[str] = []

    async def worn() -> float:
        board = emulated_board(
            clock=loop_clock(), sound_card=False, sleeps=True, key_file=tmp_path / "memory.key"
        )

        async def until(so: Callable[[], bool]) -> None:
            async with asyncio.timeout(120):
                while not so():
                    await board.clock.sleep(0.05)

        headband = micro_headband(
            board, config, observe=lambda event, fields: told.append(event), boot=lambda: "boot"
        )
        async with headband:
            running = asyncio.create_task(headband.run())
            board.camera.show(pictures()[1])
            change_settings(headband, memory=True)
            await until(lambda: "memory" in told and board.microphone.asleep)
            remembered, began_s = told.count("memory"), board.clock.monotonic()
            board.camera.show(pictures()[4])
            await until(lambda: told.count("memory") > remembered)
            took_s = board.clock.monotonic() - began_s
            headband.stop()
            await running
        await board.close()
        return took_s

    took_s = simulate(worn())
    assert took_s < WAKE_S + 5.0
    awake = [json.loads(line) for line in journal.read_text().splitlines() if '"awake"' in line]
    woken = [each for each in awake if each.get("by") == "event"]
    assert woken and all(each["slept_s"] <= WAKE_S + 1.0 for each in woken)
