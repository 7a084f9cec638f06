"""Writes the decoder of a checkpoint as GGUF: Qwen2 or Llama, at a given precision."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

from models.convert.checkpoint.folder import Checkpoint, ConvertError
from models.convert.checkpoint.shapes import DecoderShape
from models.convert.checkpoint.vocabulary import read_vocabulary
from models.convert.decoder.precision import Precision, add_tensor
from models.convert.gguf_file import Hyperparameters, begin, finish

_ARCHITECTURES = {"qwen2": gguf.MODEL_ARCH.QWEN2, "llama": gguf.MODEL_ARCH.LLAMA}


def gguf_name(name: str, shape: DecoderShape) -> str:
    """A decoder tensor's name in GGUF. name: as in the checkpoint, without `text.`."""
    names = gguf.get_tensor_name_map(_ARCHITECTURES[shape.architecture], shape.layers)
    bare = name if name.startswith("lm_head") else f"model.{name}"
    found = names.get_name(bare, try_suffixes=(".weight", ".bias"))
    if found is None:
        raise ConvertError(f"llama.cpp has no name for the tensor {name} of a {shape.architecture} decoder.")
    return str(found)


def interleaved(weight: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Rows of a query or key matrix, reordered in each head for rotary positions: llama.cpp's Llama rotates
    pairs of neighbours, the checkpoint's pairs of the first and second half. (Qwen2 pairs halves in both.)
    """
    rows = weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:])
    return rows.swapaxes(1, 2).reshape(weight.shape)


def expected_tensors(shape: DecoderShape) -> dict[str, tuple[int, ...]]:
    """Name (without `text.`) -> shape of each tensor of a decoder, except for biases and output matrix."""
    queries, keys = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    shapes: dict[str, tuple[int, ...]] = {"embed_tokens.weight": (shape.vocab, shape.width)}
    for layer in range(shape.layers):
        name = f"layers.{layer}"
        shapes |= {
            f"{name}.input_layernorm.weight": (shape.width,),
            f"{name}.self_attn.q_proj.weight": (queries, shape.width),
            f"{name}.self_attn.k_proj.weight": (keys, shape.width),
            f"{name}.self_attn.v_proj.weight": (keys, shape.width),
            f"{name}.self_attn.o_proj.weight": (shape.width, queries),
            f"{name}.post_attention_layernorm.weight": (shape.width,),
            f"{name}.mlp.gate_proj.weight": (shape.hidden, shape.width),
            f"{name}.mlp.up_proj.weight": (shape.hidden, shape.width),
            f"{name}.mlp.down_proj.weight": (shape.width, shape.hidden),
        }
        if shape.architecture == "qwen2":
            shapes |= {f"{name}.self_attn.{part}_proj.bias": (keys,) for part in "kv"}
            shapes[f"{name}.self_attn.q_proj.bias"] = (queries,)
    return shapes | {"norm.weight": (shape.width,)}


def write_decoder(
    checkpoint: Checkpoint, shape: DecoderShape, path: Path, precision: Precision, name: str
) -> None:
    """Writes `path`. Raises ConvertError for a missing tensor, a wrong shape or an unknown tokenizer."""
    vocabulary = read_vocabulary(checkpoint.root, shape.vocab)
    hyperparameters = Hyperparameters(
        shape.architecture, shape.context, shape.width, shape.layers, shape.hidden, shape.heads,
        shape.kv_heads, shape.epsilon, shape.rope_base, shape.head_width, shape.vocab,
    )  # fmt: skip
    writer = begin(path, hyperparameters, vocabulary, precision.file_type, name=name, on_disk=True)
    for tensor, extents in expected_tensors(shape).items():
        values = checkpoint.tensor(f"text.{tensor}", extents)
        if shape.architecture == "llama" and ".q_proj." in tensor:
            values = interleaved(values, shape.heads)
        if shape.architecture == "llama" and ".k_proj." in tensor:
            values = interleaved(values, shape.kv_heads)
        add_tensor(writer, gguf_name(tensor, shape), values, precision)
    if own_output(checkpoint, shape):
        values = checkpoint.tensor("text.lm_head.weight", (shape.vocab, shape.width))
        add_tensor(writer, gguf_name("lm_head.weight", shape), values, precision)
    finish(writer)


def own_output(checkpoint: Checkpoint, shape: DecoderShape) -> bool:
    """True where the output matrix is not the embedding matrix."""
    if "text.lm_head.weight" not in checkpoint:
        return False
    text = checkpoint.config.get("text_config") or {}
    if checkpoint.config.get("tie_word_embeddings", text.get("tie_word_embeddings", False)):
        return False
    sample = slice(0, min(shape.vocab, 64))
    output = checkpoint.tensor("text.lm_head.weight")[sample]
    return not np.array_equal(output, checkpoint.tensor("text.embed_tokens.weight")[sample])
