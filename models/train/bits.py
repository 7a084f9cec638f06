"""Grey pictures with more than 8 bits, which Pillow's own conversion makes white."""

from __future__ import annotations

from PIL import Image


def in_eight_bits(picture: Image.Image) -> Image.Image:
    """The picture; one of 16 bits and one channel in 8 bits. Raises ValueError for one of floats."""
    if picture.mode == "F":
        raise ValueError("its values are floating-point numbers")
    if picture.mode != "I" and not picture.mode.startswith("I;16"):
        return picture
    shades = picture.convert("I").point(lambda value: value * (1 / 256))
    return shades.convert("L")
