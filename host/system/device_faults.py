"""Devices that come and go: what is wrong with one is journalled once, and so is that it works again; the
headband goes on with what there is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from host.observe.journal import Journal
from hw.device import Camera, Clock, DeviceError, Image, PlayedSound, Sound, Speaker

SETTLED_S = 5.0
"""A microphone that worked for so long works; a loose contact is one fault and not many."""
PAUSES_S = (1.0, 2.0, 4.0, 5.0)
"""Before a broken microphone is tried again; the last holds from then on."""

Tell = Callable[[str, dict[str, Any]], None]


class DeviceHealth:
    """Of one device."""

    def __init__(self, name: str, clock: Clock, journal: Journal, tell: Tell, settled_s: float = 0.0) -> None:
        """`tell("device", ...)` hears what the journal hears. `settled_s`: it has to work for so long."""
        self._name, self._clock, self._journal, self._tell = name, clock, journal, tell
        self._settled_s = settled_s
        self._tries = 0
        self._works_since_s: float | None = None

    def failed(self, problem: str) -> bool:
        """It failed with that sentence; True the first time since it worked."""
        self._works_since_s = None
        self._tries += 1
        if self._tries == 1:
            self._say(problem)
        return self._tries == 1

    def works(self) -> None:
        """It did what it was asked for; call it often."""
        if not self._tries:
            return
        now_s = self._clock.monotonic()
        if self._works_since_s is None:
            self._works_since_s = now_s
        if now_s - self._works_since_s >= self._settled_s:
            self._tries = 0
            self._say(None)

    @property
    def broken(self) -> bool:
        """It failed, and has not worked for long enough since."""
        return self._tries > 0

    @property
    def pause_s(self) -> float:
        """How long to leave it alone after a failure."""
        return PAUSES_S[min(self._tries, len(PAUSES_S)) - 1]

    def _say(self, problem: str | None) -> None:
        fields = {"device": self._name, "problem": problem}
        self._journal.write("device", **fields)
        self._tell("device", fields)


class SteadySpeaker:
    """A speaker whose failure costs what it should have said, and nothing else."""

    def __init__(self, speaker: Speaker, condition: DeviceHealth) -> None:
        self._speaker = speaker
        self._condition = condition

    @property
    def loopback(self) -> PlayedSound | None:
        """Of the speaker."""
        return self._speaker.loopback

    @property
    def volume_percent(self) -> int:
        """Of the speaker."""
        return self._speaker.volume_percent

    def set_volume(self, percent: int) -> None:
        """Of the speaker."""
        self._speaker.set_volume(percent)

    async def play(self, chunks: AsyncIterator[Sound]) -> float | None:
        """As the speaker does; None when it failed."""
        try:
            first_s = await self._speaker.play(chunks)
        except DeviceError as error:
            self._condition.failed(str(error))
            return None
        if first_s is not None:
            self._condition.works()
        return first_s

    def stop(self) -> None:
        """Of the speaker."""
        self._speaker.stop()

    async def close(self) -> None:
        """Of the speaker."""
        await self._speaker.close()


class NotedCamera:
    """A camera whose failures are journalled; they are raised as before."""

    def __init__(self, camera: Camera, condition: DeviceHealth) -> None:
        self._camera = camera
        self._condition = condition

    async def capture(self) -> Image:
        """Of the camera. Raises `DeviceError`."""
        try:
            frame = await self._camera.capture()
        except DeviceError as error:
            self._condition.failed(str(error))
            raise
        self._condition.works()
        return frame

    async def record(self, on: bool) -> None:
        """Of the camera."""
        await self._camera.record(on)

    async def close(self) -> None:
        """Of the camera."""
        await self._camera.close()
