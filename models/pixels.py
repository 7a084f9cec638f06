"""How a picture becomes the input of a vision network, as the settings of the vision brick say.

`resize` "pad" is the micro pack's way. "squash" is that of published encoders: the whole frame is resized to
the square with `filter`, after a first resize of its long edge to `longest_edge_px` where the checkpoint has
one. With `rescale` the values are scaled in the order and the precision of `transformers`
(NumPy), so that the input is the same bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FILTERS = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")
"""Names of Pillow's filters by its numbers, which are those in a checkpoint's `resample`."""
_LEVELS = np.arange(256, dtype=np.uint8)[:, None]


def square_pixels(rgb: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """uint8 [h, w, 3] -> uint8 [side, side, 3]: the whole picture, resized with area-aware filtering.

    A picture that is not square is compressed along its long side by the square root of its aspect ratio, and
    edge pixels fill the rest of the square. On wide and tall drawn scenes the micro pack answers better this
    way than with cropping, full compression or none (`tests.eval.sight.wide`).
    """
    height, width = rgb.shape[:2]
    tall = max(1, round(side * min(1.0, height / width) ** 0.5))
    broad = max(1, round(side * min(1.0, width / height) ** 0.5))
    if (height, width) != (tall, broad):
        picture = Image.fromarray(np.ascontiguousarray(rgb))
        rgb = np.asarray(picture.resize((broad, tall), Image.Resampling.BILINEAR, reducing_gap=3.0))
    top, left = (side - tall) // 2, (side - broad) // 2
    if tall == broad == side:
        return np.ascontiguousarray(rgb)
    return np.pad(rgb, ((top, side - tall - top), (left, side - broad - left), (0, 0)), mode="edge")


@dataclass(frozen=True)
class Preparation:
    """side_px: of the square. The other fields are the settings of the same names, by channel."""

    side_px: int
    resize: str = "pad"
    filter: str = "bilinear"
    longest_edge_px: int = 0
    rescale: float = 0.0
    mean: tuple[float, ...] = (0.0, 0.0, 0.0)
    std: tuple[float, ...] = (1.0, 1.0, 1.0)

    @classmethod
    def of(cls, options: Mapping[str, Any], side_px: int) -> Preparation:
        """Of a brick's options."""
        return cls(
            side_px, str(options.get("resize", cls.resize)), str(options.get("filter", cls.filter)),
            int(options.get("longest_edge_px", 0)), float(options.get("rescale", 0.0)),
            _channels(options.get("mean", 0.0)), _channels(options.get("std", 1.0)),
        )  # fmt: skip

    def square(self, rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """uint8 [h, w, 3] -> uint8 [side_px, side_px, 3]."""
        if self.resize == "pad":
            return square_pixels(rgb, self.side_px)
        picture = Image.fromarray(np.ascontiguousarray(rgb))
        filter_number = Image.Resampling(FILTERS.index(self.filter))
        if self.longest_edge_px:
            picture = picture.resize(with_longest_edge(*picture.size, self.longest_edge_px), filter_number)
        return np.asarray(picture.resize((self.side_px, self.side_px), filter_number))

    def table(self) -> NDArray[np.float32]:
        """float32 [256, 3]: the network's value for each value of a pixel and each channel."""
        mean, std = (np.asarray(values, np.float32) for values in (self.mean, self.std))
        if self.rescale:
            scaled = (_LEVELS.astype(np.float64) * self.rescale).astype(np.float32)
            return (scaled - mean) / std
        shift = np.asarray(np.divide(self.mean, self.std), np.float32)
        return np.asarray(_LEVELS * (1 / (255 * std)) - shift, np.float32)

    def pixels(self, rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
        """uint8 [h, w, 3] -> float32 [1, 3, side_px, side_px]."""
        square, table = self.square(rgb), self.table()
        return np.stack([table[square[..., channel], channel] for channel in range(3)])[None]


def with_longest_edge(width: int, height: int, edge: int) -> tuple[int, int]:
    """Width and height with the long edge of that length; the short one is rounded down, then up to an even
    number, as Idefics3's preprocessing does.
    """
    aspect = width / height
    short = int(edge / aspect) if width >= height else int(edge * aspect)
    short = max(1, short + short % 2)
    return (edge, short) if width >= height else (short, edge)


def _channels(values: float | Sequence[float]) -> tuple[float, ...]:
    return tuple(map(float, values)) if isinstance(values, Sequence) else (float(values),) * 3
