"""Ending a program whose output nobody reads any more."""

from __future__ import annotations

import asyncio
import contextlib


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill the program and reap it; harmless when it has ended already."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    # Reading to the end, rather than waiting alone: asyncio stops reading a full pipe, and a pipe it does
    # not read never
    # closes, and a process with an open pipe never counts as ended.
    await process.communicate()
