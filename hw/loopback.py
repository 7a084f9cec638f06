"""What a speaker has played and is about to play, on the clock, at the microphone's rate: the reference that
echo cancellation needs.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from hw.device import MICROPHONE_RATE_HZ, Pcm

_KEPT_S = 8.0


class Loopback:
    """Stretches of sound, each with the moment of its first sample; the last 8 s are kept."""

    def __init__(self) -> None:
        self._stretches: deque[tuple[float, NDArray[np.float32]]] = deque()
        self._forgotten_s = 0.0

    def add(self, begins_s: float, pcm: Pcm, rate_hz: int) -> None:
        """Sound that is heard from `begins_s` on (monotonic seconds of the board's clock)."""
        sound = pcm.astype(np.float32) / np.float32(32768)
        if rate_hz != MICROPHONE_RATE_HZ:
            import soxr  # half a megabyte that a silent headband does not need

            sound = soxr.resample(sound, rate_hz, MICROPHONE_RATE_HZ)
        while self._stretches and self._end_s(*self._stretches[0]) < begins_s - _KEPT_S:
            self._forgotten_s += len(self._stretches.popleft()[1]) / MICROPHONE_RATE_HZ
        self._stretches.append((begins_s, sound))

    def cut(self, now_s: float) -> None:
        """Nothing was heard after this moment."""
        self._stretches = deque(
            (begins_s, sound[: max(0, round((now_s - begins_s) * MICROPHONE_RATE_HZ))])
            for begins_s, sound in self._stretches
            if begins_s < now_s
        )

    def read(self, from_s: float, samples: int) -> NDArray[np.float32]:
        """float32 [samples] at 16 kHz, full scale 1: what the speaker played from that moment on, zero where
        it was silent.
        """
        out = np.zeros(samples, np.float32)
        for begins_s, sound in self._stretches:
            at = round((begins_s - from_s) * MICROPHONE_RATE_HZ)
            first, last = max(0, at), min(samples, at + len(sound))
            if first < last:
                out[first:last] += sound[first - at : last - at]
        return out

    def heard_s(self, now_s: float) -> float:
        """Length of all sound that was heard until that moment, in seconds."""
        return self._forgotten_s + sum(
            min(len(sound) / MICROPHONE_RATE_HZ, max(0.0, now_s - begins_s))
            for begins_s, sound in self._stretches
        )

    @staticmethod
    def _end_s(begins_s: float, sound: NDArray[np.float32]) -> float:
        return begins_s + len(sound) / MICROPHONE_RATE_HZ
