"""A clock that advances only by calls."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import selectors
import threading


class FakeClock:
    """Stands still until `advance`, `jump` or `skip` moves it; wakes each sleeper at exactly its time."""

    def __init__(self, start_s: float = 1000.0, epoch_s: float = 1_767_261_600.0) -> None:
        """`epoch_s` is `time()` at the start: 2026-01-01 10:00:00 UTC unless given."""
        self._now_s = start_s
        self._epoch_offset_s = epoch_s - start_s
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def monotonic(self) -> float:
        """Seconds since an arbitrary start."""
        return self._now_s

    def time(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return self._now_s + self._epoch_offset_s

    async def sleep(self, seconds: float) -> None:
        """Return once the clock has been moved that far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        wake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now_s + seconds, next(self._order), wake))
        await wake

    @property
    def next_wake_s(self) -> float | None:
        """Monotonic time at which the next sleeper wakes; None without sleepers."""
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None

    def jump(self, seconds: float) -> None:
        """Advance without running other tasks in between; for code that does not await."""
        self._now_s += seconds
        while (wake_s := self.next_wake_s) is not None and wake_s <= self._now_s:
            heapq.heappop(self._sleepers)[2].set_result(None)

    def skip(self) -> bool:
        """Advance to the next sleeper's time and wake every sleeper of that time; False without sleepers."""
        wake_s = self.next_wake_s
        if wake_s is None:
            return False
        self._now_s = max(self._now_s, wake_s)
        self.jump(0.0)
        return True

    async def advance(self, seconds: float) -> None:
        """Advance, stopping at each sleeper's time until the tasks that it wakes wait again."""
        target_s = self._now_s + seconds
        await _settle()
        while (wake_s := self.next_wake_s) is not None and wake_s <= target_s:
            self._now_s = max(self._now_s, wake_s)
            heapq.heappop(self._sleepers)[2].set_result(None)
            await _settle()
        self._now_s = max(self._now_s, target_s)  # a task may have called `jump`
        await _settle()


_THREADS = set(threading.enumerate())
"""Those that were there before any clock was, and so know of no event loop with one."""


async def _settle() -> None:
    """Run every task that is ready; chains of awaits need several passes of the loop."""
    loop = asyncio.get_running_loop()
    for _ in range(25):
        await asyncio.sleep(0)
        if _rests(loop):
            return


def _rests(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether nothing is ready, and no file, process or thread could make anything ready: then further passes
    change nothing. False where that cannot be told.
    """
    ready, selector = getattr(loop, "_ready", True), getattr(loop, "_selector", None)
    if ready or not isinstance(selector, selectors.BaseSelector) or len(selector.get_map()) > 1:
        return False  # its own pipe is always watched
    return _THREADS.issuperset(threading.enumerate())
