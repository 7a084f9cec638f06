"""Has the system read files into its page cache before a process loads them.

The page cache is no process's memory: the system gives it up as soon as a process needs that memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from models.brick import BrickSpec

CHUNK_BYTES = 1 << 20
"""Asked for at once: of a longer stretch Linux reads the beginning only, as much as the disk takes in one
request.
"""


def files_of(spec: BrickSpec) -> tuple[Path, ...]:
    """The files that a brick loads: its options hold their absolute paths, and no other text that is one."""
    given = (Path(each) for each in spec.options.values() if isinstance(each, str) and os.path.isabs(each))
    return tuple(path for path in given if path.is_file())


async def read_ahead(paths: Sequence[Path]) -> None:
    """Reads the files one after the other, off the event loop; ends soon after it is cancelled. A file that
    cannot be read is left to whoever loads it. Nothing happens where a system takes no such advice.
    """
    if not hasattr(os, "posix_fadvise"):
        return
    stopped = threading.Event()
    try:
        await asyncio.to_thread(_advise, paths, stopped)
    finally:
        stopped.set()


def _advise(paths: Sequence[Path], stopped: threading.Event) -> None:
    for path in paths:
        with contextlib.suppress(OSError), path.open("rb", buffering=0) as file:
            for start in range(0, os.fstat(file.fileno()).st_size, CHUNK_BYTES):
                if stopped.is_set():
                    return
                os.posix_fadvise(file.fileno(), start, CHUNK_BYTES, os.POSIX_FADV_WILLNEED)
