"""Faults of devices: each one is journalled once, and so is its end; the headband continues with the other
devices.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from host.observe.journal import Journal
from hw.device import Camera, CameraUse, Clock, DeviceError, Image, LateFaults, PlayedSound, Sound, Speaker

SETTLED_S = 5.0
"""How long a microphone has to work before its fault is over, so that a loose contact is one fault."""
PAUSES_S = (1.0, 2.0, 4.0, 5.0)
"""Pauses before a broken microphone is tried again; the last one repeats."""

Notify = Callable[[str, dict[str, Any]], None]


class DeviceHealth:
    """Tracks whether one device works."""

    def __init__(
        self, name: str, clock: Clock, journal: Journal, notify: Notify, settled_s: float = 0.0
    ) -> None:
        """`notify` gets "device" and the fields of each journal line. `settled_s`: how long the device has to
        work before its fault is over.
        """
        self._name, self._clock, self._journal, self._notify = name, clock, journal, notify
        self._settled_s = settled_s
        self._tries = 0
        self._works_since_s: float | None = None

    def failed(self, problem: str) -> bool:
        """Records a failure; returns True for the first one since the device worked."""
        self._works_since_s = None
        self._tries += 1
        if self._tries == 1:
            self._report(problem)
        return self._tries == 1

    def works(self) -> None:
        """Records that the device works; call it on every success."""
        if not self._tries:
            return
        now_s = self._clock.monotonic()
        if self._works_since_s is None:
            self._works_since_s = now_s
        if now_s - self._works_since_s >= self._settled_s:
            self._tries = 0
            self._report(None)

    @property
    def broken(self) -> bool:
        """Whether it failed and has not worked for `settled_s` since."""
        return self._tries > 0

    @property
    def pause_s(self) -> float:
        """How long to wait before the next try, seconds."""
        return PAUSES_S[min(self._tries, len(PAUSES_S)) - 1]

    def _report(self, problem: str | None) -> None:
        fields = {"device": self._name, "problem": problem}
        self._journal.write("device", **fields)
        self._notify("device", fields)


class FaultTolerantSpeaker:
    """A speaker whose failures are journalled and not raised; what it should have played is lost."""

    def __init__(self, speaker: Speaker, health: DeviceHealth) -> None:
        self._speaker = speaker
        self._health = health

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
        """Plays as the speaker does; returns None after a failure."""
        try:
            first_s = await self._speaker.play(chunks)
        except DeviceError as error:
            self._health.failed(str(error))
            return None
        if isinstance(self._speaker, LateFaults) and (late := self._speaker.take_late_fault()) is not None:
            self._health.failed(late)
        if first_s is not None:
            self._health.works()
        return first_s

    def stop(self) -> None:
        """Of the speaker."""
        self._speaker.stop()

    async def close(self) -> None:
        """Of the speaker."""
        await self._speaker.close()


class JournalledCamera:
    """A camera whose failures are journalled and raised."""

    def __init__(self, camera: Camera, health: DeviceHealth) -> None:
        self._camera = camera
        self._health = health

    @property
    def use(self) -> CameraUse:
        """Of the camera."""
        return self._camera.use

    def start(self, rate_hz: float) -> None:
        """Of the camera."""
        self._camera.start(rate_hz)

    def stop(self) -> None:
        """Of the camera."""
        self._camera.stop()

    async def capture(self) -> Image:
        """Takes a picture. Raises `DeviceError`."""
        try:
            frame = await self._camera.capture()
        except DeviceError as error:
            self._health.failed(str(error))
            raise
        self._health.works()
        return frame

    async def record(self, on: bool) -> None:
        """Of the camera."""
        await self._camera.record(on)

    async def close(self) -> None:
        """Of the camera."""
        await self._camera.close()
