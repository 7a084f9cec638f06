"""Writes the decoder as GGUF: Qwen2 architecture, F16 matrices, F32 norms and biases, own vocabulary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import gguf
import numpy as np
import torch

from models.convert.gguf_file import Hyperparameters, Tokenizer, begin, finish

if TYPE_CHECKING:
    from models.train.sight.model import DecoderBlock, Qwen2Decoder
    from models.train.sight.vocabulary import Words

CONTEXT_ROWS = 512


def _tokenizer(words: Words) -> Tokenizer:
    """The trained BPE vocabulary; question, answer and end are control tokens."""
    model = json.loads(words.tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    control = {words.question_id, words.answer_id, words.end_id}
    types = [gguf.TokenType.CONTROL if i in control else gguf.TokenType.NORMAL for i in range(len(tokens))]
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
    return Tokenizer(tokens, types, merges, end_id=words.end_id, pad_id=words.end_id)


def _add_block(writer: gguf.GGUFWriter, index: int, block: DecoderBlock) -> None:
    layers = {
        "attn_q": block.q, "attn_k": block.k, "attn_v": block.v, "attn_output": block.out,
        "ffn_gate": block.gate, "ffn_up": block.up, "ffn_down": block.down,
    }  # fmt: skip
    for name, layer in layers.items():
        writer.add_tensor(f"blk.{index}.{name}.weight", layer.weight.detach().numpy().astype(np.float16))
        if layer.bias is not None:
            writer.add_tensor(f"blk.{index}.{name}.bias", layer.bias.detach().numpy().astype(np.float32))
    for name, norm in {"attn_norm": block.norm1, "ffn_norm": block.norm2}.items():
        writer.add_tensor(f"blk.{index}.{name}.weight", norm.weight.detach().numpy().astype(np.float32))


def write_gguf(decoder: Qwen2Decoder, words: Words, path: Path) -> None:
    """Write the decoder and its vocabulary to `path`. Embedding and output share one matrix."""
    config = decoder.config
    hyperparameters = Hyperparameters(
        "qwen2", CONTEXT_ROWS, config.width, config.layers, config.hidden, config.heads, config.kv_heads,
        config.rms_epsilon, config.rope_base, vocab=config.vocab,
    )  # fmt: skip
    file_type = gguf.LlamaFileType.MOSTLY_F16
    writer = begin(path, hyperparameters, _tokenizer(words), file_type, name="headband-micro")
    with torch.no_grad():
        writer.add_tensor("token_embd.weight", decoder.embed.weight.numpy().astype(np.float16))
        for index, block in enumerate(decoder.blocks):
            _add_block(writer, index, block)  # type: ignore[arg-type]
        writer.add_tensor("output_norm.weight", decoder.norm.weight.numpy().astype(np.float32))
    finish(writer)
