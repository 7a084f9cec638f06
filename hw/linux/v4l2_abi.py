"""The part of the kernel's V4L2 interface (linux/videodev2.h) that captures pictures, for the single-planar
and the multi-planar API (Rockchip's image processor has the latter).
"""

from __future__ import annotations

import ctypes as c
import fcntl
import mmap
import os
import select

CAPTURE, CAPTURE_MPLANE = 1, 9
CAP_CAPTURE, CAP_CAPTURE_MPLANE, CAP_STREAMING, CAP_DEVICE_CAPS = 0x1, 0x1000, 0x0400_0000, 0x8000_0000
MEMORY_MMAP = 1
BUFFER_ERROR = 0x40
"""Flag of a buffer whose picture is damaged."""
_u32 = c.c_uint32


def _fields(text: str, kind: type = _u32) -> list[tuple[str, type]]:
    return [(name, kind) for name in text.split()]


class Capability(c.Structure):
    """`struct v4l2_capability`."""

    _fields_ = (
        ("driver", c.c_char * 16), ("card", c.c_char * 32), ("bus_info", c.c_char * 32),
        *_fields("version capabilities device_caps"), ("reserved", _u32 * 3),
    )  # fmt: skip


class FormatDescription(c.Structure):
    """`struct v4l2_fmtdesc`."""

    _fields_ = (
        *_fields("index type flags"), ("description", c.c_char * 32),
        *_fields("pixelformat mbus_code"), ("reserved", _u32 * 3),
    )  # fmt: skip


class _Pix(c.Structure):
    _fields_ = _fields(
        "width height pixelformat field bytesperline sizeimage colorspace priv flags ycbcr_enc quantization "
        "xfer_func"
    )


class _PlaneFormat(c.Structure):
    _pack_ = 1
    _fields_ = (*_fields("sizeimage bytesperline"), ("reserved", c.c_uint16 * 6))


class _PixMplane(c.Structure):
    _pack_ = 1
    _fields_ = (
        *_fields("width height pixelformat field colorspace"), ("plane_fmt", _PlaneFormat * 8),
        *_fields("num_planes flags ycbcr_enc quantization xfer_func", c.c_uint8), ("reserved", c.c_uint8 * 7),
    )  # fmt: skip


class _FormatUnion(c.Union):
    # The kernel's union holds pointers too, which decides its alignment.
    _fields_ = (("pix", _Pix), ("pix_mp", _PixMplane), ("raw", c.c_uint8 * 200), ("aligned", c.c_void_p))


class Format(c.Structure):
    """`struct v4l2_format`."""

    _fields_ = (("type", _u32), ("fmt", _FormatUnion))


class RequestBuffers(c.Structure):
    """`struct v4l2_requestbuffers`."""

    _fields_ = (*_fields("count type memory capabilities"), ("flags", c.c_uint8), ("reserved", c.c_uint8 * 3))


class _PlaneMemory(c.Union):
    _fields_ = (("mem_offset", _u32), ("userptr", c.c_ulong), ("fd", c.c_int32))


class Plane(c.Structure):
    """`struct v4l2_plane`."""

    _fields_ = (
        *_fields("bytesused length"), ("m", _PlaneMemory), ("data_offset", _u32), ("reserved", _u32 * 11),
    )  # fmt: skip


class _BufferMemory(c.Union):
    _fields_ = (("offset", _u32), ("userptr", c.c_ulong), ("planes", c.POINTER(Plane)), ("fd", c.c_int32))


class _Timeval(c.Structure):
    _fields_ = (("seconds", c.c_long), ("microseconds", c.c_long))


class Buffer(c.Structure):
    """`struct v4l2_buffer`."""

    _fields_ = (
        *_fields("index type bytesused flags field"), ("timestamp", _Timeval), ("timecode", _u32 * 4),
        *_fields("sequence memory"), ("m", _BufferMemory), *_fields("length reserved2 request_fd"),
    )  # fmt: skip


class StreamParameters(c.Structure):
    """`struct v4l2_streamparm` for capture."""

    _fields_ = (
        *_fields("type capability capturemode numerator denominator extendedmode readbuffers"),
        ("reserved", c.c_uint8 * 176),
    )  # fmt: skip


def _number(direction: int, number: int, size: int) -> int:
    """As the macros _IOR, _IOW and _IOWR of asm-generic/ioctl.h, with type 'V'."""
    return direction << 30 | size << 16 | ord("V") << 8 | number


_WRITE, _READ = 1, 2
QUERYCAP = _number(_READ, 0, c.sizeof(Capability))
ENUM_FMT = _number(_READ | _WRITE, 2, c.sizeof(FormatDescription))
S_FMT = _number(_READ | _WRITE, 5, c.sizeof(Format))
REQBUFS = _number(_READ | _WRITE, 8, c.sizeof(RequestBuffers))
QUERYBUF = _number(_READ | _WRITE, 9, c.sizeof(Buffer))
QBUF = _number(_READ | _WRITE, 15, c.sizeof(Buffer))
DQBUF = _number(_READ | _WRITE, 17, c.sizeof(Buffer))
STREAMON = _number(_WRITE, 18, c.sizeof(c.c_int))
STREAMOFF = _number(_WRITE, 19, c.sizeof(c.c_int))
S_PARM = _number(_READ | _WRITE, 22, c.sizeof(StreamParameters))


class Kernel:
    """The system calls that reach a camera; all raise `OSError`."""

    def open(self, path: str) -> int:
        """A non-blocking descriptor."""
        return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def close(self, fd: int) -> None:
        """Close the descriptor."""
        os.close(fd)

    def ioctl(self, fd: int, request: int, argument: c.Structure | c.c_int) -> None:
        """One call; the argument is changed in place."""
        fcntl.ioctl(fd, request, argument, True)

    def map(self, fd: int, length: int, offset: int) -> mmap.mmap:
        """Maps a buffer of the driver."""
        return mmap.mmap(fd, length, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE, offset=offset)

    def readable(self, fd: int, seconds: float) -> bool:
        """Wait up to `seconds` for a picture."""
        waiting = select.poll()
        waiting.register(fd, select.POLLIN)
        return bool(waiting.poll(seconds * 1000))


def fourcc(text: str) -> int:
    """The kernel's number of a format such as "YUYV"."""
    return int.from_bytes(text.encode("ascii"), "little")


def fourcc_text(number: int) -> str:
    """The format's four letters."""
    return number.to_bytes(4, "little").decode("ascii", "replace").rstrip()
