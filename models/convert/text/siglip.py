"""Writes SigLIP's text encoder as ONNX: `tokens` int64 [1, length] -> `embedding` [1, values], of length one.

The sentence is padded to the full length, without a mask, and the last position is its embedding, as in
training.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import TensorProto

from models.convert.checkpoint.folder import Checkpoint
from models.convert.checkpoint.shapes import TextShape
from models.convert.vision.onnx_graph import OnnxGraph
from models.convert.vision.siglip_layers import LayerWriter


def write_text(checkpoint: Checkpoint, shape: TextShape, path: Path, *, int8_table: bool = False) -> None:
    """Write the encoder in float32. int8_table: the table of the tokens' rows in int8, with a scale per row;
    the rest in float32.

    Raises ConvertError for a missing tensor or a wrong shape, and for more than 2 GB.
    """
    layers = LayerWriter(checkpoint, "text_model", shape, shape.tokens)
    graph = OnnxGraph()
    table = layers.tensor("embeddings.token_embedding.weight", (shape.vocab, shape.width))
    if int8_table:
        scales = np.maximum(np.abs(table).max(1, keepdims=True), np.float32(1e-12)) / np.float32(127)
        rounded = np.rint(table / scales).astype(np.int8)
        stored = graph.add("Gather", graph.constant(rounded), "tokens", axis=0)
        scale = graph.add("Gather", graph.constant(scales), "tokens", axis=0)
        x = graph.add("Mul", graph.add("Cast", stored, to=TensorProto.FLOAT), scale)
    else:
        x = graph.add("Gather", graph.constant(table), "tokens", axis=0)
    places = layers.tensor("embeddings.position_embedding.weight", (shape.tokens, shape.width))
    x = graph.add("Add", x, graph.constant(places[None]))
    for layer in range(shape.layers):
        x = layers.layer(graph, x, layer)
    last = graph.add("Gather", x, graph.constant(np.asarray([shape.tokens - 1], np.int64)), axis=1)
    x = layers.linear(
        graph, layers.norm(graph, last, "final_layer_norm"), "head", shape.embedding, shape.width
    )
    graph.unit_length(graph.shape(x, 1, shape.embedding))
    given, made = {"tokens": (1, shape.tokens)}, (1, shape.embedding)
    graph.save(path, "text", given, "embedding", made, integers=True)
