"""The acoustic path from the emulated loudspeaker to the emulated microphone: delay, reverberation, gain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hw.audio.loopback import Loopback
from hw.device import MICROPHONE_RATE_HZ

_DIRECT_S = 0.002


@dataclass(frozen=True)
class Room:
    """A modelled impulse response: the direct sound, then reflections that die away exponentially (white
    noise under an exponential envelope; J. Polack's model, as in H. Kuttruff, Room Acoustics).
    """

    gain_db: float = 0.0
    """Power of the echo at the microphone over that of the played samples."""
    delay_s: float = 0.01
    """From the time a sample is due to its arrival at the microphone."""
    reverberation_s: float = 0.3
    """Until the reflections have died away by 60 dB."""
    direct_db: float = 6.0
    """Power of the direct sound over that of all reflections."""
    seed: int = 1

    @cached_property
    def response(self) -> NDArray[np.float64]:
        """float64 [n] at 16 kHz, without the delay; its power is the gain."""
        n = round(self.reverberation_s * MICROPHONE_RATE_HZ)
        times_s = np.arange(n) / MICROPHONE_RATE_HZ
        tail = np.random.default_rng(self.seed).standard_normal(n) * 10 ** (
            -3 * times_s / self.reverberation_s
        )
        tail[: round(_DIRECT_S * MICROPHONE_RATE_HZ)] = 0.0
        tail *= 10 ** (-self.direct_db / 20) / np.sqrt(np.sum(tail**2))
        tail[0] = 1.0
        return np.asarray(tail * 10 ** (self.gain_db / 20) / np.sqrt(np.sum(tail**2)))

    def echo(self, loopback: Loopback, from_s: float, samples: int) -> NDArray[np.float64]:
        """float64 [samples], full scale 1: the speaker's sound at the microphone from `from_s` on."""
        before = len(self.response) - 1
        played = loopback.read(from_s - self.delay_s - before / MICROPHONE_RATE_HZ, before + samples)
        if not played.any():
            return np.zeros(samples)
        return np.convolve(played.astype(np.float64), self.response, "valid")
