"""What the classifier counts in a sentence: words, pairs and triples of neighbouring words, pairs with any
word between them, its first and last words, and the letters of each word. Each is one of `BUCKETS` by its
hash (feature hashing, Weinberger et al. 2009), so that no vocabulary is kept.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

BUCKETS = 24576
_LETTERS = (3, 4, 5)
"""Lengths of the sequences of letters."""


def features(words: Sequence[str]) -> tuple[list[int], float]:
    """The buckets of a sentence, each once, ascending; and the weight of each, one by the root of their
    number.
    """
    buckets = sorted({zlib.crc32(name.encode()) % BUCKETS for name in _names(words)})
    return buckets, len(buckets) ** -0.5 if buckets else 0.0


def _names(words: Sequence[str]) -> Iterator[str]:
    said = ["^", *words, "$"]
    for index, word in enumerate(said):
        yield word
        yield " ".join(said[index : index + 2])
        if index + 2 < len(said):
            yield " ".join(said[index : index + 3])
            yield f"{word} _ {said[index + 2]}"
    for word in words:
        if word.islower() and len(word) > 3:
            bounded = f"<{word}>"
            for n in _LETTERS:
                for start in range(len(bounded) - n + 1):
                    yield f"#{bounded[start : start + n]}"
