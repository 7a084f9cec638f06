"""Sight: a ViT under ONNX Runtime whose output rows are the decoder's input rows.

Files: `model`, with one input [1, 3, side, side] float32 and one output [1, tokens, width], float32 or
float16 (rows of half the size in the ring). Settings: `tokens` and `width` (the ring's slots are made to this
measure), `mean` and `std` (per channel, applied to values of 0 to 1; default 0 and 1), `arena`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.brick import BrickError, Context, Embedding, Frame
from models.bricks.ort import StoppableSession
from models.child import free_model_memory


def square_pixels(rgb: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """uint8 [h, w, 3] -> uint8 [side, side, 3]: the centre square, resized with area-aware filtering."""
    height, width = rgb.shape[:2]
    size = min(height, width)
    top, left = (height - size) // 2, (width - size) // 2
    square = np.ascontiguousarray(rgb[top : top + size, left : left + size])
    if size == side:
        return square
    return np.asarray(
        Image.fromarray(square).resize((side, side), Image.Resampling.BILINEAR, reducing_gap=3.0)
    )


class Vision:
    """One ViT. Requests are `Frame`, the answer is one `Embedding`, in a ring slot when there is one."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options = options
        self._context = context
        self._session: StoppableSession | None = None

    def load(self) -> None:
        self._session = StoppableSession(
            self._options["model"], self._context, arena=bool(self._options.get("arena", False))
        )
        model_input, model_output = (
            self._session.session.get_inputs()[0],
            self._session.session.get_outputs()[0],
        )
        shapes = list(model_input.shape) + list(model_output.shape)
        if len(shapes) != 7 or not all(isinstance(extent, int) for extent in shapes):
            raise BrickError(
                f"The vision model's shapes are {shapes}, not [1, 3, side, side] and [1, tokens, width]."
            )
        self._dtype = "float16" if model_output.type == "tensor(float16)" else "float32"
        self._input, self._output = model_input.name, model_output.name
        self._side, self._tokens, self._width = shapes[3], shapes[5], shapes[6]
        mean, std = self._options.get("mean", 0.0), self._options.get("std", 1.0)
        self._scale = (1.0 / (255.0 * np.broadcast_to(np.asarray(std, np.float32), 3))).astype(np.float32)
        self._shift = np.asarray(np.broadcast_to(mean, 3) / np.broadcast_to(std, 3), np.float32)

    def execute(self, request: Frame) -> Iterator[Embedding]:
        assert self._session is not None
        pixels = square_pixels(request.rgb, self._side) * self._scale - self._shift
        feed = np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)
        ring = self._context.ring
        slot = None
        if ring is not None:
            slot = ring.allocate(self._tokens, self._width, memory=request.memory, dtype=self._dtype)
        if slot is None:
            rows = self._session.run([self._output], {self._input: feed})[0][0]
            yield Embedding(rows=np.ascontiguousarray(rows, np.float32))
            return
        try:
            binding = self._session.session.io_binding()
            binding.bind_cpu_input(self._input, feed)
            shape = (1, self._tokens, self._width)
            binding.bind_output(self._output, "cpu", 0, slot.array.dtype, shape, slot.array.ctypes.data)
            self._session.run_bound(binding)
        except BaseException:
            slot.abandon()
            raise
        yield Embedding(slot=slot.commit())

    def release(self) -> None:
        self._session = None
        free_model_memory()


def create(options: Mapping[str, Any], context: Context) -> Vision:
    """The brick, not yet loaded."""
    return Vision(options, context)
