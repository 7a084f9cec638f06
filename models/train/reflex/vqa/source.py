"""Examples from published question data: the answer is one of a vocabulary, "{answer}", with soft scores.

A question counts as answerable where the data says so (VizWiz); where it says nothing (VQAv2), where an
answer of the vocabulary is right for somebody.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.bricks.closed_sentence import HAND_OVER, AnswerTable
from models.train.reflex.examples import Example, Shard, read_shard, write_shard
from models.train.reflex.labels import OPEN, Label
from models.train.reflex.vqa.folder import pixels, read_training
from models.train.reflex.vqa.record import DataError, Record
from models.train.reflex.vqa.score import soft_scores, vocabulary

ANSWERS = 3000
"""Most answers of the vocabulary."""
UNANSWERABLE = "unanswerable"
FORM, BLANK = "{answer}", "answer"
ADVICE = {UNANSWERABLE: "I cannot tell from this picture."}
_LEAST_SEEN = 2
"""Questions that have a word, so that it is known."""
_PICTURES = 500
_RECIPE = "upright"
"""Of the rows; those that were made of a picture in another way are other data."""
_SIGNS = str.maketrans(dict.fromkeys(",.?!;:", " "))


class Encoder(Protocol):
    """What gives the rows of a picture of any size; `models.train.reflex.data.Eye`, or `pack_eye.PackEye`."""

    identity: str

    def picture_rows(self, picture: NDArray[np.uint8]) -> NDArray[np.float16]: ...


class VqaSource:
    """A folder of VQAv2 or VizWiz, seen by an eye. Rows are made once and kept."""

    def __init__(
        self, folder: Path, eye: Encoder, cache: Path, answers: int = ANSWERS, pictures: int = _PICTURES
    ) -> None:
        """Raises DataError. cache: folder for the rows. pictures: of a shard."""
        self.eye, self._size, self._pictures = eye, answers, pictures
        self._records = read_training(folder)
        self.identity = hashlib.sha256(repr((_RECIPE, _about(self._records))).encode()).hexdigest()[:12]
        self._rows = cache / "rows" / eye.identity / f"data-{self.identity}"

    @cached_property
    def table(self) -> AnswerTable:
        """One form, and the most frequent answers of the training split. Raises DataError for none."""
        answers = tuple(vocabulary((one.answers for one in self._records["train"]), self._size))
        if not answers:
            raise DataError("The training split has no answer that can be learned, with so many --answers.")
        return AnswerTable((HAND_OVER, FORM), {BLANK: answers}, frozenset(), ("", UNANSWERABLE), ADVICE)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Words of at least two training questions, sorted."""
        counts = Counter(word for one in self._records["train"] for word in set(_words(one.question)))
        return tuple(sorted(word for word, count in counts.items() if count >= _LEAST_SEEN))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {answer: number for number, answer in enumerate(self.table.blanks[BLANK])}

    def _shots(self, part: str) -> list[list[Record]]:
        """The questions of each picture, in the order of their names."""
        found: dict[Path, list[Record]] = {}
        for one in sorted(self._records[part], key=lambda one: (one.picture.name, one.number)):
            found.setdefault(one.picture, []).append(one)
        return list(found.values())

    def count(self, part: str) -> int:
        """Shards of a part."""
        return -(-len(self._shots(part)) // self._pictures)

    def shard(self, part: str, number: int) -> Shard:
        """One shard, made where it is missing. Raises DataError."""
        name = f"{part}-{self._pictures}-{self._size}-{number:04d}"
        found = read_shard(self._rows, name)
        if found is None:
            start = number * self._pictures
            write_shard(self._made(self._shots(part)[start : start + self._pictures]), self._rows, name)
            found = read_shard(self._rows, name)
        assert found is not None
        return found

    def _made(self, shots: Sequence[Sequence[Record]]) -> Shard:
        rows, examples = [], []
        for picture, records in enumerate(shots):
            rows.append(self.eye.picture_rows(pixels(records[0])))
            examples += [self.example(picture, one) for one in records]
        return Shard(np.stack(rows), tuple(examples))

    def example(self, picture: int, record: Record) -> Example:
        """A record with its labels; without a right answer in the vocabulary it is handed over."""
        scores = soft_scores(record.answers, self._numbers)
        answerable = bool(scores) if record.answerable is None else record.answerable
        cause = 0 if answerable else 1
        if not scores:
            return Example(picture, record.question, OPEN, cause, "", record.answer_type)
        best = max(scores, key=lambda value: (scores[value], -value))
        label, said = Label(1, {BLANK: best}), self.table.blanks[BLANK][best]
        ordered = tuple(sorted(scores.items()))
        return Example(picture, record.question, label, cause, said, record.answer_type, ordered)


def _about(records: Mapping[str, Sequence[Record]]) -> list[tuple[object, ...]]:
    """Everything of the records that shards are made from; of a picture its name and size in bytes."""
    paths = {one.picture for part in records.values() for one in part}
    sizes = {path: path.stat().st_size for path in paths}
    return [
        (part, one.number, one.picture.name, sizes[one.picture], one.question, one.answers, one.answer_type,
         one.answerable)
        for part, found in records.items() for one in found
    ]  # fmt: skip


def _words(text: str) -> list[str]:
    return text.lower().translate(_SIGNS).split()
