"""The network of a pack that `models.train.sight.export` wrote, to train on from there.

The pack has no heads of auxiliary losses; these begin at random. The batch norms of the stem are folded into
its convolutions, so they begin as the identity and have to stay in evaluation mode.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import gguf
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import nn

from models.train.sight.model import Qwen2Decoder, Vlm, VlmConfig
from models.train.sight.text_words import TextWords
from models.train.sight.vit import Block, Exit, Stem, TextTower, Vit
from models.train.sight.vocabulary import CONTROL, Words
from models.train.sight.widened import widened

Floats = NDArray[np.float32]
BLOCK, EXIT = 16, 7
"""Stored tensors of numbers of a block and of an exit."""
_UP = 12
"""Which of a block's, [width, hidden units], leads to its hidden units."""


def restored(pack: Path) -> tuple[Vlm, Words, TextWords]:
    """The network, and its vocabularies. Raises OSError, and ValueError for a pack of another form."""
    reader = gguf.GGUFReader(pack / "decoder.gguf")
    words, text_words = _words(reader), TextWords.load(pack / "text.json")
    layers = int(reader.fields["qwen2.block_count"].contents())
    hidden = int(reader.fields["qwen2.feed_forward_length"].contents())
    model = Vlm(VlmConfig(vocab=len(words), text_vocab=len(text_words), layers=layers))
    eye = [numbers_of(path) for path in sorted((pack / "vision").glob("group_*.onnx"))]
    widened(model, [block[_UP].shape[1] for block in eye], hidden)
    _decoder(model.decoder, {each.name: np.array(each.data) for each in reader.tensors})
    _vit(model.vit, pack / "vision")
    _text(model.text, pack / "text.onnx")
    return model, words, text_words


def numbers_of(path: Path) -> list[Floats]:
    """The stored tensors of several numbers of a graph, in the file's order."""
    graph = onnx.load(str(path)).graph
    return [numpy_helper.to_array(graph.initializer[at]).copy() for at in places_of(graph)]


def places_of(graph: onnx.GraphProto) -> list[int]:
    """Which of a graph's stored tensors are several numbers."""
    return [
        at
        for at, each in enumerate(graph.initializer)
        if each.data_type == onnx.TensorProto.FLOAT and math.prod(each.dims) > 1
    ]


def load_block(block: Block, numbers: Sequence[Floats]) -> None:
    """Puts the tensors of a block's graph into it."""
    norm1, bias1, query, query0, key, key0, value, value0, *rest = numbers
    out, out0, norm2, bias2, up, up0, down, down0 = rest
    root = np.float32((block.out.in_features // block.heads) ** 0.5)  # the graph's query is divided by it
    _load(block, {
        "norm1.weight": norm1, "norm1.bias": bias1, "norm2.weight": norm2, "norm2.bias": bias2,
        "qkv.weight": np.concatenate([query.T * root, key.T, value.T]),
        "qkv.bias": np.concatenate([query0 * root, key0, value0]),
        "out.weight": out.T, "out.bias": out0,
        "up.weight": up.T, "up.bias": up0, "down.weight": down.T, "down.bias": down0,
    })  # fmt: skip


def load_exit(leave: Exit, numbers: Sequence[Floats]) -> None:
    """Puts the tensors of an exit's graph into it."""
    gain, bias, key, key0, queries, out, out0 = numbers
    _load(leave, {
        "norm.weight": gain, "norm.bias": bias, "key.weight": key.T, "key.bias": key0, "queries": queries,
        "out.weight": out.T, "out.bias": out0,
    })  # fmt: skip


def _load(module: nn.Module, state: Mapping[str, Floats]) -> None:
    module.load_state_dict({key: torch.from_numpy(np.array(value)) for key, value in state.items()})


def _put(parameter: torch.Tensor, value: Floats) -> None:
    with torch.no_grad():
        parameter.copy_(torch.from_numpy(np.array(value)).reshape(parameter.shape))


def _vit(vit: Vit, folder: Path) -> None:
    _stem(vit.stem, numbers_of(folder / "stem.onnx"))
    for number, (block, leave) in enumerate(zip(vit.blocks, vit.exits, strict=True), 1):
        assert isinstance(block, Block)
        assert isinstance(leave, Exit)
        load_block(block, numbers_of(folder / f"group_{number:02d}.onnx"))
        load_exit(leave, numbers_of(folder / f"exit_{number:02d}.onnx"))
    gain, bias, whereabouts = numbers_of(folder / "rows.onnx")
    _load(vit.norm, {"weight": gain, "bias": bias})
    _put(vit.whereabouts, whereabouts)


def _stem(stem: Stem, numbers: Sequence[Floats]) -> None:
    *folded, place = numbers
    convolutions = [layer for layer in stem.layers if isinstance(layer, nn.Conv2d)]
    norms = [layer for layer in stem.layers if isinstance(layer, nn.BatchNorm2d)]
    for at, convolution in enumerate(convolutions):
        weight, bias = folded[2 * at], folded[2 * at + 1]
        _put(convolution.weight, weight)
        if at < len(norms):
            norm = norms[at]
            assert norm.running_var is not None
            norm.running_var.fill_(1.0 - norm.eps)
            _put(norm.bias, bias)
        else:
            assert convolution.bias is not None
            _put(convolution.bias, bias)
    _put(stem.place, place)


def _text(tower: TextTower, path: Path) -> None:
    embed, place, *rest = numbers_of(path)
    _put(tower.embed.weight, embed)
    _put(tower.place, place)
    for at, block in enumerate(tower.blocks):
        assert isinstance(block, Block)
        load_block(block, rest[BLOCK * at : BLOCK * (at + 1)])
    load_exit(tower.exit, rest[-EXIT:])


def _decoder(decoder: Qwen2Decoder, tensors: Mapping[str, Floats]) -> None:
    names = {
        "attn_q": "q", "attn_k": "k", "attn_v": "v", "attn_output": "out", "ffn_gate": "gate", "ffn_up": "up",
        "ffn_down": "down", "attn_norm": "norm1", "ffn_norm": "norm2",
    }  # fmt: skip
    _put(decoder.embed.weight, tensors["token_embd.weight"])
    _put(decoder.norm.weight, tensors["output_norm.weight"])
    for name, value in tensors.items():
        if name.startswith("blk."):
            _, index, layer, kind = name.split(".")
            _put(getattr(getattr(decoder.blocks[int(index)], names[layer]), kind), value)


def _words(reader: gguf.GGUFReader) -> Words:
    tokens = [str(each) for each in reader.fields["tokenizer.ggml.tokens"].contents()]
    merges = [tuple(str(each).split(" ")) for each in reader.fields["tokenizer.ggml.merges"].contents()]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in CONTROL])
    return Words(tokenizer)
