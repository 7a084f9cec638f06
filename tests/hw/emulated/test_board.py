"""The emulated board and its clock."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from firmware.pmu import registers as r
from hw.board import Board
from hw.device import LightPattern
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from tests.hw import contracts


def test_the_fake_clock_wakes_sleepers_in_order() -> None:
    async def scene() -> None:
        clock = FakeClock()
        log: list[tuple[str, float]] = []

        async def ticking(name: str, step_s: float) -> None:
            while True:
                await clock.sleep(step_s)
                log.append((name, clock.monotonic() - 1000))

        tasks = [asyncio.create_task(ticking("a", 2)), asyncio.create_task(ticking("b", 3))]
        began = clock.time()
        await clock.advance(6.5)
        assert log == [("a", 2), ("b", 3), ("a", 4), ("b", 6), ("a", 6)]
        assert clock.time() - began == 6.5
        assert clock.next_wake_s == 1008
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert clock.next_wake_s is None

    asyncio.run(scene())


@pytest.fixture
def board(tmp_path: Path) -> EmulatedBoard:
    return emulated_board(clock=FakeClock(), real_time=False, sysfs_root=tmp_path / "sys")


def test_its_devices_keep_the_contracts_of_all_boards(tmp_path: Path) -> None:
    async def scene() -> None:
        board = emulated_board(
            view=np.full((8, 8, 3), 7, np.uint8), sysfs_root=tmp_path / "sys", audio_out=tmp_path / "out.wav"
        )
        contracts.check_gauge(board.gauge)
        await contracts.check_recording(board.microphone, board.camera)
        await contracts.check_clock(board.clock)
        contracts.check_light(board.light)
        assert board.wake_alarm is not None
        record = board.sysfs_root / "class/rtc/rtc0/wakealarm"
        contracts.check_wake_alarm(board.wake_alarm, lambda: record.read_text() not in ("", "0"))
        await contracts.check_microphone(board.microphone)
        await contracts.check_camera(board.camera)
        await contracts.check_speaker(board.speaker)
        await contracts.check_line(board.button)
        contracts.check_output(board.marker, lambda: board.marker.active)

    asyncio.run(scene())


def test_the_board_is_a_board_and_the_battery_goes_the_real_way(board: EmulatedBoard) -> None:
    plain: Board = board
    assert plain.gauge.read().percent == 80
    before = board.bus.transfers
    board.set_battery(18, temperature_c=41)
    reading = plain.gauge.read()
    assert (reading.percent, reading.temperature_c, reading.state) == (18, 41.0, "good")
    assert board.bus.transfers > before
    node = board.sysfs_root / "class/power_supply/rk817-battery"
    assert (node / "capacity").read_text() == "18\n"
    assert (node / "status").read_text() == "Discharging\n"
    with pytest.raises(ValueError, match="0 to 100 percent, not 140"):
        board.set_battery(140)
    board.bus.inject(Fault.NAK)
    assert plain.gauge.read().state == "absent"


def test_the_alert_line_wakes_a_waiter(board: EmulatedBoard) -> None:
    async def scene() -> None:
        waiting = asyncio.create_task(board.alert.wait())
        await asyncio.sleep(0)
        before = board.alert.active
        board.set_battery(6)
        await asyncio.wait_for(waiting, 1)
        during = board.alert.active
        board.gauge.write(r.EVENT_ACK, 1)
        assert (before, during, board.alert.active) == (False, True, False)

    asyncio.run(scene())


def test_a_short_press_is_not_lost(board: EmulatedBoard) -> None:
    async def scene() -> None:
        waiting = [asyncio.create_task(board.button.wait()) for _ in range(2)]
        await asyncio.sleep(0)
        board.button.pulse()
        await asyncio.wait_for(asyncio.gather(*waiting), 1)
        assert not board.button.active

    asyncio.run(scene())


def test_the_light_remembers(board: EmulatedBoard) -> None:
    for pattern in (LightPattern.LISTENING, LightPattern.LISTENING, LightPattern.THINKING):
        board.light.set(pattern)
    assert [shown for _, shown in board.light.shown] == [LightPattern.LISTENING, LightPattern.THINKING]
    assert board.light.pattern is LightPattern.THINKING


def test_a_temporary_tree_goes_with_its_board(tmp_path: Path) -> None:
    async def scene() -> None:
        board = emulated_board(sound_card=False)
        assert (board.sysfs_root / "devices/system/cpu/cpufreq/policy0/scaling_max_freq").exists()
        await board.close()
        await board.close()
        assert not board.sysfs_root.exists()

    asyncio.run(scene())
