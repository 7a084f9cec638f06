"""Joins two recordings of the same room: aligns the second with the first, and cross-fades at the seam.

The microphones differ in position, gain and noise, and start at unknown times. Both recordings are
band-passed to about 250 to 2500 Hz, without low-frequency rumble, which correlates at every lag, and without
uncorrelated hiss; the alignment is the peak of the normalised cross-correlation. Without a clear peak
(silence, or noise only) the caller uses the clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hw.device import Pcm

MIN_CORRELATION = 0.5
"""Smallest correlation of a valid peak. The pitch period of a voice gives less when the true lag is outside
the search range.
"""
_MAX_GAIN = 8.0
_FADE_SAMPLES = 64


@dataclass(frozen=True)
class Alignment:
    """Position of one recording in another."""

    at: int
    """Sample of the first recording at which the second begins."""
    correlation: float
    """-1..1, of the overlap at that position."""
    gain: float
    """Factor that scales the first to the level of the second."""


def find_alignment(first: Pcm, second: Pcm, guess: int, search: int) -> Alignment | None:
    """Where `second` begins in `first`, within `search` samples of `guess`; None without a clear peak."""
    low = max(0, guess - search)
    high = min(first.size - second.size, guess + search)
    if high < low or second.size < 16:
        return None
    a = _band(first[low : high + second.size])
    b = _band(second)
    power_b = float(b @ b)
    sums = np.concatenate([[0.0], np.cumsum(a * a)])
    power_a = sums[b.size :] - sums[: sums.size - b.size]
    size = 1 << (a.size + b.size).bit_length()
    product = np.fft.irfft(np.fft.rfft(a, size) * np.conj(np.fft.rfft(b, size)), size)[: power_a.size]
    scores = product / np.sqrt(np.maximum(power_a * power_b, 1e-9))
    best = int(np.argmax(scores))
    if scores[best] < MIN_CORRELATION:
        return None
    gain = float(np.sqrt(power_b / power_a[best])) * float(scores[best])
    return Alignment(low + best, float(scores[best]), float(np.clip(gain, 1 / _MAX_GAIN, _MAX_GAIN)))


def _band(pcm: Pcm) -> NDArray[np.float64]:
    sums = np.cumsum(pcm.astype(np.float64))
    pairs = sums[2:] - sums[:-2]
    return np.asarray(pairs[4:] - pairs[:-4])


def crossfade(first: Pcm, second: Pcm, at: int, seam: int, gain: float | NDArray[np.float64] = 1.0) -> Pcm:
    """`first` scaled by `gain`, one factor or one for each sample, up to sample `seam` of `second`, then
    `second`, which begins at sample `at` of `first`; cross-faded over 4 ms. A gap after the end of `first` is
    filled with silence.
    """
    scaled = first * np.asarray(gain, np.float64)
    head: NDArray[np.float64] = np.zeros(max(0, at + seam), np.float64)
    known = min(first.size, head.size)
    head[:known] = scaled[:known]
    tail = second[max(0, seam + min(0, at + seam)) :].astype(np.float64)
    fade = min(_FADE_SAMPLES, tail.size, max(0, first.size - head.size))
    if fade:
        ramp = (np.arange(fade) + 0.5) / fade
        tail[:fade] = tail[:fade] * ramp + scaled[head.size : head.size + fade] * (1 - ramp)
    return np.clip(np.round(np.concatenate([head, tail])), -32768, 32767).astype(np.int16)
