"""Encoder layers in the shape of SenseVoice-Small (FunASR; k2-fsa/sherpa-onnx, scripts/sense-
voice/rknn/torch_model.py): width 512, four heads, a memory filter of 11 taps, 2048 in the middle. Random
8-bit weights, activations quantised as they come.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

WIDTH, HEADS, TAPS, MIDDLE = 512, 4, 11, 2048


class _Layers:
    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.random = np.random.default_rng(0)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def fixed(self, array: np.ndarray) -> str:  # type: ignore[type-arg]
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def chance(self, *shape: int) -> str:
        return self.fixed((self.random.standard_normal(shape) * 0.02).astype(np.float32))

    def add(self, kind: str, *reads: str, **settings: object) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(reads), [name], **settings))
        return name

    def linear(self, x: str, inputs: int, outputs: int) -> str:
        return self.add("Add", self.add("MatMul", x, self.chance(inputs, outputs)), self.chance(outputs))

    def normal(self, x: str) -> str:
        return self.add("LayerNormalization", x, self.chance(WIDTH), self.chance(WIDTH), axis=-1)

    def heads(self, x: str, order: tuple[int, ...]) -> str:
        shape = self.fixed(np.array([1, self.rows, HEADS, WIDTH // HEADS]))
        return self.add("Transpose", self.add("Reshape", x, shape), perm=order)

    def layer(self, x: str) -> str:
        joined = self.linear(self.normal(x), WIDTH, 3 * WIDTH)
        query, key, value = (
            self.add(
                "Slice", joined, *(self.fixed(np.array([at])) for at in (WIDTH * each, WIDTH * (each + 1), 2))
            )
            for each in range(3)
        )
        turned = self.add("Transpose", value, perm=[0, 2, 1])
        kept = self.add("Conv", turned, self.chance(WIDTH, 1, TAPS), group=WIDTH, pads=[TAPS // 2, TAPS // 2])
        memory = self.add("Add", self.add("Transpose", kept, perm=[0, 2, 1]), value)
        query = self.add("Mul", query, self.fixed(np.array((WIDTH // HEADS) ** -0.5, np.float32)))
        scores = self.add("MatMul", self.heads(query, (0, 2, 1, 3)), self.heads(key, (0, 2, 3, 1)))
        seen = self.add("MatMul", self.add("Softmax", scores, axis=-1), self.heads(value, (0, 2, 1, 3)))
        flat = self.fixed(np.array([1, self.rows, WIDTH]))
        seen = self.add("Reshape", self.add("Transpose", seen, perm=[0, 2, 1, 3]), flat)
        x = self.add("Add", x, self.add("Add", self.linear(seen, WIDTH, WIDTH), memory))
        middle = self.add("Relu", self.linear(self.normal(x), WIDTH, MIDDLE))
        return self.add("Add", x, self.linear(middle, MIDDLE, WIDTH))


def write_speech_layers(path: Path, rows: int, layers: int) -> None:
    """Writes the layers as one graph from rows x 512 to the same."""
    made = _Layers(rows)
    x = "x"
    for _ in range(layers):
        x = made.layer(x)
    made.nodes.append(helper.make_node("Identity", [x], ["y"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, rows, WIDTH]) for name in "xy"]
    graph = helper.make_graph(made.nodes, "layers", ends[:1], ends[1:], made.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    full = path.with_suffix(".fp32")
    onnx.save(model, full)
    quantize_dynamic(full, path, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])
    full.unlink()
