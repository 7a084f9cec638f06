"""Stand-ins for devices that a board lacks or that could not be opened: whoever uses one gets its sentence,
and the rest of the headband works.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Sequence
from typing import NoReturn

from hw.device import DeviceError, LightPattern, PlayedSound, Sound


class AbsentSpeaker:
    """Says nothing."""

    loopback: PlayedSound | None = None
    """Nothing is heard, so there is no echo."""

    def __init__(self, problem: str) -> None:
        """`problem`: one sentence for whoever speaks."""
        self._problem = problem
        self._volume_percent = 100

    @property
    def volume_percent(self) -> int:
        """What was set last, 0..100."""
        return self._volume_percent

    def set_volume(self, percent: int) -> None:
        """Remember the loudness; values outside 0..100 are clipped."""
        self._volume_percent = min(100, max(0, percent))

    async def play(self, chunks: AsyncIterator[Sound]) -> float | None:
        """None where there is nothing to play; raises `DeviceError` otherwise."""
        async for _ in chunks:
            raise DeviceError(self._problem)
        return None

    def stop(self) -> None:
        """It is silent already."""

    async def close(self) -> None:
        """Nothing to give back."""


class AbsentLight:
    """Shows nothing."""

    def set(self, pattern: LightPattern) -> None:
        """Passed over."""


class AbsentLine:
    """A line that never changes."""

    def __init__(self, problem: str | None = None, *, active: bool = False) -> None:
        """`problem`: why it could not be opened; None where the board has no such line. `active`: what is
        safe to take it for.
        """
        self.problem = problem
        self._active = active

    @property
    def active(self) -> bool:
        """Always the same."""
        return self._active

    async def wait(self) -> None:
        """Never returns."""
        await asyncio.get_running_loop().create_future()


class AbsentOutput:
    """A line that could not be opened."""

    def __init__(self, problem: str) -> None:
        """`problem`: one sentence for whoever drives it."""
        self._problem = problem

    def set(self, active: bool) -> None:
        """Raises `DeviceError`."""
        raise DeviceError(self._problem)


class AbsentBus:
    """An I2C bus that could not be opened: every transfer fails as one does whose adapter went away."""

    pec = 0

    def __init__(self, problem: str) -> None:
        """`problem`: one sentence, which becomes the error's text."""
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
