"""Activations as bytes, to be kept on disk: in float16, or in 4 bits with one scale for each token.

    magic "HBAC", version u8, coding u8, depth u16, tokens u32, width u32, length of the identity u16
    identity of the encoder, UTF-8
    float16: tokens x width values
    int4: tokens scales in float32, then tokens x ceil(width / 2) bytes of two values, the first in the low
        half; a stored 1 to 15 is the value -7 to 7 of its token's scale
    CRC-32 of everything before it, u32

All little-endian. 64 rows of 128 values have 16 KiB in float16 and 4.3 KiB in 4 bits.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.brick import Activation

Coding = Literal["float16", "int4"]
_CODINGS: tuple[Coding, ...] = ("float16", "int4")
_MAGIC, _VERSION = b"HBAC", 1
_HEADER, _CHECKSUM = struct.Struct("<4sBBHIIH"), struct.Struct("<I")
_LEVELS, _ZERO = 7, 8
_SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Largest value that is represented, as shares of a token's largest: of these the one with the least squared
error is taken, because few values of a token are near its largest."""


class CodecError(Exception):
    """An activation that can't be stored or read, in one sentence."""


def encode(activation: Activation, coding: Coding = "float16") -> bytes:
    """The bytes of an activation whose rows are given by value. Raises CodecError for values that are not
    finite or, in float16, above 65504.
    """
    rows = activation.rows
    if rows is None or rows.ndim != 2:
        raise CodecError("Only an activation with rows by value can be stored.")
    values = np.ascontiguousarray(rows, np.float32)
    with np.errstate(over="ignore"):
        halves = values.astype("<f2") if coding == "float16" else values
    if not np.isfinite(halves).all():
        raise CodecError("The activation has values that are not finite or too large to be stored.")
    name = activation.encoder.encode()
    head = _HEADER.pack(
        _MAGIC, _VERSION, _CODINGS.index(coding), activation.depth, *values.shape, len(name)
    )  # fmt: skip
    body = head + name + (halves.tobytes() if coding == "float16" else _packed(values))
    return body + _CHECKSUM.pack(zlib.crc32(body))


def decode(data: bytes, encoder: str) -> Activation:
    """The activation in these bytes; its rows are float16, or float32 from 4 bits. encoder: identity of the
    encoder that is to resume it. Raises CodecError for bytes that are cut short, damaged, of another form or
    of another encoder.
    """
    if data[: len(_MAGIC)] != _MAGIC[: len(data)]:
        raise CodecError("These bytes are no stored activation.")
    if len(data) < _HEADER.size:
        raise CodecError(f"The stored activation is cut short: it has only {len(data)} bytes.")
    _, version, coding, depth, tokens, width, name_bytes = _HEADER.unpack_from(data)
    if version != _VERSION or coding >= len(_CODINGS):
        raise CodecError(
            f"The stored activation has the form {version}.{coding}, which this program can't read."
        )
    at = _HEADER.size + name_bytes
    in_half = _CODINGS[coding] == "float16"
    size = at + (2 * tokens * width if in_half else tokens * (4 + _row_bytes(width))) + _CHECKSUM.size
    if len(data) != size:
        short = "is cut short" if len(data) < size else "is too long"
        raise CodecError(f"The stored activation {short}: it has {len(data)} bytes instead of {size}.")
    end = size - _CHECKSUM.size
    if _CHECKSUM.unpack_from(data, end)[0] != zlib.crc32(memoryview(data)[:end]):
        raise CodecError("The stored activation is damaged: its checksum does not match.")
    name = data[_HEADER.size : at].decode(errors="replace")
    if name != encoder:
        raise CodecError(f"The stored activation is of the encoder '{name}', and this is '{encoder}'.")
    rows: NDArray[Any]
    if in_half:
        rows = np.frombuffer(data, "<f2", tokens * width, at).reshape(tokens, width).astype(np.float16)
    else:
        rows = _unpacked(data, at, tokens, width)
    return Activation(depth, name, rows)


def _packed(values: NDArray[np.float32]) -> bytes:
    scales, levels = quantised(values)
    tokens, width = values.shape
    padded = np.full((tokens, 2 * _row_bytes(width)), _ZERO, np.uint8)
    padded[:, :width] = levels + _ZERO
    halves = padded[:, ::2] | padded[:, 1::2] << 4
    return scales.astype("<f4").tobytes() + halves.tobytes()


def _unpacked(data: bytes, at: int, tokens: int, width: int) -> NDArray[np.float32]:
    scales = np.frombuffer(data, "<f4", tokens, at)
    halves = np.frombuffer(data, np.uint8, tokens * _row_bytes(width), at + 4 * tokens)
    halves = halves.reshape(tokens, _row_bytes(width))
    levels = np.stack((halves & 0xF, halves >> 4), -1).reshape(tokens, -1)[:, :width].astype(np.float32)
    rows: NDArray[np.float32] = (levels - _ZERO) * scales[:, None].astype(np.float32)
    return rows


def quantised(values: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """float32 [tokens, width] -> scales [tokens] and levels int8 [tokens, width] of -7 to 7, whose product
    is nearest to the values.
    """
    largest = np.abs(values).max(axis=1, initial=0.0)
    best = np.zeros(len(values), np.float32)
    levels = np.zeros(values.shape, np.int8)
    least = np.full(len(values), np.inf, np.float64)
    for share in _SHARES:
        scales = (largest * np.float32(share / _LEVELS)).astype(np.float32)
        steps = np.divide(values, scales[:, None], out=np.zeros_like(values), where=scales[:, None] > 0)
        rounded = np.clip(np.rint(steps), -_LEVELS, _LEVELS)
        error = np.square(rounded * scales[:, None] - values, dtype=np.float64).sum(axis=1)
        better = error < least
        best[better], levels[better], least[better] = scales[better], rounded[better], error[better]
    return best, levels


def _row_bytes(width: int) -> int:
    return (width + 1) // 2
