"""Converts raw camera frames to RGB. YUV is BT.601 with limited range, V4L2's default."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hw.device import Image

_BAND = 64
"""Rows that are converted at once, to limit temporary memory."""
_Plane = NDArray[np.uint8]
_Convert = Callable[[NDArray[np.uint8], int, int, int, int], Image]


def rgb_from(
    kind: str, data: NDArray[np.uint8], width: int, height: int, stride: int, smaller: int = 1
) -> Image:
    """uint8 `[height, width, 3]` of a frame in the format `kind` (one of `RAW`), whose rows begin every
    `stride` bytes. smaller: 1, 2 or 4, so many times narrower and lower is the picture; what is left of a
    side is dropped. Raises `ValueError` when the data are too short.
    """
    return RAW[kind](data, width, height, stride, smaller)


def _rows(data: NDArray[np.uint8], count: int, used: int, stride: int) -> _Plane:
    """uint8 `[count, used]`."""
    stride = max(stride, used)
    if data.size < stride * (count - 1) + used:
        raise ValueError("the frame is too short")
    whole = np.zeros(stride * count, np.uint8) if data.size < stride * count else data
    if whole is not data:
        whole[: data.size] = data
    return whole[: stride * count].reshape(count, stride)[:, :used]


def _smaller(values: _Plane, down: int, across: int, height: int, width: int) -> _Plane:
    """uint8 `[height, width]`, with further axes as they are: means of blocks of `down` rows and `across`
    columns.
    """
    if (down, across) == (1, 1):
        return values[:height, :width]
    total = np.full((height, width, *values.shape[2:]), down * across // 2, np.uint16)
    for row in range(down):
        for column in range(across):
            total += values[row::down, column::across][:height, :width]
    total //= down * across
    return total.astype(np.uint8)


def _from_yuv(y: _Plane, u: _Plane, v: _Plane, row_step: int, smaller: int) -> Image:
    """`u` and `v` have half the columns of `y`, and one row for every `row_step` of it."""
    height, width = y.shape[0] // smaller, y.shape[1] // smaller
    columns = 2
    if smaller > 1:
        y = _smaller(y, smaller, smaller, height, width)
        u, v = (_smaller(each, smaller // row_step, smaller // 2, height, width) for each in (u, v))
        row_step = columns = 1
    rgb = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, _BAND):
        rows = slice(top, min(top + _BAND, height))
        chroma_rows = np.arange(rows.start, rows.stop) // row_step
        luma = (y[rows].astype(np.int32) - 16) * 298 + 128
        blue = np.repeat(u[chroma_rows].astype(np.int32) - 128, columns, axis=1)[:, :width]
        red = np.repeat(v[chroma_rows].astype(np.int32) - 128, columns, axis=1)[:, :width]
        for index, value in enumerate((luma + 409 * red, luma - 100 * blue - 208 * red, luma + 516 * blue)):
            rgb[rows, :, index] = np.clip(value >> 8, 0, 255)
    return rgb


def _even(pixels: int) -> int:
    """Rounded up to even: two pixels share their chroma."""
    return pixels + pixels % 2


def _packed(y_at: int, u_at: int, v_at: int) -> _Convert:
    def convert(data: NDArray[np.uint8], width: int, height: int, stride: int, smaller: int) -> Image:
        rows = _rows(data, height, _even(width) * 2, stride)
        return _from_yuv(rows[:, y_at::2][:, :width], rows[:, u_at::4], rows[:, v_at::4], 1, smaller)

    return convert


def _two_planes(u_at: int) -> _Convert:
    def convert(data: NDArray[np.uint8], width: int, height: int, stride: int, smaller: int) -> Image:
        stride = max(stride, _even(width))
        y = _rows(data, height, width, stride)
        chroma = _rows(data[stride * height :], _even(height) // 2, _even(width), stride)
        return _from_yuv(y, chroma[:, u_at::2], chroma[:, 1 - u_at :: 2], 2, smaller)

    return convert


def _three_bytes(order: int) -> _Convert:
    def convert(data: NDArray[np.uint8], width: int, height: int, stride: int, smaller: int) -> Image:
        rows = _rows(data, height, width * 3, stride)
        rgb = rows.reshape(height, width, 3)[:, :, ::order]
        return np.ascontiguousarray(_smaller(rgb, smaller, smaller, height // smaller, width // smaller))

    return convert


def _grey(data: NDArray[np.uint8], width: int, height: int, stride: int, smaller: int) -> Image:
    rows = _rows(data, height, width, stride)
    return np.repeat(
        _smaller(rows, smaller, smaller, height // smaller, width // smaller)[:, :, None], 3, axis=2
    )


RAW: dict[str, _Convert] = {
    "NV12": _two_planes(0), "YUYV": _packed(0, 1, 3), "UYVY": _packed(1, 0, 2), "NV21": _two_planes(1),
    "RGB3": _three_bytes(1), "BGR3": _three_bytes(-1), "GREY": _grey,
}  # fmt: skip
"""V4L2's name of each format -> conversion, in order of preference."""


_LUMA = {
    "NV12": (1, 0, 1), "NV21": (1, 0, 1), "GREY": (1, 0, 1), "YUYV": (2, 0, 2), "UYVY": (2, 1, 2),
    "RGB3": (3, 1, 3), "BGR3": (3, 1, 3),
}  # fmt: skip
"""Format -> bytes of a pixel in its row, place and distance of the brightness (of RGB: green) in them."""
_SAMPLED = 16
"""One row and one pixel of so many is enough for the mean."""


def brightness(kind: str, data: NDArray[np.uint8], width: int, height: int, stride: int) -> float | None:
    """Mean brightness of a frame, 0 to 255, from a few of its pixels; None where it is compressed or too
    short.
    """
    if kind not in _LUMA:
        return None
    per_pixel, place, distance = _LUMA[kind]
    try:
        rows = _rows(data[: max(stride, width * per_pixel) * height], height, width * per_pixel, stride)
    except ValueError:
        return None
    return float(rows[::_SAMPLED, place :: distance * _SAMPLED].mean())
