"""Ending a program whose output nobody reads any more."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal


def kill(process: asyncio.subprocess.Process) -> None:
    """Kill the program; harmless when it has ended already.

    `Process.kill` of Python 3.11 looks first whether the program has ended, which takes its exit status from
    asyncio, which then warns of an unknown child.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill the program and reap it; harmless when it has ended already."""
    kill(process)
    # Reading to the end, rather than waiting alone: asyncio stops reading a full pipe, a pipe it does not
    # read never closes, and a process with an open pipe never counts as ended.
    await process.communicate()
