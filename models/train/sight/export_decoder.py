"""Writes the decoder as GGUF: Qwen2 architecture, F16 matrices, F32 norms and biases, own vocabulary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import gguf
import numpy as np
import torch

if TYPE_CHECKING:
    from models.train.sight.model import DecoderBlock, Qwen2Decoder
    from models.train.sight.vocabulary import Words

CONTEXT_ROWS = 512


def _add_words(writer: gguf.GGUFWriter, words: Words) -> None:
    """Token list, types and merges, as llama.cpp's GPT-2 tokenizer wants them."""
    model = json.loads(words.tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    control = {words.question_id, words.answer_id, words.end_id}
    types = [gguf.TokenType.CONTROL if i in control else gguf.TokenType.NORMAL for i in range(len(tokens))]
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    writer.add_eos_token_id(words.end_id)
    writer.add_pad_token_id(words.end_id)
    writer.add_add_bos_token(False)


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
    """Writes `decoder` with the vocabulary `words` to `path`. Embedding and output share one matrix."""
    config = decoder.config
    writer = gguf.GGUFWriter(str(path), "qwen2")
    writer.add_name("headband-micro")
    writer.add_context_length(CONTEXT_ROWS)
    writer.add_embedding_length(config.width)
    writer.add_block_count(config.layers)
    writer.add_feed_forward_length(config.hidden)
    writer.add_head_count(config.heads)
    writer.add_head_count_kv(config.kv_heads)
    writer.add_layer_norm_rms_eps(config.rms_epsilon)
    writer.add_rope_freq_base(config.rope_base)
    writer.add_vocab_size(config.vocab)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    _add_words(writer, words)
    with torch.no_grad():
        writer.add_tensor("token_embd.weight", decoder.embed.weight.numpy().astype(np.float16))
        for index, block in enumerate(decoder.blocks):
            _add_block(writer, index, block)  # type: ignore[arg-type]
        writer.add_tensor("output_norm.weight", decoder.norm.weight.numpy().astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
