"""Camera frames from V4L2 through ffmpeg, one at a time.

The stream runs only for the moment of the capture: between captures sensor, image processor and memory may
sleep, which dropping frames in user space would not allow.
"""

from __future__ import annotations

import asyncio

import numpy as np

from hw.device import DeviceError, Image
from hw.rk3566.process import end

_SETTLING_FRAMES = 4  # the first frames after the start have no right exposure yet


class V4l2Camera:
    """A camera such as /dev/video0."""

    def __init__(
        self,
        device: str = "/dev/video0",
        width_px: int = 1280,
        height_px: int = 720,
        timeout_s: float = 5.0,
    ) -> None:
        """The driver may deliver another size than the one asked for; `timeout_s` bounds a capture."""
        self._device = device
        self._size = f"{width_px}x{height_px}"
        self._timeout_s = timeout_s
        self._grabber: asyncio.subprocess.Process | None = None

    async def capture(self) -> Image:
        """One frame, uint8 `[height, width, 3]` RGB. Raises `DeviceError`."""
        source = ("-f", "v4l2", "-video_size", self._size, "-i", self._device)
        frame = (
            "-vf",
            rf"select=gte(n\,{_SETTLING_FRAMES})",
            "-frames:v",
            "1",
            "-c:v",
            "ppm",
            "-f",
            "image2pipe",
            "-",
        )
        try:
            grabber = await asyncio.create_subprocess_exec(
                *("ffmpeg", "-nostdin", "-loglevel", "error", *source, *frame),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError:
            raise DeviceError("There is no camera: the program ffmpeg is not installed.") from None
        self._grabber = grabber
        try:
            data, said = await asyncio.wait_for(grabber.communicate(), self._timeout_s)
        except TimeoutError:
            raise DeviceError(f"The camera gave no picture within {self._timeout_s:g} seconds.") from None
        finally:
            await self.close()
        lines = said.decode(errors="replace").strip().splitlines()
        if grabber.returncode != 0 or not data:
            raise DeviceError(
                f"The camera gave no picture: {lines[-1].rstrip('.') if lines else 'it said nothing'}."
            )
        return parse_ppm(data)

    async def close(self) -> None:
        """End a capture under way."""
        grabber, self._grabber = self._grabber, None
        if grabber is not None and grabber.returncode is None:
            await end(grabber)


def parse_ppm(data: bytes) -> Image:
    """A binary PPM (P6, 255 levels) as uint8 `[height, width, 3]`. Raises `DeviceError`."""
    fields = data[:64].split(maxsplit=4)
    try:
        kind, width, height, levels = fields[0], int(fields[1]), int(fields[2]), int(fields[3])
        if kind != b"P6" or levels != 255:
            raise ValueError
        pixels = np.frombuffer(data, np.uint8, width * height * 3, offset=len(data) - width * height * 3)
    except (ValueError, IndexError):
        raise DeviceError("The camera's picture is damaged.") from None
    return pixels.reshape(height, width, 3).copy()
