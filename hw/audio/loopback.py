"""What a speaker has played and is about to play, by the clock and at the microphone's rate: the reference
signal of the echo canceller.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from math import gcd

import numpy as np
from numpy.typing import NDArray

from hw.device import MICROPHONE_RATE_HZ, Pcm

_HISTORY_S = 8.0
_HALF_TAPS = 16
_BLOCK = 2048


def resampled(sound: NDArray[np.float32], rate_hz: int) -> NDArray[np.float32]:
    """Resamples float32 [n] from `rate_hz` to the microphone's rate by a windowed sinc of 32 taps per phase.
    soxr is more exact and takes 4.6 MiB of the main process; an echo reference does not need its quality.
    """
    shared = gcd(rate_hz, MICROPHONE_RATE_HZ)
    up, down = MICROPHONE_RATE_HZ // shared, rate_hz // shared
    table = _phases(up, down)
    padded = np.pad(sound, _HALF_TAPS)
    out = np.empty(len(sound) * up // down, np.float32)
    for first in range(0, len(out), _BLOCK):
        at = np.arange(first, min(first + _BLOCK, len(out))) * down
        taps = (at // up)[:, None] + np.arange(1, 2 * _HALF_TAPS + 1)
        out[first : first + len(at)] = np.einsum(
            "ij,ij->i", padded[np.minimum(taps, len(padded) - 1)], table[at % up]
        )
    return out


@cache
def _phases(up: int, down: int) -> NDArray[np.float32]:
    """Polyphase filters, float32 [up, 32]: one row per fractional position between two samples."""
    cutoff = min(1.0, up / down) * 0.95
    away = np.arange(1 - _HALF_TAPS, _HALF_TAPS + 1)[None, :] - np.arange(up)[:, None] / up
    window = 0.5 + 0.5 * np.cos(np.pi * np.clip(away / _HALF_TAPS, -1, 1))
    return np.asarray(cutoff * np.sinc(cutoff * away) * window, np.float32)


class Loopback:
    """Segments of played sound, each with the time of its first sample; the last 8 s are kept."""

    def __init__(self) -> None:
        self._segments: deque[tuple[float, NDArray[np.float32]]] = deque()
        self._dropped_s = 0.0

    def add(self, begins_s: float, pcm: Pcm, rate_hz: int) -> None:
        """Adds sound that is played from `begins_s` on (monotonic seconds of the board's clock)."""
        sound = pcm.astype(np.float32) / np.float32(32768)
        if rate_hz != MICROPHONE_RATE_HZ:
            sound = resampled(sound, rate_hz)
        while self._segments and self._end_s(*self._segments[0]) < begins_s - _HISTORY_S:
            self._dropped_s += len(self._segments.popleft()[1]) / MICROPHONE_RATE_HZ
        self._segments.append((begins_s, sound))

    def cut(self, now_s: float) -> None:
        """Removes all sound after this time: playback was stopped."""
        self._segments = deque(
            (begins_s, sound[: max(0, round((now_s - begins_s) * MICROPHONE_RATE_HZ))])
            for begins_s, sound in self._segments
            if begins_s < now_s
        )

    def read(self, from_s: float, samples: int) -> NDArray[np.float32]:
        """float32 [samples] at the microphone's rate, full scale 1: what the speaker plays from that time on,
        zero where it is silent.
        """
        out = np.zeros(samples, np.float32)
        for begins_s, sound in self._segments:
            at = round((begins_s - from_s) * MICROPHONE_RATE_HZ)
            first, last = max(0, at), min(samples, at + len(sound))
            if first < last:
                out[first:last] += sound[first - at : last - at]
        return out

    def played_s(self, now_s: float) -> float:
        """Length of all sound that was played until that time, in seconds."""
        return self._dropped_s + sum(
            min(len(sound) / MICROPHONE_RATE_HZ, max(0.0, now_s - begins_s))
            for begins_s, sound in self._segments
        )

    @staticmethod
    def _end_s(begins_s: float, sound: NDArray[np.float32]) -> float:
        return begins_s + len(sound) / MICROPHONE_RATE_HZ
