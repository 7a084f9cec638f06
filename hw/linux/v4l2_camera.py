"""One picture at a time from a V4L2 camera, without libcamera.

The stream runs during a capture and for `hold_s` after it, because starting a sensor takes longer than a
frame: with captures every half second it stays on, and between rarer ones sensor, image processor and memory
can sleep, which a permanent stream with dropped frames would prevent. A camera that is plugged in again works
again.
"""

from __future__ import annotations

import asyncio
import errno
import re
import threading
from pathlib import Path

from hw.device import RECORDING_IS_OFF, DeviceError, DeviceMissing, Image
from hw.linux import v4l2_abi as v4l2
from hw.linux.v4l2_stream import FORMATS, Stream, buffer_type, offered
from hw.linux.wiring import CameraWiring

_GONE = (errno.ENODEV, errno.ENOENT, errno.ENXIO)


class V4l2Camera:
    """`hw.device.Camera` over one V4L2 device."""

    def __init__(
        self,
        wiring: CameraWiring | None = None,
        dev_root: Path = Path("/dev"),
        timeout_s: float = 4.0,
        kernel: v4l2.Kernel | None = None,
    ) -> None:
        """`timeout_s` bounds a capture."""
        self._wiring = wiring or CameraWiring()
        self._dev_root = dev_root
        self._timeout_s = timeout_s
        self._kernel = kernel or v4l2.Kernel()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._stream: Stream | None = None
        self._path = ""
        self._release_timer: asyncio.TimerHandle | None = None
        self._off = False

    async def capture(self) -> Image:
        """One frame, uint8 `[height, width, 3]` RGB. Raises `DeviceError`."""
        self._cancel_release()
        self._stop = stop = threading.Event()
        try:
            return await asyncio.to_thread(self._capture, stop)
        finally:
            stop.set()
            self._schedule_release()

    async def close(self) -> None:
        """End a running capture and close the device."""
        self._cancel_release()
        self._stop.set()
        await asyncio.to_thread(self._end)

    async def record(self, on: bool) -> None:
        """Off: returns when the stream has ended and the device is closed."""
        self._off = not on
        if self._off:
            await self.close()

    def _schedule_release(self) -> None:
        self._cancel_release()
        if self._wiring.hold_s > 0:
            loop = asyncio.get_running_loop()
            self._release_timer = loop.call_later(
                self._wiring.hold_s, lambda: loop.run_in_executor(None, self._end)
            )

    def _cancel_release(self) -> None:
        if self._release_timer is not None:
            self._release_timer.cancel()
            self._release_timer = None

    def _capture(self, stop: threading.Event) -> Image:
        with self._lock:
            try:
                if self._off:
                    raise DeviceError(RECORDING_IS_OFF)
                if self._stream is None:
                    self._path = self._find_device()
                    self._stream = Stream(self._kernel, self._path, self._wiring)
                picture = self._stream.frame(self._timeout_s, stop)
            except OSError as error:
                self._end_stream()
                missing = DeviceMissing if error.errno in _GONE else DeviceError
                raise missing(_sentence(self._path, error)) from None
            except DeviceError:
                self._end_stream()
                raise
            if self._wiring.hold_s <= 0:
                self._end_stream()
            return picture

    def _end(self) -> None:
        with self._lock:
            self._end_stream()

    def _end_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.end()

    def _find_device(self) -> str:
        if self._wiring.device != "auto":
            return self._wiring.device
        usual = self._dev_root / "video-camera0"  # Rockchip's name for its image processor's output
        if usual.exists():
            return str(usual)
        refused: DeviceError | None = None
        for path in sorted(self._dev_root.glob("video*"), key=_by_number):
            try:
                if self._delivers(str(path)):
                    return str(path)
            except DeviceError:
                continue
            except OSError as error:
                if error.errno in (errno.EBUSY, errno.EACCES):
                    refused = refused or DeviceError(_sentence(str(path), error))
        raise refused or DeviceMissing("There is no camera: no V4L2 device delivers pictures.")

    def _delivers(self, path: str) -> bool:
        fd = self._kernel.open(path)
        try:
            kind = buffer_type(self._kernel, fd)
            return not set(offered(self._kernel, fd, kind)).isdisjoint(FORMATS)
        finally:
            self._kernel.close(fd)


def _sentence(path: str, error: OSError) -> str:
    if error.errno in _GONE:
        return f"There is no camera at {path}, or it was unplugged."
    if error.errno == errno.EBUSY:
        return f"The camera {path} is in use by another program."
    if error.errno == errno.EACCES:
        return f"The camera {path} may not be opened (is this user in the group video?)."
    return f"The camera {path} does not work: {error.strerror or error}."


def _by_number(path: Path) -> tuple[int, str]:
    digits = re.search(r"\d+$", path.name)
    return (int(digits.group()) if digits else -1, path.name)
