"""Pictures from a V4L2 camera, without libcamera.

The stream runs while a picture is taken, and on after it only while the next is wanted within `hold_s`
(`start`), because starting a sensor takes longer than a frame. Between rarer pictures sensor, image processor
and memory can sleep, which a permanent stream with dropped frames would prevent. The rate is not asked of the
sensor: at a low one a question would wait for the next frame. A camera that is plugged in again works again.
"""

from __future__ import annotations

import asyncio
import errno
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from hw.camera_use import UseMeter
from hw.device import RECORDING_IS_OFF, CameraUse, DeviceError, DeviceMissing, Image
from hw.linux import v4l2_abi as v4l2
from hw.linux.jpeg_decoder import JpegDecoder
from hw.linux.v4l2_stream import FORMATS, DamagedFrame, Frame, Stream, buffer_type, offered
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
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`timeout_s` bounds a capture, as of `Stream.frame`; the streaming time is counted by the clock
        `monotonic`.
        """
        self._wiring = wiring or CameraWiring()
        self._dev_root = dev_root
        self._timeout_s = timeout_s
        self._kernel = kernel or v4l2.Kernel()
        self._meter = UseMeter(monotonic)
        self._decoder = JpegDecoder()
        self._lock = threading.Lock()
        """Held by the thread that uses the stream."""
        self._captures: set[threading.Event] = set()
        """One of each running capture; setting it ends that capture."""
        self._generation = 0
        """Changes with every capture: an end that was due before it is not carried out."""
        self._stream: Stream | None = None
        self._path = ""
        self._interval_s: float | None = None
        """Between two pictures wanted in a row; None: there is no next one."""
        self._timer: asyncio.TimerHandle | None = None
        self._off = False
        self._closed = 0
        """How often it was closed: a capture that spans that gives no picture."""

    @property
    def use(self) -> CameraUse:
        """What the sensor has done so far."""
        return self._meter.use

    def start(self, rate_hz: float) -> None:
        """About so many pictures a second are wanted from now on."""
        if rate_hz <= 0:
            raise ValueError(f"A rate of {rate_hz:g} pictures a second is none.")
        self._interval_s = 1.0 / rate_hz
        if not self._hold_s:
            self._end_when_idle()

    def stop(self) -> None:
        """No further pictures are wanted."""
        self._interval_s = None
        self._end_when_idle()

    async def capture(self) -> Image:
        """The first settled frame from now on, uint8 `[height, width, 3]` RGB; the next one where that is
        damaged, as compressed ones are now and then without the driver's knowledge. Raises `DeviceError`.
        """
        closed = self._closed
        try:
            return await self._captured(closed)
        except DamagedFrame:
            return await self._captured(closed)

    async def _captured(self, closed: int) -> Image:
        """closed: as it was when the picture was asked for. Raises `DeviceError`."""
        self._check_open(closed)
        self._cancel_timer()
        self._generation += 1
        stop = threading.Event()
        self._captures.add(stop)
        try:
            frame = await asyncio.to_thread(self._take, stop)
        finally:
            stop.set()
            self._captures.discard(stop)
            self._end_when_idle(self._hold_s)
        self._check_open(closed)  # a frame from before is not given to a decoder any more
        picture = await asyncio.to_thread(frame.picture, self._decoder)  # the sensor stops meanwhile
        self._check_open(closed)
        return picture

    def _check_open(self, closed: int) -> None:
        if closed != self._closed:
            raise DeviceError(RECORDING_IS_OFF if self._off else "The camera was closed.")

    async def close(self) -> None:
        """End the running captures and close the device."""
        self._closed += 1
        self._cancel_timer()
        for stop in self._captures:
            stop.set()
        await asyncio.to_thread(self._end)
        await asyncio.to_thread(self._decoder.close)

    async def record(self, on: bool) -> None:
        """Off: returns when the stream has ended and the device is closed."""
        self._off = not on
        if self._off:
            await self.close()

    @property
    def _hold_s(self) -> float:
        """How long the stream runs on after a picture."""
        soon = self._interval_s is not None and self._interval_s <= self._wiring.hold_s
        return self._wiring.hold_s if soon else 0.0

    def _end_when_idle(self, after_s: float = 0.0) -> None:
        """Ends the stream in `after_s`, unless a capture runs or begins; its end calls this again."""
        self._cancel_timer()
        if self._captures:
            return
        generation = self._generation
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # a caller that is cleared away after its loop has ended
            self._end()
            return

        def end() -> None:
            with self._lock:
                if generation == self._generation:
                    self._end_stream()

        if after_s > 0:
            self._timer = loop.call_later(after_s, lambda: loop.run_in_executor(None, end))
        else:
            loop.run_in_executor(None, end)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _take(self, stop: threading.Event) -> Frame:
        with self._lock:
            try:
                if self._off:
                    raise DeviceError(RECORDING_IS_OFF)
                if stop.is_set():
                    raise DeviceError("The camera was closed.")
                if self._stream is None:
                    self._path = self._find_device()
                    self._stream = Stream(self._kernel, self._path, self._wiring, self._meter)
                if self._stream.compressed:
                    self._decoder.warm()  # it starts while the exposure settles
                return self._stream.frame(self._timeout_s, stop)
            except OSError as error:
                self._end_stream()
                missing = DeviceMissing if error.errno in _GONE else DeviceError
                raise missing(_sentence(self._path, error)) from None
            except DeviceError:
                if not stop.is_set():  # who ended the capture sees to the stream
                    self._end_stream()
                raise

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
