"""Encoders with random weights, each as a chain of graphs and as one graph, and a text tower: numpy only."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from models.convert.vision.onnx_graph import OPSET, OnnxGraph
from models.pack.catalogue import seal
from models.pack.chain import ROWS, STEM, exit_key, group_key

WORDS = ("", "?", "a", "blue", "cup", "on", "red", "table", "the")
PHRASE_WORDS = 6


@dataclass(frozen=True)
class ChainShape:
    """Sizes of an encoder. groups: blocks in each; exits: numbers of the groups with an exit; strides: of the
    stem's convolutions, whose product divides the side into the cells of the activation.
    """

    side_px: int = 32
    strides: tuple[int, ...] = (2, 2, 2)
    width: int = 16
    hidden: int = 32
    heads: int = 2
    groups: tuple[int, ...] = (1, 2, 1)
    exits: tuple[int, ...] = (1, 2, 3)
    row_width: int = 16
    embedding: int = 8

    @property
    def tokens(self) -> int:
        """Rows of an activation."""
        return (self.side_px // int(np.prod(self.strides))) ** 2


MICRO = ChainShape(192, (2, 2, 2, 3), 128, 256, 4, (1,) * 12, tuple(range(1, 13)), 128, 256)
"""Sizes of the micro pack's encoder."""
BALLAST = ChainShape(384, (16,), 768, 3072, 12, (1,) * 12, (1, 4, 8, 12), 896, 256)
"""SigLIP-B/16 at 384 pixels."""

Step = Callable[[OnnxGraph, str], str]


class Weights:
    """Random weights: those of a name are always the same."""

    def __init__(self, shape: ChainShape, seed: int = 1) -> None:
        self.shape = shape
        self._seed = seed

    def __call__(self, name: str, *size: int) -> NDArray[np.float32]:
        """Normally distributed, so that a layer preserves the size of its values."""
        random = np.random.default_rng([self._seed, *name.encode()])
        fan_in = int(np.prod(size[1:])) if len(size) > 1 else 16
        return (random.standard_normal(size, np.float32) / np.sqrt(fan_in)).astype(np.float32)

    def linear(self, graph: OnnxGraph, x: str, name: str, outputs: int, inputs: int) -> str:
        return graph.linear(x, self(f"{name} w", outputs, inputs), self(f"{name} b", outputs))

    def norm(self, graph: OnnxGraph, x: str, name: str) -> str:
        width = self.shape.width
        return graph.norm(x, 1 + 0.1 * self(f"{name} g", width), 0.1 * self(f"{name} s", width), 1e-6)

    def stem(self, graph: OnnxGraph, x: str) -> str:
        """Convolutions, the last to the encoder's width, and positions."""
        shape, channels = self.shape, 3
        for index, stride in enumerate(shape.strides):
            last = index == len(shape.strides) - 1
            outputs, kernel = (shape.width, stride) if last else (min(96, 32 * (index + 1)), 3)
            pads = [0] * 4 if last else [1] * 4
            weight = self(f"stem {index}", outputs, channels, kernel, kernel)
            x = graph.add(
                "Conv", x, graph.constant(weight), graph.constant(self(f"stem bias {index}", outputs)),
                kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads,
            )  # fmt: skip
            x = x if last else graph.add("Relu", x)
            channels = outputs
        x = graph.add("Transpose", graph.shape(x, 1, shape.width, shape.tokens), perm=[0, 2, 1])
        return graph.add("Add", x, graph.constant(self("place", 1, shape.tokens, shape.width)))

    def block(self, graph: OnnxGraph, x: str, name: str, tokens: int = 0) -> str:
        """Pre-norm self-attention and SiLU MLP."""
        shape = self.shape
        normed = self.norm(graph, x, f"{name} norm1")
        parts = [self.linear(graph, normed, f"{name} {part}", shape.width, shape.width) for part in "qkv"]
        depth = np.float32((shape.width // shape.heads) ** -0.5)
        parts[0] = graph.add("Mul", parts[0], graph.constant(depth))
        query, key, value = parts
        attended = graph.attention(query, key, value, tokens or shape.tokens, shape.heads, shape.width)
        x = graph.add("Add", x, self.linear(graph, attended, f"{name} out", shape.width, shape.width))
        normed = self.norm(graph, x, f"{name} norm2")
        up = self.linear(graph, normed, f"{name} up", shape.hidden, shape.width)
        active = graph.add("Mul", up, graph.add("Sigmoid", up))
        return graph.add("Add", x, self.linear(graph, active, f"{name} down", shape.width, shape.hidden))

    def group(self, graph: OnnxGraph, x: str, number: int) -> str:
        """The blocks of one group."""
        first = sum(self.shape.groups[: number - 1])
        for index in range(first, first + self.shape.groups[number - 1]):
            x = self.block(graph, x, f"block {index}")
        return x

    def exit(self, graph: OnnxGraph, x: str, name: str, queries: int = 4) -> str:
        """Attention pooling, projection, length 1."""
        shape = self.shape
        normed = self.norm(graph, x, f"{name} norm")
        key = graph.add(
            "Transpose", self.linear(graph, normed, f"{name} key", *[shape.width] * 2), perm=[0, 2, 1]
        )
        scores = graph.add("MatMul", graph.constant(self(f"{name} queries", queries, shape.width)), key)
        pooled = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), normed)
        flat = graph.shape(pooled, 1, queries * shape.width)
        out = self.linear(graph, flat, f"{name} out", shape.embedding, queries * shape.width)
        length = graph.add("ReduceL2", out, axes=[-1], keepdims=1)
        return graph.add("Div", out, length)

    def rows(self, graph: OnnxGraph, x: str) -> str:
        """Norm and projection to the decoder's width."""
        normed = self.norm(graph, x, "rows norm")
        return self.linear(graph, normed, "rows", self.shape.row_width, self.shape.width)


def save_graph(
    path: Path, source: tuple[str, Sequence[int]], steps: Sequence[Step], result: tuple[str, Sequence[int]]
) -> None:
    """A graph of one input and one output, each a name with its shape."""
    graph, x = OnnxGraph(), source[0]
    for step in steps:
        x = step(graph, x)
    graph.save(path, path.stem, {source[0]: source[1]}, *result)


def write_chain(folder: Path, shape: ChainShape, seed: int = 1) -> dict[str, str]:
    """The files of the chain by key, with paths relative to the folder; beside them `whole.onnx`, one graph
    from pixels to rows.
    """
    weights = Weights(shape, seed)
    pixels = ("pixels", (1, 3, shape.side_px, shape.side_px))
    activation, rows = (1, shape.tokens, shape.width), (1, shape.tokens, shape.row_width)

    def group(number: int) -> Step:
        return lambda graph, x: weights.group(graph, x, number)

    def leave(number: int) -> Step:
        return lambda graph, x: weights.exit(graph, x, f"exit {number}")

    groups = [group(number + 1) for number in range(len(shape.groups))]
    graphs: dict[str, Any] = {STEM: (pixels, [weights.stem], ("activation", activation))}
    for number, step in enumerate(groups, 1):
        graphs[group_key(number)] = (("activation", activation), [step], ("deeper", activation))
    graphs[ROWS] = (("activation", activation), [weights.rows], ("image_embeds", rows))
    for number in shape.exits:
        result = ("embedding", (1, shape.embedding))
        graphs[exit_key(number)] = (("activation", activation), [leave(number)], result)
    folder.mkdir(parents=True, exist_ok=True)
    for key, parts in graphs.items():
        save_graph(folder / f"{key}.onnx", *parts)
    whole = [weights.stem, *groups, weights.rows]
    save_graph(folder / "whole.onnx", pixels, whole, ("image_embeds", rows))
    return {key: f"{key}.onnx" for key in graphs}


def write_text_tower(folder: Path, shape: ChainShape, seed: int = 1) -> None:
    """`text.onnx`, int64 [1, 6] -> [1, embedding], and `text.json`."""
    weights, graph = Weights(shape, seed), OnnxGraph()
    table = graph.constant(weights("words", len(WORDS), shape.width))
    x = weights.block(graph, graph.add("Gather", table, "tokens"), "text", PHRASE_WORDS)
    weights.exit(graph, x, "text exit")
    graph.nodes[-1].output[0] = "embedding"
    proto = helper.make_graph(
        graph.nodes, "text",
        [helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, PHRASE_WORDS])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, shape.embedding])],
        graph.constants,
    )  # fmt: skip
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.save(model, folder / "text.onnx")
    (folder / "text.json").write_text(json.dumps({"length": PHRASE_WORDS, "words": WORDS}))


def write_pack(folder: Path, shape: ChainShape | None = None, *, seed: int = 1, settings: str = "") -> Path:
    """A sealed pack of this encoder as a chain, and of its text tower. settings: more lines of the vision
    brick's settings.
    """
    shape = shape or ChainShape()
    chain = write_chain(folder, shape, seed)
    write_text_tower(folder, shape, seed)
    files = [*chain.values(), "text.onnx", "text.json"]
    listed = "".join(f'[[file]]\npath = "{name}"\nlicence = "MIT"\n\n' for name in files)
    named = ", ".join(f'{key} = "{name}"' for key, name in chain.items())
    (folder / "pack.toml").write_text(
        f'name = "cut"\nversion = "{seed}"\n\n{listed}'
        f'[brick.vision]\nruntime = "onnxruntime"\nmemory_mib = 30\nfiles = {{ {named} }}\n'
        f"[brick.vision.settings]\ntokens = {shape.tokens}\nwidth = {shape.row_width}\n"
        f"activation_width = {shape.width}\nside_px = {shape.side_px}\ngroups = {list(shape.groups)}\n"
        f"embedding = {shape.embedding}\n{settings}\n"
        '[brick.text]\nruntime = "onnxruntime-text"\nmemory_mib = 20\n'
        'files = { model = "text.onnx", words = "text.json" }\n'
    )
    seal(folder)
    return folder


def weights_of(path: Path) -> dict[str, NDArray[Any]]:
    """The stored tensors of a graph by name."""
    return {each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer}
