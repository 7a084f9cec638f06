"""A line that is opened anew after it was lost: its device came unplugged, or its driver was unbound."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock

from hw.device import DeviceError
from hw.linux.gpio import GpioLine
from hw.linux.key_line import KeyLine


class ReopenedLine:
    """One input. While it is lost it has the safe level; `reopen` opens it anew."""

    def __init__(self, what: str, opened: Callable[[], GpioLine | KeyLine], *, lost_active: bool) -> None:
        """what: begins sentences about it; opened: opens it; lost_active: the safe level. Raises
        `DeviceError`.
        """
        self._open, self._lost_active = opened, lost_active
        self._line: GpioLine | KeyLine | None = opened()
        self._closed = False
        self._lock = Lock()  # the level is also read by the thread that suspends the computer
        self._reopened = asyncio.Event()
        self.wakes = _wakes(self._line)
        """Whether the kernel lets it wake the computer."""
        self.problem = f"{what} can't be read any more."
        """What is wrong while it is lost, one sentence."""

    @property
    def lost(self) -> bool:
        """Could the level not be read at the last look?"""
        line = self._line
        return line is None or line.lost

    @property
    def active(self) -> bool:
        """Is the line active now?"""
        with self._lock:
            return self._lost_active if self._line is None else self._line.active

    async def wait(self) -> None:
        """Return at the next change from inactive to active, and when it is active as it is opened anew: that
        change was missed.
        """
        while True:
            line = self._line
            if line is None:
                await self._reopened.wait()
            else:
                await line.wait()
                if line is self._line:
                    return
            if self._line is not None and self.active and not self.lost:
                return

    def reopen(self) -> None:
        """Open it anew, if it is there. A line that could wake the computer has to be able to again: else
        nothing would end the computer's sleep.
        """
        if self._closed:
            return
        with self._lock:
            self._release()
            try:
                line = self._open()
            except DeviceError:
                return
            if self.wakes and not _wakes(line):
                line.close()
                return
            self._line = line
        self._reopened.set()

    def close(self) -> None:
        """Release the line. Harmless when repeated."""
        self._closed = True
        with self._lock:
            self._release()

    def _release(self) -> None:
        line, self._line = self._line, None
        self._reopened.clear()
        if line is not None:
            line.close()


def _wakes(line: GpioLine | KeyLine) -> bool:
    return isinstance(line, KeyLine) and line.wakes
