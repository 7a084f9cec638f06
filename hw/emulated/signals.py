"""GPIO lines and the state light of the emulated board."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

from hw.device import Clock, Light, LightPattern


class EmulatedLine:
    """A line that is driven with `set` and awaited with `wait`."""

    def __init__(self) -> None:
        self._active = False
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def active(self) -> bool:
        """Is the line active now?"""
        return self._active

    def set(self, active: bool) -> None:
        """Drive the line, from any thread; a rising edge wakes all current waiters."""
        rises = active and not self._active
        self._active = active
        if rises:
            waiting, self._waiting = self._waiting, []
            for risen in waiting:
                with contextlib.suppress(RuntimeError):  # its event loop is closed
                    risen.get_loop().call_soon_threadsafe(_finish, risen)

    def pulse(self) -> None:
        """Active for a moment."""
        self.set(True)
        self.set(False)

    async def wait(self) -> None:
        """Return at the next change from inactive to active."""
        risen: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(risen)
        try:
            await risen
        finally:
            if risen in self._waiting:
                self._waiting.remove(risen)


def _finish(risen: asyncio.Future[None]) -> None:
    if not risen.done():
        risen.set_result(None)


class RecordedLight:
    """A light that records its patterns and passes them on to another light."""

    def __init__(self, clock: Clock, keep: int = 1000, on: Light | None = None) -> None:
        self._clock = clock
        self._on = on
        self.shown: deque[tuple[float, LightPattern]] = deque(maxlen=keep)
        """(monotonic seconds, pattern), oldest first."""

    @property
    def pattern(self) -> LightPattern:
        """The current pattern."""
        return self.shown[-1][1] if self.shown else LightPattern.OFF

    @property
    def problem(self) -> str | None:
        """Why the other light shows nothing, one sentence; None when it works."""
        problem: str | None = getattr(self._on, "problem", None)
        return problem

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern; the current one is not recorded again."""
        if pattern is not self.pattern:
            self.shown.append((self._clock.monotonic(), pattern))
            if self._on is not None:
                self._on.set(pattern)
