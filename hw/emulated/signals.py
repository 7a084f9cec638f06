"""GPIO lines and the state light of the emulated board."""

from __future__ import annotations

import asyncio
from collections import deque

from hw.device import Clock, LightPattern


class EmulatedLine:
    """A line that something drives with `set` and something else waits for."""

    def __init__(self) -> None:
        self._active = False
        self._risen = asyncio.Event()

    @property
    def active(self) -> bool:
        """Is the line active now?"""
        return self._active

    def set(self, active: bool) -> None:
        """Drive the line; the change from inactive to active wakes whoever waits now."""
        if active and not self._active:
            self._risen.set()
            self._risen = asyncio.Event()
        self._active = active

    def pulse(self) -> None:
        """Active for a moment."""
        self.set(True)
        self.set(False)

    async def wait(self) -> None:
        """Return at the next change from inactive to active."""
        await self._risen.wait()


class RecordedLight:
    """A light that remembers what it showed."""

    def __init__(self, clock: Clock, keep: int = 1000) -> None:
        self._clock = clock
        self.shown: deque[tuple[float, LightPattern]] = deque(maxlen=keep)
        """(monotonic seconds, pattern), oldest first."""

    @property
    def pattern(self) -> LightPattern:
        """What it shows now."""
        return self.shown[-1][1] if self.shown else LightPattern.OFF

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern; repeating the present one is no change."""
        if pattern is not self.pattern:
            self.shown.append((self._clock.monotonic(), pattern))
