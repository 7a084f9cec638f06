"""Pictures as the camera was held: phones store them as the sensor lies, and say in EXIF how to turn them."""

from __future__ import annotations

from PIL import Image, ImageOps


def upright(picture: Image.Image) -> Image.Image:
    """The picture, turned as its EXIF data say; as it lies where these are damaged. Raises what Pillow does
    where the picture itself is.
    """
    picture.load()
    try:
        return ImageOps.exif_transpose(picture)
    except Exception:  # Pillow raises anything at damaged EXIF data, which say nothing of the picture
        return picture
