"""Writes the text tower as ONNX: `tokens` int64 [1, 24] -> `embedding` float32 [1, 256] of length 1."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, helper

from models.convert.vision.onnx_graph import OPSET, OnnxGraph
from models.train.sight.export.vit import after_attention, array, pooled, query_key_value

if TYPE_CHECKING:
    from models.train.sight.vit import Block, TextTower

_IR_VERSION = 8
_NEVER = np.float32(-1e9)


def _attention(graph: OnnxGraph, x: str, block: Block, words: int, hidden: str) -> str:
    width = block.out.in_features
    query, key, value = query_key_value(graph, x, block)
    parts = [
        graph.add("Transpose", graph.shape(part, 1, words, block.heads, width // block.heads), perm=order)
        for part, order in ((query, [0, 2, 1, 3]), (key, [0, 2, 3, 1]), (value, [0, 2, 1, 3]))
    ]
    scores = graph.add("Add", graph.add("MatMul", parts[0], parts[1]), hidden)
    mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), parts[2])
    return graph.shape(graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), 1, words, width)


def write_text(tower: TextTower, path: Path) -> None:
    """Writes `tower` to `path`."""
    graph, words = OnnxGraph(), tower.place.shape[1]
    empty = graph.add("Cast", graph.add("Equal", "tokens", graph.constant(np.int64(0))), to=TensorProto.FLOAT)
    hidden = graph.shape(graph.add("Mul", empty, graph.constant(_NEVER)), 1, 1, words)
    hidden_by_head = graph.shape(hidden, 1, 1, 1, words)
    x = graph.add("Gather", graph.constant(array(tower.embed.weight)), "tokens")
    x = graph.add("Add", x, graph.constant(array(tower.place)))
    for block in tower.blocks:
        attended = _attention(graph, x, block, words, hidden_by_head)  # type: ignore[arg-type]
        x = after_attention(graph, x, attended, block)  # type: ignore[arg-type]
    pooled(graph, x, tower.exit, hidden)
    graph.nodes[-1].output[0] = "embedding"
    proto = helper.make_graph(
        graph.nodes,
        "text",
        [helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, words])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, tower.exit.out.out_features])],
        graph.constants,
    )
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR_VERSION)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
