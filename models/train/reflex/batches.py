"""Examples as arrays, and batches of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.bricks.closed_sentence import AnswerTable, blanks_of
from models.bricks.text import PADDING, UNKNOWN, Words
from models.convert.reflex.weights import LONGEST_WORDS
from models.train.reflex.examples import Example, Shard

NONE = -1
"""The label of a blank that the answer's form has not."""


def vocabulary(words: Sequence[str]) -> list[str]:
    """The list of `words.json`: entries for padding and unknown words, and the words."""
    return ["", "?", *words]


@dataclass(frozen=True, eq=False)
class Batch:
    """words: int64 [B, t]. mask: bool [B, t]. rows: float32 [P, n, R]. pictures: int64 [B]. labels: int64
    [B, 1 + blanks], the form and the blanks' values, `NONE` for a blank that the form has not. cause: int64
    [B]. soft: number of a blank -> float32 [B, values], how right each value is; rows of zeros have one right
    value.
    """

    words: Tensor
    mask: Tensor
    rows: Tensor
    pictures: Tensor
    labels: Tensor
    cause: Tensor
    soft: dict[int, Tensor]

    def to(self, device: torch.device | str) -> Batch:
        """The same on another device."""
        return Batch(
            self.words.to(device),
            self.mask.to(device),
            self.rows.to(device),
            self.pictures.to(device),
            self.labels.to(device),
            self.cause.to(device),
            {blank: scores.to(device) for blank, scores in self.soft.items()},
        )


class Examples:
    """All examples of some shards. Question numbers count over all of them. read: bool, of each question
    whether the brick takes it, with words that it knows; mixes: what is unseen about each.
    """

    def __init__(self, shards: Sequence[Shard], table: AnswerTable, words: Sequence[str]) -> None:
        self.table, self._rows = table, [shard.rows for shard in shards]
        self.examples: list[Example] = [one for shard in shards for one in shard.examples]
        first = np.cumsum([0, *(len(rows) for rows in self._rows)])
        pictures = [one.picture + start for shard, start in zip(shards, first[:-1], strict=True)
                    for one in shard.examples]  # fmt: skip
        self._first: NDArray[np.int64] = first
        self.picture = np.asarray(pictures, np.int64)
        known = Words(vocabulary(words), LONGEST_WORDS)
        numbers = [known.numbers(one.question)[0] for one in self.examples]
        ids = [known.ids(one.question) for one in self.examples]
        self.read = np.asarray([UNKNOWN not in each and 0 < len(each) <= LONGEST_WORDS for each in ids])
        self.mixes = np.asarray([one.unseen for one in self.examples])
        self.words = np.stack(numbers).astype(np.int32)
        self.labels = np.full((len(self.examples), 1 + len(table.blanks)), NONE, np.int64)
        names = list(table.blanks)
        for row, one in zip(self.labels, self.examples, strict=True):
            row[0] = one.label.form
            for name, value in one.label.values.items():
                row[1 + names.index(name)] = value
        self.cause = np.asarray([one.cause for one in self.examples], np.int64)
        self._length = (self.words != PADDING).sum(1)
        self._usual_length = int(np.percentile(self._length, 95)) if len(self._length) else 0
        order = np.argsort(self.picture, kind="stable")
        self._of_picture = np.split(order, np.flatnonzero(np.diff(self.picture[order])) + 1)

    def __len__(self) -> int:
        return len(self.examples)

    def rows_of(self, picture: int) -> NDArray[np.float16]:
        """float16 [n, R]."""
        shard = int(np.searchsorted(self._first, picture, "right")) - 1
        rows: NDArray[np.float16] = self._rows[shard][picture - self._first[shard]]
        return rows

    def scored_blank(self, question: int) -> int:
        """The number of the blank to which the scores of an example belong."""
        form = self.table.forms[self.examples[question].label.form]
        return list(self.table.blanks).index(blanks_of(form)[0])

    def batch(self, questions: NDArray[np.int64]) -> Batch:
        """The questions of these numbers."""
        words = self.words[questions].astype(np.int64)
        longest = max(1, int((words != PADDING).sum(1).max()))
        words = words[:, :longest]
        words[:, 0] = np.where(words[:, 0] == PADDING, UNKNOWN, words[:, 0])  # no question is empty
        shown, pictures = np.unique(self.picture[questions], return_inverse=True)
        soft: dict[int, NDArray[np.float32]] = {}
        sizes = self.table.groups[1:]
        for place, question in enumerate(questions):
            if scores := self.examples[question].scores:
                blank = self.scored_blank(int(question))
                made = soft.setdefault(blank, np.zeros((len(questions), sizes[blank]), np.float32))
                for value, score in scores:
                    made[place, value] = score
        return Batch(
            torch.from_numpy(words),
            torch.from_numpy(words != PADDING),
            torch.from_numpy(np.stack([self.rows_of(int(one)) for one in shown]).astype(np.float32)),
            torch.from_numpy(pictures.astype(np.int64)),
            torch.from_numpy(self.labels[questions]),
            torch.from_numpy(self.cause[questions]),
            {blank: torch.from_numpy(scores) for blank, scores in soft.items()},
        )

    def training(self, step: int, seed: int, pictures: int, questions: int) -> Batch:
        """A random batch that depends on seed and step only: so many pictures, so many questions of each. One
        word in a hundred is unknown. An even batch is computed sooner, so that of a picture with fewer, but
        at least half as many, some come twice; and so is one of short questions, so that three batches of
        four have none of the longest twentieth.
        """
        random = np.random.default_rng((seed, step))
        count = len(self._of_picture)
        chosen = np.sort(random.choice(count, min(pictures, count), replace=False))
        fit = [self._of_picture[one] for one in chosen]
        if random.random() < 0.75:
            short = [asked[self._length[asked] <= self._usual_length] for asked in fit]
            fit = short if any(map(len, short)) else fit
        found = [random.permutation(asked)[:questions] for asked in fit if len(asked)]
        found = [np.resize(one, questions) if 2 * len(one) >= questions else one for one in found]
        batch = self.batch(np.concatenate(found))
        lost = torch.from_numpy(random.random(batch.words.shape) < 0.01) & batch.mask
        batch.words[lost] = UNKNOWN
        return batch

    def in_order(self, at_once: int) -> Iterator[tuple[NDArray[np.int64], Batch]]:
        """All questions, with their numbers."""
        for start in range(0, len(self), at_once):
            numbers = np.arange(start, min(start + at_once, len(self)))
            yield numbers, self.batch(numbers)
