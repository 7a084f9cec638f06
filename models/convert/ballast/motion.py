"""The motion brick in true shapes with random weights: it costs what a trained one costs, and knows nothing.

The network is that of the micro pack (`models.train.motion`), on the activations of another encoder: shifted
groups of channels and gated differences, where the content of each cell was, the same with the turn of the
head taken out, mixing in space, a question that looks at all cells, two dilated convolutions along time,
squeeze and excitation, attention over time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from models.bricks.motion import SHIFTS, TURNS
from models.convert.ballast.graph import RandomGraph
from models.pack.motion_files import ClipLabels, unit_key

ANSWER, LABELS = "answer.onnx", "labels.json"
_NEIGHBOURS = ("earlier", "before", "now", "after")


@dataclass(frozen=True)
class MotionShape:
    """tokens, width: of the encoder's activations, tokens a square number; the rest are the micro pack's
    sizes.
    """

    tokens: int
    width: int
    cells_width: int = 64
    looks: int = 4
    time_width: int = 96
    hidden: int = 192
    measures: int = 4
    key_width: int = 16


def unit_file(depth: int) -> str:
    """Name of the graph for units after so many blocks."""
    return f"{unit_key(depth)}.onnx"


def write_unit(path: Path, shape: MotionShape, seed: int) -> None:
    """Writes the graph for units: four neighbours, float32 [n, tokens, width] each, and `shifts` [n, 2, 3] ->
    `features` [n, tokens, cells_width].
    """
    g, wide = RandomGraph(seed), shape.cells_width
    project, bias = g.random(shape.width, wide), g.constant(np.zeros(wide, np.float32))
    earlier, before, now, after = (
        g.add("Add", g.add("MatMul", g.norm(each, shape.width), project), bias) for each in _NEIGHBOURS
    )
    quarter = wide // 4
    parts = (
        _slice(g, before, 0, quarter), _slice(g, after, quarter, 2 * quarter),
        _slice(g, now, 2 * quarter, wide),
    )  # fmt: skip
    differences = g.add("Concat", g.add("Sub", now, before), g.add("Sub", now, earlier), axis=2)
    gate = g.add("Sigmoid", g.linear(differences, 2 * wide, wide))
    changed = g.add("Mul", gate, g.linear(differences, 2 * wide, wide))
    cells = g.add("Add", g.add("Concat", *parts, axis=2), changed)
    came = _came(g, now, (before, earlier), shape)
    cells = g.add("Add", cells, g.linear(g.add("Concat", *came, axis=2), 10 * shape.measures, wide))
    cells = g.add("Add", cells, _steadied(g, now, (before, earlier), came, shape))
    cells = g.add("Add", cells, g.random(shape.tokens, wide))
    for _ in range(2):
        cells = _mixed(g, cells, shape)
    inputs: dict[str, tuple[int, list[int | str]]] = dict.fromkeys(
        _NEIGHBOURS, (TensorProto.FLOAT, ["n", shape.tokens, shape.width])
    )
    inputs[SHIFTS] = TensorProto.FLOAT, ["n", 2, 3]
    g.save(path, inputs, "features", ["n", shape.tokens, wide])


def _came(g: RandomGraph, now: str, others: Sequence[str], shape: MotionShape) -> list[str]:
    """By several measures, how far each cell has come from where its content was in each other unit."""
    tokens, measures, key_width = shape.tokens, shape.measures, shape.key_width
    places = _places(tokens)
    apart = g.constant(np.square(places[:, None] - places[None]).sum(2))
    scale, at = g.constant(np.float32(key_width**-0.5)), g.constant(places)
    query, key = (
        (g.random(shape.cells_width, measures * key_width), g.random(measures * key_width)) for _ in range(2)
    )
    heads = g.ints(-1, tokens, measures, key_width)
    asked = g.add("Reshape", g.add("Add", g.add("MatMul", now, query[0]), query[1]), heads)
    asked = g.add("Transpose", asked, perm=[0, 2, 1, 3])
    found = []
    for other in others:
        told = g.add("Reshape", g.add("Add", g.add("MatMul", other, key[0]), key[1]), heads)
        likeness = g.add("MatMul", asked, g.add("Transpose", told, perm=[0, 2, 3, 1]))
        likeness = g.add("Sub", g.add("Mul", likeness, scale), apart)
        moved = g.add("Sub", at, g.add("MatMul", g.add("Softmax", likeness, axis=-1), at))
        mean = g.add("ReduceMean", moved, g.ints(2), keepdims=1)
        strength = g.add("ReduceLogSumExp", likeness, g.ints(3), keepdims=1)
        each = g.add("Concat", moved, g.add("Sub", moved, mean), strength, axis=3)
        each = g.add("Transpose", each, perm=[0, 2, 1, 3])
        found.append(g.add("Reshape", each, g.ints(-1, tokens, 5 * measures)))
    return found


def _places(tokens: int) -> NDArray[np.float32]:
    """Where the cells lie, float32 [tokens, 2], down and across, from -1 to 1."""
    axis = np.linspace(-1, 1, round(tokens**0.5), dtype=np.float32)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), 2).reshape(tokens, 2)


def _steadied(
    g: RandomGraph, now: str, others: Sequence[str], came: Sequence[str], shape: MotionShape
) -> str:
    """What differs between a unit and others with the turn of the head taken out."""
    tokens, wide, measures, side = shape.tokens, shape.cells_width, shape.measures, round(shape.tokens**0.5)
    axis = np.linspace(-1, 1, side, dtype=np.float32)
    apart = g.constant(axis[:, None] - axis)
    steps, one = g.constant(np.float32((side - 1) / 2)), g.constant(np.float32(1))
    scale = g.constant(np.float32(2 * side / (side - 1)))

    def along(moved: str, place: int) -> str:
        """The weights of one side's places, [n, side, side]."""
        far = g.add("Abs", g.add("Sub", apart, _slice(g, moved, place, place + 1)))
        return g.add("Relu", g.add("Sub", one, g.add("Mul", far, steps)))

    def part(weights: str, at: int) -> str:
        return g.add("Unsqueeze", g.add("ReduceSum", weights, g.ints(2), keepdims=0), g.ints(at))

    told = []
    for number, other in enumerate(others):
        shift = g.add("Gather", SHIFTS, g.constant(np.int64(number)), axis=1)
        moved = g.add("Mul", g.add("Gather", shift, g.ints(1, 0), axis=1), scale)
        moved = g.add("Unsqueeze", moved, g.ints(1))
        down, across = along(moved, 0), along(moved, 1)
        rows = g.add("MatMul", down, g.add("Reshape", other, g.ints(-1, side, side * wide)))
        rows = g.add("Reshape", rows, g.ints(-1, side, side, wide))
        steadied = g.add("MatMul", g.add("Unsqueeze", across, g.ints(1)), rows)
        steadied = g.add("Reshape", steadied, g.ints(-1, tokens, wide))
        inside = g.add("Reshape", g.add("Mul", part(down, 2), part(across, 1)), g.ints(-1, tokens, 1))
        left = g.add("Sub", g.add("Mul", now, inside), steadied)
        moved = g.add("Unsqueeze", moved, g.ints(1))
        measured = g.add("Reshape", came[number], g.ints(-1, tokens, measures, 5))
        beside = g.add("Sub", _slice(g, measured, 0, 2), moved)
        beside = g.add("Reshape", beside, g.ints(-1, tokens, 2 * measures))
        like = g.add("Concat", g.ints(1, tokens), g.ints(1), axis=0)
        each = g.add("Expand", g.add("Unsqueeze", shift, g.ints(1)), like)
        told += [left, inside, beside, each]
    inner = g.linear(g.add("Concat", *told, axis=2), 2 * (wide + 2 * measures + 4), wide)
    return g.linear(_gelu(g, inner), wide, wide)


def _slice(g: RandomGraph, x: str, start: int, end: int) -> str:
    return g.add("Slice", x, g.ints(start), g.ints(end), g.ints(-1))


def _gelu(g: RandomGraph, x: str) -> str:
    erf = g.add("Erf", g.add("Mul", x, g.constant(np.float32(0.5**0.5))))
    half = g.add("Mul", x, g.constant(np.float32(0.5)))
    return g.add("Mul", half, g.add("Add", erf, g.constant(np.float32(1))))


def _mixed(g: RandomGraph, cells: str, shape: MotionShape) -> str:
    """Neighbouring cells, and the mean of all, of each unit."""
    wide, side = shape.cells_width, round(shape.tokens**0.5)
    grid = g.add("Reshape", g.add("Transpose", cells, perm=[0, 2, 1]), g.ints(-1, wide, side, side))
    near = g.add(
        "Conv", grid, g.random(wide, 1, 3, 3), g.constant(np.zeros(wide, np.float32)),
        kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=wide,
    )  # fmt: skip
    rows = g.add("Transpose", g.add("Reshape", near, g.ints(-1, wide, shape.tokens)), perm=[0, 2, 1])
    rows = g.norm(rows, wide)
    mean = g.add("ReduceMean", rows, g.ints(1), keepdims=1)
    everywhere = g.add("Expand", mean, g.add("Shape", rows))
    both = g.add("Concat", rows, everywhere, axis=2)
    return g.add("Add", cells, g.linear(_gelu(g, g.linear(both, 2 * wide, 2 * wide)), 2 * wide, wide))


def write_answer(path: Path, shape: MotionShape, labels: ClipLabels, seed: int) -> None:
    """Writes the graph for answers: `features` [n, tokens, cells_width], `ages_s` [n], `turns` [n, 2],
    `question` int64 [3] -> `logits` [labels].
    """
    g, wide, long = RandomGraph(seed), shape.cells_width, shape.time_width
    sizes = (len(labels.families) + 1, len(labels.things) + 1, len(labels.things) + 1)
    asked = ""
    for at, size in enumerate(sizes):
        number = g.add("Gather", "question", g.constant(np.int64(at)), axis=0)
        row = g.add("Gather", g.random(size, wide, gain=size**0.5), number, axis=0)
        asked = g.add("Add", asked, row) if asked else row
    asked = g.add("Reshape", asked, g.ints(1, wide))
    steps = g.linear(_seen(g, asked, shape), shape.looks * (wide // 2 + 1) + wide + 3, long)
    steps = _gelu(g, steps)
    for gap in (1, 2):
        along = g.add("Unsqueeze", g.add("Transpose", g.norm(steps, long), perm=[1, 0]), g.ints(0))
        along = g.add(
            "Conv", along, g.random(long, 1, 3), g.constant(np.zeros(long, np.float32)),
            kernel_shape=[3], dilations=[gap], pads=[gap, gap], group=long,
        )  # fmt: skip
        further = g.add("Transpose", g.add("Squeeze", along, g.ints(0)), perm=[1, 0])
        steps = g.add("Add", steps, g.linear(_gelu(g, further), long, long))
    mean = g.add("ReduceMean", steps, g.ints(0), keepdims=1)
    gates = g.add("Sigmoid", g.linear(g.add("Relu", g.linear(mean, long, long // 4)), long // 4, long))
    steps = g.add("Mul", steps, gates)
    weights = g.add("Softmax", g.linear(steps, long, 2), axis=0)
    attended = g.add(
        "Reshape", g.add("MatMul", g.add("Transpose", weights, perm=[1, 0]), steps), g.ints(1, 2 * long)
    )
    most = g.add("ReduceMax", steps, g.ints(0), keepdims=1)
    total = g.add("ReduceSum", steps, g.ints(0), keepdims=1)
    first, last = (g.add("Gather", steps, g.ints(at), axis=0) for at in (0, -1))
    pooled = g.add("Concat", attended, most, total, first, last, asked, axis=1)
    deep = _gelu(g, g.linear(pooled, 6 * long + wide, shape.hidden))
    found = g.linear(deep, shape.hidden, len(labels.labels))
    g.add("Reshape", found, g.ints(len(labels.labels)))
    inputs: dict[str, tuple[int, list[int | str]]] = {
        "features": (TensorProto.FLOAT, ["n", shape.tokens, wide]),
        "ages_s": (TensorProto.FLOAT, ["n"]),
        TURNS: (TensorProto.FLOAT, ["n", 2]),
        "question": (TensorProto.INT64, [3]),
    }
    g.save(path, inputs, "logits", [len(labels.labels)])


def _seen(g: RandomGraph, asked: str, shape: MotionShape) -> str:
    """What the question sees in each unit, [n, ...]."""
    wide, looks = shape.cells_width, shape.looks
    keys = g.linear("features", wide, wide)
    values = g.linear("features", wide, wide // 2)
    queries = g.add("Reshape", g.linear(asked, wide, looks * wide), g.ints(1, looks, wide))
    scale = g.constant(np.float32(wide**-0.5))
    scores = g.add("Mul", g.add("MatMul", queries, g.add("Transpose", keys, perm=[0, 2, 1])), scale)
    looked = g.add("MatMul", g.add("Softmax", scores, axis=-1), values)
    strength = g.add("ReduceLogSumExp", scores, g.ints(2), keepdims=1)
    found = g.add("Concat", looked, strength, axis=2)
    found = g.add("Reshape", found, g.ints(-1, looks * (wide // 2 + 1)))
    ages = g.add("Unsqueeze", "ages_s", g.ints(1))
    units = g.add("Shape", "ages_s")
    each = g.add("Expand", asked, g.add("Concat", units, g.ints(wide), axis=0))
    return g.add("Concat", found, each, ages, TURNS, axis=1)


def write_motion(folder: Path, shape: MotionShape, depths: tuple[int, ...], labels: Path) -> None:
    """Writes all files to `folder`, which exists. labels: table whose families and labels it has."""
    (folder / LABELS).write_text(labels.read_text(encoding="utf-8"), encoding="utf-8")
    for number, depth in enumerate(depths):
        write_unit(folder / unit_file(depth), shape, 31 + number)
    write_answer(folder / ANSWER, shape, ClipLabels.read(folder / LABELS), 30)


def files(depths: tuple[int, ...]) -> Mapping[str, str]:
    """The brick's files by key."""
    return {"labels": LABELS, "answer": ANSWER} | {unit_key(depth): unit_file(depth) for depth in depths}
