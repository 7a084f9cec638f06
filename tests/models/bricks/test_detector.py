"""The object detector in the reflex brick's process, with a graph whose numbers a test decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.brick import BrickError, Context, Embedding
from models.bricks.detector import Detector
from models.bricks.reflex import create
from models.detection import Detect, Detection
from models.pack.catalogue import PackError, load_pack
from models.pack.things_file import GRAPH, LABELS, things_fault
from tests.models.bricks.reflex_pack import ROWS, ReflexParts, write_reflex_pack

onnx = pytest.importorskip("onnx")
TOKENS, WIDTH = ROWS.shape
CELLS = {"what": 6, "colour": 3, "lying": 3, "whole": 2, "ground": 3, "offset": 2, "half": 2}
PICTURE = {"place": 3, "quality": 2}
THINGS: dict[str, Any] = {
    "form": 1, "encoder": "", "shapes": ["star", "ring"], "sign": "sign", "things": ["cup", "keys"],
    "colours": ["red", "blue"], "surfaces": ["table", "hand"], "places": ["hall", "shop"],
    "qualities": ["clear", "dark"], "cells": CELLS, "picture": PICTURE, "temperature": 1.0,
    "middle_error": 0.01, "extent_error": 0.1,
}  # fmt: skip
SURE = 20.0


def graph(path: Path, cells: np.ndarray, picture: np.ndarray) -> None:
    """A graph that gives these numbers whatever the rows are."""
    from onnx import TensorProto, helper, numpy_helper

    made = helper.make_graph(
        [
            helper.make_node("ReduceSum", ["rows"], ["sum"], keepdims=1),
            helper.make_node("Mul", ["sum", "zero"], ["nothing"]),
            helper.make_node("Add", ["nothing", "of_cells"], ["cells"]),
            helper.make_node("Squeeze", ["nothing", "axis"], ["flat"]),
            helper.make_node("Add", ["flat", "of_picture"], ["picture"]),
        ],
        "detector",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [1, TOKENS, WIDTH])],
        [
            helper.make_tensor_value_info("cells", TensorProto.FLOAT, [1, *cells.shape]),
            helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, *picture.shape]),
        ],
        [
            numpy_helper.from_array(np.zeros(1, np.float32), "zero"),
            numpy_helper.from_array(np.array([2], np.int64), "axis"),
            numpy_helper.from_array(cells[None], "of_cells"),
            numpy_helper.from_array(picture[None], "of_picture"),
        ],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())


def numbers(*found: tuple[int, str, str]) -> np.ndarray:
    """Numbers of all cells: nothing is there but what `found` has, cell, name and colour of each."""
    what = ("", *THINGS["shapes"], THINGS["sign"], *THINGS["things"])
    cells = np.zeros((TOKENS, sum(CELLS.values())), np.float32)
    cells[:, 0] = SURE
    for cell, name, colour in found:
        cells[cell, 0] = 0.0
        cells[cell, what.index(name)] = SURE
        cells[cell, CELLS["what"] + 1 + THINGS["colours"].index(colour)] = SURE
        cells[cell, -2:] = 0.1
    return cells


def folder_with(tmp_path: Path, cells: np.ndarray, **changed: Any) -> dict[str, Any]:
    (tmp_path / LABELS).write_text(json.dumps({**THINGS, **changed}))
    graph(tmp_path / GRAPH, cells, np.array([0, SURE, 0, SURE, 0], np.float32))
    return {
        "detector": str(tmp_path / GRAPH),
        "things": str(tmp_path / LABELS),
        "tokens": TOKENS,
        "width": WIDTH,
    }


def test_a_thing_is_told_with_its_place_and_colour(tmp_path: Path) -> None:
    found = Detector(folder_with(tmp_path, numbers((5, "star", "blue"))), Context()).seen(ROWS)
    (one,) = found.candidates
    assert one.what[0][0] == "star" and one.what[0][1] > 0.99 and one.colour[0][0] == "blue"
    assert (one.x, one.y) == pytest.approx((1.5 / 4, 1.5 / 4)) and one.half_width == pytest.approx(0.1)
    assert found.place[0][0] == "hall" and found.clear > 0.99


def test_where_nothing_is_there_are_no_candidates(tmp_path: Path) -> None:
    assert not Detector(folder_with(tmp_path, numbers()), Context()).seen(ROWS).candidates


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"form": 2}, "its form is 2"),
        ({"shapes": ["star"]}, "the numbers of its cells do not fit its names"),
        ({"temperature": 0}, "its errors have to be above 0"),
        ({"middle_error": "small"}, "its errors have to be numbers"),
        ({"things": ["cup", ""]}, "its names have to be words"),
        ({"picture": {"place": 3}}, "the numbers of its picture do not fit its names"),
        ({"more": 1}, "it has other fields than the labels of a detector"),
    ],
)
def test_labels_that_fit_nothing_are_named(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    options = folder_with(tmp_path, numbers(), **changed)
    assert said in things_fault(tmp_path / LABELS)
    with pytest.raises(BrickError, match="can't be used by the object detector"):
        Detector(options, Context())


def test_a_graph_of_other_sizes_is_named(tmp_path: Path) -> None:
    options = folder_with(tmp_path, numbers()[:, :-1])
    with pytest.raises(BrickError, match=r"output 'cells' of detector.onnx"):
        Detector(options, Context())


def test_a_detector_of_another_eye_is_refused(tmp_path: Path) -> None:
    options = folder_with(tmp_path, numbers(), encoder="0123456789abcdef")
    with pytest.raises(BrickError, match="reads the encoder"):
        Detector({**options, "encoder": "fedcba9876543210"}, Context())


def pack_with(tmp_path: Path, **files: str) -> Path:
    write_reflex_pack(tmp_path)  # makes the folder
    folder_with(tmp_path / "reflex", numbers((5, "star", "blue")))
    return write_reflex_pack(tmp_path, ReflexParts(files=files))


def test_the_reflex_brick_of_a_pack_with_a_detector_answers_what_it_sees(tmp_path: Path) -> None:
    folder = pack_with(tmp_path, detector=f"reflex/{GRAPH}", things=f"reflex/{LABELS}")
    spec = load_pack(folder).bricks["reflex"]
    brick = create(spec.options, Context())
    brick.load()
    (found,) = brick.execute(Detect(Embedding(rows=ROWS)))
    assert isinstance(found, Detection) and found.candidates[0].what[0][0] == "star"
    with pytest.raises(BrickError, match="rows are"):
        list(brick.execute(Detect(Embedding(rows=ROWS[:3]))))


def test_a_pack_without_a_detector_has_no_answer_to_what_is_there(tmp_path: Path) -> None:
    brick = create(load_pack(write_reflex_pack(tmp_path)).bricks["reflex"].options, Context())
    brick.load()
    with pytest.raises(BrickError, match="no answer to a Detect"):
        list(brick.execute(Detect(Embedding(rows=ROWS))))


def test_a_detector_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="files lacks 'things'"):
        load_pack(pack_with(tmp_path, detector=f"reflex/{GRAPH}"))
