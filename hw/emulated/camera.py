"""An emulated camera that shows picture files."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hw.audio.sound_and_picture_files import MediaError, read_image
from hw.device import RECORDING_IS_OFF, CameraUse, Clock, DeviceError, DeviceMissing, Image
from hw.emulated.sensor import EmulatedSensor, SensorTimes
from hw.linux.system_clock import SystemClock

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".webp")

_READ_AHEAD = 4

View = str | Path | Image


class FileCamera:
    """Shows one picture or a series: each capture returns the next one, and the last one repeats.

    The first files of a series are read by `__init__` and `show`, which raise `MediaError`; the others are
    read by `capture`, so that a long series needs no more memory than a short one.
    """

    def __init__(
        self,
        view: View | Sequence[View] | None = None,
        clock: Clock | None = None,
        times: SensorTimes | None = None,
    ) -> None:
        """`view`: a file, a folder of frames (ordered by name), an image, a list of files and images, or None
        for no picture yet. `clock`: the computer's unless given. `times`: what its sensor takes of the
        clock's time; nothing unless given.
        """
        self._clock = clock or SystemClock()
        self._sensor = EmulatedSensor(self._clock, times or SensorTimes())
        self._frames: list[View] = []
        self._decoded: dict[int, Image] = {}
        self._next = 0
        self._unplugged = False
        self._off = False
        self._closed = 0
        self.captures = 0
        if view is not None:
            self.show(view)

    def show(self, view: View | Sequence[View]) -> None:
        """Replace the view. Raises `MediaError`."""
        frames = _listed(view)
        self._decoded = {index: _loaded(each) for index, each in enumerate(frames[:_READ_AHEAD])}
        self._frames = frames
        self._next = 0

    def unplug(self) -> None:
        """Every capture from now on raises `DeviceError`."""
        self._unplugged = True
        self._sensor.end()

    def plug_in(self) -> None:
        """Undo `unplug`."""
        self._unplugged = False

    @property
    def use(self) -> CameraUse:
        """What the sensor has done so far."""
        return self._sensor.use

    @property
    def streaming(self) -> bool:
        """Whether the sensor is on."""
        return self._sensor.streaming

    def start(self, rate_hz: float) -> None:
        """About so many pictures a second are wanted from now on."""
        if rate_hz <= 0:
            raise ValueError(f"A rate of {rate_hz:g} pictures a second is none.")
        self._sensor.want(1.0 / rate_hz)

    def stop(self) -> None:
        """No further pictures are wanted."""
        self._sensor.want(None)

    async def capture(self) -> Image:
        """The first settled frame from now on, uint8 `[height, width, 3]` RGB, as a copy."""
        await asyncio.sleep(0)
        self._refuse()
        seconds, closed = self._sensor.wait(), self._closed
        delivered = False
        try:
            if seconds > 0:
                await self._clock.sleep(seconds)
            self._refuse(closed)
            delivered = True
        finally:
            self._sensor.leave(delivered=delivered)
        picture = await self._seen()
        self._refuse(closed)
        return picture

    def _refuse(self, closed: int | None = None) -> None:
        """Raises `DeviceError` where no picture can be taken, or the camera was closed since `closed`."""
        if self._off:
            raise DeviceError(RECORDING_IS_OFF)
        if closed not in (None, self._closed):
            raise DeviceError("The camera was closed.")
        if self._unplugged:
            raise DeviceError("The camera stopped working: it was unplugged.")
        if not self._frames:
            raise DeviceMissing("There is no camera: no picture was given for it to see.")

    async def _seen(self) -> Image:
        """The view, a copy; the next capture sees the next one of a series."""
        index, last = self._next, len(self._frames) - 1
        self._next = min(index + 1, last)
        frame = self._decoded.pop(index, None)
        if frame is None:
            try:
                frame = await asyncio.to_thread(_loaded, self._frames[index])
            except MediaError as error:
                raise DeviceError(f"The camera has nothing in view: {error}") from None
        if index == last:
            self._decoded[index] = frame
        self.captures += 1
        return frame.copy()

    async def record(self, on: bool) -> None:
        """Off: the sensor stops, and `capture` raises `DeviceError`."""
        self._off = not on
        if self._off:
            self._sensor.end()
            self._closed += 1

    async def close(self) -> None:
        """Stop the sensor and forget the pictures."""
        self._sensor.end()
        self._closed += 1
        self._frames, self._decoded = [], {}


def _listed(view: View | Sequence[View]) -> list[View]:
    if isinstance(view, np.ndarray):
        return [view]
    if isinstance(view, str | Path):
        folder = Path(view)
        if not folder.is_dir():
            return [view]
        files: list[Path] = [each for each in folder.iterdir() if each.suffix.lower() in PICTURE_SUFFIXES]
        if not files:
            raise MediaError(f"{folder} holds no pictures ({', '.join(PICTURE_SUFFIXES)}).")
        files.sort(key=_natural)
        return list(files)
    return list(view)


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort key that puts frame10 after frame9."""
    return [
        (int(part or 0), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)
    ]


def _loaded(view: View) -> Image:
    return view if isinstance(view, np.ndarray) else read_image(view)
