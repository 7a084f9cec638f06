"""Writes a whisper.cpp model file from a state dict with OpenAI's Whisper tensor names.

The token embedding may cover only the tokens in use; `expand_vocabulary` puts its rows into the full
GPT-2 table, in which every other row is zero, so that an unused token has the constant logit 0. In training,
one constant logit, log(number of unused tokens), represents them.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from models.bricks.whisper_file import (
    FLOAT16,
    FLOAT32,
    MAGIC,
    N_BINS,
    WhisperHeader,
    check_whisper_file,
    expected_tensors,
    needs_float32,
)


def expand_vocabulary(rows: np.ndarray, token_ids: Sequence[int], n_vocab: int) -> np.ndarray:
    """Rows float [k, d] of the tokens in use -> float32 [n_vocab, d], zero elsewhere."""
    full = np.zeros((n_vocab, rows.shape[1]), np.float32)
    full[np.asarray(token_ids)] = rows
    return full


def write_whisper_file(
    path: str | os.PathLike[str],
    header: WhisperHeader,
    mel_filters: np.ndarray,
    vocabulary: Sequence[bytes],
    state: Mapping[str, np.ndarray],
) -> None:
    """Write the file atomically, and check it.

    mel_filters: float32 [n_mels, 201]. vocabulary: the text tokens' bytes in id order; the names of the
    special tokens are built into whisper.cpp. state: float arrays by OpenAI name; convolution biases may be
    [d]. Raises KeyError for a missing tensor, ValueError for a wrong shape.
    """
    target = Path(path)
    temporary = target.with_name(target.name + ".part")
    with open(temporary, "wb") as out:
        out.write(struct.pack("<I", MAGIC) + header.pack())
        if mel_filters.shape != (header.n_mels, N_BINS):
            raise ValueError(f"mel filters are {mel_filters.shape}")
        out.write(struct.pack("<2i", *mel_filters.shape))
        out.write(np.ascontiguousarray(mel_filters, "<f4").tobytes())
        out.write(struct.pack("<i", len(vocabulary)))
        for entry in vocabulary:
            out.write(struct.pack("<I", len(entry)) + entry)
        for name, shape in expected_tensors(header).items():
            value = np.asarray(state[name])
            if value.size != int(np.prod(shape)) or value.shape[0] != shape[0]:
                raise ValueError(f"{name} is {value.shape}, not {shape}")
            kind, dtype = (FLOAT32, "<f4") if needs_float32(name) else (FLOAT16, "<f2")
            encoded = name.encode()
            out.write(struct.pack("<3i", len(shape), len(encoded), kind))
            out.write(struct.pack(f"<{len(shape)}i", *reversed(shape)) + encoded)
            out.write(np.ascontiguousarray(value, dtype).tobytes())
    check_whisper_file(temporary)
    os.replace(temporary, target)


def read_tensors(path: Path) -> dict[str, np.ndarray]:
    """The tensors of a float16 or float32 file by name, float32; convolution biases are [d, 1].

    Raises WhisperFileError for a file that can't be used, ValueError for a quantised one.
    """
    check_whisper_file(path)
    data = memoryview(path.read_bytes())
    found: dict[str, np.ndarray] = {}
    at = tensors_at(data)
    while at < len(data):
        n_dims, name_length, kind = struct.unpack_from("<3i", data, at)
        if kind not in (FLOAT16, FLOAT32):
            raise ValueError(f"{path.name} is quantised")
        sizes = struct.unpack_from(f"<{n_dims}i", data, at + 12)
        at += 12 + 4 * n_dims
        name = bytes(data[at : at + name_length]).decode()
        at += name_length
        kept = np.dtype(np.float16 if kind == FLOAT16 else np.float32)
        count = int(np.prod(sizes))
        found[name] = np.frombuffer(data, kept, count, at).reshape(sizes[::-1]).astype(np.float32)
        at += count * kept.itemsize
    return found


def tensors_at(data: memoryview) -> int:
    """Offset of the tensors, after magic, header, filter bank and vocabulary."""
    n_mels, n_bins = struct.unpack_from("<2i", data, 48)
    at = 56 + 4 * n_mels * n_bins
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(count):
        at += 4 + struct.unpack_from("<I", data, at)[0]
    return at
