"""Capital letters and digits as strokes on a grid of 4 wide and 6 high, y down; no font is needed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tests.eval.stranger.shapes import Field, segment

_STROKES = {
    "A": "06 20 46/14 34", "B": "06 00 30 41 42 33 03/33 44 45 36 06", "C": "41 30 10 01 05 16 36 45",
    "D": "06 00 20 42 44 26 06", "E": "40 00 06 46/03 33", "F": "40 00 06/03 33",
    "G": "41 30 10 01 05 16 36 45 43 23", "H": "00 06/40 46/03 43", "I": "20 26", "J": "40 45 36 16 05",
    "K": "00 06/40 03 46", "L": "00 06 46", "M": "06 00 23 40 46", "N": "06 00 46 40",
    "O": "10 30 41 45 36 16 05 01 10", "P": "06 00 30 41 42 33 03", "Q": "10 30 41 45 36 16 05 01 10/24 46",
    "R": "06 00 30 41 42 33 03/23 46", "S": "41 30 10 01 02 13 33 44 45 36 16 05", "T": "00 40/20 26",
    "U": "00 05 16 36 45 40", "V": "00 26 40", "W": "00 16 22 36 40", "X": "00 46/40 06",
    "Y": "00 23 40/23 26", "Z": "00 40 06 46",
    "0": "10 30 41 45 36 16 05 01 10", "1": "11 20 26", "2": "01 10 30 41 42 06 46",
    "3": "00 40 22 33 44 45 36 16 05", "4": "36 30 04 44", "5": "40 00 02 32 43 45 36 16 05",
    "6": "40 20 02 05 16 36 45 44 33 13 04", "7": "00 40 16",
    "8": "10 30 41 42 33 13 02 01 10/13 04 05 16 36 45 44 33",
    "9": "42 33 13 02 01 10 30 41 44 26 06",
}  # fmt: skip
_WIDTH, _HEIGHT, _GAP = 4.0, 6.0, 2.2


def advance(letter: str) -> float:
    """Width of a letter with the gap after it, in sixths of its height."""
    return (1.0 if letter == "I" else _WIDTH) + _GAP


def written_width(text: str, letter_height: float) -> float:
    """Width of a text, px."""
    return (sum(map(advance, text)) - _GAP) * letter_height / _HEIGHT


def written(x: Field, y: Field, text: str, letter_height: float, slant: float) -> Field:
    """Distance from the middle of the strokes of a text centred at the origin, px. slant: px to the right per
    px upwards.
    """
    unit = letter_height / _HEIGHT
    left = -written_width(text, letter_height) / 2
    distance: Field = np.full(x.shape, np.inf, np.float32)
    for letter in text:
        back = 1.5 * unit if letter == "I" else 0.0
        for line in _STROKES[letter].split("/"):
            points = [
                (left - back + int(at[0]) * unit - slant * (int(at[1]) - 3) * unit, (int(at[1]) - 3) * unit)
                for at in line.split()
            ]
            for start, end in pairwise(points):
                distance = np.minimum(distance, segment(x, y, start, end))
        left += advance(letter) * unit
    return distance
