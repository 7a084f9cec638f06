"""Raw frames as RGB."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.linux.pixel_formats import RAW, rgb_from

LEVELS = st.integers(0, 255)
SIDES = st.integers(1, 9)


def packed(kind: str, width: int, height: int, stride: int, yuv: tuple[int, int, int]) -> np.ndarray:
    """A frame of one colour, its rows padded with 123."""
    y, u, v = yuv
    even = width + width % 2
    patterns = {
        "YUYV": (y, u, y, v), "UYVY": (u, y, v, y), "RGB3": (y, u, v), "BGR3": (v, u, y), "GREY": (y,),
        "NV12": (y,), "NV21": (y,),
    }  # fmt: skip
    used = {"YUYV": 2 * even, "UYVY": 2 * even, "RGB3": 3 * width, "BGR3": 3 * width}.get(kind, width)
    rows = np.full((height, max(stride, used)), 123, np.uint8)
    if kind in ("NV12", "NV21"):
        rows = np.full((height + (height + 1) // 2, max(stride, even)), 123, np.uint8)
        rows[height:, :even] = np.resize(np.array((u, v) if kind == "NV12" else (v, u)), even)
    rows[:height, :used] = np.resize(np.array(patterns[kind]), used)
    return rows.reshape(-1).astype(np.uint8)


@pytest.mark.parametrize("kind", RAW)
@given(yuv=st.tuples(LEVELS, LEVELS, LEVELS), width=SIDES, height=SIDES, padding=st.integers(0, 7))
def test_every_colour_of_every_size_is_what_the_formula_says(
    kind: str, yuv: tuple[int, int, int], width: int, height: int, padding: int
) -> None:
    stride = 0 if padding == 0 else 32 + padding
    data = packed(kind, width, height, stride, yuv)
    tight = {"YUYV": 2, "UYVY": 2, "RGB3": 3, "BGR3": 3}.get(kind, 1) * (
        width if kind in ("RGB3", "BGR3", "GREY") else width + width % 2
    )
    rgb = rgb_from(kind, data, width, height, stride or tight)
    y, u, v = yuv[0] - 16, yuv[1] - 128, yuv[2] - 128
    if kind in ("RGB3", "BGR3"):
        wanted = np.array(yuv, float)
    elif kind == "GREY":
        wanted = np.full(3, float(yuv[0]))
    else:
        wanted = np.array([1.164 * y + 1.596 * v, 1.164 * y - 0.391 * u - 0.813 * v, 1.164 * y + 2.018 * u])
    assert rgb.shape == (height, width, 3) and rgb.dtype == np.uint8
    assert np.abs(rgb - np.clip(wanted, 0, 255)).max() <= 2


@pytest.mark.parametrize("kind", RAW)
@given(
    width=st.integers(8, 21),
    height=st.integers(8, 21),
    smaller=st.sampled_from([2, 4]),
    seed=st.integers(0, 99),
)
def test_a_smaller_picture_has_the_mean_colours_of_the_whole_one(
    kind: str, width: int, height: int, smaller: int, seed: int
) -> None:
    """Far from black and white, where clipping would differ."""
    bytes_of = {"YUYV": 2, "UYVY": 2, "RGB3": 3, "BGR3": 3}.get(kind, 1)
    stride = bytes_of * (width + width % 2)
    rows = height + (height + 1) // 2 if kind.startswith("NV") else height
    data = np.random.default_rng(seed).integers(118, 139, stride * rows).astype(np.uint8)
    whole = rgb_from(kind, data, width, height, stride).astype(float)
    found = rgb_from(kind, data, width, height, stride, smaller)
    down, across = height // smaller, width // smaller
    blocks = whole[: down * smaller, : across * smaller].reshape(down, smaller, across, smaller, 3)
    assert found.shape == (down, across, 3) and found.dtype == np.uint8
    assert np.abs(found - blocks.mean((1, 3))).max() <= 4


def test_neighbouring_colours_stay_apart() -> None:
    rows = np.zeros((130, 8), np.uint8)  # more rows than are converted at once
    rows[:, 0::2], rows[:, 1::4], rows[:, 3::4] = 81, 90, 240
    rows[100:, 0::2], rows[100:, 1::4], rows[100:, 3::4] = 41, 240, 110  # blue below
    rgb = rgb_from("YUYV", rows.reshape(-1), 4, 130, 8)
    assert np.abs(rgb[99].astype(int) - (255, 0, 0)).max() <= 4
    assert np.abs(rgb[100].astype(int) - (0, 0, 255)).max() <= 4


@pytest.mark.parametrize("name", RAW)
def test_a_frame_that_is_too_short_is_refused(name: str) -> None:
    with pytest.raises(ValueError):
        rgb_from(name, np.zeros(30, np.uint8), 16, 16, 0)
