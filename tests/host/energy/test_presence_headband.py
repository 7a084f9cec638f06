"""A headband that is not worn captures fewer pictures, and returns to normal when it is picked up."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from host.config import Config, JournalConfig
from hw.emulated.board import emulated_board
from power.policy.config import PowerConfig
from tests.demo_files import COLOUR, THIRD
from tests.host.simulated import loop_clock, micro_headband, simulate

DEMO = Path("host/demo")
POWER = PowerConfig(
    away_after_s=0.5,
    full_frame_interval_s=0.1,
    slow_frame_interval_s=0.2,
    sleep_within_s=9.0,
    away_sleep_s=8.0,
    frames_between_questions=True,
)


def test_a_view_that_never_changes_slows_the_camera_until_it_does() -> None:
    config = replace(Config(), power=POWER, journal=JournalConfig(path=""))
    plans: list[float | None] = []

    async def scene() -> None:
        board = emulated_board(clock=loop_clock(), battery_percent=90, sound_card=False)
        board.camera.show(DEMO / COLOUR[1])
        async with micro_headband(board, config) as headband:
            running = asyncio.create_task(headband.run())
            for picture in (None, DEMO / THIRD[1]):
                if picture is not None:
                    board.camera.show(picture)
                wanted = 0.2 if picture is None else 0.1
                async with asyncio.timeout(20):
                    while headband.plan.frame_interval_s != wanted:
                        await board.clock.sleep(0.02)
                plans.append(headband.plan.sleep_within_s)
                assert headband.plan.mode.value == "performance"
            headband.stop()
            await running
        await board.close()

    simulate(scene())
    assert plans == [8.0, 9.0]
