"""GPIO lines and the state light of the emulated board."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

from hw.device import Clock, Light, LightPattern


class EmulatedLine:
    """A line that something drives with `set` and something else waits for."""

    def __init__(self) -> None:
        self._active = False
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def active(self) -> bool:
        """Is the line active now?"""
        return self._active

    def set(self, active: bool) -> None:
        """Drive the line, from any thread; the change from inactive to active wakes whoever waits now."""
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
    """A light that remembers what it was told to show, and passes it on to where it is shown."""

    def __init__(self, clock: Clock, keep: int = 1000, on: Light | None = None) -> None:
        self._clock = clock
        self._on = on
        self.shown: deque[tuple[float, LightPattern]] = deque(maxlen=keep)
        """(monotonic seconds, pattern), oldest first."""

    @property
    def pattern(self) -> LightPattern:
        """What it shows now."""
        return self.shown[-1][1] if self.shown else LightPattern.OFF

    @property
    def problem(self) -> str | None:
        """Why nothing is shown, one sentence; None when it is."""
        problem: str | None = getattr(self._on, "problem", None)
        return problem

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern; repeating the present one is no change."""
        if pattern is not self.pattern:
            self.shown.append((self._clock.monotonic(), pattern))
            if self._on is not None:
                self._on.set(pattern)
