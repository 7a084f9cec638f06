"""Stand-ins for devices that a board lacks or that could not be opened: using one raises an error with the
reason, and the other devices work.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Sequence
from typing import NoReturn

from hw.device import DeviceError, LightPattern, Line, PlayedSound, Sound


class AbsentSpeaker:
    """A speaker that plays nothing."""

    loopback: PlayedSound | None = None
    """No sound is played, so there is no echo."""

    def __init__(self, problem: str) -> None:
        """`problem`: why there is no speaker, one sentence; the text of every error."""
        self._problem = problem
        self._volume_percent = 100

    @property
    def volume_percent(self) -> int:
        """The volume that was set last, 0..100."""
        return self._volume_percent

    def set_volume(self, percent: int) -> None:
        """Store the volume; values outside 0..100 are clipped."""
        self._volume_percent = min(100, max(0, percent))

    async def play(self, chunks: AsyncIterator[Sound]) -> float | None:
        """Returns None for an empty stream; raises `DeviceError` for any other."""
        async for _ in chunks:
            raise DeviceError(self._problem)
        return None

    def stop(self) -> None:
        """No effect."""

    async def close(self) -> None:
        """Nothing to give back."""


class AbsentLight:
    """A light that shows nothing."""

    def set(self, pattern: LightPattern) -> None:
        """No effect."""


class AbsentLine:
    """A line that never changes."""

    def __init__(self, problem: str | None = None, *, active: bool = False) -> None:
        """`problem`: why it could not be opened; None where the board has no such line. `active`: the safe
        state to assume.
        """
        self.problem = problem
        self._active = active

    @property
    def active(self) -> bool:
        """The assumed state; it never changes."""
        return self._active

    async def wait(self) -> None:
        """Never returns."""
        await asyncio.get_running_loop().create_future()


def unread(line: Line) -> bool:
    """Whether the line's state is assumed: it could not be opened, or can't be read any more."""
    return isinstance(line, AbsentLine) or bool(getattr(line, "lost", False))


class AbsentOutput:
    """An output line that could not be opened."""

    def __init__(self, problem: str) -> None:
        """`problem`: why it could not be opened, one sentence; the text of every error."""
        self._problem = problem

    def set(self, active: bool) -> None:
        """Raises `DeviceError`."""
        raise DeviceError(self._problem)


class AbsentBus:
    """An I2C bus that could not be opened: every transfer fails with ENODEV."""

    pec = 0

    def __init__(self, problem: str) -> None:
        """`problem`: why it could not be opened, one sentence; the text of every error."""
        self._clause = problem[:1].lower() + problem[1:].rstrip(".")

    def read_i2c_block_data(self, address: int, register: int, length: int) -> list[int]:
        """Raises `OSError`, as do the others."""
        self._fail()

    def write_i2c_block_data(self, address: int, register: int, data: Sequence[int]) -> None:
        self._fail()

    def read_word_data(self, address: int, register: int) -> int:
        self._fail()

    def write_word_data(self, address: int, register: int, value: int) -> None:
        self._fail()

    def close(self) -> None:
        """Nothing to give back."""

    def _fail(self) -> NoReturn:
        raise OSError(errno.ENODEV, self._clause)
