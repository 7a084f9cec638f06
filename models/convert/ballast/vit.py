"""A ViT in the shape of SigLIP-B/16 at 384 pixels with a projector, random weights, int8: as one graph, or as
a chain of graphs with an exit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from onnx import TensorProto
from onnxruntime.quantization import QuantType, quantize_dynamic

from models.convert.ballast.graph import RandomGraph
from models.pack.chain import ROWS, STEM, group_key

EXIT = "exit"


@dataclass(frozen=True)
class VitShape:
    """SigLIP-B/16-384 by default, projected to the decoder's width by two layers. groups: blocks in each
    graph of the chain.
    """

    side: int = 384
    patch: int = 16
    width: int = 768
    hidden: int = 3072
    heads: int = 12
    layers: int = 12
    row_width: int = 896
    groups: tuple[int, ...] = (2, 2, 2, 2, 2, 2)

    @property
    def tokens(self) -> int:
        """Rows per picture."""
        return (self.side // self.patch) ** 2

    @property
    def pieces(self) -> tuple[str, ...]:
        """The graphs of the chain."""
        return (STEM, *(group_key(number) for number in range(1, len(self.groups) + 1)), ROWS, EXIT)


def write_int8(path: Path, write: Callable[[Path], None]) -> None:
    """The graph that `write` makes in float32, with int8 weights and dynamically quantised activations."""
    full = path.with_name(path.name + ".fp32")
    write(full)
    try:
        logging.getLogger().setLevel(logging.ERROR)
        quantize_dynamic(full, path, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])
    finally:
        full.unlink()


def write_vit_fp32(path: Path, shape: VitShape, seed: int = 2) -> None:
    """Write the float32 model: `pixels` [1, 3, side, side] -> `image_embeds` [1, tokens, row_width]."""
    g = RandomGraph(seed)
    x = _stem(g, "pixels", shape)
    for _ in range(shape.layers):
        x = block(g, x, shape.tokens, shape.width, shape.hidden, shape.heads)
    _rows(g, x, shape)
    pixels = {"pixels": (TensorProto.FLOAT, [1, 3, shape.side, shape.side])}
    g.save(path, pixels, "image_embeds", [1, shape.tokens, shape.row_width])


def write_piece_fp32(path: Path, shape: VitShape, piece: str, seed: int = 2) -> None:
    """Write one graph of the chain in float32; every piece has weights of its own."""
    number = shape.pieces.index(piece)
    g = RandomGraph(100 * seed + number)
    activation = [1, shape.tokens, shape.width]
    before = {"before": (TensorProto.FLOAT, activation)}
    if piece == STEM:
        _stem(g, "pixels", shape)
        pixels = {"pixels": (TensorProto.FLOAT, [1, 3, shape.side, shape.side])}
        g.save(path, pixels, "activation", activation)
    elif piece == ROWS:
        _rows(g, "before", shape)
        g.save(path, before, "image_embeds", [1, shape.tokens, shape.row_width])
    elif piece == EXIT:
        _exit(g, "before", shape)
        g.save(path, before, "embedding", [1, shape.width])
    else:
        x = "before"
        for _ in range(shape.groups[number - 1]):
            x = block(g, x, shape.tokens, shape.width, shape.hidden, shape.heads)
        g.save(path, before, "activation", activation)


def block(g: RandomGraph, x: str, tokens: int, width: int, hidden: int, heads: int) -> str:
    """One transformer layer."""
    x = g.add("Add", x, g.attention(g.norm(x, width), tokens, width, heads))
    return g.add("Add", x, _mlp(g, g.norm(x, width), width, hidden))


def _mlp(g: RandomGraph, x: str, width: int, hidden: int) -> str:
    up = g.add("Gelu", g.linear(x, width, hidden), approximate="tanh")
    return g.linear(up, hidden, width)


def _stem(g: RandomGraph, x: str, shape: VitShape) -> str:
    n, w, kernel = shape.tokens, shape.width, [shape.patch, shape.patch]
    patches = g.add("Conv", x, g.random(w, 3, *kernel), kernel_shape=kernel, strides=kernel)
    rows = g.add("Transpose", g.add("Reshape", patches, g.ints(1, w, n)), perm=[0, 2, 1])
    return g.add("Add", rows, g.random(1, n, w))


def _rows(g: RandomGraph, x: str, shape: VitShape) -> str:
    normed = g.norm(x, shape.width)
    hidden = g.add("Gelu", g.linear(normed, shape.width, shape.row_width), approximate="tanh")
    return g.linear(hidden, shape.row_width, shape.row_width)


def _exit(g: RandomGraph, x: str, shape: VitShape) -> str:
    """Attention pooling by one learned query and an MLP, of length one."""
    n, w, heads = shape.tokens, shape.width, shape.heads
    depth, normed = w // heads, g.norm(x, w)
    # Shaped by a node, as the converter's query is: int8 would take a stored one for a matrix of weights.
    query = g.add("Reshape", g.random(1, w, gain=w**-0.5), g.ints(1, heads, 1, depth))
    key, value = (
        g.add("Transpose", g.add("Reshape", g.linear(normed, w, w), g.ints(1, n, heads, depth)), perm=order)
        for order in ([0, 2, 3, 1], [0, 2, 1, 3])
    )
    shares = g.add("Softmax", g.add("MatMul", query, key), axis=-1)
    pooled = g.linear(g.add("Reshape", g.add("MatMul", shares, value), g.ints(1, w)), w, w)
    return unit_length(g, g.add("Add", pooled, _mlp(g, g.norm(pooled, w), w, shape.hidden)))


def unit_length(g: RandomGraph, x: str) -> str:
    """[n, width] divided by the root of its sum of squares."""
    squares = g.add("ReduceSum", g.add("Mul", x, x), g.ints(-1), keepdims=1)
    return g.add("Div", x, g.add("Sqrt", squares))
