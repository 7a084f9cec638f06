"""Real devices, with the same contracts as the emulated ones. Set HEADBAND_RIG=1 on a headband to run them,
or to the settings (a `headband.toml`) that name its board; `kind = "laptop"` tests the computer at hand.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from host.app.open_board import open_board
from host.config import BoardConfig, load_config
from hw.board import Board
from hw.laptop.board import MOST_CELLS
from tests.hw import contracts

pytestmark = pytest.mark.skipif(
    not os.environ.get("HEADBAND_RIG"), reason="needs a headband; set HEADBAND_RIG=1 on one"
)


@pytest.fixture
def board() -> Board:
    named = Path(os.environ["HEADBAND_RIG"])
    return open_board(load_config(named).board if named.is_file() else BoardConfig("rk3566"))


def test_microphone(board: Board) -> None:
    asyncio.run(contracts.check_microphone(board.microphone))


def test_camera(board: Board) -> None:
    asyncio.run(contracts.check_camera(board.camera))


def test_speaker(board: Board) -> None:
    asyncio.run(contracts.check_speaker(board.speaker))


def test_gauge(board: Board) -> None:
    reading = board.gauge.read()
    if reading.voltage_mv is None:
        pytest.skip("it runs from the mains")
    contracts.check_gauge(
        board.gauge,
        current=reading.current_ma is not None,
        temperature=reading.temperature_c is not None,
        most_cells=1 if board.native else MOST_CELLS,
    )


def test_lines(board: Board) -> None:
    for line in (board.wake, board.alert, board.button):
        asyncio.run(contracts.check_line(line))


def test_recording_off(board: Board) -> None:
    asyncio.run(contracts.check_recording(board.microphone, board.camera))


def test_clock_and_light(board: Board) -> None:
    asyncio.run(contracts.check_clock(board.clock))
    contracts.check_light(board.light)


def test_wake_alarm(board: Board) -> None:
    if board.wake_alarm is None:
        pytest.skip("no clock can wake this computer")
    (record, *_) = sorted(board.sysfs_root.glob("class/rtc/rtc*/wakealarm"))
    contracts.check_wake_alarm(board.wake_alarm, lambda: record.read_text().strip() not in ("", "0"))
