"""The computer's own clock."""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    """The computer's time, as `hw.device.Clock`."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start."""
        return time.monotonic()

    def time(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Return after that long."""
        await asyncio.sleep(max(0.0, seconds))
