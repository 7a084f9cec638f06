"""How long a turn waits for what only helps it: then it goes on without."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from host.turn.tools import Tools

SHARE_OF_LATENCY = 0.5
"""The reflex brick may take so much of the plan's latency target to see and to answer, and so much to read;
then the language model is asked.
"""
_T = TypeVar("_T")


def latest_s(tools: Tools) -> float:
    """Until when it is waited for, on the board's monotonic clock."""
    return tools.clock.monotonic() + SHARE_OF_LATENCY * tools.power.plan.latency_target_s


async def in_time(until_s: float, work: Coroutine[Any, Any, _T], tools: Tools) -> _T | None:
    """The result of `work`; None, with the work cancelled, after `until_s` of the board's monotonic clock."""
    task = asyncio.create_task(work)
    alarm = asyncio.create_task(tools.clock.sleep(max(0.0, until_s - tools.clock.monotonic())))
    try:
        await asyncio.wait([task, alarm], return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        alarm.cancel()
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
