"""Scenes of whole headbands in simulated time: a scene takes the seconds that its work needs, not those that
it lasts.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Coroutine
from typing import Any, TypeVar

from host.app.headband import Headband
from host.config import Config
from host.observe.timeline import Timeline
from hw.device import Clock
from hw.emulated.board import EmulatedBoard
from hw.emulated.simulated_time import SimulatedTimeLoop
from hw.linux.system_clock import SystemClock
from models.pack.catalogue import Pack, load_pack

_Result = TypeVar("_Result")
_micro = functools.cache(lambda: load_pack("micro"))


def simulate(scene: Coroutine[Any, Any, _Result]) -> _Result:
    """As `asyncio.run`, on a loop whose clock jumps to the next sleeper of `loop_clock` when all else waits.
    asyncio's own timers run in real time there: use them for time limits only.
    """
    with asyncio.Runner(loop_factory=SimulatedTimeLoop) as runner:
        return runner.run(scene)


def loop_clock() -> Clock:
    """The clock of the running loop: simulated within `simulate`, else the computer's."""
    loop = asyncio.get_running_loop()
    return loop.clock if isinstance(loop, SimulatedTimeLoop) else SystemClock()


def micro_headband(
    board: EmulatedBoard, config: Config, pack: Pack | None = None, **options: Any
) -> Headband:
    """A headband with the micro pack, or another, on a board with the `loop_clock`, which stands still while
    the bricks of this headband work. `options`: those of `Headband`.
    """
    loop, pack = asyncio.get_running_loop(), pack or _micro()
    if not isinstance(loop, SimulatedTimeLoop):
        return Headband(board, pack, config, **options)
    boot = {"boot": lambda: ""}  # simulated time is not shared with other boots
    timeline = Timeline(loop.elapsed_s)
    headband = Headband(board, pack, config, timeline=timeline, **{**boot, **options})
    loop.busy_elsewhere = lambda: headband.bricks.busy
    return headband


async def button_ready(board: EmulatedBoard) -> None:
    """Returns when the firmware has sampled the button; it ignores a press that began before."""
    await board.clock.sleep(0.1)
    board.pmu.catch_up()
