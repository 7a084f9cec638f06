"""Pictures of things without what is behind them, in a folder: read.

FOLDER has cutouts.tsv, whose lines are a picture file, a tab and what the thing is called; the first line
names these columns: `file`, `thing`. A column `colour` may have the colour that people call it by. What is
transparent in a picture is not the thing.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.train.bits import in_eight_bits
from models.train.upright import upright

LIST = "cutouts.tsv"
SIDE_PX = 256
"""Larger pictures are made smaller, to this longer side."""
_TRACE, _HALF, _LEAST_PX = 40, 127, 8


class Unreadable(Exception):
    """A list or a picture that cannot be used; one sentence."""


@dataclass(frozen=True, eq=False)
class Cutout:
    """rgba: uint8 [height, width, 4], nothing but the thing's box. colour: "" where nobody has said it."""

    thing: str
    colour: str
    rgba: NDArray[np.uint8]

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.rgba.shape[1] / self.rgba.shape[0]

    @property
    def solid(self) -> NDArray[np.bool_]:
        """[height, width]: which pixels show the thing, more than half opaque ones; of a thing that is seen
        through everywhere those that are more than half as opaque as the most opaque one.
        """
        alpha = self.rgba[:, :, 3]
        return alpha > (_HALF if alpha.max() > _HALF else alpha.max() // 2)


def read_cutouts(folder: Path, things: Collection[str]) -> Mapping[str, tuple[Cutout, ...]]:
    """The pictures of a folder, by thing, in the order of the list. Raises `Unreadable`, too for a thing that
    is none of `things`.
    """
    path = folder / LIST
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}.") from None
    if not rows or not rows[0].get("file") or "thing" not in rows[0]:
        raise Unreadable(f"{path} has no columns file and thing in its first line, or no picture after it.")
    found: dict[str, list[Cutout]] = {}
    for row in rows:
        thing = row["thing"] or ""
        if thing not in things:
            raise Unreadable(f"{path} has a '{thing}', which is none of: {', '.join(things)}.")
        found.setdefault(thing, []).append(
            Cutout(thing, row.get("colour") or "", _read(folder / (row["file"] or "")))
        )
    return {thing: tuple(cutouts) for thing, cutouts in found.items()}


def _read(path: Path) -> NDArray[np.uint8]:
    try:
        with Image.open(path) as image:
            rgba = in_eight_bits(upright(image)).convert("RGBA")
    except Exception as error:  # Pillow raises many classes for a damaged picture, or one too large
        raise Unreadable(f"{path} cannot be read: {str(error).rstrip('.')}.") from None
    box = rgba.getchannel("A").point(lambda alpha: 255 if alpha > _TRACE else 0).getbbox()
    if box is None or min(box[2] - box[0], box[3] - box[1]) < _LEAST_PX:
        raise Unreadable(f"{path} shows nothing, or next to nothing.")
    cut = rgba.crop(box)
    cut.thumbnail((SIDE_PX, SIDE_PX))
    return np.asarray(cut)
