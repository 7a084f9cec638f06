"""One picture at a time from a V4L2 camera, without libcamera.

The stream runs only for the moment of the capture: between captures sensor, image processor and memory may
sleep, which dropping frames in user space would not allow. The device is opened anew each time, so a camera
that was unplugged is there again as soon as it is plugged in.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import mmap
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hw import v4l2
from hw.device import DeviceError, Image
from hw.media import MediaError, decode_jpeg
from hw.pixels import RAW, rgb_from
from hw.wiring import CameraWiring

_LOOK_S = 0.1
FORMATS = (*(name for name in RAW if name != "GREY"), "MJPG", "JPEG", "GREY")
"""What can be made a picture of, the one to prefer first: no decoder at all, then colour."""
_GONE = (errno.ENODEV, errno.ENOENT, errno.ENXIO)


@dataclass(frozen=True)
class _Stream:
    """What the driver agreed to."""

    fd: int
    type: int
    kind: str
    width: int
    height: int
    stride: int


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
        self._alone = threading.Lock()
        self._stop = threading.Event()

    async def capture(self) -> Image:
        """One frame, uint8 `[height, width, 3]` RGB. Raises `DeviceError`."""
        stop = threading.Event()
        self._stop = stop
        try:
            return await asyncio.to_thread(self._capture, stop)
        finally:
            stop.set()

    async def close(self) -> None:
        """End a capture under way."""
        self._stop.set()

    def _capture(self, stop: threading.Event) -> Image:
        with self._alone:
            path = self._path()
            try:
                with self._opened(path) as fd:
                    return self._picture(self._negotiated(fd, path), stop)
            except OSError as error:
                raise DeviceError(_sentence(path, error)) from None

    def _path(self) -> str:
        if self._wiring.device != "auto":
            return self._wiring.device
        usual = self._dev_root / "video-camera0"  # Rockchip's name for its image processor's output
        if usual.exists():
            return str(usual)
        busy: OSError | None = None
        for path in sorted(self._dev_root.glob("video*"), key=_by_number):
            try:
                with self._opened(str(path)) as fd:
                    if set(self._offered(fd, self._type(fd))) & set(FORMATS):
                        return str(path)
            except DeviceError:
                continue
            except OSError as error:
                busy = busy or (error if error.errno in (errno.EBUSY, errno.EACCES) else None)
        if busy is not None:
            raise DeviceError(_sentence("/dev/video*", busy))
        raise DeviceError("There is no camera: no V4L2 device delivers pictures.")

    @contextlib.contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        fd = self._kernel.open(path)
        try:
            yield fd
        finally:
            self._kernel.close(fd)

    def _type(self, fd: int) -> int:
        """Kind of its buffers. Raises `DeviceError` for what is no camera."""
        about = v4l2.Capability()
        self._kernel.ioctl(fd, v4l2.QUERYCAP, about)
        can = about.device_caps if about.capabilities & v4l2.CAP_DEVICE_CAPS else about.capabilities
        if can & v4l2.CAP_STREAMING and can & v4l2.CAP_CAPTURE:
            return v4l2.CAPTURE
        if can & v4l2.CAP_STREAMING and can & v4l2.CAP_CAPTURE_MPLANE:
            return v4l2.CAPTURE_MPLANE
        raise DeviceError(f"{about.card.decode(errors='replace')} is no camera that streams.")

    def _offered(self, fd: int, kind: int) -> list[str]:
        offered: list[str] = []
        with contextlib.suppress(OSError):  # EINVAL after the last
            while len(offered) < 64:
                each = v4l2.FormatDescription(index=len(offered), type=kind)
                self._kernel.ioctl(fd, v4l2.ENUM_FMT, each)
                offered.append(v4l2.fourcc_text(each.pixelformat))
        return offered

    def _negotiated(self, fd: int, path: str) -> _Stream:
        """Agree with the driver on format, size and interval."""
        kind = self._type(fd)
        offered = self._offered(fd, kind)
        wanted = FORMATS if self._wiring.format == "auto" else (self._wiring.format,)
        for name in wanted:
            if name not in offered or name not in FORMATS:
                continue
            stream = self._asked(fd, kind, name)
            if stream is not None:
                self._pace(fd, kind)
                return stream
        raise DeviceError(
            f"The camera {path} has no format that is wanted: it offers {', '.join(offered) or 'none'}."
        )

    def _asked(self, fd: int, kind: int, name: str) -> _Stream | None:
        """None where the driver takes another format instead."""
        wanted = v4l2.Format(type=kind)
        several = kind == v4l2.CAPTURE_MPLANE
        pix = wanted.fmt.pix_mp if several else wanted.fmt.pix
        pix.width, pix.height, pix.pixelformat = (
            self._wiring.width_px, self._wiring.height_px, v4l2.fourcc(name)
        )  # fmt: skip
        self._kernel.ioctl(fd, v4l2.S_FMT, wanted)
        if pix.pixelformat != v4l2.fourcc(name) or (several and pix.num_planes != 1):
            return None
        stride = pix.plane_fmt[0].bytesperline if several else pix.bytesperline
        return _Stream(fd, kind, name, pix.width, pix.height, stride)

    def _pace(self, fd: int, kind: int) -> None:
        """Ask for the interval; a driver that cannot be asked keeps its own."""
        if self._wiring.interval_s <= 0:
            return
        wanted = v4l2.StreamParameters(type=kind)
        wanted.numerator, wanted.denominator = round(self._wiring.interval_s * 10_000), 10_000
        with contextlib.suppress(OSError):
            self._kernel.ioctl(fd, v4l2.S_PARM, wanted)

    def _picture(self, stream: _Stream, stop: threading.Event) -> Image:
        kernel, fd = self._kernel, stream.fd
        asked = v4l2.RequestBuffers(count=2, type=stream.type, memory=v4l2.MEMORY_MMAP)
        kernel.ioctl(fd, v4l2.REQBUFS, asked)
        with contextlib.ExitStack() as held:
            maps = []
            for index in range(asked.count):
                buffer, plane = _buffer(stream.type, index)
                kernel.ioctl(fd, v4l2.QUERYBUF, buffer)
                length, offset = (
                    (buffer.length, buffer.m.offset) if plane is None else (plane.length, plane.m.mem_offset)
                )
                maps.append(held.enter_context(kernel.map(fd, length, offset)))
                kernel.ioctl(fd, v4l2.QBUF, buffer)
            kernel.ioctl(fd, v4l2.STREAMON, ctypes.c_int(stream.type))
            try:
                data = self._settled(stream, maps, stop)
            finally:
                with contextlib.suppress(OSError):  # it may be gone by now
                    kernel.ioctl(fd, v4l2.STREAMOFF, ctypes.c_int(stream.type))
        return _decoded(stream, data)

    def _settled(self, stream: _Stream, maps: list[mmap.mmap], stop: threading.Event) -> NDArray[np.uint8]:
        """The bytes of the first whole frame after the exposure has found its way."""
        end_s = time.monotonic() + self._timeout_s
        passed = 0
        while not stop.is_set():
            if time.monotonic() > end_s:
                raise DeviceError(f"The camera gave no picture within {self._timeout_s:g} seconds.")
            if not self._kernel.readable(stream.fd, _LOOK_S):
                continue
            buffer, plane = _buffer(stream.type, 0)
            try:
                self._kernel.ioctl(stream.fd, v4l2.DQBUF, buffer)
            except OSError as error:
                if error.errno != errno.EAGAIN:
                    raise
                time.sleep(0.005)  # the device was readable for another reason; let it not spin
                continue
            whole = not buffer.flags & v4l2.BUFFER_ERROR
            if whole and passed >= self._wiring.settling_frames:
                start, used = (0, buffer.bytesused) if plane is None else (plane.data_offset, plane.bytesused)
                return np.frombuffer(maps[buffer.index][start:used], np.uint8)
            passed += whole
            self._kernel.ioctl(stream.fd, v4l2.QBUF, buffer)
        raise DeviceError("The camera was closed.")


def _buffer(kind: int, index: int) -> tuple[v4l2.Buffer, v4l2.Plane | None]:
    buffer = v4l2.Buffer(index=index, type=kind, memory=v4l2.MEMORY_MMAP)
    if kind != v4l2.CAPTURE_MPLANE:
        return buffer, None
    planes = (v4l2.Plane * 1)()
    buffer.m.planes = ctypes.cast(planes, ctypes.POINTER(v4l2.Plane))
    buffer.length = 1
    return buffer, planes[0]


def _decoded(stream: _Stream, data: NDArray[np.uint8]) -> Image:
    try:
        if stream.kind in RAW:
            return rgb_from(stream.kind, data, stream.width, stream.height, stream.stride)
        return decode_jpeg(data.tobytes())
    except (ValueError, MediaError):
        raise DeviceError("The camera's picture is damaged.") from None


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
