"""The vision brick on the CPU: a ViT under ONNX Runtime whose output rows are the decoder's input rows.

File `model`: shapes as in `models.bricks.sight`, output float32 or float16 (half the size in the ring).
Setting `arena` in addition to those of `models.bricks.sight`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Context
from models.bricks.ort import CancellableSession
from models.bricks.sight import Shapes, VisionBrick


class OnnxEncoder:
    """Writes the rows in place: the ring slot is bound as the session's output."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        """Raises BrickError for a network of another shape."""
        self.session = CancellableSession(options["model"], context, arena=bool(options.get("arena", False)))
        model_input, model_output = (
            self.session.session.get_inputs()[0],
            self.session.session.get_outputs()[0],
        )
        extents = list(model_input.shape) + list(model_output.shape)
        if len(extents) != 7 or not all(isinstance(extent, int) for extent in extents):
            raise BrickError(
                f"The vision model's shapes are {extents}, not [1, 3, side, side] and [1, tokens, width]."
            )
        dtype = "float16" if model_output.type == "tensor(float16)" else "float32"
        self.shapes = Shapes(extents[3], extents[5], extents[6], dtype)
        self._input, self._output = model_input.name, model_output.name

    def rows(self, feed: NDArray[np.float32]) -> NDArray[np.float32]:
        rows = self.session.run([self._output], {self._input: feed})[0][0]
        return np.ascontiguousarray(rows, np.float32)

    def fill(self, feed: NDArray[np.float32], rows: NDArray[Any]) -> None:
        binding = self.session.session.io_binding()
        binding.bind_cpu_input(self._input, feed)
        binding.bind_output(self._output, "cpu", 0, rows.dtype, (1, *rows.shape), rows.ctypes.data)
        self.session.run_bound(binding)

    def close(self) -> None:
        del self.session


def create(options: Mapping[str, Any], context: Context) -> VisionBrick:
    """The brick, not yet loaded."""
    return VisionBrick(options, context, OnnxEncoder)
