"""One question of published data, and the checks that every format shares."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONFIDENCES = ("yes", "maybe", "no")
PEOPLE = 10


class DataError(Exception):
    """Data that can't be used, in one sentence with file and record."""


@dataclass(frozen=True)
class Record:
    """One question about one photograph.

    number: its identity in the file. answers: of ten people, as the format's evaluation compares them; ()
    in a split without. answer_type: yes/no, number, other or unanswerable. answerable: None where the format
    doesn't tell.
    """

    number: str
    picture: Path
    question: str
    answers: tuple[str, ...] = ()
    answer_type: str = ""
    question_type: str = ""
    answerable: bool | None = None


@dataclass(frozen=True)
class Place:
    """Where something stands, for errors: "val.json, record 3 (question 12)"."""

    file: Path
    at: int | None = None
    name: str = ""

    def __str__(self) -> str:
        record = "" if self.at is None else f", record {self.at}"
        return f"{self.file}{record}" + (f" ({self.name})" if self.name else "")

    def value(self, record: Any, key: str, kind: type) -> Any:
        """The value of a key. Raises DataError."""
        if not isinstance(record, dict):
            raise DataError(f"{self}: it is no object.")
        if key not in record:
            raise DataError(f"{self}: '{key}' is missing.")
        value = record[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise DataError(f"{self}: '{key}' is {json.dumps(value)[:40]}, and should be {_NAMES[kind]}.")
        if isinstance(value, str) and _HALF.search(value):
            raise DataError(f"{self}: '{key}' is {json.dumps(value)[:40]}, which has half a character.")
        return value


_HALF = re.compile("[\ud800-\udfff]")
"""Half of a pair that JSON writes one character as; alone, no file can have it as text."""
_NAMES = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}


def read_json(path: Path) -> Any:
    """The contents of a file. Raises DataError."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"{path} can't be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}.") from error


def answers_of(record: Any, place: Place) -> tuple[str, ...]:
    """The ten answers of a record. Raises DataError."""
    given = place.value(record, "answers", list)
    if len(given) != PEOPLE:
        raise DataError(f"{place}: it has {len(given)} answers, and should have {PEOPLE}.")
    for one in given:
        confidence = place.value(one, "answer_confidence", str)
        if confidence not in CONFIDENCES:
            raise DataError(f"{place}: 'answer_confidence' is '{confidence}', not yes, maybe or no.")
    return tuple(place.value(one, "answer", str) for one in given)


def first_of(folders: Sequence[Path], name: str) -> Path | None:
    """The first path of that name, which may be a pattern, that is in one of the folders."""
    return next((path for folder in folders for path in sorted(folder.glob(name))), None)


def picture_in(folder: Path, name: str, place: Place) -> Path:
    """The path of a picture. Raises DataError where it is not there."""
    path = folder / name
    if Path(name).name != name or not os.path.isfile(path):  # False, not an error, for an impossible name
        raise DataError(f"{place}: the picture {path} is not there.")
    return path
