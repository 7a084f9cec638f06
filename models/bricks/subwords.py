"""Splits a sentence into the tokens of a text encoder, by SentencePiece's unigram or byte-pair model.

The file is JSON, written by `models.convert.text.tokenizer`:

    kind            "unigram" or "bpe"
    length          of the encoder's input, in tokens
    pieces          the text of every token, by id; a space is "\u2581"
    scores          unigram: log probability by id; bpe: order in which pieces are merged by id, -1 for never
    begin, end      ids that come before and after a sentence
    pad, unknown    id that fills up the input, id of text that no piece covers (-1: bytes or nothing)
    lower           the sentence is in lower case
    no_punctuation  ASCII punctuation is left out
    prefix          a space comes before the sentence

This takes a sentence of some words at a time, so plain Python is fast enough; a library for it would be one
more dependency of the headband.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

SPACE = "\u2581"
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_UNKNOWN_PENALTY = 10.0
"""By which an unknown character is less probable than the least probable piece, as in SentencePiece."""


class Subwords:
    """A tokenizer. Raises ValueError, KeyError or TypeError for a table that is not one."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        pieces, scores = list(table["pieces"]), list(table["scores"])
        if len(pieces) != len(scores) or table["kind"] not in ("unigram", "bpe"):
            raise ValueError("pieces and scores don't belong together")
        self._unigram = table["kind"] == "unigram"
        self._ids = {piece: index for index, piece in enumerate(pieces)}
        self._scores = scores
        self._longest = max(map(len, pieces))
        self._begin, self._end = list(table["begin"]), list(table["end"])
        self._pad, self._unknown = int(table["pad"]), int(table["unknown"])
        self._lower, self._bare = bool(table["lower"]), bool(table["no_punctuation"])
        self._prefix, self._length = bool(table["prefix"]), int(table["length"])
        used = [score for score in scores if score < 0]
        self._unknown_score = min(used, default=0.0) - _UNKNOWN_PENALTY

    def ids(self, text: str) -> list[int]:
        """The tokens of a sentence with those before and after it, without padding."""
        return [*self._begin, *self.split(self.prepared(text)), *self._end]

    def numbers(self, text: str) -> NDArray[np.int64]:
        """The encoder's input, int64 [1, length]. A longer sentence is cut, before the tokens at its end."""
        ids = self.ids(text)
        if len(ids) > self._length:
            ids = ids[: self._length - len(self._end)] + self._end
        return np.array([ids + [self._pad] * (self._length - len(ids))], np.int64)

    def prepared(self, text: str) -> str:
        """The sentence as in training: without capitals, and for some models without punctuation."""
        if self._lower:
            text = text.lower()
        if self._bare:
            text = re.sub(r"\s+", " ", text.translate(_PUNCTUATION)).strip()
        return text

    def split(self, text: str) -> list[int]:
        """The tokens of a prepared sentence."""
        if self._unigram:  # SentencePiece's own normalisation; Gemma's byte-pair model has none
            text = re.sub(r" +", " ", unicodedata.normalize("NFKC", text)).strip()
        if self._prefix and text:
            text = f" {text}"
        text = text.replace(" ", SPACE)
        return self._most_probable(text) if self._unigram else self._merged(text)

    def _most_probable(self, text: str) -> list[int]:
        """The split whose pieces have the largest sum of log probabilities (Viterbi)."""
        best: list[tuple[float, int, int]] = [(0.0, 0, self._unknown)]
        for end in range(1, len(text) + 1):
            found = (best[end - 1][0] + self._unknown_score, end - 1, self._unknown)
            for start in range(max(0, end - self._longest), end):
                index = self._ids.get(text[start:end])
                if index is not None and best[start][0] + self._scores[index] > found[0]:
                    found = (best[start][0] + self._scores[index], start, index)
            best.append(found)
        ids: list[int] = []
        end = len(text)
        while end:
            _, start, index = best[end]
            if not (index == self._unknown and ids and ids[-1] == self._unknown):  # one for a run of them
                ids.append(index)
            end = start
        return ids[::-1]

    def _merged(self, text: str) -> list[int]:
        """The characters, of which neighbours are merged in the order of the model's pieces."""
        parts = list(text)
        while len(parts) > 1:
            ranks = [self._rank(parts[at] + parts[at + 1]) for at in range(len(parts) - 1)]
            first = min(ranks)
            if first == len(self._scores):
                break
            at = ranks.index(first)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [index for part in parts for index in self._ids_of(part)]

    def _rank(self, piece: str) -> int:
        index = self._ids.get(piece)
        known = index is not None and self._scores[index] >= 0
        return int(self._scores[index]) if known and index is not None else len(self._scores)

    def _ids_of(self, part: str) -> list[int]:
        if part in self._ids:
            return [self._ids[part]]
        spelt = [self._ids.get(f"<0x{byte:02X}>", -1) for byte in part.encode()]
        return spelt if -1 not in spelt else [self._unknown] * (self._unknown >= 0)
