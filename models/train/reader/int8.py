"""The reader's graph in int8, scales calibrated on validation pictures: a Cortex-A55 multiplies and adds four
such pairs at once, and the picture is read in less than half the time (`./justw board-cost`).

The first and the last convolution remain float32: the colours and the logits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from PIL import Image

from models.bricks.reader import PIECE_PX
from models.convert.vision import precision
from models.train.reader.choose import pictures

_KINDS = ("Conv", "Relu", "Add", "Resize")
_PICTURES, _SEED = 60, 77
"""A seed that chooses no threshold."""
_MULTIPLE = 8


def write_int8(source: Path, target: Path, count: int = _PICTURES) -> None:
    """Writes `target`, the graph of `source` in int8. count: pictures for the scales."""
    convolutions = [node.name for node in onnx.load(str(source)).graph.node if node.op_type == "Conv"]
    apart = (convolutions[0], convolutions[-1])
    precision.write_int8(source, target, _inputs(count), kinds=_KINDS, apart=apart)


def _inputs(count: int) -> Iterator[NDArray[np.float32]]:
    """Pixels of validation pictures, float32 [1, 3, h, w], at their own size and at half of it."""
    for picture in pictures(count, _SEED):
        for scale in (1.0, 0.5):
            whole = Image.fromarray(picture.rgb)
            size = [min(PIECE_PX, int(side * scale)) // _MULTIPLE * _MULTIPLE for side in whole.size]
            shown = np.asarray(whole.resize((size[0], size[1]), Image.Resampling.BOX), np.float32)
            yield np.ascontiguousarray(shown.transpose(2, 0, 1)[None] / np.float32(255))
