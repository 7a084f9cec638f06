"""Sounds for the tests of the sound gate: noise, a voice, and blocks as the microphone gives them."""

from __future__ import annotations

from array import array

import numpy as np

from firmware.pmu.sound_loops import BLOCK
from hw.device import MICROPHONE_RATE_HZ


def noise(count: int, rms: float, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count) * rms


def voice(seconds: float, rms: float, syllables_hz: float = 4.0) -> np.ndarray:
    """A buzz of 120 Hz with the resonances of an open vowel, cut into syllables."""
    t = np.arange(int(seconds * MICROPHONE_RATE_HZ)) / MICROPHONE_RATE_HZ
    buzz = sum(np.sin(2 * np.pi * 120 * k * t) / (1 + ((120 * k - 650) / 250) ** 2) for k in range(1, 12))
    shape = np.clip(np.sin(2 * np.pi * syllables_hz * t), 0.0, None) ** 0.5
    out = buzz * shape
    return np.asarray(out / np.sqrt(np.mean(out**2)) * rms)


def blocks(pcm: np.ndarray) -> list[array]:
    clipped = np.clip(np.round(pcm), -32768, 32767)
    return [
        array("h", clipped[at : at + BLOCK].astype(int).tolist())
        for at in range(0, clipped.size - BLOCK + 1, BLOCK)
    ]
