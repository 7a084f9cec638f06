"""Published question data with records and pictures that are not as the formats have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from models.train.bits import in_eight_bits
from models.train.recall.heal import pictures
from models.train.recall.heal.refusal import CannotHeal
from models.train.reflex.vqa import vizwiz, vqav2
from models.train.reflex.vqa.folder import pixels
from models.train.reflex.vqa.record import DataError, Record


def _answers(said: str = "red") -> list[dict[str, Any]]:
    return [{"answer": said, "answer_confidence": "yes", "answer_id": number} for number in range(1, 11)]


@pytest.mark.parametrize("key", ["question", "answer", "image"])
def test_half_a_character_is_told_with_its_record_before_the_training(tmp_path: Path, key: str) -> None:
    """No file can have it as text, neither words.json nor answers.json."""
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "a.jpg").touch()
    record = {"image": "a.jpg", "question": "what is this \U0001f3e0", "answers": _answers("caf\xe9"),
              "answer_type": "other", "answerable": 1}  # fmt: skip
    file = tmp_path / "train.json"
    file.write_text(json.dumps([record]))
    assert vizwiz.read(tmp_path, "train")[0].question.endswith("\U0001f3e0")
    bad = {**record, key: "\ud83c?"} if key != "answer" else {**record, "answers": _answers("\udfe0")}
    file.write_text(json.dumps([record, bad]))
    with pytest.raises(DataError, match=f"record 1.*: '{key}' is .*half a character") as raised:
        vizwiz.read(tmp_path, "train")
    assert str(raised.value).isascii()


def test_a_question_that_stands_twice_is_told(tmp_path: Path) -> None:
    (tmp_path / "train2014").mkdir()
    (tmp_path / "train2014" / "COCO_train2014_000000000007.jpg").touch()
    question = {"image_id": 7, "question_id": 70, "question": "what is this"}
    note = {"image_id": 7, "question_id": 70, "question_type": "what", "answer_type": "other",
            "multiple_choice_answer": "cup", "answers": _answers()}  # fmt: skip
    file = tmp_path / "v2_OpenEnded_mscoco_train2014_questions.json"
    (tmp_path / "v2_mscoco_train2014_annotations.json").write_text(json.dumps({"annotations": [note]}))
    for questions in ([question], [question, question]):
        file.write_text(json.dumps({"data_subtype": "train2014", "questions": questions}))
        if len(questions) == 1:
            assert len(vqav2.read(tmp_path, "train")) == 1
    with pytest.raises(DataError, match=r"record 1 \(question 70\): record 0 is the same question"):
        vqav2.read(tmp_path, "train")


def test_a_grey_picture_of_16_bits_is_not_white(tmp_path: Path) -> None:
    shades = np.tile(np.linspace(0, 65535, 64).astype(np.uint16), (64, 1))
    path = tmp_path / "grey.png"
    Image.fromarray(shades).save(path)
    wanted = (shades >> 8).astype(np.uint8)
    with Image.open(path) as picture:
        np.testing.assert_array_equal(np.asarray(in_eight_bits(picture)), wanted)
    for found in (pixels(Record("1", path, "what is this")), pictures.pixels(pictures.Picture("", path))):
        np.testing.assert_array_equal(found, np.repeat(wanted[..., None], 3, 2))


def test_a_picture_is_upright(tmp_path: Path) -> None:
    """As `ask` and the camera have it; one with damaged EXIF data is as it lies."""
    path, exif = tmp_path / "phone.png", Image.Exif()
    shades = np.arange(60, dtype=np.uint8).reshape(6, 10)
    exif[0x0112] = 6  # turned by a quarter
    Image.fromarray(shades).save(path, exif=exif)
    np.testing.assert_array_equal(pixels(Record("1", path, ""))[..., 0], np.rot90(shades, -1))
    Image.fromarray(shades).save(path, exif=b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01")
    np.testing.assert_array_equal(pixels(Record("1", path, ""))[..., 0], shades)


def test_a_picture_of_floats_is_told(tmp_path: Path) -> None:
    path = tmp_path / "grey.tif"
    Image.fromarray(np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)).save(path)
    with pytest.raises(DataError, match="question 1, is no picture: its values are floating-point"):
        pixels(Record("1", path, "what is this"))
    with pytest.raises(CannotHeal, match="floating-point"):
        pictures.pixels(pictures.Picture("", path))
