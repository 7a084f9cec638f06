"""Writes the vision encoder as ONNX with static shapes and plain operators: in pieces, and as one graph.

Pieces: `stem`, pixels float32 [1, 3, 192, 192] -> activation [1, 64, width]; `group_NN`, the block NN,
activation -> deeper activation; `exit_NN`, activation of depth NN -> recall embedding [1, 256]; `rows`, the
deepest activation -> decoder input rows [1, 64, width]. The whole is pixels -> rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from models.convert.vision.onnx_graph import OnnxGraph
from models.train.sight.vit import N_TOKENS, SIDE_PX

if TYPE_CHECKING:
    from models.train.sight.vit import Block, Exit, Stem, Vit

Step = Callable[[OnnxGraph, str], str]
_PIXELS = (1, 3, SIDE_PX, SIDE_PX)
_SHORTEST = 1e-12
"""What the length of a vector is at least when it is divided by it."""


def array(tensor: torch.Tensor) -> NDArray[np.float32]:
    """The tensor as a numpy array."""
    values: NDArray[np.float32] = tensor.detach().cpu().numpy()
    return values


def norm(graph: OnnxGraph, x: str, layer: torch.nn.LayerNorm) -> str:
    """Layer norm."""
    return graph.norm(x, array(layer.weight), array(layer.bias), layer.eps)


def linear(graph: OnnxGraph, x: str, layer: torch.nn.Linear) -> str:
    """Matrix product and bias."""
    return graph.linear(x, array(layer.weight), array(layer.bias))


def _stem(graph: OnnxGraph, x: str, stem: Stem) -> str:
    """The convolutions, with their batch norms folded into the weights, and positions."""
    scaled = graph.add("Mul", x, graph.constant(np.float32(4.0)))
    x = graph.add("Sub", scaled, graph.constant(np.float32(2.0)))
    layers = list(stem.layers)
    for index, layer in enumerate(layers):
        if not isinstance(layer, torch.nn.Conv2d):
            continue
        weight, bias = layer.weight, layer.bias
        batch_norm = layers[index + 1] if index + 1 < len(layers) else None
        if isinstance(batch_norm, torch.nn.BatchNorm2d):
            assert batch_norm.running_var is not None
            assert batch_norm.running_mean is not None
            gain = batch_norm.weight / torch.sqrt(batch_norm.running_var + batch_norm.eps)
            weight, bias = (
                weight * gain[:, None, None, None],
                batch_norm.bias - batch_norm.running_mean * gain,
            )
        assert bias is not None
        shape = {
            "kernel_shape": list(layer.kernel_size),
            "strides": list(layer.stride),
            "pads": [*layer.padding, *layer.padding],
        }
        x = graph.add("Conv", x, graph.constant(array(weight)), graph.constant(array(bias)), **shape)
        if batch_norm is not None:
            x = graph.add("Relu", x)
    x = graph.shape(x, 1, stem.place.shape[2], N_TOKENS)
    return graph.add("Add", graph.add("Transpose", x, perm=[0, 2, 1]), graph.constant(array(stem.place)))


def query_key_value(graph: OnnxGraph, x: str, block: Block) -> tuple[str, str, str]:
    """The three products of a block's attention; the query is divided by the root of a head's width."""
    width = block.out.in_features
    normed, parts = norm(graph, x, block.norm1), []
    for index in range(3):
        rows = slice(index * width, (index + 1) * width)
        scale = (width // block.heads) ** -0.5 if index == 0 else 1.0
        weight, bias = block.qkv.weight[rows] * scale, block.qkv.bias[rows] * scale
        parts.append(graph.linear(normed, array(weight), array(bias)))
    query, key, value = parts
    return query, key, value


def after_attention(graph: OnnxGraph, x: str, attended: str, block: Block) -> str:
    """The rest of a block."""
    x = graph.add("Add", x, linear(graph, attended, block.out))
    up = linear(graph, norm(graph, x, block.norm2), block.up)
    active = graph.add("Mul", up, graph.add("Sigmoid", up))
    return graph.add("Add", x, linear(graph, active, block.down))


def _block(graph: OnnxGraph, x: str, block: Block) -> str:
    width = block.out.in_features
    attended = graph.attention(*query_key_value(graph, x, block), N_TOKENS, block.heads, width)
    return after_attention(graph, x, attended, block)


def pooled(graph: OnnxGraph, x: str, leave: Exit, hidden: str = "") -> str:
    """The recall embedding. hidden: name of what is added to the scores, [1, 1, rows]."""
    normed = norm(graph, x, leave.norm)
    keys = graph.add("Transpose", linear(graph, normed, leave.key), perm=[0, 2, 1])
    scores = graph.add("MatMul", graph.constant(array(leave.queries)), keys)
    if hidden:
        scores = graph.add("Add", scores, hidden)
    found = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), normed)
    flat = graph.shape(found, 1, leave.out.in_features)
    out = linear(graph, flat, leave.out)
    length = graph.add("ReduceL2", out, axes=[-1], keepdims=1)
    return graph.add("Div", out, graph.add("Max", length, graph.constant(np.float32(_SHORTEST))))


def _rows(graph: OnnxGraph, x: str, vit: Vit) -> str:
    return graph.add("Add", norm(graph, x, vit.norm), graph.constant(array(vit.whereabouts)))


def _save(
    path: Path, source: str, shape: tuple[int, ...], steps: list[Step], result: str, size: tuple[int, ...]
) -> None:
    graph, x = OnnxGraph(), source
    for step in steps:
        x = step(graph, x)
    path.parent.mkdir(parents=True, exist_ok=True)
    graph.save(path, path.stem, {source: shape}, result, size)


def write_whole(vit: Vit, path: Path) -> None:
    """`vit` (in evaluation mode: running statistics) as one graph."""
    steps = [_part(_stem, vit.stem), *(_part(_block, block) for block in vit.blocks), _part(_rows, vit)]
    _save(path, "pixels", _PIXELS, steps, "image_embeds", (1, N_TOKENS, vit.config.width))


def _part(write: Callable[..., str], *parts: object) -> Step:
    return lambda graph, x: write(graph, x, *parts)


def write_chain(vit: Vit, folder: Path) -> Mapping[str, Path]:
    """The pieces of `vit` into `folder`; the files by their keys in a pack."""
    activation = (1, N_TOKENS, vit.config.width)
    files = {"stem": folder / "stem.onnx"}
    _save(files["stem"], "pixels", _PIXELS, [_part(_stem, vit.stem)], "activation", activation)
    for number, (block, leave) in enumerate(zip(vit.blocks, vit.exits, strict=True), 1):
        group, out = f"group_{number:02d}", f"exit_{number:02d}"
        files[group], files[out] = folder / f"{group}.onnx", folder / f"{out}.onnx"
        _save(files[group], "activation", activation, [_part(_block, block)], "deeper", activation)
        size = (1, vit.config.embedding)
        _save(files[out], "activation", activation, [_part(pooled, leave)], "embedding", size)
    files["rows"] = folder / "rows.onnx"
    _save(files["rows"], "activation", activation, [_part(_rows, vit)], "image_embeds", activation)
    return files
