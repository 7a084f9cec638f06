"""An emulated V4L2 driver behind the calls of `hw.linux.v4l2_abi.Kernel`: it checks requests as videobuf2
does, and its frames are those of the test.
"""

from __future__ import annotations

import ctypes
import errno
import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hw.linux import v4l2_abi as v4l2

PAGE = 4096


@dataclass
class FakeCamera:
    """The camera at one path."""

    formats: Mapping[str, Callable[[int, int], tuple[bytes, int]]]
    """Name -> (frame bytes, bytes per line) of a size."""
    sizes: tuple[tuple[int, int], ...] = ((64, 48),)
    multiplanar: bool = False
    captures: bool = True
    torn: int = 0
    """Number of damaged frames at the start."""
    unplug_after: int | None = None
    """Number of frames after which it is unplugged."""
    silent: bool = False
    """It delivers no frames."""
    intervals: bool = True
    takes_its_time: bool = False
    """Whoever waits for a frame waits for the interval that was asked for; otherwise there is one at once."""
    refuses: tuple[str, ...] = ()
    """Formats that it lists but does not accept."""
    asked: dict[str, object] = field(default_factory=dict)
    frames: int = 0
    sequence: int = 0
    """Frames since the stream began, those without a free buffer included."""
    streaming: bool = False
    opened: int = 0
    openings: int = 0


class Mapped(bytearray):
    """A buffer's memory as the program sees it."""

    def __init__(self, memory: bytearray) -> None:
        super().__init__()
        self._memory: bytearray | None = memory

    def __getitem__(self, part: Any) -> Any:
        assert self._memory is not None
        return bytes(self._memory[part])

    def close(self) -> None:
        self._memory = None


class FakeKernel(v4l2.Kernel):
    """`hw.linux.v4l2_abi.Kernel` with `cameras` by path."""

    def __init__(self, cameras: Mapping[str, FakeCamera]) -> None:
        self.cameras = dict(cameras)
        self._open: dict[int, FakeCamera] = {}
        self._memory: list[bytearray] = []
        self._queued: deque[int] = deque()
        self._filled: deque[tuple[int, int, int]] = deque()
        self._format: tuple[str, int, int] = ("", 0, 0)
        self._next_fd = 100
        self._waited_s = 0.0

    def open(self, path: str) -> int:
        if path not in self.cameras:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._next_fd += 1
        self._open[self._next_fd] = self.cameras[path]
        self.cameras[path].opened += 1
        self.cameras[path].openings += 1
        return self._next_fd

    def close(self, fd: int) -> None:
        camera = self._open.pop(fd)
        camera.opened -= 1
        assert not camera.streaming or camera.unplug_after is not None

    def readable(self, fd: int, seconds: float) -> bool:
        camera = self._open[fd]
        if camera.unplug_after is not None and camera.frames >= camera.unplug_after:
            return True  # poll reports the error
        # A filled buffer is reported at once; otherwise a caller that waits gets the next frame.
        if camera.takes_its_time and not self._filled:
            interval_s = float(str(camera.asked.get("interval_s", 0.0)))
            self._waited_s += seconds
            time.sleep(min(seconds, interval_s))
            if self._waited_s < interval_s:
                return False
            self._waited_s = 0.0
        return camera.streaming and not camera.silent and (bool(self._filled) or seconds > 0)

    def map(self, fd: int, length: int, offset: int) -> Any:
        memory = self._memory[offset // PAGE]
        assert len(memory) == length
        return Mapped(memory)

    def pass_time(self, missed: int = 0) -> None:
        """The driver fills every buffer that it has, and has none for `missed` frames more."""
        for camera in self._open.values():
            self._filled += [self._fill(camera, index) for index in self._queued]
            self._queued.clear()
            camera.sequence += missed

    def ioctl(self, fd: int, request: int, argument: Any) -> None:
        camera = self._open[fd]
        if camera.unplug_after is not None and camera.frames >= camera.unplug_after:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        calls: dict[int, Callable[[FakeCamera, Any], None]] = {
            v4l2.QUERYCAP: self._about, v4l2.ENUM_FMT: self._list, v4l2.S_FMT: self._set_format,
            v4l2.S_PARM: self._pace, v4l2.REQBUFS: self._request, v4l2.QUERYBUF: self._query,
            v4l2.QBUF: self._queue, v4l2.DQBUF: self._take,
        }  # fmt: skip
        if request in calls:
            if request != v4l2.QUERYCAP and argument.type != self._type(camera):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
            calls[request](camera, argument)
        else:
            assert request in (v4l2.STREAMON, v4l2.STREAMOFF) and isinstance(argument, ctypes.c_int)
            camera.streaming = request == v4l2.STREAMON
            camera.sequence = 0

    def _type(self, camera: FakeCamera) -> int:
        return v4l2.CAPTURE_MPLANE if camera.multiplanar else v4l2.CAPTURE

    def _about(self, camera: FakeCamera, about: Any) -> None:
        can = v4l2.CAP_STREAMING
        if camera.captures:
            can |= v4l2.CAP_CAPTURE_MPLANE if camera.multiplanar else v4l2.CAP_CAPTURE
        about.card, about.device_caps = b"Fake", can
        about.capabilities = 0xFFF_FFFF | v4l2.CAP_DEVICE_CAPS  # of all its nodes

    def _list(self, camera: FakeCamera, each: Any) -> None:
        names = list(camera.formats)
        if each.index >= len(names):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        each.pixelformat = v4l2.fourcc(names[each.index])

    def _set_format(self, camera: FakeCamera, wanted: Any) -> None:
        pix = wanted.fmt.pix_mp if camera.multiplanar else wanted.fmt.pix
        name = v4l2.fourcc_text(pix.pixelformat)
        if name not in camera.formats or name in camera.refuses:
            name = next(each for each in camera.formats if each not in camera.refuses)
        camera.asked["size"] = (pix.width, pix.height)
        pix.width, pix.height = min(camera.sizes, key=lambda size: abs(size[0] - pix.width))
        pix.pixelformat = v4l2.fourcc(name)
        data, stride = camera.formats[name](pix.width, pix.height)
        if camera.multiplanar:
            pix.num_planes = 1
            pix.plane_fmt[0].sizeimage, pix.plane_fmt[0].bytesperline = len(data), stride
        else:
            pix.sizeimage, pix.bytesperline = len(data), stride
        self._format = (name, pix.width, pix.height)

    def _pace(self, camera: FakeCamera, wanted: Any) -> None:
        if not camera.intervals:
            raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
        camera.asked["interval_s"] = wanted.numerator / wanted.denominator

    def _request(self, camera: FakeCamera, wanted: Any) -> None:
        assert wanted.memory == v4l2.MEMORY_MMAP
        wanted.count = 3  # a driver may give more than were asked for
        size = len(self._frame(camera)) + 16
        self._memory = [bytearray(size) for _ in range(3)]
        self._queued.clear()
        self._filled.clear()

    def _query(self, camera: FakeCamera, buffer: Any) -> None:
        where = buffer if not camera.multiplanar else buffer.m.planes[0]
        where.length = len(self._memory[0])
        offset = buffer.index * PAGE
        if camera.multiplanar:
            where.m.mem_offset = offset
        else:
            buffer.m.offset = offset

    def _queue(self, camera: FakeCamera, buffer: Any) -> None:
        assert buffer.index not in self._queued
        self._queued.append(buffer.index)

    def _fill(self, camera: FakeCamera, index: int) -> tuple[int, int, int]:
        """(buffer, its bytes, the frame's number)."""
        data = self._frame(camera)
        begin = 8 if camera.multiplanar else 0
        self._memory[index][begin : begin + len(data)] = data
        camera.sequence += 1
        return index, len(data), camera.sequence - 1

    def _take(self, camera: FakeCamera, buffer: Any) -> None:
        if not self._filled and not self._queued:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        if not self._filled:
            self._filled.append(self._fill(camera, self._queued.popleft()))
        buffer.index, used, buffer.sequence = self._filled.popleft()
        buffer.flags = v4l2.BUFFER_ERROR * (camera.frames < camera.torn)
        if camera.multiplanar:
            plane = buffer.m.planes[0]
            plane.data_offset, plane.bytesused = 8, 8 + used
        else:
            buffer.bytesused = used
        camera.frames += 1

    def _frame(self, camera: FakeCamera) -> bytes:
        name, width, height = self._format
        return camera.formats[name](width, height)[0]
