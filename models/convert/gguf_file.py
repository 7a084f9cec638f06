"""Writes GGUF files for llama.cpp: hyper-parameters and tokenizer in the header, then the tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import gguf


@dataclass(frozen=True)
class Tokenizer:
    """A byte-level BPE vocabulary. tokens, types: by id; merges: pairs of tokens, separated by a space;
    splitting: llama.cpp's name for the pre-tokenizer; end_id: the token that ends an answer, -1 for none;
    pad_id: the token for padding, -1 for none.
    """

    tokens: Sequence[str]
    types: Sequence[gguf.TokenType]
    merges: Sequence[str]
    splitting: str = "gpt-2"
    end_id: int = -1
    pad_id: int = -1


@dataclass(frozen=True)
class Hyperparameters:
    """Hyper-parameters of a Qwen2 or Llama decoder; the file has only those that are not None. context:
    length of the trained context; hidden: width of the feed-forward layer; epsilon: of the RMS norms.
    """

    architecture: str
    context: int
    width: int
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    epsilon: float
    rope_base: float
    head_width: int | None = None
    vocab: int | None = None


def begin(
    path: Path,
    shape: Hyperparameters,
    tokenizer: Tokenizer,
    file_type: gguf.LlamaFileType,
    *,
    name: str = "",
    on_disk: bool = False,
) -> gguf.GGUFWriter:
    """A writer with a complete header, for tensors to be added before `finish`. on_disk: the writer keeps
    tensors in a temporary file instead of in memory.
    """
    writer = gguf.GGUFWriter(str(path), shape.architecture, use_temp_file=on_disk)
    if name:
        writer.add_name(name)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    if shape.head_width is not None:
        writer.add_key_length(shape.head_width)
        writer.add_value_length(shape.head_width)
        writer.add_rope_dimension_count(shape.head_width)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_rope_freq_base(shape.rope_base)
    if shape.vocab is not None:
        writer.add_vocab_size(shape.vocab)
    writer.add_file_type(file_type)
    _add_tokenizer(writer, tokenizer)
    return writer


def begin_copy(source: gguf.GGUFReader, path: Path, file_type: gguf.LlamaFileType) -> gguf.GGUFWriter:
    """A writer with the header of another file, except for the file type."""
    architecture = str(source.fields["general.architecture"].contents())
    writer = gguf.GGUFWriter(str(path), architecture)
    for field in source.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        value = file_type if field.name == "general.file_type" else field.contents()
        inner = field.types[-1] if len(field.types) > 1 else None
        writer.add_key_value(field.name, value, field.types[0], sub_type=inner)
    return writer


def finish(writer: gguf.GGUFWriter) -> None:
    """Write header and tensors, and close the file."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokenizer(writer: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    """Adds the keys that llama.cpp's GPT-2 tokenizer reads."""
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(tokenizer.splitting)
    writer.add_token_list(tokenizer.tokens)
    writer.add_token_types(tokenizer.types)
    writer.add_token_merges(tokenizer.merges)
    if tokenizer.end_id >= 0:
        writer.add_eos_token_id(tokenizer.end_id)
    if tokenizer.pad_id >= 0:
        writer.add_pad_token_id(tokenizer.pad_id)
    writer.add_add_bos_token(False)
