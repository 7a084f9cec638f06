"""Writes the ViT as ONNX with static shapes and plain operators.

`pixels` float32 [1, 3, 128, 128] -> `image_embeds` float32 [1, 64, width].
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from models.convert.vision.onnx_graph import OnnxGraph

if TYPE_CHECKING:
    from models.train.sight.model import Vit, VitBlock


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    """The tensor as a numpy array."""
    array: NDArray[np.float32] = tensor.detach().numpy()
    return array


def _norm(graph: OnnxGraph, x: str, norm: torch.nn.LayerNorm) -> str:
    return graph.norm(x, _array(norm.weight), _array(norm.bias), norm.eps)


def _linear(graph: OnnxGraph, x: str, layer: torch.nn.Linear) -> str:
    return graph.linear(x, _array(layer.weight), _array(layer.bias))


def _stem(graph: OnnxGraph, x: str, vit: Vit) -> str:
    """The convolutions, with their batch norms folded into the weights."""
    scaled = graph.add("Mul", x, graph.constant(np.float32(4.0)))
    x = graph.add("Sub", scaled, graph.constant(np.float32(2.0)))
    layers = list(vit.stem)
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
        shape = {"kernel_shape": [3, 3], "strides": list(layer.stride), "pads": [1, 1, 1, 1]}
        x = graph.add("Conv", x, graph.constant(_array(weight)), graph.constant(_array(bias)), **shape)
        if batch_norm is not None:
            x = graph.add("Relu", x)
    return x


def _block(graph: OnnxGraph, x: str, block: VitBlock, n: int, width: int) -> str:
    normed, parts = _norm(graph, x, block.norm1), []
    for index in range(3):
        rows = slice(index * width, (index + 1) * width)
        scale = (width // block.heads) ** -0.5 if index == 0 else 1.0
        weight, bias = block.qkv.weight[rows] * scale, block.qkv.bias[rows] * scale
        parts.append(graph.linear(normed, _array(weight), _array(bias)))
    query, key, value = parts
    attended = graph.attention(query, key, value, n, block.heads, width)
    x = graph.add("Add", x, _linear(graph, attended, block.out))
    up = _linear(graph, _norm(graph, x, block.norm2), block.up)
    active = graph.add("Mul", up, graph.add("Sigmoid", up))
    return graph.add("Add", x, _linear(graph, active, block.down))


def write_onnx(vit: Vit, path: Path) -> None:
    """Writes `vit` (in evaluation mode: running statistics) to `path`."""
    graph = OnnxGraph()
    _, n, width = vit.place.shape
    x = graph.shape(_stem(graph, "pixels", vit), 1, width, n)
    x = graph.add("Add", graph.add("Transpose", x, perm=[0, 2, 1]), graph.constant(_array(vit.place)))
    for block in vit.blocks:
        x = _block(graph, x, block, n, width)  # type: ignore[arg-type]
    graph.add("Add", _norm(graph, x, vit.norm), graph.constant(_array(vit.whereabouts)))
    graph.save(path, "vit", {"pixels": (1, 3, 128, 128)}, "image_embeds", (1, n, width))
