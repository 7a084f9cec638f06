"""The conversion of a picture to the square input of a vision network."""

import numpy as np
import pytest
from PIL import Image

from models.bricks.sight import square_pixels

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
