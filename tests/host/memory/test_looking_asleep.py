"""A headband that remembers wakes up from its sleep to look, and sleeps on."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from host.config import JournalConfig, ListenConfig
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import emulated_board
from tests.demo_files import DEVICE
from tests.host.memory.test_remembering import pictures
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.workbench import DEMO, QUIET, change_settings

WAKE_S = 10.0


def test_a_sleeping_headband_looks_remembers_hears_and_obeys(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    config = replace(
        QUIET,
        journal=JournalConfig(path=str(journal)),
        listen=ListenConfig(follow_up_s=0.0, sleep_after_s=1.0),
        power=replace(QUIET.power, memory_wake_s=WAKE_S, frames_between_questions=False),
    )
    told: Counter[str] = Counter()
    turns: list[Any] = []

    def observe(event: str, fields: dict[str, Any]) -> None:
        told[event] += 1
        turns.extend([fields["turn"]] if event == "turn" else [])

    def lines(event: str) -> list[dict[str, Any]]:
        every = map(json.loads, journal.read_text().splitlines())
        return [each for each in every if each["event"] == event]

    async def worn() -> None:
        hiss = (np.random.default_rng(5).standard_normal(MICROPHONE_RATE_HZ) * 30).astype(np.int16)
        board = emulated_board(
            clock=loop_clock(),
            sound_card=False,
            sleeps=True,
            key_file=tmp_path / "memory.key",
            background=hiss,
            battery_percent=90,
        )

        async def until(so: Callable[[], bool]) -> None:
            async with asyncio.timeout(120):
                while not so():
                    await board.clock.sleep(0.05)

        headband = micro_headband(board, config, observe=observe, boot=lambda: "boot")
        async with headband:
            running = asyncio.create_task(headband.run())
            board.camera.show(pictures()[1])
            change_settings(headband, memory=True)
            await until(lambda: bool(told["memory"]) and board.microphone.asleep)
            remembered, began_s, heard_s = told["memory"], board.clock.monotonic(), headband.listening.heard_s
            board.camera.show(pictures()[4])
            await until(lambda: told["memory"] > remembered)
            assert board.clock.monotonic() - began_s < WAKE_S + 3.0
            await until(lambda: len(lines("look")) >= 3)
            assert headband.listening.heard_s == heard_s and board.microphone.asleep, "one sleep all the time"
            assert {each["gate"] for each in lines("look")[1:]} & {"same thumbnail", "same hash"}
            looks = len(lines("look"))
            await until(lambda: len([each for each in lines("awake") if each.get("by") == "look"]) > looks)
            board.microphone.say(read_wav(DEMO / DEVICE[0]))  # during the look, or just after it
            await until(lambda: bool(turns))
            assert turns[0].decision.route == "device" and turns[0].answer
            await until(lambda: board.microphone.asleep)
            looks = len(lines("look"))
            await until(lambda: len(lines("look")) > looks)
            board.set_battery(45)
            await until(lambda: headband.plan.mode.value == "throttled")
            await until(lambda: board.microphone.asleep)
            change_settings(headband, memory=False)
            headband.power_manager.soon()
            board.wake.set(True)
            await until(lambda: headband.plan.longest_sleep_s is None and board.microphone.asleep)
            looks = len(lines("look"))
            await board.clock.sleep(3 * WAKE_S)
            assert len(lines("look")) == looks, "a memory that is off has no looks"
            headband.stop()
            board.wake.set(True)
            await running
        await board.close()

    simulate(worn())
    looks = lines("look")
    assert any(each["gate"] == "new" for each in looks if "gate" in each)
    assert all(each["took_s"] < 3.0 for each in looks)
    woken = [each for each in lines("awake") if each.get("by") == "look"]
    assert woken and all(WAKE_S - 1.0 <= each["slept_s"] <= WAKE_S + 2.0 for each in woken[:4])
