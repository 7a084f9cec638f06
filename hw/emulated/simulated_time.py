"""Simulated time: a scripted day of hours runs in minutes, and the same way each time.

The clock of `SimulatedTimeLoop` stands still while work is in progress: a callback of the loop, a thread, or
work that `busy_elsewhere` reports. When everything waits for time to pass, the clock jumps to its next
sleeper.
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
    """`clock` is the simulated clock. asyncio's own timers (`asyncio.sleep`, `asyncio.timeout`) use real
    time, as waits for a process need.
    """

    def __init__(self, ago_s: float = 0.0) -> None:
        """`ago_s`: so much before the computer's time the simulated one starts, seconds."""
        self.clock = FakeClock(epoch_s=time.time() - ago_s)
        """Its `time` starts at the computer's, or so long before; its `monotonic` always at the same second,
        so that rounded values are reproducible.
        """
        self.busy_elsewhere: Callable[[], bool] = lambda: False
        """True while work is in progress outside this loop and its threads."""
        self.frozen_s = 0.0
        """Real seconds during which the clock stood still."""
        self._in_threads = 0
        super().__init__(_Selector(self._skip))

    def elapsed_s(self) -> float:
        """Simulated seconds plus the real seconds during which the clock stood still."""
        return self.clock.monotonic() + self.frozen_s

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """As `asyncio`'s; the clock stands still until the call returns."""
        future = super().run_in_executor(executor, func, *args)
        self._in_threads += 1
        future.add_done_callback(self._thread_done)
        return future

    def _thread_done(self, _: asyncio.Future[Any]) -> None:
        self._in_threads -= 1

    def _skip(self, wait: Callable[[], list[Any]]) -> list[Any]:
        """Nothing is ready: advance the clock, or `wait` for work in progress."""
        if not self._in_threads and not self.busy_elsewhere():
            return [] if self.clock.skip() else wait()
        began_s = time.monotonic()
        try:
            return wait()
        finally:
            self.frozen_s += time.monotonic() - began_s


class _Selector(selectors.DefaultSelector):
    """Calls `idle` instead of waiting."""

    def __init__(self, idle: Callable[[Callable[[], list[Any]]], list[Any]]) -> None:
        super().__init__()
        self._idle = idle

    def select(self, timeout: float | None = None) -> list[Any]:
        """As `selectors.DefaultSelector.select`."""
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        return self._idle(lambda: super(_Selector, self).select(timeout))
