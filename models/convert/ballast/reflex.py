"""A network for closed questions in true shapes with random weights: it costs what a trained one costs."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np

from models.bricks.closed_sentence import HAND_OVER, AnswerTable
from models.convert.reflex.graph import write_reflex
from models.convert.reflex.weights import LONGEST_WORDS, ReflexShape, ReflexWeights, array_shapes

ANSWERS = 3129
"""Answers of the vocabulary with which networks for VQAv2 are usually trained."""
WORDS = 10_000
SURE = 20.0
"""A logit that is as good as certain."""


def random_weights(shape: ReflexShape, seed: int = 11) -> ReflexWeights:
    """Normally distributed weights, scaled by fan-in so that they preserve the variance of the input; norms
    pass their input on.
    """
    random = np.random.default_rng(seed)
    arrays = {}
    for name, size in array_shapes(shape).items():
        if len(size) == 1:
            arrays[name] = np.full(size, "norm.weight" in name, np.float32)
        else:
            scale = np.float32(0.5 if name.startswith("words.") and "blocks" not in name else size[1] ** -0.5)
            arrays[name] = random.standard_normal(size, np.float32) * scale
    return ReflexWeights(shape, arrays)


def ballast_shape(row_width: int, width: int, answers: int = ANSWERS) -> ReflexShape:
    """A network for questions as in VQAv2. row_width: values of an image row; width: values of a row inside,
    64 for each head.
    """
    return ReflexShape(
        WORDS, row_width, 2, 2, (answers,), ((), (0,)), width, hidden=2 * width, heads=width // 64
    )


def write_ballast_reflex(folder: Path, shape: ReflexShape, *, eight_bits: bool = True) -> None:
    """Write graphs, vocabulary and answers to `folder`, which exists. Whatever is asked has an answer.
    eight_bits: of the layers' weights.
    """
    weights = random_weights(shape)
    arrays = dict(weights.arrays)
    for layer in range(shape.layers):
        arrays[f"layers.{layer}.head.answers.bias"][1] = SURE
    write_reflex(folder, ReflexWeights(shape, arrays), eight_bits=eight_bits)
    syllables = [c + v for c in "bdfghklmnprstvw" for v in "aeiou"]
    made = (
        "".join(parts) for count in itertools.count(1) for parts in itertools.product(syllables, repeat=count)
    )
    (count,) = shape.blanks
    words = list(itertools.islice(made, max(WORDS, count)))
    table = {"length": LONGEST_WORDS, "words": ["", "?", *words[: WORDS - 2]]}
    (folder / "words.json").write_text(json.dumps(table, separators=(",", ":")), encoding="utf-8")
    answers = AnswerTable(
        (HAND_OVER, "{answer}."), {"answer": tuple(words[:count])}, frozenset(), ("", "unclear"), {}
    )
    answers.write(folder / "answers.json")
