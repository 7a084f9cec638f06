"""The stored tensors of an ONNX file: where they lie in it, and the graph without them.

`split` turns a graph into one whose large constants are inputs, so that one session can run with the weights
of one file after another. ONNX Runtime itself reads a file, copies its tensors and packs them; while it does
so a group needs two to three times its size. The file is a protobuf message (onnx.proto); only its outer
fields are read, and the tensors' bytes stay where they are.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from models.brick import BrickError

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_GRAPH, _OPERATOR_SETS = 7, 8
"""Field numbers of ModelProto."""
_GRAPH_NAME, _INITIALIZER, _INPUT = 2, 5, 11
"""Field numbers of GraphProto."""
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
"""Field numbers of TensorProto."""
_DTYPES = {1: "float32", 2: "uint8", 3: "int8", 6: "int32", 7: "int64", 10: "float16"}
"""By the number of TensorProto.DataType."""
_LEAST_BYTES = 64
"""Smaller constants stay in the graph: the runtime's optimiser recognises patterns by them."""


class _Field(NamedTuple):
    """One field of a message. value: of a varint; start, end: bytes of its content; begin: with its tag."""

    number: int
    value: int
    begin: int
    start: int
    end: int


@dataclass(frozen=True)
class StoredTensor:
    """A constant of a graph. offset: of its first byte in the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def size_bytes(self) -> int:
        """Bytes in the file and in memory."""
        return int(np.prod(self.shape)) * np.dtype(self.dtype).itemsize


@dataclass(frozen=True)
class SplitGraph:
    """A graph and its large constants. skeleton: the model, an ONNX message, with those as further inputs."""

    path: Path
    skeleton: bytes
    tensors: tuple[StoredTensor, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of the large constants."""
        return sum(tensor.size_bytes for tensor in self.tensors)


def split(path: Path) -> SplitGraph:
    """The graph in a file. Raises BrickError for a file that is no ONNX graph."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _split(path, data)
    except (OSError, ValueError, IndexError, KeyError) as error:
        raise BrickError(f"{path} can't be read as an ONNX graph ({error}).") from error


def _split(path: Path, data: mmap.mmap) -> SplitGraph:
    outer, graph, weights, tensors = b"", b"", b"", []
    has_operator_sets = False
    for field in _fields(data, 0, len(data)):
        has_operator_sets |= field.number == _OPERATOR_SETS
        if field.number != _GRAPH:
            outer += data[field.begin : field.end]
            continue
        for part in _fields(data, field.start, field.end):
            tensor = _tensor(data, part) if part.number == _INITIALIZER else None
            if part.number == _GRAPH_NAME:
                graph += _message(_GRAPH_NAME, b"piece")  # graphs of one form have one skeleton
            elif tensor is None:
                graph += data[part.begin : part.end]
            else:
                tensors.append(tensor)
                weights += _message(_INPUT, _value_info(tensor))  # behind the graph's own inputs
    if not graph:
        raise ValueError("it has no graph")
    if not has_operator_sets:  # they come last
        raise ValueError("it does not say of which version its operators are")
    return SplitGraph(path, outer + _message(_GRAPH, graph + weights), tuple(tensors))


def _tensor(data: mmap.mmap, field: _Field) -> StoredTensor | None:
    """The constant in this field, if it is large and stored as bytes."""
    dims: list[int] = []
    name, kind, offset, size = "", 0, 0, 0
    for part in _fields(data, field.start, field.end):
        if part.number == _DIMS and part.end > part.start:  # packed
            at = part.start
            while at < part.end:
                value, at = _varint(data, at)
                dims.append(value)
        elif part.number == _DIMS:
            dims.append(part.value)
        elif part.number == _DATA_TYPE:
            kind = part.value
        elif part.number == _NAME:
            name = data[part.start : part.end].decode()
        elif part.number == _RAW_DATA:
            offset, size = part.start, part.end - part.start
    if size < _LEAST_BYTES or kind not in _DTYPES:
        return None
    tensor = StoredTensor(name, _DTYPES[kind], tuple(dims), offset)
    if tensor.size_bytes != size:
        raise ValueError(f"its tensor {name} has {size} bytes instead of {tensor.size_bytes}")
    return tensor


def _value_info(tensor: StoredTensor) -> bytes:
    """A ValueInfoProto with this tensor's name, type and shape."""
    shape = b"".join(_message(1, b"\x08" + _coded(extent)) for extent in tensor.shape)
    kind = next(number for number, name in _DTYPES.items() if name == tensor.dtype)
    typed = b"\x08" + _coded(kind) + _message(2, shape)
    return _message(1, tensor.name.encode()) + _message(2, _message(1, typed))


def _fields(data: mmap.mmap, at: int, end: int) -> Iterator[_Field]:
    """The fields of the message in data[at:end]. Raises ValueError where it is cut short."""
    while at < end:
        begin = at
        tag, at = _varint(data, at)
        number, wire, value = tag >> 3, tag & 7, 0
        if wire == _VARINT:
            value, at = _varint(data, at)
            start = at
        elif wire == _BYTES:
            size, start = _varint(data, at)
            at = start + size
        elif wire in (_FIXED32, _FIXED64):
            start, at = at, at + (4 if wire == _FIXED32 else 8)
        else:
            raise ValueError("it is no protobuf message")
        if at > end:
            raise ValueError("it is cut short")
        yield _Field(number, value, begin, start, at)


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    """A number and the position after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _coded(value: int) -> bytes:
    """A number as a varint."""
    coded = bytearray()
    while value >= 0x80:
        coded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*coded, value])


def _message(number: int, content: bytes) -> bytes:
    """A field of that number with this content."""
    return _coded(number << 3 | _BYTES) + _coded(len(content)) + content
