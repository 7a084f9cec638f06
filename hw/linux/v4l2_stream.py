"""The stream of one V4L2 device: negotiate the format, start, read frames, end."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import threading
import time

import numpy as np

from hw.audio.sound_and_picture_files import MediaError, decode_jpeg
from hw.device import DeviceError, Image
from hw.linux import v4l2_abi as v4l2
from hw.linux.pixel_formats import RAW, rgb_from
from hw.linux.wiring import CameraWiring

_POLL_S = 0.1
FORMATS = (*(name for name in RAW if name != "GREY"), "MJPG", "JPEG", "GREY")
"""Supported formats in order of preference: raw colour, compressed colour, grey."""


def buffer_type(kernel: v4l2.Kernel, fd: int) -> int:
    """Type of the device's buffers. Raises `DeviceError` for a device that is no camera, and `OSError`."""
    about = v4l2.Capability()
    kernel.ioctl(fd, v4l2.QUERYCAP, about)
    can = about.device_caps if about.capabilities & v4l2.CAP_DEVICE_CAPS else about.capabilities
    if can & v4l2.CAP_STREAMING and can & v4l2.CAP_CAPTURE:
        return v4l2.CAPTURE
    if can & v4l2.CAP_STREAMING and can & v4l2.CAP_CAPTURE_MPLANE:
        return v4l2.CAPTURE_MPLANE
    raise DeviceError(f"{about.card.decode(errors='replace')} is no camera that streams.")


def offered(kernel: v4l2.Kernel, fd: int, kind: int) -> list[str]:
    """Names of the device's formats."""
    names: list[str] = []
    with contextlib.suppress(OSError):  # EINVAL after the last
        while len(names) < 64:
            each = v4l2.FormatDescription(index=len(names), type=kind)
            kernel.ioctl(fd, v4l2.ENUM_FMT, each)
            names.append(v4l2.fourcc_text(each.pixelformat))
    return names


class Stream:
    """A running stream, from construction to `end`. Every method may raise `OSError` and `DeviceError`."""

    def __init__(self, kernel: v4l2.Kernel, path: str, wiring: CameraWiring) -> None:
        self._kernel = kernel
        self._frames_to_skip = wiring.settling_frames
        self._maps: list[mmap.mmap] = []
        self._type = v4l2.CAPTURE
        self._fd = kernel.open(path)
        try:
            self._type = buffer_type(kernel, self._fd)
            self._negotiate(path, wiring)
            self._request_interval(wiring.interval_s)
            self._start()
        except BaseException:
            self.end()
            raise

    def frame(self, timeout_s: float, stop: threading.Event) -> Image:
        """The first undamaged frame from now on, uint8 `[height, width, 3]` RGB; the settling frames after a
        start are skipped. `stop` ends the wait.
        """
        for _ in self._maps:  # frames in the queue are older than this call
            if self._frames_to_skip or not self._kernel.readable(self._fd, 0.0):
                break
            self._take(keep=False)
        end_s = time.monotonic() + timeout_s
        while not stop.is_set():
            if time.monotonic() > end_s:
                raise DeviceError(f"The camera gave no picture within {timeout_s:g} seconds.")
            if not self._kernel.readable(self._fd, _POLL_S):
                continue
            data = self._take(keep=not self._frames_to_skip)
            if data is None:
                continue
            if self._frames_to_skip:
                self._frames_to_skip -= 1
                continue
            return self._decoded(data)
        raise DeviceError("The camera was closed.")

    def end(self) -> None:
        """Stop the stream and close the device. Harmless when repeated; raises nothing."""
        fd, self._fd = self._fd, -1
        if fd < 0:
            return
        with contextlib.suppress(OSError):  # it may be gone by now
            self._kernel.ioctl(fd, v4l2.STREAMOFF, ctypes.c_int(self._type))
        for each in self._maps:
            each.close()
        self._kernel.close(fd)

    def _negotiate(self, path: str, wiring: CameraWiring) -> None:
        names = offered(self._kernel, self._fd, self._type)
        for name in FORMATS if wiring.format == "auto" else (wiring.format,):
            if name in names and name in FORMATS and self._set_format(name, wiring):
                return
        raise DeviceError(
            f"The camera {path} has no format that is wanted: it offers {', '.join(names) or 'none'}."
        )

    def _set_format(self, name: str, wiring: CameraWiring) -> bool:
        """Sets the format; False if the driver refuses it. The driver may choose another size."""
        wanted = v4l2.Format(type=self._type)
        several = self._type == v4l2.CAPTURE_MPLANE
        pix = wanted.fmt.pix_mp if several else wanted.fmt.pix
        pix.width, pix.height, pix.pixelformat = wiring.width_px, wiring.height_px, v4l2.fourcc(name)
        self._kernel.ioctl(self._fd, v4l2.S_FMT, wanted)
        if pix.pixelformat != v4l2.fourcc(name) or (several and pix.num_planes != 1):
            return False
        self._name, self._width, self._height = name, pix.width, pix.height
        self._stride = pix.plane_fmt[0].bytesperline if several else pix.bytesperline
        return True

    def _request_interval(self, interval_s: float) -> None:
        """Request the frame interval; a driver without that call keeps its own."""
        if interval_s > 0:
            wanted = v4l2.StreamParameters(type=self._type)
            wanted.numerator, wanted.denominator = round(interval_s * 10_000), 10_000
            with contextlib.suppress(OSError):
                self._kernel.ioctl(self._fd, v4l2.S_PARM, wanted)

    def _start(self) -> None:
        asked = v4l2.RequestBuffers(count=2, type=self._type, memory=v4l2.MEMORY_MMAP)
        self._kernel.ioctl(self._fd, v4l2.REQBUFS, asked)
        for index in range(asked.count):
            buffer, plane = self._buffer(index)
            self._kernel.ioctl(self._fd, v4l2.QUERYBUF, buffer)
            length, offset = (
                (buffer.length, buffer.m.offset) if plane is None else (plane.length, plane.m.mem_offset)
            )
            self._maps.append(self._kernel.map(self._fd, length, offset))
            self._kernel.ioctl(self._fd, v4l2.QBUF, buffer)
        self._kernel.ioctl(self._fd, v4l2.STREAMON, ctypes.c_int(self._type))

    def _buffer(self, index: int) -> tuple[v4l2.Buffer, v4l2.Plane | None]:
        buffer = v4l2.Buffer(index=index, type=self._type, memory=v4l2.MEMORY_MMAP)
        if self._type != v4l2.CAPTURE_MPLANE:
            return buffer, None
        planes = (v4l2.Plane * 1)()
        buffer.m.planes = ctypes.cast(planes, ctypes.POINTER(v4l2.Plane))
        buffer.length = 1
        return buffer, planes[0]

    def _take(self, *, keep: bool) -> bytes | None:
        """The next frame's bytes (empty unless `keep`); None when it is damaged or there is none yet."""
        buffer, plane = self._buffer(0)
        try:
            self._kernel.ioctl(self._fd, v4l2.DQBUF, buffer)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                raise
            time.sleep(0.005)  # readable for another reason; avoid a busy loop
            return None
        whole = not buffer.flags & v4l2.BUFFER_ERROR
        data = b""
        if whole and keep:
            start, used = (0, buffer.bytesused) if plane is None else (plane.data_offset, plane.bytesused)
            data = self._maps[buffer.index][start:used]
        self._kernel.ioctl(self._fd, v4l2.QBUF, buffer)
        return data if whole else None

    def _decoded(self, data: bytes) -> Image:
        try:
            if self._name in RAW:
                pixels = np.frombuffer(data, np.uint8)
                return rgb_from(self._name, pixels, self._width, self._height, self._stride)
            return decode_jpeg(data)
        except (ValueError, MediaError):
            raise DeviceError("The camera's picture is damaged.") from None
