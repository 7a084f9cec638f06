"""The bricks that a pack of public weights has for the memory alone, with random weights in their shapes and
settings of the standard pack: an eye (SigLIP-B/16 at 224 pixels), and the text encoder that belongs to it.

Of both the first way through the graphs is not counted, as it touches its memory first.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

PICTURE_PX = 480
"""Side of the pictures that an eye is shown; it makes them its own size."""
PHRASE = "my keys on the kitchen table"
"""A question's phrase; a text encoder's work is the same for all."""
_STANDARD = Path(__file__).parents[3] / "models/packs/standard/pack.toml"


@dataclass(frozen=True)
class MemoryBrick:
    """For programs/brick.py."""

    module: str
    options: dict[str, object]
    requests: tuple[str, ...]


def _eye(calibrated: bool, folder: Path) -> MemoryBrick:
    """A chain with an exit behind its last group, which is loaded with the first place. calibrated: int8 as
    the converter writes a chain; otherwise the scales of activations are taken at run time. Its rows, for
    which nothing asks, are one value wide.
    """
    from models.convert.ballast.vit import EXIT, VitShape, write_int8, write_piece_fp32
    from models.convert.vision import precision
    from models.pack.chain import STEM, exit_key

    told = _settings("recall")
    shape = replace(VitShape(), side=told["side_px"], row_width=1, groups=tuple(told["groups"]))
    random = np.random.default_rng(1)
    written = {}
    for piece in shape.pieces:
        path = folder / f"{piece}.onnx"
        if calibrated:
            whole = folder / "float32.onnx"
            write_piece_fp32(whole, shape, piece)
            taken = (3, shape.side, shape.side) if piece == STEM else (shape.tokens, shape.width)
            precision.write_int8(whole, path, [random.standard_normal((1, *taken), np.float32)])
        else:
            write_int8(path, partial(write_piece_fp32, shape=shape, piece=piece))
        written[piece] = str(path)
    options = {**told, "width": 1, exit_key(len(shape.groups)): written.pop(EXIT), **written}
    way = (f"stem:{PICTURE_PX}", f"deeper:{shape.layers}")
    requests = (*(f"-{each}" for each in way), "place", *way, "place")
    return MemoryBrick("models.bricks.eye.vision", options, requests)


def _text(folder: Path) -> MemoryBrick:
    from models.convert.ballast.text import TextShape, write_text, write_words

    model, words, shape = folder / "text.onnx", folder / "text.json", TextShape()
    write_text(model, shape)
    write_words(words, shape)
    options = {**_settings("text"), "model": str(model), "words": str(words), "embedding": shape.embedding}
    return MemoryBrick("models.bricks.text", options, (f"-{PHRASE}", PHRASE))


def _settings(brick: str) -> dict[str, Any]:
    settings: dict[str, Any] = tomllib.loads(_STANDARD.read_text())["brick"][brick]["settings"]
    return settings


MEMORY_BRICKS: Mapping[str, Callable[[Path], MemoryBrick]] = {
    "recall eye": partial(_eye, True),
    "recall eye dynamic": partial(_eye, False),
    "recall text": _text,
}
"""By the names of their runs; each writes its files into a folder."""
