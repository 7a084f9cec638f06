"""Writes a SigLIP encoder and its projector as ONNX with fixed shapes, whole or as a chain of graphs.

Whole: `pixels` [1, 3, side, side] -> `image_embeds` [1, tokens, width of the decoder].
Chain: `stem.onnx` (pixels to patch rows), `group_01.onnx` ... (rows to rows, through some layers each) and
`rows.onnx` (rows to `image_embeds`), which run one after the other; rows are [1, patches, width of the
encoder]. `exit.onnx` (rows to `embedding` [1, width], of length one) takes the rows after any group.
"""

from __future__ import annotations

from pathlib import Path

from models.convert.checkpoint.folder import Checkpoint
from models.convert.checkpoint.shapes import ModelShape
from models.convert.vision.chain_plan import ChainPlan
from models.convert.vision.onnx_graph import OnnxGraph
from models.convert.vision.siglip_layers import LayerWriter
from models.pack.chain import ROWS, STEM, group_key


class VisionWriter:
    """A checkpoint's encoder. Raises ConvertError for a missing tensor or a wrong shape."""

    def __init__(self, checkpoint: Checkpoint, shape: ModelShape) -> None:
        self._from = checkpoint
        self._shape = shape
        self._pixels = {"pixels": (1, 3, shape.vision.side, shape.vision.side)}
        self._rows = (1, shape.vision.grid**2, shape.vision.width)
        self._embeds = (1, shape.tokens, shape.projector.width)
        self._layers = LayerWriter(checkpoint, "vision", shape.vision, self._rows[1])

    def write_whole(self, path: Path) -> None:
        """The encoder and projector as one graph."""
        graph = OnnxGraph()
        x = self._stem(graph, "pixels")
        for layer in range(self._shape.vision.layers):
            x = self._layers.layer(graph, x, layer)
        self._last(graph, x)
        graph.save(path, "vision", self._pixels, "image_embeds", self._embeds)

    def write_chain(self, plan: ChainPlan, folder: Path) -> dict[str, Path]:
        """One file for each of the plan's graphs; the files by the graphs' names."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = {piece: folder / f"{piece}.onnx" for piece in plan.all_pieces}
        before = {"before": self._rows}
        graph = OnnxGraph()
        self._stem(graph, "pixels")
        graph.save(paths[STEM], "stem", self._pixels, "rows", self._rows)
        for number, layers in enumerate(plan.group_layers, start=1):
            graph, x = OnnxGraph(), "before"
            for layer in layers:
                x = self._layers.layer(graph, x, layer)
            graph.save(paths[group_key(number)], f"group {number}", before, "rows", self._rows)
        graph = OnnxGraph()
        self._last(graph, "before")
        graph.save(paths[ROWS], "rows", before, "image_embeds", self._embeds)
        if plan.exits:
            graph = OnnxGraph()
            self._exit(graph, "before")
            graph.save(paths["exit"], "exit", before, "embedding", (1, self._shape.vision.width))
        return paths

    def _stem(self, graph: OnnxGraph, x: str) -> str:
        vision, get = self._shape.vision, self._layers.tensor
        stored, sizes = "embeddings.patch_embedding.weight", [vision.patch, vision.patch]
        if vision.flat_patches:  # one row of pixels after the other, each with its three channels together
            flat = get(stored, (vision.width, vision.patch**2 * 3))
            kernel = flat.reshape(vision.width, vision.patch, vision.patch, 3).transpose(0, 3, 1, 2)
        else:
            kernel = get(stored, (vision.width, 3, vision.patch, vision.patch))
        bias = get("embeddings.patch_embedding.bias", (vision.width,))
        places = get("embeddings.position_embedding.weight", self._rows[1:])
        x = graph.add(
            "Conv", x, graph.constant(kernel), graph.constant(bias), kernel_shape=sizes, strides=sizes
        )
        x = graph.add("Transpose", graph.shape(x, 1, vision.width, self._rows[1]), perm=[0, 2, 1])
        return graph.add("Add", x, graph.constant(places[None]))

    def _exit(self, graph: OnnxGraph, x: str) -> str:
        """The head that pools the rows after the last layer, applied to those after any layer."""
        pooled = self._layers.pooled(graph, self._layers.norm(graph, x, "post_layernorm"))
        return graph.unit_length(graph.shape(pooled, 1, self._shape.vision.width))

    def _last(self, graph: OnnxGraph, x: str) -> str:
        vision, projector = self._shape.vision, self._shape.projector
        if vision.final_norm:
            x = self._layers.norm(graph, x, "post_layernorm")
        if projector.layers == 1:
            x = self._shuffled(graph, x)
            inputs = vision.width * projector.shuffle**2
            weight = self._from.tensor("projector.weight", (projector.width, inputs))
            x = graph.linear(x, weight, None)
        elif projector.layers == 2:
            x = self._projected(graph, x, "projector.linear_1", vision.width)
            x = graph.gelu(x, tanh=projector.activation == "gelu_pytorch_tanh")
            x = self._projected(graph, x, "projector.linear_2", projector.width)
        if projector.newline:
            row = self._from.tensor("projector.image_newline", (projector.width,))
            x = graph.add("Concat", x, graph.constant(row[None, None]), axis=1)
        return x

    def _projected(self, graph: OnnxGraph, x: str, name: str, inputs: int) -> str:
        outputs = self._shape.projector.width
        weight = self._from.tensor(f"{name}.weight", (outputs, inputs))
        return graph.linear(x, weight, self._from.tensor(f"{name}.bias", (outputs,)))

    def _shuffled(self, graph: OnnxGraph, x: str) -> str:
        """Squares of patches become one row each (space to depth), as SmolVLM's pixel shuffle orders them."""
        vision, by = self._shape.vision, self._shape.projector.shuffle
        side, width = vision.grid // by, vision.width * by
        x = graph.shape(x, 1, vision.grid, side, width)
        x = graph.add("Transpose", x, perm=[0, 2, 1, 3])
        x = graph.shape(x, 1, side, side, width * by)
        x = graph.add("Transpose", x, perm=[0, 2, 1, 3])
        return graph.shape(x, 1, side**2, width * by)
