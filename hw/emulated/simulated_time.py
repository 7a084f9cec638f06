"""Time that passes as fast as the work in it is done: a day of hours in minutes, the same each time.

`SimulatedTimeLoop` is an event loop whose computer computes in no time. Its clock stands still while something is
at work: a callback of the loop, a thread, or whatever else `busy_elsewhere` tells of. Once everything waits for time
to pass, the clock moves to the moment of its next sleeper.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from hw.emulated.clock import FakeClock


class SimulatedTimeLoop(asyncio.SelectorEventLoop):
    """Give `clock` to everything that is to follow its time. Timers of asyncio's own (`asyncio.sleep`,
    `asyncio.timeout`) go by the computer's time, as fits what waits for a process.
    """

    def __init__(self) -> None:
        self.clock = FakeClock(epoch_s=time.time())
        """Its `time` begins with the computer's; its `monotonic` always at the same second, so that even
        what is rounded is the same each time.
        """
        self.busy_elsewhere: Callable[[], bool] = lambda: False
        """Is somebody at work of whom this loop does not know?"""
        self.frozen_s = 0.0
        """The computer's time for which the clock stood still."""
        self._in_threads = 0
        super().__init__(_Selector(self._skip))

    def elapsed_s(self) -> float:
        """Seconds of the clock and of the work between: what a watch shows that never stands still."""
        return self.clock.monotonic() + self.frozen_s

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """As of every loop; the clock stands still until it is done."""
        future = super().run_in_executor(executor, func, *args)
        self._in_threads += 1
        future.add_done_callback(self._thread_done)
        return future

    def _thread_done(self, _: asyncio.Future[Any]) -> None:
        self._in_threads -= 1

    def _skip(self, wait: Callable[[], list[Any]]) -> list[Any]:
        """Nothing can run now: let time pass, or `wait` for the work under way."""
        if not self._in_threads and not self.busy_elsewhere():
            return [] if self.clock.skip() else wait()
        began_s = time.monotonic()
        try:
            return wait()
        finally:
            self.frozen_s += time.monotonic() - began_s


class _Selector(selectors.DefaultSelector):
    """Asks `idle` before it would wait."""

    def __init__(self, idle: Callable[[Callable[[], list[Any]]], list[Any]]) -> None:
        super().__init__()
        self._idle = idle

    def select(self, timeout: float | None = None) -> list[Any]:
        """As of every selector."""
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        return self._idle(lambda: super(_Selector, self).select(timeout))
