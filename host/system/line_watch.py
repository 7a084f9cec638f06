"""Lines of the board that are lost while the headband runs: each one is opened anew, and journalled when it
is lost and when it is back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from host.system.device_faults import DeviceHealth
from hw.board import Board
from hw.device import Clock
from hw.linux.reopened_line import ReopenedLine

LOOK_S = 1.0
"""Period of the look at a line, seconds."""
_NAMES = {"wake": "wake", "alert": "alert", "button": "button", "recording_off": "switch"}
"""Name of the line -> name of the device in the journal."""


class LineWatch:
    """Looks after the lines of one board. Run `run` as a task."""

    def __init__(self, board: Board, health: Callable[[str], DeviceHealth]) -> None:
        """`health`: makes the health of the device with that name."""
        self._clock: Clock = board.clock
        lines = {told: getattr(board, name) for name, told in _NAMES.items()}
        self._lines = [(line, health(told)) for told, line in lines.items() if isinstance(line, ReopenedLine)]

    async def run(self) -> None:
        """Ends at once on a board without such lines, else never."""
        await asyncio.gather(*(self._look_after(line, health) for line, health in self._lines))

    async def _look_after(self, line: ReopenedLine, health: DeviceHealth) -> None:
        while True:
            _ = line.active  # a look, which tells whether it is lost
            if line.lost:
                health.failed(line.problem)
                await self._clock.sleep(health.pause_s)
                line.reopen()
            else:
                health.works()
                await self._clock.sleep(LOOK_S)
