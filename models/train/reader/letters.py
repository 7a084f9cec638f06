"""Letters to print: outlines of installed fonts, and letters of strokes in many hands."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from models.bricks.reader import LETTERS

Corner = tuple[float, float]
Stroke = tuple[Corner, ...]
_HEIGHT_PX = 44
"""Of a printed capital letter, before it is brought into a picture."""
_FONTS = Path("/usr/share/fonts/truetype/dejavu")
_STROKE_SHARE = 0.5
_ROUND_SHARE, _SERIF_SHARE, _JITTER_SHARE, _PIXEL_SHARE = 0.4, 0.25, 0.6, 0.2
"""Of words of strokes: with round corners, with serifs, with corners moved, of square dots in 5 x 7."""
_BENT_SHARE = 0.3
"""Of all words: bent as on a bottle, or written unevenly."""
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
    return _bent(made, rng) if rng.random() < _BENT_SHARE else made


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
    hand = _hand(word, rng)
    if rng.random() < _PIXEL_SHARE:
        return _of_dots(word, hand, rng)
    unit = _HEIGHT_PX / 6
    across, width = unit * rng.uniform(0.7, 1.3), rng.uniform(0.5, 1.7) * unit
    step, pad = across * rng.uniform(5.4, 6.8), 14
    image = Image.new("L", (round(len(word) * step) + 2 * pad, _HEIGHT_PX + 2 * pad))
    draw = ImageDraw.Draw(image)
    centres = []
    for number, letter in enumerate(word):
        left = pad + number * step
        for stroke in hand[letter]:
            corners = [(left + x * across, pad + y * unit) for x, y in stroke]
            draw.line(corners, 255, round(width), "curve")
            for x, y in (corners[0], corners[-1]):
                draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), 255)
        centres.append((left + 2 * across, pad + _HEIGHT_PX / 2))
    return Printed(_ink(image), tuple(centres), float(_HEIGHT_PX), classes_of(word))


def _of_dots(word: str, hand: Mapping[str, Sequence[Stroke]], rng: random.Random) -> Printed:
    """In square dots, as a display shows them."""
    side, apart, pad = round(_HEIGHT_PX / 7), rng.choice((1, 1, 1, 2)), 14
    dots = Image.new("L", (len(word) * (5 + apart), 7))
    draw = ImageDraw.Draw(dots)
    for number, letter in enumerate(word):
        left = number * (5 + apart)
        for stroke in hand[letter]:
            draw.line([(left + round(x), round(y)) for x, y in stroke], 255, 1)
    large = dots.resize((dots.width * side, 7 * side), Image.Resampling.NEAREST)
    image = Image.new("L", (large.width + 2 * pad, large.height + 2 * pad))
    image.paste(large, (pad, pad))
    if rng.random() < 0.3:  # gaps between the dots
        lines = ImageDraw.Draw(image)
        for x in range(pad, image.width - pad + 1, side):
            lines.line((x, 0, x, image.height), 0)
        for y in range(pad, image.height - pad + 1, side):
            lines.line((0, y, image.width, y), 0)
    middles = tuple(
        (pad + (number * (5 + apart) + 2.5) * side, pad + 3.5 * side) for number in range(len(word))
    )
    return Printed(_ink(image), middles, 7.0 * side, classes_of(word))


def _hand(word: str, rng: random.Random) -> Mapping[str, Sequence[Stroke]]:
    """The strokes of each letter of a word, corners in columns 0 to 4 and rows 0 to 6."""
    moved = rng.uniform(0.1, 0.45) if rng.random() < _JITTER_SHARE else 0.0
    waist = rng.uniform(-0.7, 0.7) if rng.random() < _JITTER_SHARE else 0.0
    rounds = rng.choice((1, 2)) if rng.random() < _ROUND_SHARE else 0
    serif = rng.uniform(0.4, 0.9) if rng.random() < _SERIF_SHARE else 0.0
    made = {}
    for letter in sorted(set(word)):
        shift = {
            c: (rng.gauss(0, moved), rng.gauss(0, moved)) for c in _STROKES[letter].replace(",", " ").split()
        }
        strokes: list[Stroke] = []
        for stroke in _STROKES[letter].split(","):
            corners = []
            for c in stroke.split():
                x, y = float(c[0]) + shift[c][0], float(c[1]) + shift[c][1]
                corners.append((x, y + waist * (1 - abs(y - 3) / 3)))
            strokes.append(_rounded(corners, rounds))
            if serif:
                ends = (corners[0], corners[-1])
                strokes += [((x - serif, y), (x + serif, y)) for x, y in ends if y < 0.6 or y > 5.4]
        made[letter] = tuple(strokes)
    return made


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


def _bent(made: Printed, rng: random.Random) -> Printed:
    """A word whose letters stand higher and lower along a curve, and whose columns are wider and narrower."""
    h, w = made.ink.shape
    rise = rng.uniform(-0.3, 0.3) * made.height_px
    wave, phase = rng.uniform(0.0, 0.08) * made.height_px, rng.uniform(0, 2 * math.pi)

    def down(x: float) -> float:
        return rise * (1 - (2 * x / w - 1) ** 2) - rise / 2 + wave * math.sin(6 * math.pi * x / w + phase)

    pad = math.ceil(abs(rise) / 2 + wave) + 1
    ink = np.pad(made.ink, ((pad, pad), (0, 0)))
    shift = np.array([down(x) for x in range(w)], np.float32)
    rows = np.arange(h + 2 * pad, dtype=np.float32)[:, None] - shift
    low = np.clip(np.floor(rows).astype(np.int64), 0, ink.shape[0] - 2)
    part = np.clip(rows - low, 0, 1)
    at = np.arange(w)[None]
    bent = (ink[low, at] * (1 - part) + ink[low + 1, at] * part).astype(np.float32)
    centres = tuple((x, y + pad + down(x)) for x, y in made.centres)
    return Printed(bent, centres, made.height_px, made.classes)


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
