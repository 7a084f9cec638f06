"""The computer's own clock."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_RUNS_ON = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """The computer's time, as `hw.device.Clock`."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; the time of a suspend is included."""
        return time.clock_gettime(_RUNS_ON)

    def time(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Return after that long."""
        await asyncio.sleep(max(0.0, seconds))


def boot_id() -> str:
    """Identifies this boot, with which `SystemClock.monotonic` starts; "" where the kernel does not report
    it.
    """
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""
