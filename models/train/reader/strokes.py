"""Letters as strokes, in hands that no two words share."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Corner = tuple[float, float]
Stroke = tuple[Corner, ...]
_ROUND_SHARE, _SERIF_SHARE, _JITTER_SHARE = 0.4, 0.25, 0.6
_OTHER_SHARE, _PROPORTIONAL_SHARE = 0.35, 0.6
"""Of hands: with round corners, with serifs, with corners moved; of letters: in another form; of hands: with
letters that are not all as wide.
"""
_STROKES: Mapping[str, str] = {
    "A": "06 20 46,14 34", "B": "00 06 36 45 44 33 03,33 42 41 30 00", "C": "41 30 10 01 05 16 36 45",
    "D": "00 06 26 44 42 20 00", "E": "40 00 06 46,03 33", "F": "40 00 06,03 33",
    "G": "41 30 10 01 05 16 36 45 43 23", "H": "00 06,40 46,03 43", "I": "20 26", "J": "40 45 36 16 05",
    "K": "00 06,40 03 46", "L": "00 06 46", "M": "06 00 23 40 46", "N": "06 00 46 40",
    "O": "10 01 05 16 36 45 41 30 10", "P": "06 00 30 41 42 33 03", "Q": "10 01 05 16 36 45 41 30 10,24 46",
    "R": "06 00 30 41 42 33 03,23 46", "S": "41 30 10 01 02 13 33 44 45 36 16 05", "T": "00 40,20 26",
    "U": "00 05 16 36 45 40", "V": "00 26 40", "W": "00 16 22 36 40", "X": "00 46,40 06",
    "Y": "00 23 40,23 26",
    "Z": "00 40 06 46", "0": "10 01 05 16 36 45 41 30 10", "1": "11 20 26", "2": "01 10 30 41 42 06 46",
    "3": "00 40 23 33 44 45 36 16 05", "4": "36 30 04 44", "5": "40 00 03 33 44 45 36 16 05",
    "6": "30 12 05 16 36 45 44 33 13 04", "7": "00 40 16",
    "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
    "9": "42 33 13 02 01 10 30 41 42 34 16",
}  # fmt: skip
"""Corners of each letter's strokes, column 0 to 4 and row 0 to 6."""
_OTHERS: Mapping[str, Sequence[str]] = {
    "A": ("06 10 30 46,04 44", "06 01 10 30 41 46,03 43"), "B": ("00 06 46 44 43 03,33 31 30 00",),
    "C": ("40 00 06 46", "41 20 00 06 26 45"), "D": ("00 06 36 45 41 30 00",),
    "E": ("40 10 01 05 16 46,03 33", "40 00 06 46,03 43"), "F": ("40 00 06,03 43",),
    "G": ("40 00 06 46 43 23", "41 30 10 01 05 16 36 44 24"), "I": ("10 30,20 26,16 36",),
    "J": ("10 40,30 35 26 16 05", "30 35 26 06"), "K": ("00 06,40 13,13 46,03 13", "00 06,40 03,22 46"),
    "M": ("06 00 26 40 46", "06 10 23 30 46"), "N": ("06 00 45 46 40",),
    "O": ("00 06 46 40 00", "20 02 04 26 44 42 20"), "P": ("06 00 40 43 03",),
    "Q": ("00 06 46 40 00,34 46", "20 02 04 26 44 42 20,25 46"), "R": ("06 00 40 43 03,03 46",),
    "S": ("40 00 03 43 46 06", "40 10 01 12 34 45 36 06"), "U": ("00 06 46 40",),
    "V": ("00 02 26 42 40",), "W": ("00 06 23 46 40", "00 16 20 36 40"), "Y": ("00 02 23 42 40,23 26",),
    "Z": ("00 40 06 46,13 33",), "0": ("00 06 46 40 00", "20 02 04 26 44 42 20"),
    "1": ("20 26", "02 20 26,06 46", "11 20 26,16 36"), "2": ("00 40 43 03 06 46", "01 10 30 41 32 06 46"),
    "3": ("00 40 46 06,03 43", "01 10 30 41 32 23,23 33 44 45 36 16 05"),
    "4": ("46 40,00 03 43", "30 04 44,32 36"), "5": ("40 00 03 43 46 06",), "6": ("40 00 06 46 43 03",),
    "7": ("00 40 26", "01 00 40 16", "00 40 16,03 33"), "8": ("00 06 46 40 00,03 43",),
    "9": ("43 03 00 40 46 06",),
}  # fmt: skip
"""Further forms of some letters: with square or sharp corners, with bars."""
_WIDTHS = {**dict.fromkeys("I1", 0.45), **dict.fromkeys("EFJLTSPB", 0.85), **dict.fromkeys("MW", 1.25)}
"""Of letters that are not as wide as the others, parts of a usual width."""


@dataclass(frozen=True)
class Written:
    """A letter's strokes, corners in columns 0 to 4 and rows 0 to 6, and how much of a usual width it has."""

    strokes: tuple[Stroke, ...]
    width: float


def hand(word: str, rng: random.Random) -> Mapping[str, Written]:
    """How each letter of a word is written."""
    moved = rng.uniform(0.1, 0.45) if rng.random() < _JITTER_SHARE else 0.0
    waist = rng.uniform(-0.7, 0.7) if rng.random() < _JITTER_SHARE else 0.0
    rounds = rng.choice((1, 2)) if rng.random() < _ROUND_SHARE else 0
    serif = rng.uniform(0.4, 0.9) if rng.random() < _SERIF_SHARE else 0.0
    proportional = rng.random() < _PROPORTIONAL_SHARE
    made = {}
    for letter in sorted(set(word)):
        form = _form(letter, rng)
        shift = {c: (rng.gauss(0, moved), rng.gauss(0, moved)) for c in form.replace(",", " ").split()}
        strokes: list[Stroke] = []
        for stroke in form.split(","):
            corners = []
            for c in stroke.split():
                x, y = float(c[0]) + shift[c][0], float(c[1]) + shift[c][1]
                corners.append((x, y + waist * (1 - abs(y - 3) / 3)))
            strokes.append(_rounded(corners, rounds))
            if serif:
                ends = (corners[0], corners[-1])
                strokes += [((x - serif, y), (x + serif, y)) for x, y in ends if y < 0.6 or y > 5.4]
        made[letter] = _as_wide(strokes, _WIDTHS.get(letter, 1.0) if proportional else 1.0)
    return made


def _form(letter: str, rng: random.Random) -> str:
    others = _OTHERS.get(letter, ())
    return rng.choice(others) if others and rng.random() < _OTHER_SHARE else _STROKES[letter]


def _as_wide(strokes: Sequence[Stroke], width: float) -> Written:
    """A narrow letter keeps its middle; its box is narrower, not its only stroke."""
    if width == 1.0:
        return Written(tuple(strokes), 1.0)
    if width < 0.5:
        return Written(tuple(tuple((x - 2 + 2 * width, y) for x, y in each) for each in strokes), width)
    return Written(tuple(tuple((x * width, y) for x, y in each) for each in strokes), width)


def _rounded(corners: Sequence[Corner], times: int) -> Stroke:
    """Cuts the corners of a line so many times (Chaikin, 1974); its ends stay."""
    for _ in range(times):
        cut = [corners[0]]
        for (ax, ay), (bx, by) in pairwise(corners):
            cut += [
                (0.75 * ax + 0.25 * bx, 0.75 * ay + 0.25 * by),
                (0.25 * ax + 0.75 * bx, 0.25 * ay + 0.75 * by),
            ]
        corners = [*cut, corners[-1]]
    return tuple(corners)
