"""The text brick: a phrase to a place in the recall space, under ONNX Runtime.

Files: `model`, int64 [1, length] -> float32 [1, embedding]; `words`, JSON with `length` and `words`, the
vocabulary: a word's place in the list is its number, 0 stands behind the last word and 1 for an unknown
word. Words beyond the length are cut off. `words` may also be the table of `models.bricks.subwords`, the
tokenizer of a published encoder. `encoder`, `embedding` and `depth` are the vision encoder's. Settings:
`phrase`, the sentence that a phrase is put into.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Context, Phrase, Recall
from models.bricks.ort import CancellableSession
from models.bricks.subwords import Subwords
from models.process.child_main import free_model_memory

PADDING, UNKNOWN = 0, 1
_BETWEEN = str.maketrans(dict.fromkeys(",.?!;:", " "))


def _split(text: str) -> list[str]:
    return text.lower().translate(_BETWEEN).split()


class Words:
    """Phrases to numbers of words."""

    def __init__(self, words: list[str], length: int) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}
        self._count = len(words)
        self.length = length

    @classmethod
    def read(cls, path: Path) -> Words | Subwords:
        """A vocabulary of words, or the tokenizer of a published encoder. Raises BrickError for a file of
        another form.
        """
        try:
            table = json.loads(path.read_text(encoding="utf-8"))
            if "kind" in table:
                return Subwords(table)
            words, length = table["words"], table["length"]
            if not (isinstance(words, list) and isinstance(length, int) and length > 0):
                raise ValueError("it lacks a list of words or their number")
            return cls([str(word) for word in words], length)
        except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
            raise BrickError(f"The vocabulary {path} can't be read ({error}).") from error

    def __len__(self) -> int:
        """Places in the list, also of a word that stands in it twice, whose number is the later one."""
        return self._count

    def numbers(self, text: str) -> NDArray[np.int64]:
        """int64 [1, length]."""
        known = self.ids(text)[: self.length]
        return np.array([known + [PADDING] * (self.length - len(known))], np.int64)

    def ids(self, text: str) -> list[int]:
        """The number of every word, however many there are."""
        return [self._numbers.get(word, UNKNOWN) for word in _split(text)]

    def unknown(self, text: str) -> tuple[str, ...]:
        """The words that are not in the vocabulary, in order."""
        return tuple(word for word in _split(text) if word not in self._numbers)


class TextBrick:
    """The brick. Requests are `Phrase`, the answer is one `Recall`."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options = options
        self._context = context
        self._session: CancellableSession | None = None

    def load(self) -> None:
        path = Path(self._options["model"])
        self._words = Words.read(Path(self._options["words"]))
        self._session = CancellableSession(
            str(path), self._context, arena=bool(self._options.get("arena", False))
        )
        ports = self._session.ports(path)
        length, embedding = self._words.numbers("").shape[1], int(self._options.get("embedding", 0))
        if ports.takes != (1, length) or ports.gives[:-1] != (1,):
            raise BrickError(
                f"{path.name} takes {list(ports.takes)}, and the vocabulary gives [1, {length}]."
            )
        if embedding and ports.gives[-1] != embedding:
            raise BrickError(
                f"{path.name} gives {ports.gives[-1]} values, and the pack's recall space has {embedding}."
            )

    def execute(self, request: Phrase) -> Iterator[Recall]:
        assert self._session is not None
        if not isinstance(request, Phrase):
            raise BrickError(f"The text brick has no answer to a {type(request).__name__}.")
        feed, result = self._session.names
        sentence = str(self._options.get("phrase", "{phrase}")).format(phrase=request.text)
        vector = self._session.run([result], {feed: self._words.numbers(sentence)})[0][0]
        depth, encoder = int(self._options.get("depth", 0)), str(self._options.get("encoder", ""))
        unknown = self._words.unknown(request.text) if isinstance(self._words, Words) else ()
        yield Recall(np.ascontiguousarray(vector, np.float32), depth, encoder, unknown)

    def release(self) -> None:
        self._session = None
        free_model_memory()


def create(options: Mapping[str, Any], context: Context) -> TextBrick:
    """The brick, not yet loaded."""
    return TextBrick(options, context)
