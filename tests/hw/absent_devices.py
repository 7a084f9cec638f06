"""A microphone and a camera that could not be opened."""

from __future__ import annotations

from collections.abc import AsyncIterator

from hw.device import MICROPHONE_RATE_HZ, DeviceError, Image, Pcm


class AbsentMicrophone:
    """Hears nothing."""

    def __init__(self, problem: str) -> None:
        """`problem`: one sentence for whoever listens."""
        self._problem = problem
        self._closed = False

    @property
    def sample_rate(self) -> int:
        """Samples per second, if there were any."""
        return MICROPHONE_RATE_HZ

    def __aiter__(self) -> AsyncIterator[Pcm]:
        return self

    async def __anext__(self) -> Pcm:
        if self._closed:
            raise StopAsyncIteration
        raise DeviceError(self._problem)

    async def record(self, on: bool) -> None:
        """It records nothing anyway."""

    async def close(self) -> None:
        """End the stream."""
        self._closed = True


class AbsentCamera:
    """Sees nothing."""

    def __init__(self, problem: str) -> None:
        """`problem`: one sentence for whoever looks."""
        self._problem = problem

    async def capture(self) -> Image:
        """Raises `DeviceError`."""
        raise DeviceError(self._problem)

    async def record(self, on: bool) -> None:
        """It sees nothing anyway."""

    async def close(self) -> None:
        """Nothing to give back."""
