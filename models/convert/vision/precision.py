"""Graphs in float16, and in int8 calibrated with pictures or not at all. Input and output remain float32."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.transformers.float16 import DEFAULT_OP_BLOCK_LIST, convert_float_to_float16
from PIL import Image, ImageOps

from models.convert.checkpoint.folder import ConvertError

VISION = ("fp32", "fp16", "int8")
"""From the most to the fewest bits."""
_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
_QUANTISED = ("Conv", "MatMul")


def write_fp16(source: Path, target: Path) -> None:
    """All weights and intermediate values in float16; a sum of squares, which may exceed its range, in
    float32.
    """
    model = convert_float_to_float16(
        onnx.load(str(source)), keep_io_types=True, op_block_list=[*DEFAULT_OP_BLOCK_LIST, "ReduceSum"]
    )
    onnx.save(model, str(target))


def write_int8(
    source: Path,
    target: Path,
    batches: Iterable[NDArray[np.float32]],
    kinds: Sequence[str] = _QUANTISED,
    apart: Sequence[str] = (),
) -> None:
    """Weights in int8 with a scale per output channel, activations in int8 with a scale per tensor,
    calibrated with `batches`, inputs of the graph. The matrix products of attention, which
    have no weights, remain float32, and so do all nodes but those of `kinds`, and of these the nodes `apart`.
    """
    input_name, loose = _input_and_products_without_weights(source)
    with _quiet():
        quantize_static(
            str(source), str(target), _Batches(input_name, batches),
            quant_format=QuantFormat.QDQ, op_types_to_quantize=list(kinds), per_channel=True,
            activation_type=QuantType.QInt8, weight_type=QuantType.QInt8, nodes_to_exclude=[*loose, *apart],
            calibrate_method=CalibrationMethod.MinMax,
        )  # fmt: skip


def write_dynamic_int8(source: Path, target: Path) -> None:
    """Weights in int8 with a scale per output channel; the scales of activations are taken at run time, so
    nothing is calibrated.
    """
    _, loose = _input_and_products_without_weights(source)
    with _quiet():
        quantize_dynamic(
            source, target, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8,
            nodes_to_exclude=loose,
        )  # fmt: skip


def _input_and_products_without_weights(source: Path) -> tuple[str, list[str]]:
    """The name of the graph's input, and the names of its matrix products of two computed values."""
    graph = onnx.load(str(source), load_external_data=False).graph
    stored = {constant.name for constant in graph.initializer}
    loose = [n.name for n in graph.node if n.op_type == "MatMul" and not stored & set(n.input)]
    return str(graph.input[0].name), loose


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the logs of the quantiser and of the runtime that it calibrates with."""
    ort.set_default_logger_severity(4)
    logger = logging.getLogger()
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


class _Batches(CalibrationDataReader):
    """Feeds pictures to the quantiser, one by one."""

    def __init__(self, name: str, batches: Iterable[NDArray[np.float32]]) -> None:
        self._left: Iterator[dict[str, NDArray[np.float32]]] = iter([{name: batch} for batch in batches])

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:  # type: ignore[override]
        return next(self._left, None)


def pictures(folder: Path, most: int) -> Iterator[NDArray[np.uint8]]:
    """Up to `most` pictures of a folder, uint8 [h, w, 3], upright. Raises ConvertError for none."""
    found = 0
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.suffix.lower() not in _PICTURES:
            continue
        try:
            with Image.open(path) as picture:
                rgb = np.asarray(_upright(picture).convert("RGB"))
        except Exception as error:  # Pillow raises many classes for a damaged picture, SyntaxError among them
            raise ConvertError(f"{path} can't be read as a picture: {error}.") from error
        yield rgb
        found += 1
        if found == most:
            return
    if not found:
        raise ConvertError(f"{folder} holds no pictures to calibrate int8 with ({', '.join(_PICTURES)}).")


def _upright(picture: Image.Image) -> Image.Image:
    """The picture, turned as its EXIF data say; as it lies where these are damaged."""
    picture.load()
    try:
        return ImageOps.exif_transpose(picture)
    except Exception:  # Pillow raises anything at damaged EXIF data, which say nothing of the picture
        return picture
