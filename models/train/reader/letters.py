"""Letters to print: outlines of installed fonts, and letters of strokes in many hands."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from models.bricks.reader import LETTERS
from models.train.reader.strokes import Written, hand

_HEIGHT_PX = 44
"""Of a printed capital letter, before it is brought into a picture."""
_FONTS = Path("/usr/share/fonts/truetype/dejavu")
_STROKE_SHARE = 0.5
_PIXEL_SHARE, _BLUNT_SHARE = 0.2, 0.3
"""Of words of strokes: of square dots in 5 x 7; with ends that are not round."""
_BENT_SHARE, _SWAYED_SHARE, _NIB_SHARE = 0.3, 0.3, 0.3
"""Of all words: bent as on a bottle, or written unevenly; with letters out of shape; as with a broad nib."""
_LOWER_SHARE = 0.12


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
        made = replace(made, ink=_ink(inked))
    if rng.random() < _NIB_SHARE:
        made = replace(made, ink=_with_nib(made.ink, rng))
    if rng.random() < _SWAYED_SHARE:
        made = replace(made, ink=_swayed(made.ink, made.height_px, rng))
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
    written = hand(word, rng)
    if rng.random() < _PIXEL_SHARE:
        return _of_dots(word, written, rng)
    unit = _HEIGHT_PX / 6
    across, width = unit * rng.uniform(0.7, 1.3), rng.uniform(0.5, 1.7) * unit
    gap, pad, blunt = across * rng.uniform(1.2, 3.2), 14, rng.random() < _BLUNT_SHARE
    lefts = [float(pad)]
    for letter in word:
        lefts.append(lefts[-1] + 4 * across * written[letter].width + gap)
    image = Image.new("L", (round(lefts[-1]) + pad, _HEIGHT_PX + 2 * pad))
    draw = ImageDraw.Draw(image)
    centres = []
    for left, letter in zip(lefts, word, strict=False):
        for stroke in written[letter].strokes:
            corners = [(left + x * across, pad + y * unit) for x, y in stroke]
            draw.line(corners, 255, round(width), "curve")
            for x, y in () if blunt else (corners[0], corners[-1]):
                draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), 255)
        centres.append((left + 2 * across * written[letter].width, pad + _HEIGHT_PX / 2))
    return Printed(_ink(image), tuple(centres), float(_HEIGHT_PX), classes_of(word))


def _of_dots(word: str, written: Mapping[str, Written], rng: random.Random) -> Printed:
    """In square dots, as a display shows them."""
    side, apart, pad = round(_HEIGHT_PX / 7), rng.choice((1, 1, 1, 2)), 14
    dots = Image.new("L", (len(word) * (5 + apart), 7))
    draw = ImageDraw.Draw(dots)
    for number, letter in enumerate(word):
        left = number * (5 + apart)
        for stroke in written[letter].strokes:
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


def _with_nib(ink: NDArray[np.float32], rng: random.Random) -> NDArray[np.float32]:
    """Strokes along one direction broader than those across it."""
    broad, along = rng.choice((2, 3, 4, 5)), rng.choice(((0, 1), (0, 1), (1, 0), (1, 1), (-1, 1)))
    made = np.pad(ink, broad)
    copies = [np.roll(made, (step * along[0], step * along[1]), (0, 1)) for step in range(broad)]
    back = broad + (broad - 1) // 2
    whole: NDArray[np.float32] = np.maximum.reduce(copies)
    down, right = (back - broad) * along[0] + broad, (back - broad) * along[1] + broad
    return whole[down : down + ink.shape[0], right : right + ink.shape[1]]


def _swayed(ink: NDArray[np.float32], height_px: float, rng: random.Random) -> NDArray[np.float32]:
    """Every part of a letter a little beside where it should be."""
    h, w = ink.shape
    most, fine = rng.uniform(0.02, 0.07) * height_px, rng.uniform(0.5, 1.2) * height_px
    noise = np.random.default_rng(rng.randrange(2**32))

    def field() -> NDArray[np.float32]:
        coarse = noise.standard_normal((math.ceil(h / fine) + 2, math.ceil(w / fine) + 2)).astype(np.float32)
        return np.asarray(Image.fromarray(coarse * np.float32(most)).resize((w, h), Image.Resampling.BICUBIC))

    rows, columns = np.mgrid[0:h, 0:w].astype(np.float32)
    at = np.clip(rows + field(), 0, h - 1.001), np.clip(columns + field(), 0, w - 1.001)
    low = at[0].astype(np.int64), at[1].astype(np.int64)
    part = at[0] - low[0], at[1] - low[1]
    upper = ink[low[0], low[1]] * (1 - part[1]) + ink[low[0], low[1] + 1] * part[1]
    lower = ink[low[0] + 1, low[1]] * (1 - part[1]) + ink[low[0] + 1, low[1] + 1] * part[1]
    return (upper * (1 - part[0]) + lower * part[0]).astype(np.float32)


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
