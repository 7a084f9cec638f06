"""A small writer for ONNX graphs with random weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 20


class RandomGraph:
    """Collects nodes and weights; each method returns the name of its result."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """One node."""
        name = f"n{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, value: NDArray[Any] | np.generic | float) -> str:
        """A stored tensor."""
        name = f"w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def ints(self, *values: int) -> str:
        """A stored int64 vector."""
        return self.constant(np.array(values, np.int64))

    def random(self, *shape: int, gain: float = 1.0) -> str:
        """Normally distributed weights, scaled by fan-in so that they preserve the variance of the input."""
        fan_in = int(np.prod(shape[1:])) if len(shape) > 2 else shape[0]
        values = self._random.standard_normal(shape, np.float32) * np.float32(gain / np.sqrt(fan_in))
        return self.constant(values)

    def linear(self, x: str, inputs: int, outputs: int) -> str:
        """[..., inputs] -> [..., outputs]."""
        product = self.add("MatMul", x, self.random(inputs, outputs))
        return self.add("Add", product, self.constant(np.zeros(outputs, np.float32)))

    def norm(self, x: str, width: int) -> str:
        """Layer norm over the last axis."""
        gain, bias = np.ones(width, np.float32), np.zeros(width, np.float32)
        return self.add(
            "LayerNormalization", x, self.constant(gain), self.constant(bias), axis=-1, epsilon=1e-6
        )

    def conv(self, x: str, inputs: int, outputs: int, kernel: int, dilation: int = 1) -> str:
        """[1, inputs, n] -> [1, outputs, n], same length."""
        pad = dilation * (kernel - 1) // 2
        bias = self.constant(np.zeros(outputs, np.float32))
        shape = {"kernel_shape": [kernel], "dilations": [dilation], "pads": [pad, pad]}
        return self.add("Conv", x, self.random(outputs, inputs, kernel), bias, **shape)

    def attention(self, x: str, tokens: int, width: int, heads: int) -> str:
        """Self-attention on [1, tokens, width]; tokens -1: any number."""
        depth = width // heads
        parts = []
        for order in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)):
            split = self.add("Reshape", self.linear(x, width, width), self.ints(1, tokens, heads, depth))
            parts.append(self.add("Transpose", split, perm=list(order)))
        scores = self.add(
            "Mul", self.add("MatMul", parts[0], parts[1]), self.constant(np.float32(depth**-0.5))
        )
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), parts[2])
        joined = self.add("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.linear(self.add("Reshape", joined, self.ints(1, tokens, width)), width, width)

    def save(
        self, path: Path, inputs: Mapping[str, tuple[int, Sequence[int | str]]], output: str, shape: list[Any]
    ) -> None:
        """Write the model; the last node's result becomes `output`. inputs: name -> (element type, shape)."""
        self._nodes[-1].output[0] = output
        graph = helper.make_graph(
            self._nodes,
            "ballast",
            [helper.make_tensor_value_info(name, kind, extents) for name, (kind, extents) in inputs.items()],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
            self._weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        onnx.save(model, str(path))
