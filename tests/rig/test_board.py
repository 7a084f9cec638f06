"""The real board by the same contracts as its twin. Set HEADBAND_RIG=1 on a headband to run them."""

from __future__ import annotations

import asyncio
import os

import pytest

from hw.device import Board
from hw.rk3566.board import rk3566_board
from tests.hw import contracts

pytestmark = pytest.mark.skipif(
    not os.environ.get("HEADBAND_RIG"), reason="needs a headband; set HEADBAND_RIG=1 on one"
)


@pytest.fixture
def board() -> Board:
    return rk3566_board()


def test_microphone(board: Board) -> None:
    asyncio.run(contracts.check_microphone(board.microphone))


def test_camera(board: Board) -> None:
    asyncio.run(contracts.check_camera(board.camera))


def test_speaker(board: Board) -> None:
    asyncio.run(contracts.check_speaker(board.speaker))


def test_gauge(board: Board) -> None:
    contracts.check_gauge(board.gauge)


def test_lines(board: Board) -> None:
    for line in (board.wake, board.alert, board.button):
        asyncio.run(contracts.check_line(line))
