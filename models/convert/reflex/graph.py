"""Writes the network that answers closed questions about a picture: `front.onnx`, `layer_1.onnx`, ...

front: `words` int64 [1, t] (1 <= t <= 24, no padding), `rows` float32 [1, n, row width] -> `words_out`
[1, t, W], `image` [1, n, W], `answerable` [1] (probability), `causes` [1, C] (probabilities).
layer: `words` [1, t, W], `image` [1, m, W] -> `words_out` [1, t, W], `image_out` [1, m, W] (for the next
layer; not of the last), `saliency` [1, m], `entropy` [1, H], `score` [1], `answers` [1, A] (logits of the
forms, then of every blank). t, n and m are dynamic; all but `words` of the front are float32.

What a layer makes of an image row depends on that row and the words only, so the graph of the next layer
computes it (`read` and `image` of the layer before): rows that are pruned in between, and those of a question
that has left, cost nothing.

The mechanisms are MobiVQA's (SenSys 2022): V1 answerable after the unimodal encoders, V3 exit on attention
entropy, V4 question-aware pruning. Here the image rows of V1 are pooled by learned queries and by queries
that the question makes, per head, and the exit score reads the probability of each whole sentence too.
- saliency of an image row: mean over the heads, sum over the words, of the words' attention to it (`look`).
- entropy of a head: of the words' attention to the image rows, mean over the words, as a share of log(m).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import TensorProto

from models.convert.reflex.weights import LONGEST_WORDS, ODDS_FROM, ReflexShape, ReflexWeights
from models.convert.vision.onnx_graph import EIGHT_BIT_BLOCK, OnnxGraph

__all__ = ["FRONT", "LONGEST_WORDS", "ReflexShape", "ReflexWeights", "layer_name", "write_reflex"]

FRONT = "front.onnx"
EPSILON = 1e-5
"""Of every norm."""
_LARGE = 2**14
"""Weights of a matrix that is stored in 8 bits where those are wanted."""


def layer_name(layer: int) -> str:
    """File of a cross-modal layer. layer: from 1."""
    return f"layer_{layer}.onnx"


def write_reflex(folder: Path, weights: ReflexWeights, *, eight_bits: bool = False) -> tuple[Path, ...]:
    """Write the front and every layer to `folder`, which exists. Returns the files, in the order they run.
    eight_bits: of the weights of the layers' large matrices. Where few image rows go on, a layer's time is
    that of reading its weights.
    """
    paths = [folder / FRONT]
    _front(_Writer(weights), paths[0])
    for layer in range(1, weights.shape.layers + 1):
        paths.append(folder / layer_name(layer))
        _layer(_Writer(weights, eight_bits=eight_bits), layer, paths[-1])
    return tuple(paths)


class _Writer(OnnxGraph):
    """Parts of the network by the names of their arrays."""

    def __init__(self, weights: ReflexWeights, *, eight_bits: bool = False) -> None:
        super().__init__()
        self.weights, self.size, self.eight_bits = weights, weights.shape, eight_bits

    def named_linear(self, x: str, name: str) -> str:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        large = weight.size >= _LARGE and weight.shape[1] % EIGHT_BIT_BLOCK == 0
        return (self.linear_in_8_bits if self.eight_bits and large else self.linear)(x, weight, bias)

    def named_norm(self, x: str, name: str) -> str:
        return self.norm(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], EPSILON)

    def ints(self, *values: int) -> str:
        return self.constant(np.asarray(values, np.int64))

    def split(self, x: str, *sizes: int) -> list[str]:
        """Parts of the last axis."""
        ends = np.cumsum(sizes)
        return [
            self.add("Slice", x, self.ints(int(end) - size), self.ints(int(end)), self.ints(-1))
            for end, size in zip(ends, sizes, strict=True)
        ]

    def by_head(self, x: str, order: list[int]) -> str:
        """[1, n, width] -> [1, n, heads, depth], transposed."""
        heads = self.size.heads
        return self.add("Transpose", self.shape(x, 1, -1, heads, self.size.width // heads), perm=order)

    def attend(self, query: str, key: str, value: str) -> tuple[str, str]:
        """Mixed rows [1, queries, width] and shares [1, heads, queries, keys]."""
        scale = self.constant(np.float32((self.size.width // self.size.heads) ** -0.5))
        parts = self.by_head(self.add("Mul", query, scale), [0, 2, 1, 3]), self.by_head(key, [0, 2, 3, 1])
        shares = self.add("Softmax", self.add("MatMul", *parts), axis=-1)
        mixed = self.add("MatMul", shares, self.by_head(value, [0, 2, 1, 3]))
        return self.shape(self.add("Transpose", mixed, perm=[0, 2, 1, 3]), 1, -1, self.size.width), shares

    def own(self, x: str, name: str) -> str:
        """Self-attention, added."""
        w = self.size.width
        parts = self.split(self.named_linear(self.named_norm(x, f"{name}.norm"), f"{name}.qkv"), w, w, w)
        mixed, _ = self.attend(*parts)
        return self.add("Add", x, self.named_linear(mixed, f"{name}.out"))

    def cross(self, x: str, source: str, name: str) -> tuple[str, str]:
        """Attention of `x` to `source`, added, and its shares."""
        w = self.size.width
        query = self.named_linear(self.named_norm(x, f"{name}.norm"), f"{name}.query")
        rows = self.named_linear(self.named_norm(source, f"{name}.source_norm"), f"{name}.key_value")
        mixed, shares = self.attend(query, *self.split(rows, w, w))
        return self.add("Add", x, self.named_linear(mixed, f"{name}.out")), shares

    def mlp(self, x: str, name: str) -> str:
        """Added."""
        up = self.named_linear(self.named_norm(x, f"{name}.norm"), f"{name}.up")
        return self.add("Add", x, self.named_linear(self.gelu(up, tanh=False), f"{name}.down"))

    def pool(self, x: str, scores: str) -> str:
        """Rows [1, n, width] by scores [1, n, heads] -> [1, width]: each head pools its part of a row."""
        shares = self.add("Transpose", self.add("Softmax", scores, axis=1), perm=[0, 2, 1])
        rows = self.by_head(x, [0, 2, 1, 3])
        shares = self.add("Unsqueeze", shares, self.ints(2))
        return self.shape(self.add("MatMul", shares, rows), 1, self.size.width)


def _front(g: _Writer, path: Path) -> None:
    weights, shape = g.weights, g.size
    count = g.add("Slice", g.add("Shape", "words"), g.ints(1), g.ints(2))
    places = g.add("Slice", g.constant(weights["words.place"]), g.ints(0), count, g.ints(0))
    words = g.add("Add", g.add("Gather", g.constant(weights["words.embed.weight"]), "words"), places)
    for block in range(shape.blocks):
        words = g.mlp(g.own(words, f"words.blocks.{block}.own"), f"words.blocks.{block}.mlp")
    words = g.named_norm(words, "words.norm")
    image = g.named_norm(g.named_linear("rows", "image.project"), "image.norm")
    answerable, causes = _answerable(g, words, image)
    w = shape.width
    g.save_outputs(
        path,
        "reflex front",
        {
            "words": (TensorProto.INT64, [1, "t"]),
            "rows": (TensorProto.FLOAT, [1, "n", shape.row_width]),
        },
        {
            "words_out": (words, [1, "t", w]),
            "image": (image, [1, "n", w]),
            "answerable": (answerable, [1]),
            "causes": (causes, [1, shape.causes]),
        },
    )


def _answerable(g: _Writer, words: str, image: str) -> tuple[str, str]:
    """V1: probability that the question can be answered, and of each cause why not."""
    depth = g.size.width // g.size.heads
    asked = g.pool(words, g.named_linear(words, "answerable.pool_words"))
    queries = g.shape(g.named_linear(asked, "answerable.ask"), 1, g.size.heads, depth, 1)
    match = g.add("MatMul", g.by_head(image, [0, 2, 1, 3]), queries)
    match = g.add("Transpose", g.add("Squeeze", match, g.ints(3)), perm=[0, 2, 1])
    match = g.add("Mul", match, g.constant(np.float32(depth**-0.5)))
    seen = g.pool(image, g.add("Add", g.named_linear(image, "answerable.pool_image"), match))
    q, v = (
        g.add("Relu", g.named_linear(part, f"answerable.{name}"))
        for part, name in ((asked, "words"), (seen, "image"))
    )
    product = g.add("Mul", q, v)
    answerable = g.add("Sigmoid", g.shape(g.named_linear(product, "answerable.answerable"), 1))
    return answerable, g.add("Softmax", g.named_linear(product, "answerable.causes"), axis=-1)


def _layer(g: _Writer, layer: int, path: Path) -> None:
    shape, name, image = g.size, f"layers.{layer - 1}", "image"
    if layer > 1:
        image, _ = g.cross(image, "words", f"layers.{layer - 2}.read")
        image = g.mlp(image, f"layers.{layer - 2}.image")
    words, shares = g.cross(g.own("words", f"{name}.own"), image, f"{name}.look")
    words = g.mlp(words, f"{name}.words")
    outputs: dict[str, tuple[str, list[int | str]]] = {"words_out": (words, [1, "t", shape.width])}
    if layer < shape.layers:
        outputs["image_out"] = (image, [1, "m", shape.width])
    over_words = g.add("ReduceSum", shares, g.ints(2), keepdims=0)
    outputs["saliency"] = (g.add("ReduceMean", over_words, axes=[1], keepdims=0), [1, "m"])
    entropy = _entropy(g, shares)
    outputs["entropy"] = (entropy, [1, shape.heads])
    normed = g.named_norm(words, f"{name}.head.norm")
    pooled = g.pool(normed, g.named_linear(normed, f"{name}.head.pool"))
    hidden = g.gelu(g.named_linear(pooled, f"{name}.head.hidden"), tanh=False)
    answers = g.named_linear(hidden, f"{name}.head.answers")
    outputs["score"] = (_score(g, entropy, answers, name), [1])
    outputs["answers"] = (answers, [1, shape.answers])
    g.save_outputs(
        path,
        f"reflex layer {layer}",
        {
            "words": (TensorProto.FLOAT, [1, "t", shape.width]),
            "image": (TensorProto.FLOAT, [1, "m", shape.width]),
        },
        outputs,
    )


def _entropy(g: _Writer, shares: str) -> str:
    """Of shares [1, heads, words, m]: [1, heads], a share of log(m); of one image row 0."""
    least = g.constant(np.float32(1e-9))
    each = g.add("Mul", shares, g.add("Log", g.add("Max", shares, least)))
    total = g.add("ReduceMean", g.add("ReduceSum", each, g.ints(3), keepdims=0), axes=[2], keepdims=0)
    rows = g.add("Cast", g.add("Slice", g.add("Shape", shares), g.ints(3), g.ints(4)), to=TensorProto.FLOAT)
    most = g.add("Log", g.add("Max", rows, g.constant(np.float32(2))))
    return g.add("Neg", g.add("Div", total, most))


def _score(g: _Writer, entropy: str, answers: str, name: str) -> str:
    """V3: sigmoid(w1 . entropy + w2 . probabilities + w3 log odds of the likeliest sentence + b)."""
    shape = g.size
    parts = [g.add("Softmax", part, axis=-1) for part in g.split(answers, *shape.groups)]
    whole = parts[0]
    if shape.blanks:
        likeliest = g.add(
            "Concat", *(g.add("ReduceMax", part, axes=[1], keepdims=1) for part in parts[1:]), axis=-1
        )
        has = np.zeros((len(shape.blanks), shape.forms), np.float32)
        for form, blanks in enumerate(shape.blanks_of_form):
            has[list(blanks), form] = 1
        values = g.add("Exp", g.add("MatMul", g.add("Log", likeliest), g.constant(has)))
        whole = g.add("Mul", whole, values)
    most = g.add("ReduceMax", whole, axes=[1], keepdims=1)
    bounds = (g.constant(np.float32(bound)) for bound in (ODDS_FROM, 1 - ODDS_FROM))
    likeliest = g.add("Clip", most, *bounds)
    against = g.add("Sub", g.constant(np.ones(1, np.float32)), likeliest)
    odds = g.add("Sub", g.add("Log", likeliest), g.add("Log", against))
    features = g.add("Concat", entropy, *parts, whole, odds, axis=-1)
    return g.add("Sigmoid", g.shape(g.named_linear(features, f"{name}.score"), 1))
