"""The PMU's light."""

import asyncio

from firmware.pmu import registers as r
from hw.device import LightPattern
from hw.emulated.board import emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from hw.pmu.watchdog_and_light import PATTERN_CODES, PmuLight


def test_every_pattern_reaches_the_pmus_light() -> None:
    board = emulated_board(clock=FakeClock(), sound_card=False)
    light = PmuLight(board.gauge)
    assert set(PATTERN_CODES) == set(LightPattern)
    for pattern in LightPattern:
        light.set(pattern)
        light.settled()
        assert board.gauge.words((r.LIGHT,))[r.LIGHT] == PATTERN_CODES[pattern]
    board.bus.inject(Fault.NAK)
    light.set(LightPattern.ERROR)
    light.settled()
    asyncio.run(board.close())
