"""Aligns Piper's phoneme string with time, by espeak-ng's phoneme events.

Piper cuts espeak-ng's output into single code points (a diphthong is two, a stress or length mark one of
its own) and keeps spaces and punctuation. Stress and linking marks last nothing; pauses belong to the
punctuation or space where they fall; the code points of one phoneme share its time.
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
"""Stress marks and the linking mark: symbols that last nothing."""
_PUNCTUATION = frozenset(" ,.;:?!")
_LENGTH_SHARE = 0.6


@dataclass(frozen=True)
class Aligned:
    """`symbols`: int64 [S] phoneme ids from ^ to $, without the padding between; `ends`: int64 [S], each
    symbol's last sample + 1.
    """

    symbols: np.ndarray
    ends: np.ndarray


class Mismatch(ValueError):
    """Events and phoneme string do not match; the sentence cannot be used for training."""


def phonemes(phonemizer: EspeakPhonemizer, voice: str, text: str) -> list[str]:
    """Piper's phonemes of one sentence. Raises Mismatch where Piper makes several sentences or none of it."""
    sentences = phonemizer.phonemize(voice, text)
    if len(sentences) != 1 or not sentences[0]:
        raise Mismatch(f"{len(sentences)} sentences")
    return sentences[0]


def symbol_ids(sentence: list[str]) -> np.ndarray:
    """int64 [S]: ids of ^, the phonemes and $. Raises Mismatch for a phoneme that the map lacks."""
    if any(phoneme not in DEFAULT_PHONEME_ID_MAP for phoneme in sentence):
        raise Mismatch("unknown phoneme")
    return np.array([DEFAULT_PHONEME_ID_MAP[p][0] for p in (BOS, *sentence, EOS)], dtype=np.int64)


def align(sentence: list[str], marks: tuple[Mark, ...], n_samples: int) -> Aligned:
    """Lays `marks` over the phonemes of `sentence`. Raises Mismatch where they differ."""
    starts = np.full(len(sentence) + 1, -1, dtype=np.int64)
    cursor = 0
    for index, mark in enumerate(marks):
        if mark.text is None:
            cursor = _enter_word(sentence, starts, cursor, mark.sample)
        elif mark.text == "":
            cursor = _enter_pause(sentence, starts, cursor, mark.sample)
        else:
            following = marks[index + 1].sample if index + 1 < len(marks) else n_samples
            cursor = _enter_phoneme(sentence, starts, cursor, mark, following)
    if any(p not in _PUNCTUATION and p not in STRESS for p in sentence[cursor:]):
        raise Mismatch("phonemes left over")
    starts[-1] = n_samples
    for position in range(len(sentence) - 1, -1, -1):
        if starts[position] < 0:
            starts[position] = starts[position + 1]
    starts = np.maximum.accumulate(starts)
    ends = np.concatenate((starts, [n_samples]))
    return Aligned(symbol_ids(sentence), ends)


def _enter_word(sentence: list[str], starts: np.ndarray, cursor: int, sample: int) -> int:
    """A word begins: the silence before its first phoneme, if any, belongs to the space before it."""
    if cursor > 0 and cursor < len(sentence) and sentence[cursor] == " " and starts[cursor] < 0:
        starts[cursor] = sample
    return cursor


def _enter_pause(sentence: list[str], starts: np.ndarray, cursor: int, sample: int) -> int:
    """A pause begins: it belongs to the punctuation or space at the cursor, or lengthens the phoneme
    before.
    """
    if cursor < len(sentence) and sentence[cursor] in _PUNCTUATION and starts[cursor] < 0:
        starts[cursor] = sample
    return cursor


def _enter_phoneme(sentence: list[str], starts: np.ndarray, cursor: int, mark: Mark, following: int) -> int:
    """Gives the code points of one phoneme their times and returns the position after them."""
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
            raise Mismatch(f"{mark.text} at {''.join(sentence[cursor : cursor + 4])}")
        starts[cursor] = mark.sample + round(share * (following - mark.sample))
        cursor += 1
    return cursor
