"""Whether a picture is too dark or too blurred to recognise anything in it.

    quality_of(picture).cause  # "dark", "blurred" or ""

`python -m tests.eval.sight.view_gate` shows how the thresholds were chosen, and how often they are right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.sensing.thumbnail import thumbnail

Rgb = NDArray[np.uint8]
Floats = NDArray[np.float32]

DARK_LUMA = 35.0
"""Below this 95th percentile of the thumbnail's luma, levels of 0 to 255, a picture is dark."""
BLURRED_SHARPNESS = 0.026
"""Below this `sharpness` a picture is blurred."""
ALIKE_SHARE, ALIKE_LEVELS = 0.1, 2.0
"""Differences of sharpness and of `luma_p95` that say nothing."""
LUMA = np.array((0.25, 0.5, 0.25), np.float32)
"""Weights of red, green and blue."""

_SAMPLED_PX, _GREY_CELLS = 128, 64
_LEAST_SIDE = 16
CLEAR_SHARPNESS = 0.08
"""Below this a picture may be blurred: of clear training views of the drawn home 2 % are. The diagonals are
looked at too then, as a shaken picture may be blurred along one of them only.
"""
_LEAST_CONTRAST = 3.0
"""Without a contrast of this many levels along an axis nothing can be said about its blur."""


@dataclass(frozen=True)
class Quality:
    """luma_p50, luma_p95: percentiles of the luma of the thumbnail, levels of 0 to 255; sharpness: see
    `sharpness`.
    """

    luma_p50: float
    luma_p95: float
    sharpness: float | None

    @property
    def cause(self) -> Literal["", "dark", "blurred"]:
        """Why nothing can be recognised; "" for a usable picture."""
        if self.luma_p95 < DARK_LUMA:
            return "dark"
        return "blurred" if self.sharpness is not None and self.sharpness < BLURRED_SHARPNESS else ""

    @property
    def clear(self) -> bool:
        """Whether another picture of the same is hardly better."""
        return not self.cause and (self.sharpness is None or self.sharpness >= CLEAR_SHARPNESS)

    def like(self, other: Quality) -> bool:
        """Whether two pictures are about as dark, or about as sharp, as each other."""
        if self.cause != other.cause or self.sharpness is None or other.sharpness is None:
            return self.cause == other.cause == "dark" and abs(self.luma_p95 - other.luma_p95) < ALIKE_LEVELS
        return abs(self.sharpness - other.sharpness) < ALIKE_SHARE * max(self.sharpness, other.sharpness)

    def better_than(self, other: Quality) -> bool:
        """Whether more can be recognised here than in another picture, of the same."""
        ranks = [(not each.cause, each.sharpness or 0.0) for each in (self, other)]
        return ranks[0] > ranks[1]


def quality_of(picture: Rgb) -> Quality:
    """The quality of uint8 [h, w, 3] of any size from 1 x 1."""
    sample = sample_of(picture)
    return sampled_quality(sample, thumbnail(sample) @ LUMA)


def sampled_quality(sample: Rgb, luma: Floats) -> Quality:
    """The quality from the result of `sample_of` and the luma of its thumbnail, float32 [n, n]."""
    ordered = np.sort(luma, axis=None)
    return Quality(
        float(ordered[ordered.size // 2]),
        float(ordered[ordered.size * 95 // 100]),
        sharpness(reduced_luma(sample)),
    )


def sample_of(picture: Rgb) -> Rgb:
    """Every n-th pixel of every m-th row, 128 to 255 a side where there are as many."""
    down, across = (max(1, side // _SAMPLED_PX) for side in picture.shape[:2])
    sparse = picture[down // 2 :: down, across // 2 :: across]
    sample = np.empty(sparse.shape, np.uint8)
    for colour in range(3):  # a copy by colours takes a quarter of the time of a copy by pixels
        sample[..., colour] = sparse[..., colour]
    return sample


def reduced_luma(sample: Rgb) -> Floats:
    """Luma of uint8 [h, w, 3], reduced to 64 to 127 cells a side where there are as many pixels."""
    luma = sample.astype(np.float32) @ LUMA
    down, across = (max(1, side // _GREY_CELLS) for side in luma.shape)
    height, width = luma.shape[0] // down * down, luma.shape[1] // across * across
    parts = [luma[y:height:down, x:width:across] for y in range(down) for x in range(across)]
    return np.add.reduce(parts) / np.float32(len(parts))


def sharpness(grey: Floats) -> float | None:
    """Energy of the steps between neighbours over that of steps across an eighth of the picture, float32
    [h, w], in the blurriest direction; noise is subtracted from both. None where there is too little contrast
    to tell: a plain wall is not blurred.
    """
    if min(grey.shape) < _LEAST_SIDE:
        return None
    far = min(grey.shape) // 8
    found = [
        _ratio(grey[1:] - grey[:-1], grey[far:] - grey[:-far]),
        _ratio(grey[:, 1:] - grey[:, :-1], grey[:, far:] - grey[:, :-far]),
    ]
    told = min((each for each in found if each is not None), default=None)
    if told is not None and told < CLEAR_SHARPNESS:
        found += [
            _ratio(grey[1:, 1:] - grey[:-1, :-1], grey[far:, far:] - grey[:-far, :-far]),
            _ratio(grey[1:, :-1] - grey[:-1, 1:], grey[far:, :-far] - grey[:-far, far:]),
        ]
    return min((each for each in found if each is not None), default=None)


def _ratio(near_steps: Floats, far_steps: Floats) -> float | None:
    sizes = np.abs(near_steps).ravel()
    # Most neighbours lie on one surface, so that the median step is noise, or all that blur has left.
    noise = (float(np.partition(sizes, sizes.size // 2)[sizes.size // 2]) / 0.6745) ** 2
    contrast = _energy(far_steps) - noise
    return None if contrast < _LEAST_CONTRAST**2 else max(0.0, _energy(near_steps) - noise) / contrast


def _energy(steps: Floats) -> float:
    flat = steps.ravel()
    return float(flat @ flat) / flat.size
