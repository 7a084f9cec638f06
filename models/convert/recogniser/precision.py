"""Quantises the matrices of a whisper.cpp model, in the layout of whisper.cpp's own quantiser."""

from __future__ import annotations

import os
import struct
from dataclasses import replace
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind

from models.bricks.whisper_file import BLOCKS, FLOAT32, MAGIC, check_whisper_file, tensor_type
from models.convert.recogniser.ggml import tensors_at

RECOGNISER = {"f16": 1, "q8_0": 2007, "q5_1": 2009, "q5_0": 2008, "q4_0": 2002}
"""Precision -> ftype in the header, from the most to the fewest bits."""


def requantise_whisper(source: Path, target: Path, precision: str, *, as_float16: bool = False) -> None:
    """Write `source` at another precision, a key of RECOGNISER. as_float16: quantised values, stored as
    float16.

    Raises WhisperFileError for a source that can't be used, or whose rows are not a multiple of the block
    size.
    """
    checked = check_whisper_file(source)
    header = replace(checked.header, ftype=RECOGNISER["f16" if as_float16 else precision])
    data = memoryview(source.read_bytes())
    temporary = target.with_name(target.name + ".part")
    with open(temporary, "wb") as out:
        at = tensors_at(data)
        out.write(struct.pack("<I", MAGIC) + header.pack() + data[48:at])
        while at < len(data):
            n_dims, name_length, kind = struct.unpack_from("<3i", data, at)
            at += 12
            sizes = struct.unpack_from(f"<{n_dims}i", data, at)
            at += 4 * n_dims
            name = bytes(data[at : at + name_length]).decode()
            at += name_length
            values, size = BLOCKS[kind]
            n_bytes = int(np.prod(sizes)) // values * size
            raw = np.frombuffer(data[at : at + n_bytes], np.uint8)
            at += n_bytes
            wanted = tensor_type(name, header.ftype)
            if as_float16:
                rounded = tensor_type(name, RECOGNISER[precision])
                raw, kind = _as(raw, kind, rounded, sizes[0]).reshape(-1).view(np.uint8), rounded
            out.write(struct.pack("<3i", n_dims, name_length, wanted))
            out.write(struct.pack(f"<{n_dims}i", *sizes) + name.encode())
            out.write(_as(raw, kind, wanted, sizes[0]).tobytes())
    check_whisper_file(temporary)
    os.replace(temporary, target)


def _as(raw: np.ndarray, kind: int, wanted: int, row: int) -> np.ndarray:
    if kind == wanted:
        return raw
    plain = raw.view(np.float32 if kind == FLOAT32 else np.float16) if kind < 2 else raw
    if kind > 1:
        plain = gguf.dequantize(raw.reshape(-1, row // BLOCKS[kind][0] * BLOCKS[kind][1]), Kind(kind))
    return np.asarray(gguf.quantize(plain.astype(np.float32).reshape(-1, row), Kind(wanted)))
