"""The weights of a written network, to train it on where its checkpoint is gone.

A graph's constants have no names that tell whose they are. So the same network is written once more with the
place of every weight in its stead, and what stands there says which weight each constant holds.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import numpy_helper

from models.convert.checkpoint.folder import ConvertError
from models.convert.reflex.graph import write_reflex
from models.convert.reflex.weights import ReflexShape, ReflexWeights, array_shapes

_FIRST = 64
"""The place of the first weight: no other constant is a whole number so large."""
_MOST = 2**24
"""Whole numbers of 32 bits are exact below this."""


def read_reflex(folder: Path, shape: ReflexShape) -> ReflexWeights:
    """The weights that `write_reflex` wrote to `folder`, of its first layers where it has more. Raises
    ConvertError where the shape is another.
    """
    sizes = array_shapes(shape)
    count = sum(math.prod(size) for size in sizes.values())
    if _FIRST + count > _MOST:
        raise ConvertError(f"A network of {count} weights is too large to be read again.")
    values = np.full(count, np.nan, np.float32)
    with tempfile.TemporaryDirectory() as places:
        paths = write_reflex(Path(places), ReflexWeights(shape, _split(_places(count), sizes)))
        for path in paths:
            for place, value in _pairs(path, folder / path.name):
                values[place.astype(np.int64) - _FIRST] = value
    if np.isnan(values).any():
        raise ConvertError(f"{folder} has not all weights of a network of this shape.")
    return ReflexWeights(shape, _split(values, sizes))


def _places(count: int) -> NDArray[np.float32]:
    return np.arange(_FIRST, _FIRST + count, dtype=np.float32)


def _split(flat: NDArray[np.float32], sizes: dict[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32]]:
    found, start = {}, 0
    for name, size in sizes.items():
        found[name] = flat[start : start + math.prod(size)].reshape(size)
        start += math.prod(size)
    return found


def _pairs(places: Path, stored: Path) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Of each constant that holds weights, their places and their values."""
    ours, theirs = (_constants(path) for path in (places, stored))
    if len(ours) != len(theirs):
        raise ConvertError(f"{stored} is of a network of another form.")
    for place, value in zip(ours, theirs, strict=True):
        if place.shape != value.shape:
            raise ConvertError(f"{stored} is of a network of another size.")
        if place.dtype == np.float32 and place.size and (place >= _FIRST).all():
            yield place.ravel(), value.ravel()


def _constants(path: Path) -> list[NDArray[np.float32]]:
    try:
        graph = onnx.load(str(path)).graph
    except (OSError, ValueError, DecodeError) as error:
        raise ConvertError(f"{path} cannot be read: {error}.") from error
    if any(node.op_type == "MatMulNBits" for node in graph.node):
        raise ConvertError(f"{path} has its weights in 8 bits; the run's last.pt has them whole.")
    return [numpy_helper.to_array(each) for each in graph.initializer]
