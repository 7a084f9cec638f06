"""A GGUF decoder in the shape of Qwen2-0.5B at Q4_0, random weights and a vocabulary of invented words."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind
from numpy.typing import NDArray

from models.convert.gguf_file import Hyperparameters, Tokenizer, begin, finish

_BLOCK = 32
"""Weights per quantised block, in Q4_0 and in Q8_0."""
_FAVOURED_GAIN = 4.0
_Q4_0_STEPS, _Q8_0_STEPS = 4.6, 74.0
"""Standard deviation of uniform values of that many bits, in steps of the quantisation."""


@dataclass(frozen=True)
class LlmShape:
    """Qwen2-0.5B by default. Embedding and output share one matrix, of `edge_bits`; bits: of the other
    matrices. 4 is Q4_0, 8 is Q8_0, in which published files have the shared matrix.
    """

    width: int = 896
    layers: int = 24
    heads: int = 14
    kv_heads: int = 2
    hidden: int = 4864
    vocab: int = 151936
    context: int = 32768
    bits: int = 4
    edge_bits: int = 8


def byte_letters() -> list[str]:
    """The printable character by which GPT-2's byte-level BPE represents each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    extra = itertools.count(256)
    return [chr(value) if value in plain else chr(next(extra)) for value in range(256)]


def _vocabulary(size: int) -> tuple[list[str], list[str], range]:
    """Tokens, merges, and the ids of the short words (a space and one syllable)."""
    tokens, merges = byte_letters(), []
    syllables = [c + v for c in "bdfghklmnprstvw" for v in "aeiou"]
    space = "\u0120"

    def join(left: str, right: str) -> None:
        tokens.append(left + right)
        merges.append(f"{left} {right}")

    for syllable in syllables:
        join(syllable[0], syllable[1])
    short = range(len(tokens), len(tokens) + len(syllables))
    for syllable in syllables:
        join(space, syllable)
    pairs = ((space + first, second) for first, second in itertools.product(syllables, syllables))
    triples = (
        (space + first + second, third)
        for first, second, third in itertools.product(syllables, syllables, syllables)
    )
    for left, right in itertools.islice(itertools.chain(pairs, triples), size - 1 - len(tokens)):
        join(left, right)
    while len(tokens) < size - 1:
        tokens.append(f"[unused{len(tokens)}]")
    return [*tokens, "<|end|>"], merges, short


def _q4_0(random: np.random.Generator, rows: int, columns: int, spread: float) -> NDArray[np.uint8]:
    """Random Q4_0 blocks: a float16 scale and 32 four-bit values each."""
    blocks = rows * columns // _BLOCK
    data = random.integers(0, 256, (blocks, 2 + _BLOCK // 2), np.uint8)
    data[:, :2] = np.frombuffer(np.float16(spread / _Q4_0_STEPS).tobytes(), np.uint8)
    return data.reshape(rows, -1)


def _q8_0(random: np.random.Generator, rows: int, columns: int, spread: float) -> NDArray[np.uint8]:
    """Random Q8_0 blocks: a float16 scale and 32 signed bytes each."""
    data = random.integers(0, 256, (rows, columns // _BLOCK, 2 + _BLOCK), np.uint8)
    data[:, :, :2] = np.frombuffer(np.float16(spread / _Q8_0_STEPS).tobytes(), np.uint8)
    return data.reshape(rows, -1)


_BITS = {4: (_q4_0, Kind.Q4_0, _Q4_0_STEPS), 8: (_q8_0, Kind.Q8_0, _Q8_0_STEPS)}
"""Random blocks, type, and the standard deviation of their values, by bits."""


def write_llm(path: Path, shape: LlmShape, seed: int = 5) -> None:
    """Write the model. The rows of short words have a larger norm, so these words are usually most
    probable.
    """
    random = np.random.default_rng(seed)
    tokens, merges, short = _vocabulary(shape.vocab)
    types = [gguf.TokenType.NORMAL] * (len(tokens) - 1) + [gguf.TokenType.CONTROL]
    hyperparameters = Hyperparameters(
        "qwen2",
        shape.context,
        shape.width,
        shape.layers,
        shape.hidden,
        shape.heads,
        shape.kv_heads,
        1e-6,
        1e6,
    )
    tokenizer = Tokenizer(tokens, types, merges, end_id=len(tokens) - 1)
    writer = begin(path, hyperparameters, tokenizer, gguf.LlamaFileType.MOSTLY_Q4_0)
    quantised, kind, steps = _BITS[shape.edge_bits]
    embedding = quantised(random, shape.vocab, shape.width, 0.02)
    block_bytes = gguf.GGML_QUANT_SIZES[kind][1]
    scales = embedding.reshape(shape.vocab, -1, block_bytes)[short.start : short.stop, :, :2]
    scales[:] = np.frombuffer(np.float16(0.02 * _FAVOURED_GAIN / steps).tobytes(), np.uint8)
    writer.add_tensor("token_embd.weight", embedding.reshape(shape.vocab, -1), raw_dtype=kind)
    quantised, kind, _ = _BITS[shape.bits]
    kv_width = shape.width // shape.heads * shape.kv_heads
    for layer in range(shape.layers):
        for name, outputs, inputs in (
            ("attn_q", shape.width, shape.width),
            ("attn_k", kv_width, shape.width),
            ("attn_v", kv_width, shape.width),
            ("attn_output", shape.width, shape.width),
            ("ffn_gate", shape.hidden, shape.width),
            ("ffn_up", shape.hidden, shape.width),
            ("ffn_down", shape.width, shape.hidden),
        ):
            blocks = quantised(random, outputs, inputs, 0.02)
            writer.add_tensor(f"blk.{layer}.{name}.weight", blocks, raw_dtype=kind)
            if name in ("attn_q", "attn_k", "attn_v"):
                writer.add_tensor(f"blk.{layer}.{name}.bias", np.zeros(outputs, np.float32))
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(shape.width, np.float32))
    writer.add_tensor("output_norm.weight", np.ones(shape.width, np.float32))
    finish(writer)
