"""A folder of published question data, whatever its format."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.train.bits import in_eight_bits
from models.train.reflex.vqa import vizwiz, vqav2
from models.train.reflex.vqa.record import DataError, Record
from models.train.upright import upright

PARTS = {"validation": 0, "score": 1}
"""Parts of the published training split, each one in ten pictures by name: to choose thresholds, and to fit
the exit scores.
"""
_IN = 10


def format_of(folder: Path) -> str:
    """ "VQAv2" or "VizWiz". Raises DataError."""
    if any(vqav2.questions_file(folder, split) for split in vqav2.SPLITS):
        return "VQAv2"
    if any(vizwiz.records_file(folder, split) for split in vizwiz.SPLITS):
        return "VizWiz"
    raise DataError(
        f"{folder} holds neither VQAv2 (v2_OpenEnded_mscoco_train2014_questions.json ...) nor VizWiz "
        "(train.json ...)."
    )


def _published(folder: Path, split: str) -> list[Record]:
    return (vqav2 if format_of(folder) == "VQAv2" else vizwiz).read(folder, split)


def read_training(folder: Path) -> dict[str, list[Record]]:
    """The published training split by part: train, score and validation. Raises DataError, for an empty part
    too.
    """
    found: dict[str, list[Record]] = {part: [] for part in ("train", *PARTS)}
    for record in _published(folder, "train"):
        found[_part(record.picture)].append(record)
    if empty := [part for part, records in found.items() if not records]:
        raise DataError(f"{folder} has too few pictures: none is left for the part {empty[0]}.")
    return found


def read(folder: Path, split: str) -> list[Record]:
    """The records of a published split, train or val. Raises DataError, for an empty split too."""
    records = _published(folder, split)
    if not records:
        raise DataError(f"{folder} has no records in the split {split}.")
    return records


def _part(picture: Path) -> str:
    number = int.from_bytes(hashlib.sha256(picture.name.encode()).digest()[:4], "big") % _IN
    return next((part for part, own in PARTS.items() if own == number), "train")


def pixels(record: Record) -> NDArray[np.uint8]:
    """A record's picture, uint8 [height, width, 3], upright. Raises DataError."""
    try:
        with Image.open(record.picture) as picture:
            return np.asarray(in_eight_bits(upright(picture)).convert("RGB"))
    except Exception as error:  # Pillow raises many classes for a damaged picture, SyntaxError among them
        raise DataError(f"{record.picture}, of question {record.number}, is no picture: {error}.") from error
