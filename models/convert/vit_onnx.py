"""Writes the ViT as ONNX with static shapes and plain operators.

`pixels` float32 [1, 3, 128, 128] -> `image_embeds` float32 [1, 64, width].
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from models.train.vlm_model import Vit, VitBlock

OPSET = 17


class _Graph:
    """Collects nodes and constants; every method returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: torch.Tensor | NDArray) -> str:
        array = value.detach().numpy() if isinstance(value, torch.Tensor) else value
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, operator: str, *inputs: str, **attributes: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name=name, **attributes))
        return name

    def shape(self, x: str, *sizes: int) -> str:
        return self.add("Reshape", x, self.constant(np.asarray(sizes, np.int64)))

    def linear(self, x: str, weight: torch.Tensor, bias: torch.Tensor) -> str:
        return self.add("Add", self.add("MatMul", x, self.constant(weight.T)), self.constant(bias))

    def norm(self, x: str, norm: torch.nn.LayerNorm) -> str:
        gain, bias = self.constant(norm.weight), self.constant(norm.bias)
        return self.add("LayerNormalization", x, gain, bias, axis=-1, epsilon=norm.eps)


def _stem(graph: _Graph, x: str, vit: Vit) -> str:
    """Convolutions with their batch norms folded in."""
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
        x = graph.add("Conv", x, graph.constant(weight), graph.constant(bias), **shape)
        if batch_norm is not None:
            x = graph.add("Relu", x)
    return x


def _block(graph: _Graph, x: str, block: VitBlock, n: int, width: int) -> str:
    heads, depth = block.heads, width // block.heads
    normed, parts = graph.norm(x, block.norm1), []
    for index, order in enumerate(((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))):
        rows = slice(index * width, (index + 1) * width)
        weight, bias = block.qkv.weight[rows], block.qkv.bias[rows]
        scale = depth**-0.5 if index == 0 else 1.0
        split = graph.shape(graph.linear(normed, weight * scale, bias * scale), 1, n, heads, depth)
        parts.append(graph.add("Transpose", split, perm=list(order)))
    attention = graph.add("Softmax", graph.add("MatMul", parts[0], parts[1]), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", attention, parts[2]), perm=[0, 2, 1, 3])
    x = graph.add("Add", x, graph.linear(graph.shape(mixed, 1, n, width), block.out.weight, block.out.bias))
    up = graph.linear(graph.norm(x, block.norm2), block.up.weight, block.up.bias)
    active = graph.add("Mul", up, graph.add("Sigmoid", up))
    return graph.add("Add", x, graph.linear(active, block.down.weight, block.down.bias))


def write_onnx(vit: Vit, path: Path) -> None:
    """Writes `vit` (in evaluation mode: running statistics) to `path`."""
    graph = _Graph()
    _, n, width = vit.place.shape
    x = graph.shape(_stem(graph, "pixels", vit), 1, width, n)
    x = graph.add("Add", graph.add("Transpose", x, perm=[0, 2, 1]), graph.constant(vit.place))
    for block in vit.blocks:
        x = _block(graph, x, block, n, width)  # type: ignore[arg-type]
    graph.add("Add", graph.norm(x, vit.norm), graph.constant(vit.whereabouts))
    graph.nodes[-1].output[0] = "image_embeds"
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "vit",
            [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1, 3, 128, 128])],
            [helper.make_tensor_value_info("image_embeds", TensorProto.FLOAT, [1, n, width])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=8,
    )
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
