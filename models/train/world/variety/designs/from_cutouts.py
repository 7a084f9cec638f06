"""Designs from pictures that other people have drawn or photographed (`models.train.cutouts`).

`use` names the folder; before it there are none. A design is a number: a cutout, and one of its variants,
which are mirrored, turned and stretched at random. Half of the variants keep the cutout's own colours where
one of the usual names fits most of it; the others have the colour of the thing that is drawn.
"""

from __future__ import annotations

import argparse
import colorsys
import hashlib
import random
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.train.cutouts import Cutout, Unreadable, read_cutouts
from models.train.world.grammar import COLOURS
from models.train.world.home.picture.pen import Pen, differs_from
from models.train.world.home.splits import KINDS
from models.train.world.scenes import Rgb

VARIANTS = 8
"""Of each cutout."""
_TURNED_DEG, _STRETCHED = 18.0, 0.15
_MOSTLY = 0.6
"""Share of a thing that has a colour, from which on it is called by it."""
_HUES = ((15, "red"), (42, "orange"), (68, "yellow"), (165, "green"), (255, "blue"), (320, "purple"))
"""Up to which hue, degrees, a colour is called so; red again above."""
_PER_UNIT_PX, _SIDE_PX = 3, 420
_NOTHING = (255, 0, 255)
_in_use: dict[str, tuple[Cutout, ...]] = {}


def add_argument(parser: argparse.ArgumentParser) -> None:
    """`--cutouts`, for `use_given`."""
    parser.add_argument("--cutouts", type=Path, help="a folder with cutouts.tsv: what half of the things are")


def use_given(options: argparse.Namespace) -> None:
    """Uses the folder that the command line names, if it names one. Raises SystemExit where it is no such."""
    try:
        use(options.cutouts)
    except Unreadable as error:
        raise SystemExit(str(error)) from None


def use(folder: Path | None) -> None:
    """From now on the cutouts of a folder are designs, too, and no others; once in a process, before anything
    is drawn, as silhouettes are kept. Raises `Unreadable`.
    """
    _in_use.clear()
    if folder is not None:
        _in_use.update(read_cutouts(folder, KINDS))
    for made in (extent, own_colour, _tones):
        made.cache_clear()


def mark() -> str:
    """Tells what is drawn with these cutouts from what is drawn with others; "" where none are in use."""
    if not _in_use:
        return ""
    digest = hashlib.sha256()
    for kind, cutouts in sorted(_in_use.items()):
        for each in cutouts:
            digest.update(f"{kind} {each.rgba.shape}".encode() + each.rgba.tobytes())
    return f"-cutouts-{digest.hexdigest()[:12]}"


def number_of(kind: str) -> int:
    """Designs of a kind, numbered from 0."""
    return VARIANTS * len(_in_use.get(kind, ()))


def draw_cutout(pen: Pen, kind: str, design: int, rgb: Rgb, size: tuple[float, float]) -> None:
    """Draws it with the middle of its lower edge near the pen's origin, as large as a thing of that size."""
    cutout, rng = _in_use[kind][design // VARIANTS], random.Random(f"cutout {kind} {design}")
    mirrored, turned_deg = rng.random() < 0.5, rng.uniform(-_TURNED_DEG, _TURNED_DEG)
    aspect = cutout.aspect * (1 + rng.uniform(-_STRETCHED, _STRETCHED))
    high = (size[0] * size[1] / aspect) ** 0.5
    own = pen.at(0, -high / 2, 1, turned_deg, mirrored)
    painted = _tinted(_tones(kind, design // VARIANTS), rgb)
    if own_colour(kind, design):
        painted = cutout.rgba[:, :, :3]
    rgba = np.concatenate([painted, cutout.rgba[:, :, 3:]], axis=2)
    own.picture(-high * aspect / 2, -high / 2, high * aspect / 2, high / 2, rgba)


@cache
def extent(kind: str, design: int, size: tuple[float, float]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom as it is drawn around the origin, units, found by drawing it."""
    x, y = _SIDE_PX / 2, _SIDE_PX * 0.75
    image = Image.new("RGB", (_SIDE_PX, _SIDE_PX), _NOTHING)
    pen = Pen(image, (_PER_UNIT_PX, 0.0, 0.0, _PER_UNIT_PX, x, y))
    draw_cutout(pen, kind, design, (0, 90, 0), size)
    rows, columns = np.nonzero(differs_from(image, _NOTHING))
    return (
        float(columns.min() - x) / _PER_UNIT_PX, float(rows.min() - y) / _PER_UNIT_PX,
        float(columns.max() + 1 - x) / _PER_UNIT_PX, float(rows.max() + 1 - y) / _PER_UNIT_PX,
    )  # fmt: skip


@cache
def own_colour(kind: str, design: int) -> tuple[str, Rgb] | None:
    """The colour that it has in every view, by the name in the list or by what most of it looks like, and its
    red, green and blue; None where it has that of the thing.
    """
    if design % 2:
        return None
    cutout = _in_use[kind][design // VARIANTS]
    pixels = cutout.rgba[cutout.solid][:, :3]
    pixels = pixels[:: max(1, len(pixels) // 500)]
    names = [_called((int(red), int(green), int(blue))) for red, green, blue in pixels]
    name = cutout.colour if cutout.colour in COLOURS else max(COLOURS, key=names.count)
    if name != cutout.colour and names.count(name) < _MOSTLY * len(names):
        return None
    of_it = pixels[[each == name for each in names]] if name in names else pixels
    red, green, blue = (int(value) for value in np.median(of_it, axis=0))
    return name, (red, green, blue)


def _called(rgb: Rgb) -> str:
    """The name of a colour; "" where people would disagree."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in rgb))
    if value < 0.25:
        return "black"
    if saturation < 0.15:
        return "white" if value > 0.8 else ""
    if saturation < 0.4 or value < 0.45:
        return ""
    return next((name for below, name in _HUES if 360 * hue < below), "red")


@cache
def _tones(kind: str, number: int) -> NDArray[np.float32]:
    """How much darker (below 0, -1 is black) or lighter (1 is white) than most of it each pixel is."""
    cutout = _in_use[kind][number]
    rgba = cutout.rgba
    light = rgba[:, :, :3].astype(np.float32) @ np.array((0.3, 0.59, 0.11), np.float32) / 255
    usual = float(np.median(light[cutout.solid]))
    darker = np.minimum(light - usual, 0) / max(usual, 0.2)
    lighter = np.maximum(light - usual, 0) / max(1 - usual, 0.2)
    return np.asarray(darker + lighter, np.float32)


def _tinted(tones: NDArray[np.float32], rgb: Rgb) -> NDArray[np.uint8]:
    """uint8 [height, width, 3]: lighter and darker tones of one colour."""
    colour, tone = np.asarray(rgb, np.float32), tones[:, :, None]
    return np.where(tone < 0, colour * (1 + tone), colour + (255 - colour) * tone).astype(np.uint8)
