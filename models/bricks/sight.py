"""The vision brick, for any runtime: turns a picture into decoder input rows.

Shapes never change while a network is loaded: one input [1, 3, side, side] float32 and one output [1, tokens,
width]. Settings: `tokens` and `width` (they size the ring's slots), `mean` and `std` (per
channel, applied to values of 0 to 1; default 0 and 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.brick import Cancelled, Context, Embedding, Frame
from models.process.child_main import free_model_memory


@dataclass(frozen=True)
class Shapes:
    """Input and output shape of a network. dtype: of its output rows, "float32" or "float16"."""

    side: int
    tokens: int
    width: int
    dtype: str = "float32"


class Encoder(Protocol):
    """A loaded network. feed: float32 [1, 3, side, side], C-contiguous."""

    shapes: Shapes

    def rows(self, feed: NDArray[np.float32]) -> NDArray[np.float32]:
        """[tokens, width] in new memory. Raises Cancelled."""

    def fill(self, feed: NDArray[np.float32], rows: NDArray[Any]) -> None:
        """Write the rows into `rows`, [tokens, width] of the shapes' dtype. Raises Cancelled."""

    def close(self) -> None:
        """Free the network."""


def square_pixels(rgb: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """uint8 [h, w, 3] -> uint8 [side, side, 3]: the whole picture, resized with area-aware filtering.

    A picture that is not square is compressed along its long side by the square root of its aspect ratio, and
    edge pixels fill the rest of the square. On wide and tall drawn scenes the micro pack answers better this
    way than with cropping, full compression or none (`tests.eval.wide`).
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


class VisionBrick:
    """The brick. Requests are `Frame`, the answer is one `Embedding`, in a ring slot when there is one."""

    def __init__(
        self,
        options: Mapping[str, Any],
        context: Context,
        loaded: Callable[[Mapping[str, Any], Context], Encoder],
    ) -> None:
        """`loaded` loads the network."""
        self._options = options
        self._context = context
        self._loaded = loaded
        self._encoder: Encoder | None = None

    def load(self) -> None:
        self._encoder = self._loaded(self._options, self._context)
        mean, std = self._options.get("mean", 0.0), self._options.get("std", 1.0)
        self._scale = (1.0 / (255.0 * np.broadcast_to(np.asarray(std, np.float32), 3))).astype(np.float32)
        self._shift = np.asarray(np.broadcast_to(mean, 3) / np.broadcast_to(std, 3), np.float32)

    def execute(self, request: Frame) -> Iterator[Embedding]:
        assert self._encoder is not None
        shapes = self._encoder.shapes
        pixels = square_pixels(request.rgb, shapes.side) * self._scale - self._shift
        feed = np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)
        ring = self._context.ring
        slot = None
        if ring is not None:
            slot = ring.allocate(
                shapes.tokens, shapes.width, memory=request.memory, dtype=shapes.dtype,
                deadline_s=request.deadline_s,
            )  # fmt: skip
        if slot is None:
            yield Embedding(rows=self._encoder.rows(feed))
            return
        try:
            self._encoder.fill(feed, slot.array)
            if self._context.cancelled():  # the slot's reference would not be sent
                raise Cancelled
        except BaseException:
            slot.abandon()
            raise
        yield Embedding(slot=slot.commit())

    def release(self) -> None:
        if self._encoder is not None:
            self._encoder.close()
        self._encoder = None
        free_model_memory()
