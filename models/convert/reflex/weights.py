"""The shape and the weights of the network that answers closed questions about a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.convert.checkpoint.folder import ConvertError

LONGEST_WORDS = 24
"""Words of a question that the network reads."""
ODDS_FROM = 1e-4
"""The least probability, and the least of its contrary, whose odds the exit score reads."""


@dataclass(frozen=True)
class ReflexShape:
    """Sizes of the network.

    words: known words. row_width: values of an image row. width: values of a row inside. hidden: values
    inside an MLP. blocks: of the question encoder. layers: cross-modal layers. causes: reasons not to answer,
    with the empty one. forms: sentences with blanks. blanks: values that each blank has. blanks_of_form: for
    each form the numbers of its blanks.
    """

    words: int
    row_width: int
    causes: int
    forms: int
    blanks: tuple[int, ...]
    blanks_of_form: tuple[tuple[int, ...], ...]
    width: int = 128
    hidden: int = 256
    heads: int = 4
    blocks: int = 2
    layers: int = 5

    @property
    def answers(self) -> int:
        """Logits of an answer head: of the forms, then of every blank's values."""
        return self.forms + sum(self.blanks)

    @property
    def groups(self) -> tuple[int, ...]:
        """Sizes of the parts of an answer head's logits."""
        return (self.forms, *self.blanks)


@dataclass(frozen=True, eq=False)
class ReflexWeights:
    """arrays: float32, by the names and in the shapes of `array_shapes`; a linear layer's weight is
    [outputs, inputs], as in PyTorch.
    """

    shape: ReflexShape
    arrays: Mapping[str, NDArray[Any]]

    def __post_init__(self) -> None:
        """Raises ConvertError for a missing or unknown array, or one of another shape."""
        expected = array_shapes(self.shape)
        if wrong := sorted(set(expected) ^ set(self.arrays)):
            raise ConvertError(f"The weights lack an array, or have one too many: {', '.join(wrong[:5])}.")
        for name, size in expected.items():
            if self.arrays[name].shape != size:
                raise ConvertError(f"'{name}' has the shape {self.arrays[name].shape}, not {size}.")

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        return np.asarray(self.arrays[name], np.float32)


def array_shapes(shape: ReflexShape) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every array.

    - `words.embed`: a row per word number. `words.place`: a row per position. `words.blocks.N`: pre-norm
      layers with self-attention (`qkv`: query, key and value together). `words.norm`: after them.
    - `image.project`, `image.norm`: an image row -> a row of the network.
    - `answerable`: `pool_words` and `pool_image` give each head's attention to a row, `ask` makes the
      question's own queries to the image rows; `words` and `image` are q' and v'; `answerable` and `causes`
      read their product.
    - `layers.N` (from 0): `own` words to words, `look` words to image, `read` image to words, each with its
      norms; `words` and `image` MLPs; `pool`, `hidden`, `answers` the answer head; `score` reads [entropy of
      each head, probabilities of the answer head's logits, probability of each form with its likeliest
      values, logarithm of the odds of the likeliest of these]. The last layer has no `read` and no `image`.
    """
    w = shape.width
    made: dict[str, tuple[int, ...]] = {
        "words.embed.weight": (shape.words, w),
        "words.place": (LONGEST_WORDS, w),
    }

    def linear(name: str, inputs: int, outputs: int) -> None:
        made[f"{name}.weight"] = (outputs, inputs)
        made[f"{name}.bias"] = (outputs,)

    def norm(name: str) -> None:
        made[f"{name}.weight"] = made[f"{name}.bias"] = (w,)

    def own(name: str) -> None:
        norm(f"{name}.norm")
        linear(f"{name}.qkv", w, 3 * w)
        linear(f"{name}.out", w, w)

    def cross(name: str) -> None:
        norm(f"{name}.norm")
        norm(f"{name}.source_norm")
        linear(f"{name}.query", w, w)
        linear(f"{name}.key_value", w, 2 * w)
        linear(f"{name}.out", w, w)

    def mlp(name: str) -> None:
        norm(f"{name}.norm")
        linear(f"{name}.up", w, shape.hidden)
        linear(f"{name}.down", shape.hidden, w)

    for block in range(shape.blocks):
        own(f"words.blocks.{block}.own")
        mlp(f"words.blocks.{block}.mlp")
    norm("words.norm")
    linear("image.project", shape.row_width, w)
    norm("image.norm")
    for part, outputs in (("pool_words", shape.heads), ("pool_image", shape.heads), ("ask", w)):
        linear(f"answerable.{part}", w, outputs)
    for part, outputs in (("words", w), ("image", w), ("answerable", 1), ("causes", shape.causes)):
        linear(f"answerable.{part}", w, outputs)
    for layer in range(shape.layers):
        name = f"layers.{layer}"
        own(f"{name}.own")
        cross(f"{name}.look")
        mlp(f"{name}.words")
        if layer + 1 < shape.layers:
            cross(f"{name}.read")
            mlp(f"{name}.image")
        norm(f"{name}.head.norm")
        linear(f"{name}.head.pool", w, shape.heads)
        linear(f"{name}.head.hidden", w, shape.hidden)
        linear(f"{name}.head.answers", shape.hidden, shape.answers)
        linear(f"{name}.score", shape.heads + shape.answers + shape.forms + 1, 1)
    return made
