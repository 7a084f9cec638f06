"""A folder of a person's own pictures: which there are, of which days, and which days decide."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from models.train.bits import in_eight_bits
from models.train.recall.heal.refusal import CannotHeal

SUFFIXES = (".jpg", ".jpeg", ".png")
FEWEST, VALIDATION = 40, 0.2
"""Pictures that are needed; the share of them, the latest days, by which a training stops."""
_MOST_SIDE_PX = 512
_TAKEN, _TAKEN_IN = 0x9003, 0x8769
"""EXIF's DateTimeOriginal, and the table that has it."""


@dataclass(frozen=True, order=True)
class Picture:
    """taken: when, local time as "2026-03-01 14:05:09", by the camera, else by the file."""

    taken: str
    path: Path

    @property
    def day(self) -> str:
        """The date."""
        return self.taken[:10]


@dataclass(frozen=True)
class Split:
    """training and validation: pictures in order of time. same_day: all are of one day, so that views of the
    two may resemble each other.
    """

    training: tuple[Picture, ...]
    validation: tuple[Picture, ...]
    same_day: bool


def pictures_in(folder: Path) -> list[Picture]:
    """The pictures of a folder and its folders, in order of time. Raises CannotHeal where there is no folder,
    too few pictures, or one that cannot be read.
    """
    if not folder.is_dir():
        raise CannotHeal(f"{folder} is no folder.")
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES and path.is_file()]
    if len(paths) < FEWEST:
        raise CannotHeal(
            f"{folder} has {len(paths) or 'no'} JPEG or PNG {'picture' if len(paths) == 1 else 'pictures'}; "
            f"the exits learn from {FEWEST} or more."
        )
    return sorted(Picture(_taken(path), path) for path in paths)


def split(pictures: Sequence[Picture]) -> Split:
    """The latest days that make up `VALIDATION` are for validation; of one single day its last part."""
    wanted = max(1, round(VALIDATION * len(pictures)))
    first = len(pictures) - wanted
    days = [picture.day for picture in pictures]
    if days[0] == days[-1]:
        return Split(tuple(pictures[:first]), tuple(pictures[first:]), True)
    begins = days.index(days[first])  # a day is not parted
    if begins == 0:
        begins = next(at for at, day in enumerate(days) if day != days[0])
    return Split(tuple(pictures[:begins]), tuple(pictures[begins:]), False)


def pixels(picture: Picture) -> NDArray[np.uint8]:
    """uint8 [height, width, 3], upright. Raises CannotHeal."""
    with _opened(picture.path) as image:
        image.draft("RGB", (_MOST_SIDE_PX, _MOST_SIDE_PX))
        image.thumbnail((_MOST_SIDE_PX, _MOST_SIDE_PX), reducing_gap=3.0)
        return np.asarray(ImageOps.exif_transpose(in_eight_bits(image)).convert("RGB"))


def _taken(path: Path) -> str:
    with _opened(path) as image:
        said = str(image.getexif().get_ifd(_TAKEN_IN).get(_TAKEN, ""))
    try:
        taken = datetime.strptime(said.strip("\x00 "), "%Y:%m:%d %H:%M:%S")
    except ValueError:  # none, or the zeros of a camera whose clock was never set
        taken = datetime.fromtimestamp(path.stat().st_mtime)
    return taken.isoformat(" ", "seconds")


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    """Raises CannotHeal also for what fails while the picture is used."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                yield image
    except Exception as error:  # Pillow raises many classes for a damaged picture, TypeError among them
        said = str(error).split("\n")[0].rstrip(".")
        raise CannotHeal(
            f"{path} is no picture that can be read ({said}); take it out of the folder."
        ) from error
