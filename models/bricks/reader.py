"""The text reader: the words that are written in a picture, whatever they are.

It runs in the reflex brick's process and reads the picture itself, at its own size and at half of it, where
the eye has only a few rows for all of a sign. A small network tells which letter has its middle where, and
how large it is (as in CenterNet, Zhou et al., 2019); letters of like size in a row are a word. File of the
reflex brick: `reader`, a graph that turns `pixels` float32 [1, 3, h, w], h and w multiples of 8, into
`numbers` [1, 2 + letters, h / 2, w / 2]: logits of none and of each of `LETTERS`, and the logarithm of a
letter's height in parts of `USUAL_HEIGHT_PX`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.brick import Context
from models.bricks.reflex_graphs import Graph
from models.process.rss import trim_heap
from models.reading import Reading, Word

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
"""What is read. A letter's class is its place here, from 1; 0 is none."""
USUAL_HEIGHT_PX = 12.0
"""Of a letter whose height the network gives as 0."""
LONGEST_PX = 448
"""A larger picture is made smaller first."""
PIECE_PX, _OVERLAP_PX = 256, 48
_STRIDE, _MULTIPLE = 2, 8
_FOUND_FROM = 0.35
"""Probability of a letter."""
_LEAST_ABOVE_NONE = math.log(_FOUND_FROM / (1 - _FOUND_FROM) / len(LETTERS))
"""Where no letter's logit is so far from that of none, there is none of that probability."""
_SAME, _SAME_LETTER = 0.3, 0.5
"""Of the smaller one's height: letters so near each other are one, whatever they are, and the same letter."""
_ALIKE = {"O": "0", "I": "1", "S": "5", "B": "8", "Z": "2"}
"""Letters and the digits that look like them: what stands in a word is one or the other by its neighbours."""
_MOST_APART, _LEAST_APART, _MOST_RISE, _MOST_RATIO = 1.75, 0.18, 0.5, 1.6
"""Of neighbours in a word, in heights: between their middles, across and down; of their heights."""
_WORD_GAP = 1.8
"""A gap of so many usual ones ends a word."""
_FEW, _BETWEEN = 3, 1.3
"""A row of so few letters is taken as it is; in a longer one there is no letter between two that are nearer
to each other than so many usual gaps.
"""
_SMALL_PX, _CLOSER = 11.0, 2
"""Letters less high are looked at once more, so many times as large."""
_AROUND = 1.0
"""So many heights around a word belong to that look."""
_MOST = 12
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class _Letter:
    """x, y, height in px of the whole picture; logarithms: of the probability of each of `LETTERS`; sure:
    the probability that there is a letter.
    """

    x: float
    y: float
    height: float
    logarithms: Floats
    sure: float


class TextReader:
    """A loaded reader."""

    def __init__(self, path: Path, context: Context) -> None:
        """Raises BrickError."""
        self._graph = Graph(path, context, arena=False, threads=0)  # a small file with much to do
        self._graph.require({"pixels": (1, 3, None, None)}, {"numbers": (1, 2 + len(LETTERS), None, None)})
        trim_heap()

    def read(self, rgb: NDArray[np.uint8]) -> Reading:
        """The words of a picture, uint8 [height, width, 3]. Raises Cancelled."""
        picture = Image.fromarray(rgb)
        if max(picture.size) > LONGEST_PX:
            picture.thumbnail((LONGEST_PX, LONGEST_PX), Image.Resampling.BOX)
        found: list[Word] = []
        width, height = picture.size
        for scale in (1.0, 0.5):
            size = max(_MULTIPLE, round(width * scale)), max(_MULTIPLE, round(height * scale))
            shown = picture if size == picture.size else picture.resize(size, Image.Resampling.BOX)
            letters = self._letters(np.asarray(shown, np.float32) / np.float32(255))
            found += [_word(row, size) for row in _rows(letters)]
        found += [word for box in _small(found, picture.size) for word in self._closer(picture, box)]
        trim_heap()
        return Reading(tuple(_apart(found)[:_MOST]))

    def _closer(self, picture: Image.Image, box: tuple[int, int, int, int]) -> Iterator[Word]:
        """The words in a part of the picture, left, top, right, bottom, read from a larger picture of it."""
        left, top, right, bottom = box
        size = _CLOSER * (right - left), _CLOSER * (bottom - top)
        shown = picture.resize(size, Image.Resampling.BICUBIC, box)
        letters = self._letters(np.asarray(shown, np.float32) / np.float32(255))
        whole = _CLOSER * picture.size[0], _CLOSER * picture.size[1]
        for row in _rows(letters):
            moved = [replace(each, x=each.x + _CLOSER * left, y=each.y + _CLOSER * top) for each in row]
            yield _word(moved, whole)

    def _letters(self, pixels: Floats) -> list[_Letter]:
        """All letters of a picture, float32 [h, w, 3], 0 to 1. A large one is read in pieces that overlap, as
        what the network works with is much larger than the picture.
        """
        found: list[_Letter] = []
        for top, bottom, first_row, last_row in pieces(pixels.shape[0]):
            for left, right, first, last in pieces(pixels.shape[1]):
                for letter in self._in_piece(pixels[top:bottom, left:right]):
                    moved = replace(letter, x=letter.x + left, y=letter.y + top)
                    if first <= moved.x < last and first_row <= moved.y < last_row:
                        found.append(moved)
        return _once(found)

    def _in_piece(self, pixels: Floats) -> Iterator[_Letter]:
        down, across = (-side % _MULTIPLE for side in pixels.shape[:2])
        padded = np.pad(pixels, ((0, down), (0, across), (0, 0)), "edge")
        feed = np.ascontiguousarray(padded.transpose(2, 0, 1)[None])
        (numbers,) = self._graph.run({"pixels": feed}, ["numbers"])
        logits, heights = numbers[0, :-1], numbers[0, -1]
        rows, columns = np.nonzero(logits[1:].max(0) >= logits[0] + _LEAST_ABOVE_NONE)
        chances = np.exp(logits[:, rows, columns] - logits[:, rows, columns].max(0))
        chances /= chances.sum(0)
        there = np.zeros((logits.shape[1] + 2, logits.shape[2] + 2), np.float32)
        there[rows + 1, columns + 1] = 1.0 - chances[0]
        for at, (row, column) in enumerate(zip(rows, columns, strict=True)):
            sure = there[row + 1, column + 1]
            if sure < _FOUND_FROM or sure < there[row : row + 3, column : column + 3].max():
                continue
            height = USUAL_HEIGHT_PX * float(np.exp(np.clip(heights[row, column], -2.0, 2.0)))
            logarithms = np.log(np.maximum(chances[1:, at], 1e-6))
            x, y = (float(column) + 0.5) * _STRIDE, (float(row) + 0.5) * _STRIDE
            yield _Letter(x, y, height, logarithms, float(sure))


def _small(words: Sequence[Word], size: tuple[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """Where small letters stand in a picture of that size, px: left, top, right, bottom."""
    taken: list[tuple[int, int, int, int]] = []
    for word in sorted(words, key=lambda each: -each.width):
        height = word.height * size[1]
        if height >= _SMALL_PX or len(word.text) < 2:
            continue
        across, down = word.width * size[0] / 2 + _AROUND * height, (0.5 + _AROUND) * height
        x, y = word.x * size[0], word.y * size[1]
        if any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in taken):
            continue
        taken.append(
            (
                max(0, round(x - across)), max(0, round(y - down)),
                min(size[0], round(x + across)), min(size[1], round(y + down)),
            )
        )  # fmt: skip
        yield taken[-1]


def pieces(extent: int) -> Iterator[tuple[int, int, float, float]]:
    """Cuts a side into as few and as small pieces as overlap: where each begins and ends, and from where to
    where it counts.
    """
    if extent <= PIECE_PX:
        yield 0, extent, 0, extent
        return
    number = -(-(extent - _OVERLAP_PX) // (PIECE_PX - _OVERLAP_PX))
    least = -(-(extent + (number - 1) * _OVERLAP_PX) // number)
    piece = -(-least // _MULTIPLE) * _MULTIPLE
    begins = [round(at * (extent - piece) / (number - 1)) for at in range(number)]
    middles = [(begin + before + piece) / 2 for before, begin in pairwise(begins)]
    for begin, first, last in zip(begins, [0, *middles], [*middles, extent], strict=True):
        yield begin, begin + piece, first, last


def _once(letters: list[_Letter]) -> list[_Letter]:
    """Without those that lie on a surer one."""
    kept: list[_Letter] = []
    for letter in sorted(letters, key=lambda each: -each.sure):
        if not any(_is_same(letter, other) for other in kept):
            kept.append(letter)
    return kept


def _is_same(one: _Letter, other: _Letter) -> bool:
    apart = math.hypot(one.x - other.x, one.y - other.y) / min(one.height, other.height)
    alike = int(one.logarithms.argmax()) == int(other.logarithms.argmax())
    return apart < (_SAME_LETTER if alike else _SAME)


def _rows(letters: list[_Letter]) -> Iterable[list[_Letter]]:
    """Letters of one word each, from the left."""
    left = sorted(letters, key=lambda letter: letter.x)
    while left:
        row = [left.pop(0)]
        while (following := _next(row[-1], left)) is not None:
            left.remove(following)
            row.append(following)
        yield from _words(row)


def _next(letter: _Letter, others: Iterable[_Letter]) -> _Letter | None:
    def near(other: _Letter) -> bool:
        height = (letter.height + other.height) / 2
        ratio = max(letter.height, other.height) / min(letter.height, other.height)
        across, down = (other.x - letter.x) / height, abs(other.y - letter.y) / height
        return _LEAST_APART < across < _MOST_APART and down < _MOST_RISE and ratio < _MOST_RATIO

    return min((other for other in others if near(other)), key=lambda other: other.x, default=None)


def _words(row: list[_Letter]) -> Iterable[list[_Letter]]:
    """A row, cut where the gap is much wider than its usual one."""
    row = _even(row)
    gaps = [second.x - first.x for first, second in pairwise(row)]
    usual = float(np.median(gaps)) if len(gaps) > 1 else float("inf")
    begun = 0
    for number, gap in enumerate(gaps, 1):
        if gap > _WORD_GAP * usual:
            yield row[begun:number]
            begun = number
    yield row[begun:]


def _even(row: list[_Letter]) -> list[_Letter]:
    """Without what lies between two letters that are no farther apart than usual neighbours."""
    gaps = sorted(second.x - first.x for first, second in pairwise(row))
    while len(row) > _FEW:
        usual = gaps[len(gaps) // 2]
        between = [at for at in range(1, len(row) - 1) if row[at + 1].x - row[at - 1].x < _BETWEEN * usual]
        if not between:
            break
        row = [letter for at, letter in enumerate(row) if at != min(between, key=lambda at: row[at].sure)]
    return row


def _word(row: list[_Letter], size: tuple[int, int]) -> Word:
    """What letters in a row say: all letters, or all digits, whichever is likelier."""
    together = np.stack([letter.logarithms for letter in row])
    for letter, digit in _ALIKE.items():
        pair = [LETTERS.index(letter), LETTERS.index(digit)]
        together[:, pair] = np.logaddexp(together[:, pair[0]], together[:, pair[1]])[:, None]
    kinds = slice(0, 26), slice(26, 36)
    sums = [float(together[:, kind].max(1).sum()) for kind in kinds]
    plain = [float(np.stack([letter.logarithms[kind] for letter in row]).max(1).sum()) for kind in kinds]
    chosen = 0 if (sums[0], plain[0]) >= (sums[1], plain[1]) else 1
    if abs(sums[0] - sums[1]) < 1e-6 * len(row):  # only look-alikes: as the network sees them
        chosen = 0 if plain[0] >= plain[1] else 1
    text = "".join(LETTERS[kinds[chosen].start + int(at)] for at in together[:, kinds[chosen]].argmax(1))
    height = float(np.mean([letter.height for letter in row]))
    left, right = row[0].x - height / 2, row[-1].x + height / 2
    y = float(np.mean([letter.y for letter in row]))
    return Word(
        text,
        (left + right) / 2 / size[0],
        y / size[1],
        (right - left) / size[0],
        height / size[1],
        float(np.exp(sums[chosen])),
    )


def _apart(words: list[Word]) -> list[Word]:
    """Of words that lie on each other, as read at two sizes, the longer one, or of two as long the surer."""
    kept: list[Word] = []
    for word in sorted(words, key=lambda each: (-len(each.text) * each.probability, -each.probability)):
        if not any(_overlap(word, other) for other in kept):
            kept.append(word)
    return sorted(kept, key=lambda each: -each.probability)


def _overlap(one: Word, other: Word) -> bool:
    across = min(one.width, other.width) / 2 + max(one.width, other.width) / 2
    down = (one.height + other.height) / 2
    return abs(one.x - other.x) < 0.8 * across and abs(one.y - other.y) < 0.8 * down
