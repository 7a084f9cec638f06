"""Forced alignment: the time of every symbol of Piper's phoneme string, from espeak-ng's phoneme events.

Piper splits espeak-ng's output into single code points (a diphthong is two, a stress or length mark is one)
and keeps spaces and punctuation. Stress and linking marks have no duration; a pause is the duration of the
punctuation or space at its position; the code points of a phoneme divide its duration.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
from piper.const import BOS, EOS
from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP
from piper.phonemize_espeak import EspeakPhonemizer

from models.train.sound.espeak_events import Mark

STRESS = frozenset("ˈˌʲ")
"""Stress marks and the linking mark: symbols without duration."""
_PUNCTUATION = frozenset(" ,.;:?!")
_LENGTH_SHARE = 0.6


@dataclass(frozen=True)
class Aligned:
    """An aligned sentence. `symbols`: int64 [S], phoneme ids from ^ to $ without padding; `ends`: int64 [S],
    the end of each symbol in samples.
    """

    symbols: np.ndarray
    ends: np.ndarray


class AlignmentMismatch(ValueError):
    """The events and the phoneme string differ, so that the sentence cannot be used for training."""


def phonemes(phonemizer: EspeakPhonemizer, voice: str, text: str) -> list[str]:
    """Piper's phonemes of a sentence. Raises AlignmentMismatch where Piper splits it, or has no phonemes for
    it.
    """
    sentences = phonemizer.phonemize(voice, text)
    if len(sentences) != 1 or not sentences[0]:
        raise AlignmentMismatch(f"{len(sentences)} sentences")
    return sentences[0]


def symbol_ids(sentence: list[str]) -> np.ndarray:
    """int64 [S]: ids of ^, the phonemes and $. Raises AlignmentMismatch for a phoneme without an id."""
    if any(phoneme not in DEFAULT_PHONEME_ID_MAP for phoneme in sentence):
        raise AlignmentMismatch("unknown phoneme")
    return np.array([DEFAULT_PHONEME_ID_MAP[p][0] for p in (BOS, *sentence, EOS)], dtype=np.int64)


def align(sentence: list[str], marks: tuple[Mark, ...], n_samples: int) -> Aligned:
    """Assigns the times of `marks` to the phonemes of `sentence`. AlignmentMismatch where they differ."""
    starts = np.full(len(sentence) + 1, -1, dtype=np.int64)
    cursor = 0
    for index, mark in enumerate(marks):
        if mark.text is None:
            cursor = _start_word(sentence, starts, cursor, mark.sample)
        elif mark.text == "":
            cursor = _start_pause(sentence, starts, cursor, mark.sample)
        else:
            following = marks[index + 1].sample if index + 1 < len(marks) else n_samples
            cursor = _start_phoneme(sentence, starts, cursor, mark, following)
    if any(p not in _PUNCTUATION and p not in STRESS for p in sentence[cursor:]):
        raise AlignmentMismatch("phonemes left over")
    starts[-1] = n_samples
    for position in range(len(sentence) - 1, -1, -1):
        if starts[position] < 0:
            starts[position] = starts[position + 1]
    starts = np.maximum.accumulate(starts)
    ends = np.concatenate((starts, [n_samples]))
    return Aligned(symbol_ids(sentence), ends)


def _start_word(sentence: list[str], starts: np.ndarray, cursor: int, sample: int) -> int:
    """At the start of a word: a silence before its first phoneme is part of the space before the word."""
    if cursor > 0 and cursor < len(sentence) and sentence[cursor] == " " and starts[cursor] < 0:
        starts[cursor] = sample
    return cursor


def _start_pause(sentence: list[str], starts: np.ndarray, cursor: int, sample: int) -> int:
    """At the start of a pause: it is part of the punctuation or space at `cursor`, or else of the phoneme
    before it.
    """
    if cursor < len(sentence) and sentence[cursor] in _PUNCTUATION and starts[cursor] < 0:
        starts[cursor] = sample
    return cursor


def _start_phoneme(sentence: list[str], starts: np.ndarray, cursor: int, mark: Mark, following: int) -> int:
    """Divides the duration of a phoneme among its code points; returns the position after them."""
    while cursor < len(sentence) and sentence[cursor] in _PUNCTUATION | STRESS:
        if sentence[cursor] in STRESS:
            starts[cursor] = mark.sample
        cursor += 1
    points = [p for p in unicodedata.normalize("NFD", mark.text or "") if p not in STRESS]
    weights = np.array([_LENGTH_SHARE if p == "ː" else 1.0 for p in points])
    shares = np.concatenate(([0.0], np.cumsum(weights)[:-1])) / weights.sum()
    for point, share in zip(points, shares, strict=True):
        while cursor < len(sentence) and sentence[cursor] in STRESS:
            starts[cursor] = mark.sample + round(share * (following - mark.sample))
            cursor += 1
        if cursor >= len(sentence) or sentence[cursor] != point:
            raise AlignmentMismatch(f"{mark.text} at {''.join(sentence[cursor : cursor + 4])}")
        starts[cursor] = mark.sample + round(share * (following - mark.sample))
        cursor += 1
    return cursor
