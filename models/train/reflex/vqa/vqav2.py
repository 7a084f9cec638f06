"""Reads VQAv2: a file of questions and one of annotations for each split, and COCO's pictures.

DIR/v2_OpenEnded_mscoco_train2014_questions.json
    {"info", "license", "task_type", "data_type", "data_subtype",
    "questions": [{"image_id", "question", "question_id"}]}
DIR/v2_mscoco_train2014_annotations.json
    {..., "annotations": [{"question_id", "image_id", "question_type", "answer_type",
    "multiple_choice_answer", "answers": [{"answer", "answer_confidence", "answer_id"}]}]}
DIR/train2014/COCO_train2014_000000000009.jpg

and the same of val2014. The folders Questions, Annotations and Images/mscoco of the published tools may be
between.
"""

from __future__ import annotations

import os
from pathlib import Path

from models.train.reflex.vqa.normalise import normalised
from models.train.reflex.vqa.record import (
    DataError,
    Place,
    Record,
    answers_of,
    first_of,
    picture_in,
    read_json,
)

SPLITS = ("train", "val")
ANSWER_TYPES = ("yes/no", "number", "other")


def questions_file(folder: Path, split: str) -> Path | None:
    """The questions of a split, if they are there."""
    return first_of((folder, folder / "Questions"), f"*OpenEnded_mscoco_{split}2014_questions.json")


def read(folder: Path, split: str) -> list[Record]:
    """The records of a split. Raises DataError."""
    file = questions_file(folder, split)
    if file is None:
        raise DataError(f"{folder} has no v2_OpenEnded_mscoco_{split}2014_questions.json.")
    notes = first_of((folder, folder / "Annotations"), f"*mscoco_{split}2014_annotations.json")
    if notes is None:
        raise DataError(f"{folder} has no v2_mscoco_{split}2014_annotations.json.")
    whole = read_json(file)
    subset = Place(file).value(whole, "data_subtype", str)
    if Path(subset).name != subset or subset in ("", ".."):
        raise DataError(f"{file}: 'data_subtype' is {subset!r}, and should be the name of a folder.")
    sought = (folder / subset, folder / "Images" / subset, folder / "Images/mscoco" / subset)
    pictures = next((each for each in sought if os.path.isdir(each)), None)
    if pictures is None:
        raise DataError(f"{folder} has no folder {subset} with pictures.")
    annotated = _annotations(notes)
    records, seen = [], dict[int, int]()
    for at, one in enumerate(Place(file).value(whole, "questions", list)):
        number = Place(file, at).value(one, "question_id", int)
        place = Place(file, at, f"question {number}")
        if number in seen:
            raise DataError(f"{place}: record {seen[number]} is the same question.")
        seen[number] = at
        if number not in annotated:
            raise DataError(f"{place}: {notes.name} has no annotation of it.")
        note_at, note = annotated[number]
        image = place.value(one, "image_id", int)
        if note["image_id"] != image:
            raise DataError(f"{Place(notes, note_at, f'question {number}')}: it is of another picture.")
        picture = picture_in(pictures, f"COCO_{subset}_{image:012d}.jpg", place)
        text = place.value(one, "question", str)
        answers = tuple(map(normalised, note["answers"]))
        records.append(
            Record(str(number), picture, text, answers, note["answer_type"], note["question_type"])
        )
    return records


def _annotations(file: Path) -> dict[int, tuple[int, dict]]:
    """Question -> (record, its checked annotation)."""
    found: dict[int, tuple[int, dict]] = {}
    for at, one in enumerate(Place(file).value(read_json(file), "annotations", list)):
        number = Place(file, at).value(one, "question_id", int)
        place = Place(file, at, f"question {number}")
        if number in found:
            raise DataError(f"{place}: record {found[number][0]} is of the same question.")
        place.value(one, "multiple_choice_answer", str)
        kind = place.value(one, "answer_type", str)
        if kind not in ANSWER_TYPES:
            raise DataError(f"{place}: 'answer_type' is '{kind}', not {', '.join(ANSWER_TYPES)}.")
        found[number] = (
            at,
            {
                "image_id": place.value(one, "image_id", int),
                "question_type": place.value(one, "question_type", str),
                "answer_type": kind,
                "answers": answers_of(one, place),
            },
        )
    return found
