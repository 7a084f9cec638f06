"""Writes a SigLIP encoder and its projector as ONNX with fixed shapes, whole or in pieces.

Whole: `pixels` [1, 3, side, side] -> `image_embeds` [1, tokens, width of the decoder].
Pieces: `stem.onnx` (pixels to patch rows), `layer-00.onnx` ... (rows to rows) and `head.onnx` (rows to
`image_embeds`), which run one after the other; rows are [1, patches, width of the encoder].
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.convert.checkpoint.folder import Checkpoint
from models.convert.checkpoint.shapes import ModelShape
from models.convert.vision.onnx_graph import OnnxGraph

_LAYER = "vision.encoder.layers"


class VisionWriter:
    """A checkpoint's encoder. Raises ConvertError for a missing tensor or a wrong shape."""

    def __init__(self, checkpoint: Checkpoint, shape: ModelShape) -> None:
        self._from = checkpoint
        self._shape = shape
        self._pixels = {"pixels": (1, 3, shape.vision.side, shape.vision.side)}
        self._rows = (1, shape.vision.grid**2, shape.vision.width)
        self._embeds = (1, shape.tokens, shape.projector.width)

    def write_whole(self, path: Path) -> None:
        """The graph that the vision brick runs."""
        graph = OnnxGraph()
        x = self._stem(graph, "pixels")
        for layer in range(self._shape.vision.layers):
            x = self._layer(graph, x, layer)
        self._head(graph, x)
        graph.save(path, "vision", self._pixels, "image_embeds", self._embeds)

    def write_pieces(self, folder: Path) -> tuple[Path, ...]:
        """One file per stage, in the order in which they follow each other."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / "stem.onnx"]
        graph = OnnxGraph()
        self._stem(graph, "pixels")
        graph.save(paths[0], "stem", self._pixels, "rows", self._rows)
        for layer in range(self._shape.vision.layers):
            paths.append(folder / f"layer-{layer:02d}.onnx")
            graph = OnnxGraph()
            self._layer(graph, "before", layer)
            graph.save(paths[-1], f"layer {layer}", {"before": self._rows}, "rows", self._rows)
        paths.append(folder / "head.onnx")
        graph = OnnxGraph()
        self._head(graph, "before")
        graph.save(paths[-1], "head", {"before": self._rows}, "image_embeds", self._embeds)
        return tuple(paths)

    def _stem(self, graph: OnnxGraph, x: str) -> str:
        vision, get = self._shape.vision, self._from.tensor
        kernel = get(
            "vision.embeddings.patch_embedding.weight", (vision.width, 3, vision.patch, vision.patch)
        )
        bias = get("vision.embeddings.patch_embedding.bias", (vision.width,))
        places = get("vision.embeddings.position_embedding.weight", self._rows[1:])
        sizes = [vision.patch, vision.patch]
        x = graph.add(
            "Conv", x, graph.constant(kernel), graph.constant(bias), kernel_shape=sizes, strides=sizes
        )
        x = graph.add("Transpose", graph.shape(x, 1, vision.width, self._rows[1]), perm=[0, 2, 1])
        return graph.add("Add", x, graph.constant(places[None]))

    def _linear(
        self, graph: OnnxGraph, x: str, name: str, outputs: int, inputs: int, scale: float = 1
    ) -> str:
        weight = self._from.tensor(f"{name}.weight", (outputs, inputs)) * np.float32(scale)
        bias = self._from.tensor(f"{name}.bias", (outputs,)) * np.float32(scale)
        return graph.linear(x, weight, bias)

    def _norm(self, graph: OnnxGraph, x: str, name: str) -> str:
        vision = self._shape.vision
        gain = self._from.tensor(f"{name}.weight", (vision.width,))
        return graph.norm(x, gain, self._from.tensor(f"{name}.bias", (vision.width,)), vision.epsilon)

    def _layer(self, graph: OnnxGraph, x: str, index: int) -> str:
        vision, name = self._shape.vision, f"{_LAYER}.{index}"
        normed, width = self._norm(graph, x, f"{name}.layer_norm1"), vision.width
        scale = (width // vision.heads) ** -0.5
        query, key, value = (
            self._linear(graph, normed, f"{name}.self_attn.{part}_proj", width, width, factor)
            for part, factor in (("q", scale), ("k", 1.0), ("v", 1.0))
        )
        mixed = graph.attention(query, key, value, self._rows[1], vision.heads, width)
        x = graph.add("Add", x, self._linear(graph, mixed, f"{name}.self_attn.out_proj", width, width))
        normed = self._norm(graph, x, f"{name}.layer_norm2")
        up = self._linear(graph, normed, f"{name}.mlp.fc1", vision.hidden, width)
        active = graph.gelu(up, tanh=vision.activation == "gelu_pytorch_tanh")
        return graph.add("Add", x, self._linear(graph, active, f"{name}.mlp.fc2", width, vision.hidden))

    def _head(self, graph: OnnxGraph, x: str) -> str:
        vision, projector = self._shape.vision, self._shape.projector
        if vision.final_norm:
            x = self._norm(graph, x, "vision.post_layernorm")
        if projector.layers == 1:
            x = self._shuffled(graph, x)
            inputs = vision.width * projector.shuffle**2
            weight = self._from.tensor("projector.weight", (projector.width, inputs))
            x = graph.linear(x, weight, None)
        elif projector.layers == 2:
            x = self._linear(graph, x, "projector.linear_1", projector.width, vision.width)
            x = graph.gelu(x, tanh=projector.activation == "gelu_pytorch_tanh")
            x = self._linear(graph, x, "projector.linear_2", projector.width, projector.width)
        if projector.newline:
            row = self._from.tensor("projector.image_newline", (projector.width,))
            x = graph.add("Concat", x, graph.constant(row[None, None]), axis=1)
        return x

    def _shuffled(self, graph: OnnxGraph, x: str) -> str:
        """Squares of patches become one row each (space to depth), as SmolVLM's pixel shuffle orders them."""
        vision, by = self._shape.vision, self._shape.projector.shuffle
        side, width = vision.grid // by, vision.width * by
        x = graph.shape(x, 1, vision.grid, side, width)
        x = graph.add("Transpose", x, perm=[0, 2, 1, 3])
        x = graph.shape(x, 1, side, side, width * by)
        x = graph.add("Transpose", x, perm=[0, 2, 1, 3])
        return graph.shape(x, 1, side**2, width * by)
