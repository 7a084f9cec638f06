"""Processor time of another process: what it computed, however long it had to wait for a processor."""

from __future__ import annotations

import time

_SCHEDULED = 2  # CPUCLOCK_SCHED of the kernel's posix-timers.h: all threads, in nanoseconds


def processor_seconds(pid: int) -> float | None:
    """Seconds that all threads of the process have computed so far; None where the kernel does not say, or
    the process has ended. The clock's number is that of `clock_getcpuclockid(3)` on Linux.
    """
    if not pid:
        return None  # the number would be that of this process
    try:
        return time.clock_gettime(~pid << 3 | _SCHEDULED)
    except (OSError, OverflowError):
        return None
