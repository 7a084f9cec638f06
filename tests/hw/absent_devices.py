"""A microphone and a camera that could not be opened."""

from __future__ import annotations

from collections.abc import AsyncIterator

from hw.device import MICROPHONE_RATE_HZ, CameraUse, DeviceError, Image, Pcm


class AbsentMicrophone:
    """A microphone that raises an error."""

    def __init__(self, problem: str) -> None:
        """`problem`: the error, one sentence."""
        self._problem = problem
        self._closed = False

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return MICROPHONE_RATE_HZ

    def __aiter__(self) -> AsyncIterator[Pcm]:
        return self

    async def __anext__(self) -> Pcm:
        if self._closed:
            raise StopAsyncIteration
        raise DeviceError(self._problem)

    async def record(self, on: bool) -> None:
        """Has no effect."""

    async def close(self) -> None:
        """End the stream."""
        self._closed = True


class AbsentCamera:
    """A camera that raises an error."""

    def __init__(self, problem: str) -> None:
        """`problem`: the error, one sentence."""
        self._problem = problem

    use = CameraUse()
    """Nothing."""

    def start(self, rate_hz: float) -> None:
        """Has no effect."""

    def stop(self) -> None:
        """Has no effect."""

    async def capture(self) -> Image:
        """Raises `DeviceError`."""
        raise DeviceError(self._problem)

    async def record(self, on: bool) -> None:
        """Has no effect."""

    async def close(self) -> None:
        """Has no effect."""
