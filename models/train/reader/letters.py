"""Letters to print: outlines of installed fonts, and letters of straight strokes as a plotter draws them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from models.bricks.reader import LETTERS

_HEIGHT_PX = 44
"""Of a printed capital letter, before it is brought into a picture."""
_FONTS = Path("/usr/share/fonts/truetype/dejavu")
_STROKE_SHARE = 0.3
_LOWER_SHARE = 0.12
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


@dataclass(frozen=True)
class Printed:
    """A word. ink: float32 [h, w], 0 to 1; centres: of its letters in it, px; height_px: of a capital letter;
    classes: of the letters.
    """

    ink: NDArray[np.float32]
    centres: tuple[tuple[float, float], ...]
    height_px: float
    classes: tuple[int, ...]


@cache
def _fonts() -> tuple[Path, ...]:
    return tuple(sorted(path for path in _FONTS.glob("*.ttf") if "Math" not in path.name))


@cache
def _font(number: int) -> ImageFont.FreeTypeFont:
    if number < 0:
        return ImageFont.load_default(_HEIGHT_PX * 1.4)  # type: ignore[return-value]
    return ImageFont.truetype(str(_fonts()[number]), round(_HEIGHT_PX * 1.37))


def printed(word: str, rng: random.Random) -> Printed:
    """A word of `LETTERS` in a random hand."""
    made = _of_strokes(word, rng) if rng.random() < _STROKE_SHARE else _of_font(word, rng)
    if rng.random() < 0.4:  # thinner or broader
        size = rng.choice((3, 3, 5))
        kind = ImageFilter.MinFilter if rng.random() < 0.4 and size == 3 else ImageFilter.MaxFilter
        inked = Image.fromarray((made.ink * 255).astype(np.uint8)).filter(kind(size))
        made = Printed(_ink(inked), made.centres, made.height_px, made.classes)
    return made


def _ink(image: Image.Image) -> NDArray[np.float32]:
    return np.asarray(image, np.float32) / np.float32(255)


def _of_font(word: str, rng: random.Random) -> Printed:
    font = _font(-1 if rng.random() < 0.3 or not _fonts() else rng.randrange(len(_fonts())))
    said = word.lower() if rng.random() < _LOWER_SHARE else word
    said = said.capitalize() if said != word and rng.random() < 0.5 else said
    gap = rng.choice((0.0, 0.0, 0.0, rng.uniform(0.0, 0.3))) * _HEIGHT_PX
    pad, at, boxes = 12, 12.0, []
    for letter in said:
        left, top, right, bottom = font.getbbox(letter)
        boxes.append((at, left, top, right, bottom))
        at += font.getlength(letter) + gap
    capital = font.getbbox("H")
    image = Image.new("L", (round(at) + pad, 2 * pad + round(_HEIGHT_PX * 1.9)))
    draw = ImageDraw.Draw(image)
    centres = []
    for letter, (x, left, top, right, bottom) in zip(said, boxes, strict=True):
        draw.text((x, pad), letter, 255, font)
        centres.append((x + (left + right) / 2, pad + (top + bottom) / 2))
    return Printed(_ink(image), tuple(centres), float(capital[3] - capital[1]), classes_of(word))


def _of_strokes(word: str, rng: random.Random) -> Printed:
    unit = _HEIGHT_PX / 6
    across, width = unit * rng.uniform(0.8, 1.25), rng.uniform(0.6, 1.7) * unit
    step, pad = across * rng.uniform(5.6, 6.8), 14
    image = Image.new("L", (round(len(word) * step) + 2 * pad, _HEIGHT_PX + 2 * pad))
    draw = ImageDraw.Draw(image)
    centres = []
    for number, letter in enumerate(word):
        left = pad + number * step
        for stroke in _STROKES[letter].split(","):
            corners = [(left + int(c[0]) * across, pad + int(c[1]) * unit) for c in stroke.split()]
            draw.line(corners, 255, round(width), "curve")
            for x, y in corners:
                draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), 255)
        centres.append((left + 2 * across, pad + _HEIGHT_PX / 2))
    return Printed(_ink(image), tuple(centres), float(_HEIGHT_PX), classes_of(word))


def classes_of(word: str) -> tuple[int, ...]:
    """The classes of a word's letters."""
    return tuple(1 + LETTERS.index(letter) for letter in word)


def random_word(rng: random.Random, words: Sequence[str]) -> str:
    """What stands on signs and labels: words, numbers, letters in no order."""
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(words)
    if kind < 0.58:
        return "".join(rng.choice("0123456789") for _ in range(rng.choice((1, 2, 2, 3, 4))))
    return "".join(rng.choice(LETTERS[:26]) for _ in range(rng.randint(2, 8)))
