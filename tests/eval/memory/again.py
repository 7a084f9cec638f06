"""Ways to take a stored view on to full depth for a question: from its small picture, or from an activation.

An activation is stored in so many bits, one scale for each group of its values. `kept_as` gives what would
be read again; one of the codings is the codec of `models.activation_codec`. `recall_methods` puts the ways
beside what they compete with, also on a day whose battery was low in the morning.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from host.config import MemoryConfig
from host.memory.brick import _jpeg
from models import activation_codec
from models.brick import Activation
from models.pack.chain import Chain
from models.train.over_runs import over
from tests.eval.eye.days import Scores, found_within
from tests.eval.eye.page import Table
from tests.eval.eye.pieces import Eye, Rgb
from tests.eval.memory.days import BATCH, Places, Remembered, as_stored
from tests.eval.memory.methods import refined

Values = NDArray[np.float32]
PICTURE = "its small picture"
TAKEN_ON = (3, 10, 20)
"""Views of the nearest that a question takes on."""
MOST = 10
"""Of them, that are taken on from activations."""
FULL = "all at full depth"
MIXED = "first half of the day after the first exit"
LOOKED_AT = (1, 3, 10)
"""The k of the shares of queries with a right view among the first k: of the one that is told, and of those
that the language model looks at.
"""


def _levels(values: Values, bits: int, axis: int) -> Values:
    """Rounded to so many bits, with the largest value along the axis as its scale."""
    most = 2 ** (bits - 1) - 1
    scales = np.abs(values).max(axis=axis, keepdims=True) / most
    steps = np.divide(values, scales, out=np.zeros_like(values), where=scales > 0)
    return (np.rint(steps) * scales).astype(np.float32)


def _codec(values: Values) -> Values:
    scales, levels = activation_codec.quantised(values)
    return levels * scales[:, None]


@dataclass(frozen=True)
class Coding:
    """kept_as: float32 [tokens, width] -> as it is read again; bits: of a value; scales: of an activation,
    4 bytes each, by (tokens, width).
    """

    kept_as: Callable[[Values], Values]
    bits: int
    scales: Callable[[int, int], int]

    def size(self, chain: Chain) -> int:
        """Bytes of an activation."""
        tokens, width = chain.activation
        return tokens * width * self.bits // 8 + 4 * self.scales(tokens, width)


CODINGS: Mapping[str, Coding] = {
    "16 bits": Coding(lambda values: values.astype(np.float16).astype(np.float32), 16, lambda t, w: 0),
    "8 bits, a scale a token": Coding(lambda values: _levels(values, 8, 1), 8, lambda t, w: t),
    "4 bits, a scale a token": Coding(_codec, 4, lambda t, w: t),
    "4 bits, a scale a channel": Coding(lambda values: _levels(values, 4, 0), 4, lambda t, w: w),
}


def activation(depth: int, coding: str) -> str:
    """The name of a way."""
    return f"its activation after block {depth}, {coding}"


@dataclass(frozen=True, eq=False)
class Again:
    """One way. places: at full depth, float32 [views, embedding]; ms: CPU time for one view, milliseconds;
    size: bytes that it needs besides what a view has anyway.
    """

    places: Places
    ms: float
    size: int


def taken_on(eye: Eye, chain: Chain, pictures: Sequence[Rgb], depths: Sequence[int]) -> Mapping[str, Again]:
    """Every way for a day's pictures: from the picture as stored, and from activations after these depths;
    one by one, as for a question.
    """
    config = MemoryConfig()
    jpegs = [_jpeg(rgb, config.picture_px, config.picture_quality) for rgb in pictures]

    def from_picture(at: int) -> tuple[Activation, ...]:
        return eye.encode([np.asarray(Image.open(io.BytesIO(jpegs[at])).convert("RGB"))], chain.depth)

    found = {PICTURE: _timed(eye, len(pictures), from_picture, 0)}
    for depth in depths:
        begun = [
            each
            for start in range(0, len(pictures), BATCH)
            for each in eye.encode(pictures[start : start + BATCH], depth)
        ]
        for name, coding in CODINGS.items():
            kept = [
                replace(each, rows=coding.kept_as(np.asarray(each.rows, np.float32)), slot=None)
                for each in begun
            ]

            def from_activation(at: int, kept: list[Activation] = kept) -> tuple[Activation, ...]:
                return eye.resume([kept[at]], chain.depth)

            found[activation(depth, name)] = _timed(eye, len(pictures), from_activation, coding.size(chain))
    return found


def _timed(eye: Eye, count: int, one: Callable[[int], Sequence[Activation]], size: int) -> Again:
    began_s = time.process_time()
    places = [eye.embed(one(at)) for at in range(count)]
    ms = 1000 * (time.process_time() - began_s) / count
    return Again(np.concatenate(places).astype(np.float32), ms, size)


@dataclass(frozen=True, eq=False)
class Method:
    """One way to remember a day and to ask for it. scores: [queries, views]; size: bytes a view beyond its
    picture and place; ms: CPU time that a query adds, milliseconds.
    """

    scores: Scores
    size: int = 0
    ms: float = 0.0


def recall_methods(
    day: Remembered, texts: Places, depths: Sequence[int], exits: Sequence[int], found: Mapping[str, Again]
) -> Mapping[str, Method]:
    """Every method on one day. texts: float32 [queries, embedding]; depths: exits of the activations."""
    full = as_stored(day.places[-1])
    methods = {FULL: Method(texts @ full.T)}
    for depth in depths:
        stored = as_stored(day.places[list(exits).index(depth)])
        methods[f"all after block {depth}"] = Method(texts @ stored.T)
        for count in TAKEN_ON:
            for name, way in found.items():
                if name == PICTURE or (name.startswith(activation(depth, "")) and count == MOST):
                    methods[f"after block {depth}, {count} from {name}"] = Method(
                        refined(texts, stored, as_stored(way.places), count), way.size, count * way.ms
                    )
    return methods | dict(_mixed(texts, as_stored(day.places[0]), full, found[PICTURE]))


def _mixed(texts: Places, first: Places, full: Places, picture: Again) -> Mapping[str, Method]:
    """A day of two depths, ranked by the scores as they are; and each depth for itself, the two by turns."""
    early = np.arange(len(full)) < len(full) // 2
    mixed = np.where(early[:, None], first, full)
    fine = np.where(early[:, None], as_stored(picture.places), full)
    scores = texts @ mixed.T
    found = {MIXED: Method(scores), f"{MIXED}, each ranked for itself": Method(_by_turns(scores, early))}
    for count in TAKEN_ON:
        ms = count * picture.ms * float(early.mean())
        found[f"{MIXED}, {count} from {PICTURE}"] = Method(refined(texts, mixed, fine, count), 0, ms)
    return found


def _by_turns(scores: Scores, early: NDArray[np.bool_]) -> Scores:
    """Scores that rank the best of the deeper views first, then the best of the others, and so on."""
    turns = np.empty_like(scores)
    for offset, of in ((0, ~early), (1, early)):
        ranks = np.argsort(np.argsort(-scores[:, of], axis=1, kind="stable"), axis=1)
        turns[:, of] = -(2.0 * ranks + offset)
    return turns


def _gain(
    name: str,
    days: Sequence[Remembered],
    told: Sequence[Mapping[str, Method]],
    found: Mapping[str, Sequence[Sequence[float]]],
) -> str:
    """What taking on brings over the same views as they were, and how often there is something to find."""
    coarse = found[_coarse(name)]
    gain = [100 * (fine[0] / early[0] - 1) for fine, early in zip(found[name], coarse, strict=True)]
    pools = []
    for count in TAKEN_ON[1:]:
        shares = [
            100 * float(found_within(methods[_coarse(name)].scores, day.right, count)[day.answerable].mean())
            for methods, day in zip(told, days, strict=True)
        ]
        pools.append(f"the {count} nearest hold a right view of {over(shares, shares=True)}")
    return f"{name}: R@1 {over(gain)} over none; of queries with one, {' and '.join(pools)}."


def _coarse(name: str) -> str:
    """The way without taking on: of "after block 1, 10 from ..." "all after block 1"."""
    begun = name.partition(",")[0]
    return begun if begun == MIXED else f"all {begun}"


def read(file: Path) -> Mapping[str, Again] | None:
    """What `write` kept; None without it."""
    if not file.is_file():
        return None
    with np.load(file) as found:
        kept = zip(found["names"], found["places"], found["ms"], found["size"], strict=True)
        return {str(name): Again(places, float(ms), int(size)) for name, places, ms, size in kept}


def write(file: Path, ways: Mapping[str, Again]) -> None:
    """Keeps a day's ways for the next time."""
    each = list(ways.values())
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        file,
        names=np.array(list(ways)),
        places=np.stack([way.places for way in each]),
        ms=np.array([way.ms for way in each]),
        size=np.array([way.size for way in each]),
    )


def _found(method: Method, day: Remembered) -> list[float]:
    """Percent of the queries, by k."""
    return [100 * float(found_within(method.scores, day.right, k).mean()) for k in LOOKED_AT]


def table(days: Sequence[Remembered], told: Sequence[Mapping[str, Method]]) -> Table:
    """Every method over the days."""
    rows = []
    found = {
        name: [_found(methods[name], day) for methods, day in zip(told, days, strict=True)]
        for name in told[0]
    }
    for name, shares in found.items():
        cells = [over([day[at] for day in shares], shares=True) for at in range(len(LOOKED_AT))]
        share = [100 * day[0] / full[0] for day, full in zip(shares, found[FULL], strict=True)]
        method, ms = told[0][name], float(np.mean([methods[name].ms for methods in told]))
        costs = (str(method.size or ""), f"{ms:.0f}" if ms else "")
        rows.append((name, *cells, over(share), *costs))
    shown = (*(f"R@{k}" for k in LOOKED_AT), "R@1 of full depth's")
    columns = ("remembered, and taken on", *shown, "bytes a view", "ms a query")
    notes = [
        "Bytes beyond picture and place; ms of CPU time here, with the picture's decoding, not its seal.",
        *(_gain(name, days, told, found) for name in found if name.endswith(f"{MOST} from {PICTURE}")),
    ]
    return Table("What a question takes on to full depth", columns, rows, notes)
