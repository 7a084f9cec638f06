"""The transformer layers of SigLIP's encoders, of pictures and of text, as ONNX nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.convert.checkpoint.folder import Checkpoint
from models.convert.checkpoint.shapes import LayerShape
from models.convert.vision.onnx_graph import OnnxGraph


class LayerWriter:
    """Adds layers with a checkpoint's weights to graphs. Raises ConvertError for a missing tensor or a wrong
    shape.
    """

    def __init__(self, checkpoint: Checkpoint, prefix: str, shape: LayerShape, rows: int) -> None:
        """prefix: of the encoder's tensors, such as "vision"; rows: of the activation."""
        self._from = checkpoint
        self._prefix = prefix
        self._shape = shape
        self._rows = rows

    def tensor(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """A tensor of this encoder."""
        return self._from.tensor(f"{self._prefix}.{name}", shape)

    def linear(self, graph: OnnxGraph, x: str, name: str, outputs: int, inputs: int, scale: float = 1) -> str:
        """[..., inputs] -> [..., outputs], all multiplied by `scale`."""
        weight = self.tensor(f"{name}.weight", (outputs, inputs)) * np.float32(scale)
        return graph.linear(x, weight, self.tensor(f"{name}.bias", (outputs,)) * np.float32(scale))

    def norm(self, graph: OnnxGraph, x: str, name: str) -> str:
        """Layer norm with the weights of that name."""
        gain, bias = (self.tensor(f"{name}.{part}", (self._shape.width,)) for part in ("weight", "bias"))
        return graph.norm(x, gain, bias, self._shape.epsilon)

    def layer(self, graph: OnnxGraph, x: str, index: int) -> str:
        """Self-attention and MLP, each after a norm and added to its input."""
        name, width = f"encoder.layers.{index}", self._shape.width
        normed = self.norm(graph, x, f"{name}.layer_norm1")
        scale = (width // self._shape.heads) ** -0.5
        query, key, value = (
            self.linear(graph, normed, f"{name}.self_attn.{part}_proj", width, width, factor)
            for part, factor in (("q", scale), ("k", 1.0), ("v", 1.0))
        )
        mixed = graph.attention(query, key, value, self._rows, self._shape.heads, width)
        x = graph.add("Add", x, self.linear(graph, mixed, f"{name}.self_attn.out_proj", width, width))
        return graph.add("Add", x, self.mlp(graph, self.norm(graph, x, f"{name}.layer_norm2"), f"{name}.mlp"))

    def mlp(self, graph: OnnxGraph, x: str, name: str) -> str:
        """Linear, activation, linear."""
        width, hidden = self._shape.width, self._shape.hidden
        up = self.linear(graph, x, f"{name}.fc1", hidden, width)
        active = graph.gelu(up, tanh=self._shape.activation == "gelu_pytorch_tanh")
        return self.linear(graph, active, f"{name}.fc2", width, hidden)

    def pooled(self, graph: OnnxGraph, x: str) -> str:
        """Rows [1, rows, width] -> [1, 1, width]: attention of one learned query, and an MLP (MAP head)."""
        width, heads = self._shape.width, self._shape.heads
        scale = np.float32((width // heads) ** -0.5)
        weights = np.split(self.tensor("head.attention.in_proj_weight", (3 * width, width)), 3)
        biases = np.split(self.tensor("head.attention.in_proj_bias", (3 * width,)), 3)
        probe = self.tensor("head.probe", (1, 1, width))
        query = graph.constant((probe @ weights[0].T + biases[0]) * scale)
        key, value = (
            graph.linear(x, weight, bias) for weight, bias in zip(weights[1:], biases[1:], strict=True)
        )
        mixed = graph.attention(query, key, value, self._rows, heads, width, queries=1)
        x = self.linear(graph, mixed, "head.attention.out_proj", width, width)
        return graph.add("Add", x, self.mlp(graph, self.norm(graph, x, "head.layernorm"), "head.mlp"))
