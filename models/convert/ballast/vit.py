"""A ViT in the shape of SigLIP-B/16 at 384 pixels with a projector, random weights, int8."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from onnx import TensorProto
from onnxruntime.quantization import QuantType, quantize_dynamic

from models.convert.ballast.graph import RandomGraph


@dataclass(frozen=True)
class VitShape:
    """SigLIP-B/16-384 by default, projected to the decoder's width by two layers."""

    side: int = 384
    patch: int = 16
    width: int = 768
    hidden: int = 3072
    heads: int = 12
    layers: int = 12
    row_width: int = 896

    @property
    def tokens(self) -> int:
        """Rows per picture."""
        return (self.side // self.patch) ** 2


def write_vit(path: Path, shape: VitShape, seed: int = 2) -> None:
    """Write the int8 model: int8 weights, dynamically quantised activations."""
    full = path.with_name(path.name + ".fp32")
    write_vit_fp32(full, shape, seed)
    try:
        logging.getLogger().setLevel(logging.ERROR)
        quantize_dynamic(full, path, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])
    finally:
        full.unlink()


def write_vit_fp32(path: Path, shape: VitShape, seed: int = 2) -> None:
    """Write the float32 model: `pixels` [1, 3, side, side] -> `image_embeds` [1, tokens, row_width]."""
    g = RandomGraph(seed)
    n, w = shape.tokens, shape.width
    kernel = [shape.patch, shape.patch]
    patches = g.add("Conv", "pixels", g.random(w, 3, *kernel), kernel_shape=kernel, strides=kernel)
    rows = g.add("Transpose", g.add("Reshape", patches, g.ints(1, w, n)), perm=[0, 2, 1])
    x = g.add("Add", rows, g.random(1, n, w))
    for _ in range(shape.layers):
        x = g.add("Add", x, g.attention(g.norm(x, w), n, w, shape.heads))
        up = g.add("Gelu", g.linear(g.norm(x, w), w, shape.hidden), approximate="tanh")
        x = g.add("Add", x, g.linear(up, shape.hidden, w))
    hidden = g.add("Gelu", g.linear(g.norm(x, w), w, shape.row_width), approximate="tanh")
    g.linear(hidden, shape.row_width, shape.row_width)
    pixels = {"pixels": (TensorProto.FLOAT, [1, 3, shape.side, shape.side])}
    g.save(path, pixels, "image_embeds", [1, n, shape.row_width])
