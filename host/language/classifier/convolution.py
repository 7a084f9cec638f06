"""Small convolutional networks over the words of a sentence, as numbers: a table of word vectors, in which
words of like letters are alike, and layers over neighbouring words (Kim 2014). A file is a line of JSON, and
the numbers.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host.language.number_words import VALUES

BUCKETS = 16384
"""Rows of the table; what a word has is found in it by its hash (feature hashing, Weinberger et al. 2009)."""
_LETTERS = (3, 4)
"""Lengths of the sequences of letters of a word."""
_NUMBER = "NUM"
"""What all number words have in common, in place of their letters."""
_SPAN = 3
"""Words that a convolution reads at once."""

Floats = NDArray[np.float32]


@lru_cache(maxsize=4096)
def word_buckets(word: str) -> tuple[int, ...]:
    """The rows of a word: its own, and those of its letters."""
    if word in VALUES:
        names = [_NUMBER, word]
    else:
        bounded = f"<{word}>"
        sequences = (
            f"#{bounded[start : start + n]}" for n in _LETTERS for start in range(len(bounded) - n + 1)
        )
        names = [word, *sequences]
    return tuple(zlib.crc32(name.encode()) % BUCKETS for name in names)


@dataclass(frozen=True, eq=False)
class Weights:
    """head: what else the file says, such as the names of the classes. table: int8 [buckets, width], which
    counts times scale: float32 [width]. layers: float32 weights by name, each with its bias ("first",
    "first_bias").
    """

    head: Mapping[str, Any]
    table: NDArray[np.int8]
    scale: Floats
    layers: Mapping[str, Floats]

    def vectors(self, words: Sequence[str]) -> Floats:
        """Each word as the mean of its rows: [words, width]."""
        rows = [self.table[list(word_buckets(word))].mean(axis=0, dtype=np.float32) for word in words]
        return np.asarray(self.scale * np.stack(rows), np.float32)

    def convolved(self, layer: str, rows: Floats, spacing: int = 1) -> Floats:
        """Rectified sums over each row and those `spacing` before and after it: [words, channels]."""
        edge = np.zeros((_SPAN // 2 * spacing, rows.shape[1]), np.float32)
        padded = np.concatenate((edge, rows, edge))
        spans = [padded[at * spacing : at * spacing + len(rows)] for at in range(_SPAN)]
        return np.maximum(self.summed(layer, np.concatenate(spans, axis=1)), 0)

    def summed(self, layer: str, rows: Floats) -> Floats:
        """Rows, or a single one, times the weights of a layer, and its bias."""
        return np.asarray(rows @ self.layers[layer] + self.layers[f"{layer}_bias"], np.float32)

    def to_bytes(self) -> bytes:
        """The file's content; the layers are stored in 16 bits."""
        shapes = {name: each.shape for name, each in self.layers.items()}
        head = {**self.head, "width": len(self.scale), "layers": shapes}
        floats = (each.astype(np.float16).tobytes() for each in self.layers.values())
        return (
            json.dumps(head).encode()
            + b"\n"
            + b"".join((self.scale.tobytes(), *floats, self.table.tobytes()))
        )


def read_weights(path: Path) -> Weights:
    """The weights of a file, of which the table is mapped: a sentence has few of its rows."""
    with path.open("rb") as file:
        content = mmap(file.fileno(), 0, access=ACCESS_READ)
    at = content.find(b"\n") + 1
    head = json.loads(content[:at])
    scale = np.frombuffer(content, np.float32, head["width"], at)
    at += scale.nbytes
    layers: dict[str, Floats] = {}
    for name, shape in head["layers"].items():
        packed = np.frombuffer(content, np.float16, int(np.prod(shape)), at)
        at += packed.nbytes
        layers[name] = packed.astype(np.float32).reshape(shape)
    table = np.frombuffer(content, np.int8, offset=at).reshape(BUCKETS, head["width"])
    return Weights(head, table, scale, layers)
