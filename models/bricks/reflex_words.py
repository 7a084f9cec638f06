"""The words of a closed question as the reflex brick reads them, and whether it is asked at all.

The file `words` is a vocabulary as `models.bricks.text` reads it. It may also have `asked`, a weight for each
word, of which the first is added to every question. Where the weights of a question's different words sum to
less than 0, the network is seldom sure enough of such a question to answer it, so nothing is computed and the
language model is asked.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.brick import UNKNOWN_WORD, BrickError
from models.bricks.text import UNKNOWN, Words
from models.pack.reflex_files import words_fault


class QuestionWords:
    """A vocabulary with the weights of its words. most_unknown: unknown words in a question that is read."""

    def __init__(self, words: Words, weights: NDArray[np.float32], most_unknown: int) -> None:
        self._words, self._weights, self._most_unknown = words, weights, most_unknown

    @classmethod
    def of_file(cls, path: Path, most_unknown: int) -> QuestionWords:
        """Raises BrickError."""
        if fault := words_fault(path):
            raise BrickError(fault)
        words = Words.read(path)
        assert isinstance(words, Words)
        weights = json.loads(path.read_text(encoding="utf-8")).get("asked", [0.0] * len(words))
        return cls(words, np.array(weights, np.float32), most_unknown)

    @property
    def length(self) -> int:
        """Most words that the network reads."""
        return self._words.length

    def __len__(self) -> int:
        return len(self._words)

    def numbers(self, text: str) -> tuple[NDArray[np.int64], str]:
        """The words' numbers, int64 [1, n]; and why the network is not asked, "" where it is."""
        ids = self._words.ids(text)
        numbers = np.array([ids], np.int64)
        if not ids:
            return numbers, "the question has no words"
        if len(ids) > self._words.length:
            return numbers, f"the question has {len(ids)} words, {self._words.length} are most"
        if UNKNOWN_WORD in text.split() or ids.count(UNKNOWN) > self._most_unknown:
            return numbers, "it has words that are not known"
        if self._weights[0] + self._weights[list(set(ids) - {0})].sum() < 0:
            return numbers, "such a question is seldom answered"
        return numbers, ""
