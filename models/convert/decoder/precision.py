"""The precision in which each weight of a decoder is stored.

`hybrid` is the paper's: 4 bits in the layers, which have most of the weights, and 8 bits in embedding and
output, which have few weights with a large effect. One-dimensional tensors remain float32.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind
from numpy.typing import NDArray

from models.convert.gguf_file import begin_copy, finish

_EDGES = ("token_embd.weight", "output.weight")


@dataclass(frozen=True)
class Precision:
    """layers: type of the layers' matrices; edges: type of embedding and output; file_type: GGUF's file
    type.
    """

    layers: Kind
    edges: Kind
    file_type: gguf.LlamaFileType


DECODER: dict[str, Precision] = {
    "f32": Precision(Kind.F32, Kind.F32, gguf.LlamaFileType.ALL_F32),
    "f16": Precision(Kind.F16, Kind.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q8_0": Precision(Kind.Q8_0, Kind.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
    "q4_0": Precision(Kind.Q4_0, Kind.Q4_0, gguf.LlamaFileType.MOSTLY_Q4_0),
    "hybrid": Precision(Kind.Q4_0, Kind.Q8_0, gguf.LlamaFileType.MOSTLY_Q4_0),
}
"""By name, from the most to the fewest bits, then `hybrid`."""


def kind_of(name: str, shape: tuple[int, ...], precision: Precision) -> Kind:
    """The type in which a tensor of a GGUF decoder is stored. shape: slowest dimension first. A tensor whose
    rows are not a multiple of the block size is stored as float16.
    """
    if len(shape) < 2:
        return Kind.F32
    wanted = precision.edges if name in _EDGES else precision.layers
    return wanted if shape[-1] % gguf.GGML_QUANT_SIZES[wanted][0] == 0 else Kind.F16


def add_tensor(writer: gguf.GGUFWriter, name: str, values: NDArray[np.float32], precision: Precision) -> None:
    """Quantise one tensor into a file that is being written."""
    kind = kind_of(name, values.shape, precision)
    writer.add_tensor(name, gguf.quantize(values, kind), raw_dtype=kind)


def requantise(source: Path, target: Path, precision: Precision) -> None:
    """Write a GGUF decoder at another precision; everything else is unchanged."""
    reader = gguf.GGUFReader(source)
    writer = begin_copy(reader, target, precision.file_type)
    for name, values in tensors(reader):
        add_tensor(writer, name, values, precision)
    finish(writer)


def tensors(reader: gguf.GGUFReader) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Every tensor as float32, slowest dimension first."""
    for tensor in reader.tensors:
        shape = tuple(int(extent) for extent in reversed(tensor.shape))
        yield tensor.name, gguf.dequantize(tensor.data, tensor.tensor_type).reshape(shape)
