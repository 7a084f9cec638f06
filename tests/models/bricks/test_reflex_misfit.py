"""Files and rows that the reflex brick cannot use: one clear sentence for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from models.brick import BrickError, Context, Embedding
from models.bricks import reflex
from models.pack.catalogue import load_pack
from tests.models.bricks.reflex_pack import ROWS, ReflexParts, ask, loaded, write_reflex_pack


@pytest.mark.parametrize("rows", [ROWS[:15], ROWS[:, :8], None])
def test_rows_of_another_encoder_are_one_sentence(tmp_path: Path, rows: Any) -> None:
    shape = list(rows.shape) if rows is not None else [0, 0]
    with pytest.raises(BrickError) as caught:
        ask(loaded(tmp_path), image=Embedding(rows=rows))
    assert str(caught.value) == f"The picture's rows are {shape}, and the reflex brick reads [16, 16]."


def _load_all(brick: Any) -> None:
    """Loads it and every layer, by a question that no layer is sure of."""
    brick.load()
    ask(brick, "cup", certainty=1.0)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:60])


@pytest.mark.parametrize(
    ("parts", "spoil", "sentence"),
    [
        (ReflexParts(), lambda reflex: _cut(reflex / "front.onnx"), r"ONNX Runtime can't use .*front.onnx"),
        (ReflexParts(), lambda reflex: _cut(reflex / "layer_2.onnx"), r"ONNX Runtime can't use .*layer_2"),
        (
            ReflexParts(),
            lambda reflex: _cut(reflex / "answers.json"),
            r"answers .*answers.json can't be used",
        ),
        (ReflexParts(), lambda reflex: _cut(reflex / "words.json"), r"vocabulary .*words.json can't be used"),
        (ReflexParts(words={"asked": [0.5]}), None, r"'asked' has to be a number for each word"),
        (
            ReflexParts(answers={"forms": ["", "Yes.", "It is {colour}."]}),
            None,
            r"layer_1.onnx gives 9 logits, and the forms and blanks of answers.json are 8\.",
        ),
        (
            ReflexParts(answers={"causes": ["", "dark"]}),
            None,
            r"The output 'causes' of front.onnx is \[1, 3\], and it has to be \[1, 2\]\.",
        ),
        (
            ReflexParts(words={"words": ["", "?", *"abcdefghijkl"]}),
            None,
            r"front.onnx does not know all 14 words of words.json\.",
        ),
        (
            ReflexParts(files={"layer_2": "reflex/layer_3.onnx"}),
            None,
            r"layer_3.onnx has no output 'image_out'",
        ),
        (
            ReflexParts(files={"front": "reflex/layer_1.onnx"}),
            None,
            r"'words' of layer_1.onnx is \[1, t, 32\]",
        ),
        (ReflexParts(files={"layer_1": "stem.onnx"}), None, r"stem.onnx has no input 'words'\."),
    ],
)
def test_files_that_do_not_fit_are_one_sentence(
    tmp_path: Path, parts: ReflexParts, spoil: Any, sentence: str
) -> None:
    options = load_pack(write_reflex_pack(tmp_path, parts)).bricks["reflex"].options
    if spoil is not None:
        spoil(tmp_path / "reflex")
    brick = reflex.create(options, Context())
    with pytest.raises(BrickError, match=sentence) as caught:
        _load_all(brick)
    assert "\n" not in str(caught.value)
