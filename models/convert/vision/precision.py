"""The vision graph in float16, and in int8 calibrated with pictures. Input and output remain float32."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.transformers.float16 import convert_float_to_float16
from PIL import Image, UnidentifiedImageError

from models.bricks.sight import square_pixels
from models.convert.checkpoint.folder import ConvertError

VISION = ("fp32", "fp16", "int8")
"""From the most to the fewest bits."""
_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
_QUANTISED = ["Conv", "MatMul"]


def write_fp16(source: Path, target: Path) -> None:
    """All weights and intermediate values in float16."""
    model = convert_float_to_float16(onnx.load(str(source)), keep_io_types=True)
    onnx.save(model, str(target))


def write_int8(source: Path, target: Path, batches: Iterable[NDArray[np.float32]]) -> None:
    """Weights in int8 with a scale per output channel, activations in int8 with a scale per tensor,
    calibrated with `batches`, each [1, 3, side, side], normalised. The matrix products of attention, which
    have no weights, remain float32.
    """
    model = onnx.load(str(source), load_external_data=False)
    stored = {constant.name for constant in model.graph.initializer}
    loose = [n.name for n in model.graph.node if n.op_type == "MatMul" and not stored & set(n.input)]
    logger = logging.getLogger()
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        quantize_static(
            str(source), str(target), _Batches(model.graph.input[0].name, batches),
            quant_format=QuantFormat.QDQ, op_types_to_quantize=_QUANTISED, per_channel=True,
            activation_type=QuantType.QInt8, weight_type=QuantType.QInt8, nodes_to_exclude=loose,
            calibrate_method=CalibrationMethod.MinMax,
        )  # fmt: skip
    finally:
        logger.setLevel(before)


class _Batches(CalibrationDataReader):
    """Feeds pictures to the quantiser, one by one."""

    def __init__(self, name: str, batches: Iterable[NDArray[np.float32]]) -> None:
        self._left: Iterator[dict[str, NDArray[np.float32]]] = iter([{name: batch} for batch in batches])

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:  # type: ignore[override]
        return next(self._left, None)


def normalised(
    rgb: NDArray[np.uint8], side: int, mean: Sequence[float], std: Sequence[float]
) -> NDArray[np.float32]:
    """uint8 [h, w, 3] -> float32 [1, 3, side, side], resized and normalised as by the vision brick."""
    shift, scale = (np.asarray(values, np.float32) for values in (mean, std))
    pixels = (square_pixels(rgb, side).astype(np.float32) / np.float32(255.0) - shift) / scale
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)


def pictures(folder: Path, most: int) -> list[NDArray[np.uint8]]:
    """Up to `most` pictures of a folder, uint8 [h, w, 3]. Raises ConvertError for none."""
    found = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.suffix.lower() not in _PICTURES:
            continue
        try:
            found.append(np.asarray(Image.open(path).convert("RGB")))
        except (OSError, UnidentifiedImageError) as error:
            raise ConvertError(f"{path} can't be read as a picture: {error}.") from error
        if len(found) == most:
            break
    if not found:
        raise ConvertError(f"{folder} holds no pictures to calibrate int8 with ({', '.join(_PICTURES)}).")
    return found
