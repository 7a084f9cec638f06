"""How far the content of one picture has come in another, from their brightness alone.

A headband has no sensor for the turn of a head, so it is found in the pictures: by phase correlation (Kuglin
and Hines, 1975) of two small pictures, to a fraction of a cell. What moves by itself has little part in it,
as long as most of a picture is at rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from models.clip import SmallPicture
from models.sensing.picture_quality import LUMA
from models.sensing.thumbnail import thumbnail

SIDE = 48
"""Cells of a small picture's side."""
_FADED = 0.15
"""Part of a side over which a small picture fades out towards each border, as borders have no counterpart."""
_FINEST = 0.25
"""Cycles a cell; finer detail, which is mostly noise, counts little."""
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Shift:
    """How far content has come to the right and down, in parts of the square that the encoder sees. surety:
    height of the correlation's peak, 0 to 1; 0 for pictures that cannot be compared.
    """

    right: float = 0.0
    down: float = 0.0
    surety: float = 0.0


def small_picture(rgb: NDArray[np.uint8], resize: str = "pad") -> SmallPicture:
    """Of a picture, uint8 [h, w, 3]: `SIDE` cells each way, or fewer where it has fewer pixels. resize: how
    the encoder makes a square of it, as in `models.pixels`.
    """
    luma = (thumbnail(rgb, SIDE) @ LUMA).astype(np.uint8)
    if resize != "pad":
        return SmallPicture(luma)
    height, width = rgb.shape[:2]
    longer = max(height, width)
    return SmallPicture(luma, width / longer, height / longer)


def shift_between(before: SmallPicture, now: SmallPicture) -> Shift:
    """From one small picture to another of the same form; none for pictures of different forms."""
    if before.luma.shape != now.luma.shape or (before.across, before.down) != (now.across, now.down):
        return Shift()
    side = now.luma.shape[0]
    window, blurring = _window(side)
    first, second = (np.fft.rfft2((each - each.mean()) * window) for each in (before.luma, now.luma))
    product = second * np.conj(first)
    correlation = np.fft.irfft2(product / (np.abs(product) + 1e-6) * blurring, (side, side))
    row, column = (int(each) for each in np.unravel_index(int(correlation.argmax()), correlation.shape))
    peak = float(correlation[row, column])
    if not peak > 0.0:
        return Shift()
    down = _wrapped(row, side) + _between(correlation[:, column], row)
    right = _wrapped(column, side) + _between(correlation[row], column)
    highest = float(blurring.sum() * 2 - blurring[:, 0].sum()) / side**2
    return Shift(right / side * now.across, down / side * now.down, min(1.0, peak / highest))


def shifts_of(earlier: SmallPicture | None, before: SmallPicture | None, now: SmallPicture | None) -> Floats:
    """Since the unit before and since the one before that, float32 [2, 3]: right, down and surety of each; 0
    for what is not there.
    """
    found = [
        Shift() if each is None or now is None else shift_between(each, now) for each in (before, earlier)
    ]
    return np.array([(each.right, each.down, each.surety) for each in found], np.float32)


def turns_of(shifts: Floats) -> Floats:
    """How far the picture came since the first of some units, float32 [units, 2], right and down. shifts: of
    each by `shifts_of`, [units, 2, 3].
    """
    steps = shifts[:, 0, :2].copy()
    steps[:1] = 0.0
    found: Floats = np.cumsum(steps, axis=0, dtype=np.float32)
    return found


@cache
def _window(side: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What small pictures are multiplied by, [side, side], and what their product's spectrum is."""
    places = np.arange(side) + 0.5
    edge = np.clip(np.minimum(places, side - places) / (_FADED * side), 0.0, 1.0)
    cycles = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None])
    return np.outer(edge, edge), np.exp(-((cycles / _FINEST) ** 2))


def _wrapped(place: int, side: int) -> int:
    return place - side if place > side // 2 else place


def _between(line: NDArray[np.float64], place: int) -> float:
    """How far beside `place` the parabola through it and its neighbours is highest, -0.5 to 0.5."""
    left, middle, right = (float(line[(place + step) % len(line)]) for step in (-1, 0, 1))
    bend = left - 2 * middle + right
    return 0.0 if abs(bend) < 1e-12 else float(np.clip((left - right) / (2 * bend), -0.5, 0.5))
