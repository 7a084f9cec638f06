"""Ends a program whose output is not needed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal


def kill(process: asyncio.subprocess.Process) -> None:
    """Kill the program; harmless when it has ended already.

    `Process.kill` of Python 3.11 polls the program first, which takes the exit status from asyncio, and
    asyncio then warns about an unknown child.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill the program and reap it; harmless when it has ended already."""
    kill(process)
    # `communicate` instead of `wait`: asyncio stops reading a full pipe, an unread pipe does not close, and a
    # process with an open pipe does not count as ended.
    await process.communicate()
