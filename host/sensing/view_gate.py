"""Which pictures are worth an encoder's time: not the dark, the blurred, and those of a view already seen.

    verdict = gate(picture, seen)
    seen, counts = remembered(seen, verdict), counts.after(verdict)

Everything is measured on a sparse sample of the pixels, so that a picture costs a fraction of a millisecond.
`python -m tests.eval.sight.view_gate` shows how the thresholds were chosen, and how often they are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.sensing.picture_quality import LUMA, Quality, sample_of, sampled_quality
from models.sensing.thumbnail import thumbnail

Rgb = NDArray[np.uint8]
Floats = NDArray[np.float32]
Reason = Literal["new", "same thumbnail", "same hash", "dark", "blurred"]

SAME_LEVELS = 15.0
"""Largest `difference` of two views that count as the same."""
SAME_BITS, SAME_HASH_LEVELS = 8, 17.0
"""Views whose hashes differ in at most so many bits count as the same up to this `difference`."""
KEPT_VIEWS = 4
"""So many of the last kept views are compared."""

_RIDGE = np.eye(3, dtype=np.float32)
_MOST = np.array((0.3, 1.0, 1.0), np.float32)
"""Largest change of light, and largest shifts in cells, that `difference` fits."""


@dataclass(frozen=True)
class Measured:
    """What the gate knows of a picture.

    shape: height and width of the picture, px; hash_bits: see `perceptual_hash`; thumb: float32 [n, n, 3];
    ways: float32 [3, n * n * 3], what twice the light and a shift by one cell down and across change in
    `thumb`; fits: float32 of that shape, its pseudo-inverse; slack: half of the largest difference to a
    neighbour, float32 [n * n * 3].
    """

    shape: tuple[int, int]
    quality: Quality
    hash_bits: int
    thumb: Floats = field(repr=False, compare=False)
    ways: Floats = field(repr=False, compare=False)
    fits: Floats = field(repr=False, compare=False)
    slack: Floats = field(repr=False, compare=False)


@dataclass(frozen=True)
class Verdict:
    """`kept` if the picture is worth encoding, else why not. `levels` and `bits`: difference to the view it
    equals, else to the nearest of those seen; None if it was compared with none. `same_as`: the view of those
    seen that it equals.
    """

    kept: bool
    reason: Reason
    measured: Measured
    levels: float | None = None
    bits: int | None = None
    same_as: Measured | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class GateCounts:
    """How many pictures got each reason."""

    new: int = 0
    same_thumbnail: int = 0
    same_hash: int = 0
    dark: int = 0
    blurred: int = 0

    def after(self, verdict: Verdict) -> GateCounts:
        """The counts with one more picture."""
        name = verdict.reason.replace(" ", "_")
        return replace(self, **{name: getattr(self, name) + 1})

    @property
    def pictures(self) -> int:
        """All pictures counted."""
        return self.new + self.same_thumbnail + self.same_hash + self.dark + self.blurred


def gate(picture: Rgb, seen: Sequence[Measured]) -> Verdict:
    """The verdict on uint8 [h, w, 3] of any size from 1 x 1; `seen`: what `remembered` returned."""
    now = measure(picture)
    cause = now.quality.cause
    return Verdict(False, cause, now) if cause else compared(now, seen)


def compared(now: Measured, seen: Sequence[Measured]) -> Verdict:
    """The verdict on a picture that is neither dark nor blurred: new, or the same as one of `seen`."""
    nearest: tuple[float, int] | None = None
    alike: Verdict | None = None
    for old in reversed(seen):
        found = difference(now, old), (now.hash_bits ^ old.hash_bits).bit_count()
        if found[0] <= SAME_LEVELS:
            return Verdict(False, "same thumbnail", now, *found, old)
        if found[0] <= SAME_HASH_LEVELS and found[1] <= SAME_BITS:
            alike = alike or Verdict(False, "same hash", now, *found, old)
        nearest = min(nearest or found, found)
    if alike:
        return alike
    return Verdict(True, "new", now, *(nearest or ()))


def remembered(seen: Sequence[Measured], verdict: Verdict) -> tuple[Measured, ...]:
    """The last kept views after `verdict`, the newest last."""
    return (*seen, verdict.measured)[-KEPT_VIEWS:] if verdict.kept else tuple(seen)


def measure(picture: Rgb) -> Measured:
    """Everything the gate needs of uint8 [h, w, 3]."""
    height, width = picture.shape[:2]
    sample = sample_of(picture)
    thumb = thumbnail(sample)
    luma = thumb @ LUMA
    ways, slack = _ways(thumb)
    return Measured(
        shape=(height, width),
        quality=sampled_quality(sample, luma),
        hash_bits=perceptual_hash(luma),
        thumb=thumb,
        ways=ways,
        fits=np.linalg.inv(ways @ ways.T + _RIDGE) @ ways,
        slack=slack,
    )


def difference(one: Measured, other: Measured) -> float:
    """Largest difference of any cell and colour of two thumbnails, levels, that neither the exposure nor a
    small motion of the camera explains; at least 0. 255 for pictures of different shapes.

    The change of light and the shift are fitted (least squares on the first derivatives); after that, half of
    the difference to a neighbouring cell is allowed for what turning, zoom and curvature leave.
    """
    if one.shape != other.shape:
        return 255.0
    change = (one.thumb - other.thumb).ravel()
    fit = np.minimum(np.maximum(other.fits @ change, -_MOST), _MOST)
    rest = np.abs(change - fit @ other.ways)
    rest -= np.maximum(one.slack, other.slack)
    return max(0.0, float(rest.max()))


def perceptual_hash(luma: Floats) -> int:
    """64 bits: which of the first cosine coefficients of float32 [n, n] lie above their median.

    A difference hash costs the same, but its bits compare neighbouring cells, which are equal on walls and
    tables, so that noise and exposure turn more of them.
    """
    waves = _waves(luma.shape[0])
    coefficients = (waves @ luma @ waves.T).ravel()[1:65]
    bits = coefficients > np.sort(coefficients)[31:33].mean()
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def _ways(thumb: Floats) -> tuple[Floats, Floats]:
    """`ways` and `slack` of `Measured`."""
    ways, slack = np.zeros((3, *thumb.shape), np.float32), np.zeros_like(thumb)
    ways[0] = thumb
    for axis in (0, 1):
        steps = np.diff(thumb, axis=axis) / 2
        for side in (slice(None, -1), slice(1, None)):
            cells = (side,) if axis == 0 else (slice(None), side)
            ways[1 + axis][cells] += steps
            np.maximum(slack[cells], np.abs(steps), out=slack[cells])
    return ways.reshape(3, -1), slack.ravel()


@cache
def _waves(count: int) -> Floats:
    """The first nine cosines over `count` cells, float32 [9, count]."""
    phases = np.outer(np.arange(9), np.arange(count) + 0.5) * np.pi / count
    return np.asarray(np.cos(phases), np.float32)
