"""Checks a whisper.cpp model file before the native library sees it.

whisper.cpp does not report a bad file: it returns a null context, and the first use of that context ends
the process. `check_whisper_file` therefore walks the header, the vocabulary and every tensor and raises
`WhisperFileError` with one sentence. Only the standard library is needed.

Layout (little-endian): magic, 11 x i32 hyper-parameters, mel filter bank, vocabulary, tensors until the
end. Each tensor is i32 n_dims, i32 name length, i32 type (0 float32, 1 float16, others quantised), n_dims x
i32 sizes with the fastest-varying first, the name, the data. In a quantised file all matrices but those of
the convolutions are of one quantised type.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

MAGIC = 0x67676D6C
N_BINS = 201
"""Spectrum bins of whisper's 400-sample transform."""
VOCABULARY_SIZES = (51864, 51865, 51866)
"""Sizes whose special tokens the library knows; it aborts on any other size."""
FLOAT32, FLOAT16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 = 0, 1, 2, 3, 6, 7, 8
BLOCKS = {
    FLOAT32: (1, 4), FLOAT16: (1, 2), Q4_0: (32, 18), Q4_1: (32, 20), Q5_0: (32, 22), Q5_1: (32, 24),
    Q8_0: (32, 34),
}  # fmt: skip
"""Values and bytes per block of a tensor type."""
MATRIX_TYPES = {FLOAT16: FLOAT16, 2002: Q4_0, 2003: Q4_1, 2007: Q8_0, 2008: Q5_0, 2009: Q5_1}
"""Type of the matrices by the header's ftype; thousands: the version of the quantised format."""
_ENTRY_BYTES = 64
"""Bytes read per vocabulary entry; GPT-2's average under 12 with their lengths."""


class WhisperFileError(Exception):
    """The file cannot be handed to whisper.cpp; the message is one sentence for a person."""


@dataclass(frozen=True)
class WhisperHeader:
    """Hyper-parameters in the order of the file."""

    n_vocab: int
    n_audio_ctx: int
    n_audio_state: int
    n_audio_head: int
    n_audio_layer: int
    n_text_ctx: int
    n_text_state: int
    n_text_head: int
    n_text_layer: int
    n_mels: int
    ftype: int

    def pack(self) -> bytes:
        """The header's 44 bytes as they stand in the file."""
        return struct.pack("<11i", *(getattr(self, name) for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class WhisperFile:
    """What a checked file holds: the header and, per tensor, its shape (slowest dimension first)."""

    header: WhisperHeader
    vocabulary: int
    tensors: Mapping[str, tuple[int, ...]] = field(repr=False)


def expected_tensors(h: WhisperHeader) -> dict[str, tuple[int, ...]]:
    """Name -> shape (slowest dimension first) of every tensor the library looks up for this header."""
    a, t = h.n_audio_state, h.n_text_state
    shapes: dict[str, tuple[int, ...]] = {
        "encoder.positional_embedding": (h.n_audio_ctx, a),
        "encoder.conv1.weight": (a, h.n_mels, 3),
        "encoder.conv1.bias": (a, 1),
        "encoder.conv2.weight": (a, a, 3),
        "encoder.conv2.bias": (a, 1),
        "encoder.ln_post.weight": (a,),
        "encoder.ln_post.bias": (a,),
        "decoder.positional_embedding": (h.n_text_ctx, t),
        "decoder.token_embedding.weight": (h.n_vocab, t),
        "decoder.ln.weight": (t,),
        "decoder.ln.bias": (t,),
    }
    for side, layers, d in (("encoder", h.n_audio_layer, a), ("decoder", h.n_text_layer, t)):
        for layer in range(layers):
            prefix = f"{side}.blocks.{layer}."
            for attention in ("attn",) if side == "encoder" else ("attn", "cross_attn"):
                for part in ("query", "key", "value", "out"):
                    shapes[f"{prefix}{attention}.{part}.weight"] = (d, d)
                    if part != "key":
                        shapes[f"{prefix}{attention}.{part}.bias"] = (d,)
                shapes[f"{prefix}{attention}_ln.weight"] = shapes[f"{prefix}{attention}_ln.bias"] = (d,)
            shapes[f"{prefix}mlp_ln.weight"] = shapes[f"{prefix}mlp_ln.bias"] = (d,)
            shapes[f"{prefix}mlp.0.weight"], shapes[f"{prefix}mlp.0.bias"] = (4 * d, d), (4 * d,)
            shapes[f"{prefix}mlp.2.weight"], shapes[f"{prefix}mlp.2.bias"] = (d, 4 * d), (d,)
    return shapes


def needs_float32(name: str) -> bool:
    """True for tensors the library reads as float32 (1-D ones, convolution biases, position tables)."""
    return name.endswith(".bias") or "_ln." in name or ".ln" in name or name.endswith("positional_embedding")


def tensor_type(name: str, ftype: int) -> int:
    """How the library reads a tensor in a file whose header has this ftype, a key of MATRIX_TYPES."""
    if needs_float32(name):
        return FLOAT32
    return FLOAT16 if ".conv" in name else MATRIX_TYPES[ftype]


def check_whisper_file(path: str | os.PathLike[str]) -> WhisperFile:
    """Walk the whole file without reading tensor data.

    Raises `WhisperFileError` if the file is missing, is no whisper.cpp model, is cut short, has rubbish at
    its end, or lacks or misshapes a tensor.
    """
    shown = Path(path).name
    try:
        with open(path, "rb") as stream:
            return _walk(stream, os.fstat(stream.fileno()).st_size, shown)
    except OSError as error:
        raise WhisperFileError(
            f"The speech model {shown} cannot be read: {error.strerror or error}."
        ) from error
    except struct.error as error:
        raise WhisperFileError(f"The speech model {shown} is cut short.") from error


def _walk(stream: BinaryIO, size: int, shown: str) -> WhisperFile:
    def ints(count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}i", stream.read(4 * count))

    def skip(count: int, what: str) -> None:
        if count < 0 or stream.tell() + count > size:
            raise WhisperFileError(f"The speech model {shown} is cut short in its {what}.")
        stream.seek(count, os.SEEK_CUR)

    if ints(1)[0] != MAGIC:
        raise WhisperFileError(f"The file {shown} is no whisper.cpp model: its first bytes are wrong.")
    header = WhisperHeader(*ints(11))
    _check_header(header, shown)
    n_mels, n_bins = ints(2)
    if (n_mels, n_bins) != (header.n_mels, N_BINS):
        raise WhisperFileError(f"The speech model {shown} has a mel filter bank of the wrong size.")
    skip(4 * n_mels * n_bins, "mel filter bank")
    vocabulary = ints(1)[0]
    if not 50257 <= vocabulary <= header.n_vocab:
        raise WhisperFileError(f"The speech model {shown} has a vocabulary of {vocabulary} entries.")
    _skip_vocabulary(stream, vocabulary, skip)
    expected = expected_tensors(header)
    found: dict[str, tuple[int, ...]] = {}
    while stream.tell() < size:
        name = _check_tensor(ints, skip, stream, expected, header.ftype, shown)
        if name in found:
            raise WhisperFileError(f"The speech model {shown} holds the tensor {name} twice.")
        found[name] = expected[name]
    missing = sorted(expected.keys() - found.keys())
    if missing:
        raise WhisperFileError(
            f"The speech model {shown} lacks {len(missing)} tensors, the first being {missing[0]}."
        )
    return WhisperFile(header, vocabulary, found)


def _skip_vocabulary(stream: BinaryIO, count: int, skip: Callable[[int, str], None]) -> None:
    """Step over `count` length-prefixed entries; read in one piece, because there are some fifty thousand."""
    start = stream.tell()
    text = stream.read(count * _ENTRY_BYTES)
    at, length_at = 0, struct.Struct("<I").unpack_from
    try:
        for _ in range(count):
            at += 4 + length_at(text, at)[0]
    except struct.error:
        at = len(text) + 4  # an entry begins behind the end
    stream.seek(start)
    skip(at, "vocabulary")


def _check_header(header: WhisperHeader, shown: str) -> None:
    positive = all(getattr(header, name) > 0 for name in header.__dataclass_fields__ if name != "ftype")
    small = header.n_audio_ctx <= 1500 and header.n_text_ctx <= 448 and header.n_audio_state <= 4096
    layers = max(header.n_audio_layer, header.n_text_layer) <= 64
    heads = positive and not (
        header.n_audio_state % header.n_audio_head or header.n_text_state % header.n_text_head
    )
    if not (small and layers and heads and header.n_audio_state == header.n_text_state):
        raise WhisperFileError(f"The speech model {shown} has an impossible header.")
    if header.n_vocab not in VOCABULARY_SIZES:
        raise WhisperFileError(f"The speech model {shown} has an unknown vocabulary size, {header.n_vocab}.")
    if header.ftype not in MATRIX_TYPES:
        raise WhisperFileError(
            f"The speech model {shown} is of type {header.ftype}; float16 and 4, 5 or 8 bits run."
        )
    if header.n_audio_state % BLOCKS[MATRIX_TYPES[header.ftype]][0]:
        raise WhisperFileError(f"The speech model {shown} has rows that are no whole number of blocks.")


def _check_tensor(
    ints: Callable[[int], tuple[int, ...]],
    skip: Callable[[int, str], None],
    stream: BinaryIO,
    expected: Mapping[str, tuple[int, ...]],
    ftype: int,
    shown: str,
) -> str:
    n_dims, name_length, kind = ints(3)
    if not (1 <= n_dims <= 4 and 0 < name_length <= 64 and kind in BLOCKS):
        raise WhisperFileError(f"The speech model {shown} has a damaged tensor entry.")
    shape = tuple(reversed(ints(n_dims)))
    name = stream.read(name_length).decode("utf-8", "replace")
    if name not in expected:
        raise WhisperFileError(f"The speech model {shown} has a tensor the library does not know: {name!r}.")
    if shape != expected[name]:
        raise WhisperFileError(f"The speech model {shown} has {name} of shape {shape}, not {expected[name]}.")
    if kind != tensor_type(name, ftype):
        raise WhisperFileError(f"The speech model {shown} stores {name} in the wrong precision.")
    count = 1
    for extent in shape:
        count *= extent
    values, size = BLOCKS[kind]
    skip(count // values * size, "tensors")
    return name
