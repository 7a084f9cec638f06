"""A whole headband that sleeps between events: what is said to it then is heard and answered."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from host.config import JournalConfig, ListenConfig
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import emulated_board
from tests.demo_files import DEVICE
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.workbench import DEMO, QUIET


def test_a_sleeping_headband_learns_that_its_mode_has_to_change() -> None:
    config = replace(QUIET, listen=ListenConfig(follow_up_s=0.0, sleep_after_s=0.3))
    happened = {name: asyncio.Event() for name in ("asleep", "awake")}

    async def scene() -> str:
        board = emulated_board(clock=loop_clock(), battery_percent=55, sound_card=False, sleeps=True)
        async with micro_headband(
            board,
            config,
            observe=lambda event, fields: happened[event].set() if event in happened else None,
        ) as headband:
            running = asyncio.create_task(headband.run())
            async with asyncio.timeout(60):
                await happened["asleep"].wait()
                await board.clock.sleep(0.5)
                assert board.microphone.asleep
                board.set_battery(45)
                await happened["awake"].wait()
                while headband.plan.mode.value == "performance":
                    await board.clock.sleep(0.05)
            headband.stop()
            await running
            mode = headband.plan.mode.value
        await board.close()
        return mode

    assert simulate(scene()) == "throttled"


def test_what_is_said_to_a_sleeping_headband_is_answered(tmp_path: Path) -> None:
    listen = ListenConfig(follow_up_s=0.0, sleep_after_s=0.5)
    config = replace(QUIET, listen=listen, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))
    told: dict[str, dict[str, Any]] = {}
    happened = {name: asyncio.Event() for name in ("asleep", "turn")}

    def observe(event: str, fields: dict[str, Any]) -> None:
        if event in happened:
            told[event] = fields
            happened[event].set()

    async def scene() -> None:
        hiss = (np.random.default_rng(5).standard_normal(MICROPHONE_RATE_HZ) * 30).astype(np.int16)
        board = emulated_board(
            clock=loop_clock(), battery_percent=30, sound_card=False, sleeps=True, background=hiss
        )
        async with micro_headband(board, config, observe=observe) as headband:
            running = asyncio.create_task(headband.run())
            async with asyncio.timeout(60):
                await happened["asleep"].wait()
                assert board.microphone.asleep
                await board.clock.sleep(1.5)
                board.microphone.say(read_wav(DEMO / DEVICE[0]))
                await happened["turn"].wait()
                happened["asleep"].clear()
                await happened["asleep"].wait()
            headband.stop()
            board.wake.set(True)
            await running
        await board.close()

    simulate(scene())
    turn = told["turn"]["turn"]
    assert turn.decision.route == "device"
    assert turn.answer
    lines = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    turn_s = next(line["mono_s"] for line in lines if line["event"] == "turn")
    slept_s = [line["mono_s"] for line in lines if line["event"] == "asleep"]
    assert all(at_s < turn_s or at_s >= turn_s + listen.sleep_after_s for at_s in slept_s)
    awake, over = (next(each for each in lines if each["event"] == name) for name in ("awake", "handed_over"))
    assert awake["by"] == "sound"
    assert over["recorded_s"] > 0.5 and over["problem"] is None
    assert not [line for line in lines if line["event"] == "refused"]
