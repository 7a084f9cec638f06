"""Reads VizWiz: a list of records for each split, and its pictures.

DIR/train.json                     [{"image": "VizWiz_train_00000000.jpg", "question", "answers":
                                   [{"answer", "answer_confidence"}], "answer_type", "answerable": 0 or 1}]
DIR/train/VizWiz_train_00000000.jpg

and the same of val; test.json has only "image" and "question". The JSON files may be in Annotations, the
folders of pictures in Images. The evaluation compares the people's answers as they are written.
"""

from __future__ import annotations

from pathlib import Path

from models.train.reflex.vqa.record import (
    DataError,
    Place,
    Record,
    answers_of,
    first_of,
    picture_in,
    read_json,
)

SPLITS = ("train", "val", "test")
UNANSWERABLE = "unanswerable"
ANSWER_TYPES = ("yes/no", "number", "other", UNANSWERABLE)


def records_file(folder: Path, split: str) -> Path | None:
    """The records of a split, if they are there."""
    return first_of((folder, folder / "Annotations"), f"{split}.json")


def read(folder: Path, split: str) -> list[Record]:
    """The records of a split; those of the test split have no answers. Raises DataError."""
    file = records_file(folder, split)
    if file is None:
        raise DataError(f"{folder} has no {split}.json.")
    pictures = first_of((folder, folder / "Images", folder / "images"), split)
    if pictures is None:
        raise DataError(f"{folder} has no folder {split} with pictures.")
    whole = read_json(file)
    if not isinstance(whole, list):
        raise DataError(f"{file}: it is no list of records.")
    records = []
    for at, one in enumerate(whole):
        name = Place(file, at).value(one, "image", str)
        place = Place(file, at, name)
        picture = picture_in(pictures, name, place)
        question = place.value(one, "question", str)
        if split == "test" and "answers" not in one:
            records.append(Record(name, picture, question))
            continue
        kind = place.value(one, "answer_type", str)
        if kind not in ANSWER_TYPES:
            raise DataError(f"{place}: 'answer_type' is '{kind}', not {', '.join(ANSWER_TYPES)}.")
        answerable = place.value(one, "answerable", int)
        if answerable not in (0, 1):
            raise DataError(f"{place}: 'answerable' is {answerable}, not 0 or 1.")
        answers = answers_of(one, place)
        records.append(Record(name, picture, question, answers, kind, "", answerable == 1))
    return records
