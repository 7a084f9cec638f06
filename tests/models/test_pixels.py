"""The conversion of a picture to the square input of a vision network."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from models.pixels import FILTERS, Preparation, square_pixels, with_longest_edge

SIDE = 128


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(height).integers(0, 256, (height, width, 3), np.uint8)


def test_a_square_is_looked_at_as_it_is() -> None:
    assert np.array_equal(square_pixels(noise(SIDE, SIDE), SIDE), noise(SIDE, SIDE))
    for side in (100, 500):
        resized = Image.fromarray(noise(side, side)).resize(
            (SIDE, SIDE), Image.Resampling.BILINEAR, reducing_gap=3.0
        )
        assert np.array_equal(square_pixels(noise(side, side), SIDE), np.asarray(resized))


@pytest.mark.parametrize(("height", "width"), [(720, 1280), (960, 1280), (1280, 720), (30, 40), (128, 300)])
def test_all_four_corners_of_any_picture_are_seen(height: int, width: int) -> None:
    picture = np.full((height, width, 3), 128, np.uint8)
    part = min(height, width) // 4
    colours = (250, 10, 10), (10, 250, 10), (10, 10, 250), (250, 250, 10)
    corners = [(slice(part), slice(part)), (slice(part), slice(-part, None))]
    corners += [(slice(-part, None), each) for _, each in corners]
    for corner, colour in zip(corners, colours, strict=True):
        picture[corner] = colour
    seen = square_pixels(picture, SIDE)
    assert seen.shape == (SIDE, SIDE, 3) and seen.dtype == np.uint8
    for colour in colours:
        assert (np.abs(seen.astype(int) - colour).max(axis=2) < 40).sum() > 200


@pytest.mark.parametrize(("height", "width"), [(1, 1000), (1000, 1), (1, 1), (2, 3)])
def test_the_strangest_picture_becomes_a_square(height: int, width: int) -> None:
    assert square_pixels(noise(height, width), SIDE).shape == (SIDE, SIDE, 3)


@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (0.5, 0.5), ([0.5, 0.4, 0.3], [0.2, 0.3, 1.5])])
def test_without_rescale_the_input_is_what_the_micro_pack_was_trained_with(mean: Any, std: Any) -> None:
    """Bit for bit: one float32 factor and one summand for each channel."""
    rgb = noise(90, 70)
    factor = (1.0 / (255.0 * np.broadcast_to(np.asarray(std, np.float32), 3))).astype(np.float32)
    summand = np.asarray(np.broadcast_to(mean, 3) / np.broadcast_to(std, 3), np.float32)
    wanted = (square_pixels(rgb, SIDE) * factor - summand).transpose(2, 0, 1)[None]
    found = Preparation.of({"mean": mean, "std": std}, SIDE).pixels(rgb)
    assert found.dtype == np.float32 and found.flags.c_contiguous and np.array_equal(found, wanted)


def test_an_own_preparation_squashes_the_whole_frame_in_the_order_of_the_checkpoint() -> None:
    rgb, factor = noise(48, 64), 0.00392156862745098
    options = {
        "resize": "squash", "filter": "lanczos", "longest_edge_px": 256, "rescale": factor,
        "mean": [0.5, 0.4, 0.3], "std": [0.5, 0.25, 0.3],
    }  # fmt: skip
    large = Image.fromarray(rgb).resize((256, 192), Image.Resampling.LANCZOS)
    square = np.asarray(large.resize((SIDE, SIDE), Image.Resampling.LANCZOS))
    scaled = (square.astype(np.float64) * factor).astype(np.float32)
    mean, std = (np.asarray(options[key], np.float32) for key in ("mean", "std"))
    wanted = ((scaled - mean) / std).transpose(2, 0, 1)[None]
    assert np.array_equal(Preparation.of(options, SIDE).pixels(rgb), wanted)


@given(st.sampled_from(FILTERS), st.integers(1, 300), st.integers(1, 300), st.sampled_from([0, 7, 200]))
def test_every_picture_becomes_a_square_with_each_filter(
    name: str, height: int, width: int, edge: int
) -> None:
    seen = Preparation(32, "squash", name, edge).square(np.full((height, width, 3), 77, np.uint8))
    assert seen.shape == (32, 32, 3) and (seen == 77).all()


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(2, 4096))
def test_the_long_edge_gets_its_length_and_the_short_one_keeps_the_shape(w: int, h: int, edge: int) -> None:
    broad, tall = with_longest_edge(w, h, edge)
    assert (broad if w >= h else tall) == edge
    short, exact = (tall, edge * h / w) if w >= h else (broad, edge * w / h)
    assert short == 1 or short - 2 < exact < short + 1 + 1e-9
