"""The stream of one V4L2 device: negotiate the format, start, read frames, end."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import threading
import time
from dataclasses import dataclass

import numpy as np

from hw.camera_use import UseMeter
from hw.device import DeviceError, Image
from hw.linux import v4l2_abi as v4l2
from hw.linux.jpeg_decoder import JpegDecoder, UndecodableFrame
from hw.linux.pixel_formats import RAW, brightness, rgb_from
from hw.linux.wiring import CameraWiring

_POLL_S = 0.1
ENOUGH_PX = 640
"""Longer side of a picture that all who look at it make smaller: encoders of up to 512 px, the text reader of
448.
"""
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


class DamagedFrame(DeviceError):
    """A frame that the driver took for whole can't be decoded."""


@dataclass(frozen=True)
class Frame:
    """One frame as the driver delivered it."""

    format: str
    data: bytes
    width: int
    height: int
    stride: int
    """Bytes from row to row, of a format that has rows."""

    def picture(self, decoder: JpegDecoder) -> Image:
        """uint8 RGB `[height, width, 3]`, of a large frame the half or a quarter of both sides, so that the
        longer one has at least `ENOUGH_PX`. decoder: of compressed frames. Raises `DamagedFrame`.
        """
        try:
            longest = max(self.width, self.height)
            smaller = next((times for times in (4, 2) if longest >= times * ENOUGH_PX), 1)
            if self.format in RAW:
                pixels = np.frombuffer(self.data, np.uint8)
                return rgb_from(self.format, pixels, self.width, self.height, self.stride, smaller)
            return decoder.decode(self.data, longest // smaller)
        except (ValueError, UndecodableFrame):
            raise DamagedFrame("The camera's picture is damaged.") from None

    @property
    def brightness(self) -> float | None:
        """Mean, 0 to 255; None where that is unknown."""
        pixels = np.frombuffer(self.data, np.uint8)
        return brightness(self.format, pixels, self.width, self.height, self.stride)


class Stream:
    """A running stream, from construction to `end`. Every method may raise `OSError` and `DeviceError`."""

    def __init__(self, kernel: v4l2.Kernel, path: str, wiring: CameraWiring, meter: UseMeter) -> None:
        """`meter` counts what the sensor does."""
        self._kernel, self._wiring, self._meter = kernel, wiring, meter
        self._passed = 0
        """Undamaged frames passed over since the start."""
        self._settled = wiring.settling_frames == 0
        self._before: float | None = None
        """Brightness of the frame before, of one that may settle."""
        self._sequence: int | None = None
        """The driver's number of the last frame."""
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

    @property
    def compressed(self) -> bool:
        """Whether its frames have to be decoded."""
        return self._name not in RAW

    def frame(self, timeout_s: float, stop: threading.Event) -> Frame:
        """The first undamaged frame from now on with a settled exposure. `stop` ends the wait. `timeout_s`:
        beside the time that so many frames take at the interval that was asked for.
        """
        for _ in self._maps:  # frames in the queue are older than this call
            if not self._kernel.readable(self._fd, 0.0):
                break
            old = self._take(keep=not self._settled)
            if old is not None:
                self._settles_with(old)
        timeout_s += self._frames_to_come * self._wiring.interval_s
        end_s = time.monotonic() + timeout_s
        while not stop.is_set():
            if time.monotonic() > end_s:
                raise DeviceError(f"The camera gave no picture within {timeout_s:g} seconds.")
            if not self._kernel.readable(self._fd, _POLL_S):
                continue
            frame = self._take(keep=True)
            if frame is not None and self._settles_with(frame):
                return frame
        raise DeviceError("The camera was closed.")

    @property
    def _frames_to_come(self) -> int:
        """Most frames until one is given."""
        wiring = self._wiring
        return 1 if self._settled else 1 + max(wiring.settling_frames, wiring.settling_most_frames)

    def _settles_with(self, frame: Frame) -> bool:
        """Whether the exposure has settled by this frame; otherwise it is passed over."""
        if self._settled:
            return True
        least, most = self._wiring.settling_frames, self._wiring.settling_most_frames
        if self._passed >= least - 1:
            before, self._before = self._before, frame.brightness
            if self._passed >= least:
                changed = 0.0 if before is None or self._before is None else abs(self._before - before)
                self._settled = changed <= self._wiring.settling_levels or self._passed >= most
        self._passed += not self._settled
        return self._settled

    def end(self) -> None:
        """Stop the stream and close the device. Harmless when repeated; raises nothing."""
        fd, self._fd = self._fd, -1
        if fd < 0:
            return
        with contextlib.suppress(OSError):  # it may be gone by now
            self._kernel.ioctl(fd, v4l2.STREAMOFF, ctypes.c_int(self._type))
        self._meter.stopped()
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
        self._meter.started()
        self._kernel.ioctl(self._fd, v4l2.STREAMON, ctypes.c_int(self._type))

    def _buffer(self, index: int) -> tuple[v4l2.Buffer, v4l2.Plane | None]:
        buffer = v4l2.Buffer(index=index, type=self._type, memory=v4l2.MEMORY_MMAP)
        if self._type != v4l2.CAPTURE_MPLANE:
            return buffer, None
        planes = (v4l2.Plane * 1)()
        buffer.m.planes = ctypes.cast(planes, ctypes.POINTER(v4l2.Plane))
        buffer.length = 1
        return buffer, planes[0]

    def _take(self, *, keep: bool) -> Frame | None:
        """The next frame, without its bytes unless `keep`; None when it is damaged or there is none yet."""
        buffer, plane = self._buffer(0)
        try:
            self._kernel.ioctl(self._fd, v4l2.DQBUF, buffer)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                raise
            time.sleep(0.005)  # readable for another reason; avoid a busy loop
            return None
        # The driver's numbers include frames for which it had no free buffer; some drivers number none.
        self._meter.sensed(1 if self._sequence is None else max(1, buffer.sequence - self._sequence))
        self._sequence = buffer.sequence
        whole = not buffer.flags & v4l2.BUFFER_ERROR
        data = b""
        if whole and keep and self._passed >= self._wiring.settling_frames - 1:
            start, used = (0, buffer.bytesused) if plane is None else (plane.data_offset, plane.bytesused)
            data = self._maps[buffer.index][start:used]
        self._kernel.ioctl(self._fd, v4l2.QBUF, buffer)
        return Frame(self._name, data, self._width, self._height, self._stride) if whole else None
