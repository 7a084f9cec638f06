"""Waits for the edges of a line that the kernel tells through a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class EdgeWait:
    """The wait for the next edge; one at a time."""

    def __init__(self, fd: int, take: Callable[[], bool | None]) -> None:
        """`take` takes what the file tells: True with an edge, False without one, None when the device is
        gone.
        """
        self._fd, self._take = fd, take
        self._ended = False
        self._reading: tuple[asyncio.AbstractEventLoop, asyncio.Future[None]] | None = None

    async def __call__(self) -> None:
        """Returns at the next edge, and when `end` is called; earlier edges are discarded. Does not return
        because the device is gone.
        """
        loop = asyncio.get_running_loop()
        risen = loop.create_future()
        if self._ended:
            await risen
        self._take()

        def readable() -> None:
            found = self._take()
            if found is None:  # it stays readable, which would keep a core busy
                loop.remove_reader(self._fd)
            elif found and not risen.done():
                risen.set_result(None)

        self._reading = loop, risen
        loop.add_reader(self._fd, readable)
        try:
            await risen
        finally:
            if not self._ended:
                loop.remove_reader(self._fd)
            self._reading = None

    def end(self) -> None:
        """Call it before the file is closed."""
        self._ended = True
        if self._reading is None:
            return
        loop, risen = self._reading
        if not loop.is_closed():
            loop.remove_reader(self._fd)
            if not risen.done():
                risen.set_result(None)
