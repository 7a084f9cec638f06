"""A whisper.cpp file with random weights in the shape of an English-only Whisper model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.bricks.whisper_file import N_BINS, WhisperHeader, expected_tensors
from models.convert.recogniser.ggml import write_whisper_file

N_VOCAB = 51864
FIRST_SPECIAL = 50256
"""The end-of-text token, after which all special tokens follow."""
_SPREAD = 0.02


@dataclass(frozen=True)
class WhisperShape:
    """Width, heads and layers, equal in encoder and decoder; the other sizes are those of all English-only
    models.
    """

    width: int
    heads: int
    layers: int
    audio_positions: int = 1500
    text_positions: int = 448
    mels: int = 80


def _filters(mels: int) -> NDArray[np.float32]:
    """A filter bank of evenly spaced triangles, at the cost of a mel filter bank."""
    centres = np.linspace(0, N_BINS - 1, mels + 2)
    bins = np.arange(N_BINS)[None, :]
    rise = (bins - centres[:-2, None]) / (centres[1:-1] - centres[:-2])[:, None]
    fall = (centres[2:, None] - bins) / (centres[2:] - centres[1:-1])[:, None]
    return np.maximum(0.0, np.minimum(rise, fall)).astype(np.float32)


def _words() -> list[bytes]:
    """The text of every ordinary token: first single bytes, then a space and syllables."""
    syllables = [c + v for c in "bdfghjklmnprstvwz" for v in "aeiou"]
    words = [bytes([value]) for value in range(32, 127)]
    words += [f" {a}{b}{c}".encode() for a in syllables for b in ["", *syllables] for c in ["", *syllables]]
    return [*words[:FIRST_SPECIAL], b"<|endoftext|>"]


def write_whisper(path: Path, shape: WhisperShape, seed: int = 1) -> None:
    """Write a float16 model. Special tokens have zero rows, so an ordinary token is always most probable."""
    random = np.random.default_rng(seed)
    header = WhisperHeader(
        N_VOCAB,
        shape.audio_positions,
        shape.width,
        shape.heads,
        shape.layers,
        shape.text_positions,
        shape.width,
        shape.heads,
        shape.layers,
        shape.mels,
        1,
    )
    state = {}
    for name, extents in expected_tensors(header).items():
        if "_ln." in name or ".ln" in name:
            value = np.full(extents, float(name.endswith("weight")), np.float32)
        else:
            value = random.standard_normal(extents, np.float32) * _SPREAD
        state[name] = value
    state["decoder.token_embedding.weight"][FIRST_SPECIAL:] = 0.0
    write_whisper_file(path, header, _filters(shape.mels), _words(), state)
