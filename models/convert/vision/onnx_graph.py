"""A small writer for ONNX graphs, with operators that every runtime has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from models.convert.checkpoint.folder import ConvertError

OPSET = 17
"""The first operator set with layer norm; rknn-toolkit2 reads up to 19."""
_IR_VERSION = 8
EIGHT_BIT_BLOCK = 32
"""Inputs of a linear layer that share a scale where its weights are in 8 bits."""
_ONNX_RUNTIME = "com.microsoft"
"""Operators that ONNX Runtime alone has."""
_LARGEST_BYTES = (1 << 31) - (1 << 20)
"""A protobuf message has less than 2 GiB."""


class GraphTooLarge(ConvertError):
    """A graph that one file can't hold."""


class OnnxGraph:
    """Collects nodes and constants; every method returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: NDArray[Any] | np.generic) -> str:
        """A stored tensor."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, *inputs: str, **attributes: object) -> str:
        """One node."""
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name=name, **attributes))
        return name

    def shape(self, x: str, *sizes: int) -> str:
        """Reshape."""
        return self.add("Reshape", x, self.constant(np.asarray(sizes, np.int64)))

    def linear(self, x: str, weight: NDArray[Any], bias: NDArray[Any] | None) -> str:
        """[..., inputs] -> [..., outputs]. weight: [outputs, inputs]."""
        product = self.add("MatMul", x, self.constant(weight.T))
        return product if bias is None else self.add("Add", product, self.constant(bias))

    def linear_in_8_bits(self, x: str, weight: NDArray[Any], bias: NDArray[Any]) -> str:
        """`linear` with weights in 8 bits, a scale for each `EIGHT_BIT_BLOCK` inputs of an output, and inputs
        of 8 bits; for ONNX Runtime alone (`MatMulNBits`). The inputs' number is a multiple of the block.
        """
        outputs, inputs = weight.shape
        blocks = np.asarray(weight, np.float32).reshape(outputs, -1, EIGHT_BIT_BLOCK)
        scales = np.abs(blocks).max(-1) / 127
        scales[scales == 0] = 1
        stored = (np.rint(blocks / scales[..., None]) + 128).astype(np.uint8)
        product = self.add(
            "MatMulNBits", x, self.constant(stored), self.constant(scales.ravel()), domain=_ONNX_RUNTIME,
            K=inputs, N=outputs, bits=8, block_size=EIGHT_BIT_BLOCK, accuracy_level=4,
        )  # fmt: skip
        return self.add("Add", product, self.constant(bias))

    def norm(self, x: str, gain: NDArray[Any], bias: NDArray[Any], epsilon: float) -> str:
        """Layer norm over the last axis."""
        return self.add(
            "LayerNormalization", x, self.constant(gain), self.constant(bias), axis=-1, epsilon=epsilon
        )

    def gelu(self, x: str, *, tanh: bool) -> str:
        """x * Phi(x), by the error function or by its tanh approximation."""

        def number(value: float) -> str:
            return self.constant(np.float32(value))

        if tanh:
            cube = self.add("Mul", self.add("Mul", x, x), x)
            inner = self.add("Add", x, self.add("Mul", cube, number(0.044715)))
            bent = self.add("Tanh", self.add("Mul", inner, number(np.sqrt(2 / np.pi))))
        else:
            bent = self.add("Erf", self.add("Mul", x, number(np.sqrt(0.5))))
        half = self.add("Mul", x, number(0.5))
        return self.add("Mul", half, self.add("Add", bent, number(1.0)))

    def attention(
        self, query: str, key: str, value: str, rows: int, heads: int, width: int, queries: int = 0
    ) -> str:
        """Attention of [1, queries, width] over [1, rows, width]; `query` is already divided by the root of a
        head's width. queries: 0 for as many as rows.
        """
        depth, queries = width // heads, queries or rows
        parts = [
            self.add("Transpose", self.shape(part, 1, count, heads, depth), perm=list(order))
            for part, count, order in (
                (query, queries, (0, 2, 1, 3)),
                (key, rows, (0, 2, 3, 1)),
                (value, rows, (0, 2, 1, 3)),
            )
        ]
        shares = self.add("Softmax", self.add("MatMul", parts[0], parts[1]), axis=-1)
        mixed = self.add("Transpose", self.add("MatMul", shares, parts[2]), perm=[0, 2, 1, 3])
        return self.shape(mixed, 1, queries, width)

    def unit_length(self, x: str) -> str:
        """[n, width] divided by the root of its sum of squares."""
        axes = self.constant(np.asarray([-1], np.int64))
        squares = self.add("ReduceSum", self.add("Mul", x, x), axes, keepdims=1)
        return self.add("Div", x, self.add("Sqrt", squares))

    def save(
        self,
        path: Path,
        name: str,
        inputs: Mapping[str, Sequence[int]],
        output: str,
        shape: Sequence[int],
        *,
        integers: bool = False,
    ) -> None:
        """Write the model; the last node's result becomes `output`. inputs: name -> shape, float32, or int64
        with `integers`.

        Raises GraphTooLarge for more than `_LARGEST_BYTES`.
        """
        self.nodes[-1].output[0] = output
        graph = helper.make_graph(
            self.nodes,
            name,
            [
                helper.make_tensor_value_info(
                    key, TensorProto.INT64 if integers else TensorProto.FLOAT, list(size)
                )
                for key, size in inputs.items()
            ],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, list(shape))],
            self.constants,
        )
        _write(graph, path)

    def save_outputs(
        self,
        path: Path,
        name: str,
        inputs: Mapping[str, tuple[int, Sequence[int | str]]],
        outputs: Mapping[str, tuple[str, Sequence[int | str]]],
    ) -> None:
        """Write a model of several outputs. inputs: name -> element type (TensorProto.FLOAT ...) and shape;
        outputs: name -> result of a node, and shape, all float32. A size that is a word is dynamic.

        Raises GraphTooLarge for more than `_LARGEST_BYTES`.
        """
        for output, (result, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [result], [output], name=output))
        graph = helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info(key, kind, list(size)) for key, (kind, size) in inputs.items()],
            [
                helper.make_tensor_value_info(key, TensorProto.FLOAT, list(size))
                for key, (_, size) in outputs.items()
            ],
            self.constants,
        )
        _write(graph, path)


def _write(graph: onnx.GraphProto, path: Path) -> None:
    opsets = [helper.make_opsetid("", OPSET)]
    if any(node.domain == _ONNX_RUNTIME for node in graph.node):
        opsets.append(helper.make_opsetid(_ONNX_RUNTIME, 1))
    model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
    if model.ByteSize() > _LARGEST_BYTES:
        raise GraphTooLarge(
            f"The graph '{graph.name}' has {model.ByteSize() / 1e9:.1f} GB in float32; 2.1 is most."
        )
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
