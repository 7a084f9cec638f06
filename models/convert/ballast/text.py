"""A text encoder in the shape of SigLIP-B's, random weights, int8, and a tokenizer of invented words."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import TensorProto

from models.bricks.subwords import SPACE
from models.convert.ballast.graph import RandomGraph
from models.convert.ballast.vit import block, unit_length, write_int8

_SPECIAL = ("<pad>", "</s>", "<unk>")


@dataclass(frozen=True)
class TextShape:
    """SigLIP-B's by default. tokens: length of the padded input; embedding: length of the output."""

    vocab: int = 32_000
    tokens: int = 64
    width: int = 768
    hidden: int = 3072
    heads: int = 12
    layers: int = 12
    embedding: int = 768


def write_text(path: Path, shape: TextShape, seed: int = 7) -> None:
    """Write the int8 model: `tokens` int64 [1, length] -> `embedding` [1, values], of length one."""
    write_int8(path, lambda full: write_text_fp32(full, shape, seed))


def write_text_fp32(path: Path, shape: TextShape, seed: int = 7) -> None:
    """The same, of which only the table of the tokens' rows is int8."""
    g = RandomGraph(seed)
    table = np.random.default_rng(seed).integers(-127, 128, (shape.vocab, shape.width), np.int8)
    rows = g.add("Cast", g.add("Gather", g.constant(table), "tokens", axis=0), to=TensorProto.FLOAT)
    x = g.add("Mul", rows, g.constant(np.float32(1 / 74)))
    x = g.add("Add", x, g.random(1, shape.tokens, shape.width))
    for _ in range(shape.layers):
        x = block(g, x, shape.tokens, shape.width, shape.hidden, shape.heads)
    last = g.add("Gather", x, g.constant(np.int64(shape.tokens - 1)), axis=1)
    unit_length(g, g.linear(g.norm(last, shape.width), shape.width, shape.embedding))
    tokens = {"tokens": (TensorProto.INT64, [1, shape.tokens])}
    g.save(path, tokens, "embedding", [1, shape.embedding])


def write_words(path: Path, shape: TextShape) -> None:
    """Write the tokenizer: letters, and invented words of syllables, as many as the encoder knows."""
    vocab = shape.vocab
    syllables = [c + v for c in "bdfghklmnprstvw" for v in "aeiou"]
    letters = [SPACE, *"abcdefghijklmnopqrstuvwxyz0123456789"]
    words = (
        SPACE + "".join(parts)
        for count in itertools.count(1)
        for parts in itertools.product(syllables, repeat=count)
    )
    pieces = [*("" for _ in _SPECIAL), *letters, *itertools.islice(words, vocab)][:vocab]
    scores = [0.0] * len(_SPECIAL) + [-12.0] * len(letters)
    scores += [-8.0] * (vocab - len(scores))
    table = {
        "kind": "unigram", "length": shape.tokens, "pieces": pieces, "scores": scores[:vocab],
        "unknown": 2, "begin": [], "end": [1], "pad": 1,
        "lower": True, "no_punctuation": True, "prefix": True,
    }  # fmt: skip
    path.write_text(json.dumps(table, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
