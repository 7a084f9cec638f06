"""Household sounds for the sound gate: those of `models.train.sound.noise`, and some with a rhythm or slow
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hw.device import MICROPHONE_RATE_HZ
from models.train.sound.noise import make_noise

Sound = NDArray[np.float64]


def _struck(rng: np.random.Generator, decay_s: float, low_hz: float, high_hz: float, modes: int) -> Sound:
    t = np.arange(int(6 * decay_s * MICROPHONE_RATE_HZ)) / MICROPHONE_RATE_HZ
    tones = [np.sin(2 * np.pi * rng.uniform(low_hz, high_hz) * t + rng.uniform(0, 6)) for _ in range(modes)]
    return np.asarray(np.sum(tones, axis=0) * np.exp(-t / decay_s))


def _strewn(
    rng: np.random.Generator, n: int, pauses_s: Callable[[], float], piece: Callable[[], Sound]
) -> Sound:
    out = 0.003 * rng.standard_normal(n)
    at = 0
    while (at := at + int(pauses_s() * MICROPHONE_RATE_HZ)) < n:
        sound = piece()[: n - at]
        out[at : at + sound.size] += sound
    return out


def _steps(rng: np.random.Generator, n: int) -> Sound:
    """Steps on a wooden floor, 1.7-2.2 per second."""
    beat_s = 1 / rng.uniform(1.7, 2.2)
    return _strewn(
        rng, n, lambda: beat_s * rng.uniform(0.93, 1.07),
        lambda: rng.uniform(0.5, 1.0) * _struck(rng, 0.03, 60, 350, 5)
        + np.pad(0.2 * rng.uniform(0.2, 1) * _struck(rng, 0.008, 1000, 5000, 6), (0, 2112))[:2880],
    )  # fmt: skip


def _typing(rng: np.random.Generator, n: int) -> Sound:
    """A keyboard, about 6 keys a second with pauses."""
    return _strewn(
        rng, n, lambda: rng.uniform(0.08, 0.25) if rng.random() < 0.9 else rng.uniform(0.5, 2.0),
        lambda: rng.uniform(0.4, 1.0) * _struck(rng, 0.006, 700, 6000, 8),
    )  # fmt: skip


def _knocking(rng: np.random.Generator, n: int) -> Sound:
    """Doors and drawers: dull single thuds, some seconds apart."""
    return _strewn(
        rng, n, lambda: rng.uniform(2.0, 8.0), lambda: rng.uniform(0.3, 1) * _struck(rng, 0.06, 70, 500, 6)
    )


def _water(rng: np.random.Generator, n: int) -> Sound:
    """A running tap: noise of varying level, and bubbles."""
    waver = np.interp(np.arange(n), np.arange(0, n + 1600, 1600), rng.uniform(0.7, 1.3, n // 1600 + 2))
    bubbles = _strewn(rng, n, lambda: rng.exponential(0.02), lambda: 0.15 * _struck(rng, 0.01, 400, 2500, 1))
    return np.asarray(np.diff(rng.standard_normal(n + 1)) * waver * 0.5 + bubbles)


def _vacuum(rng: np.random.Generator, n: int) -> Sound:
    """A moving vacuum cleaner: a motor's harmonics and broadband noise."""
    t = np.arange(n) / MICROPHONE_RATE_HZ
    sway = 1 + 0.25 * np.sin(2 * np.pi * rng.uniform(0.3, 0.8) * t)
    motor = sum(np.sin(2 * np.pi * rng.uniform(180, 320) * k * t) / k for k in range(1, 8))
    return np.asarray((motor * 0.4 + rng.standard_normal(n)) * sway)


_MORE = {"steps": _steps, "typing": _typing, "doors": _knocking, "water": _water, "vacuum": _vacuum}
STEADY = ("white", "pink", "hum", "fan", "kettle")
HOUSEHOLD = (*STEADY, "clatter", *_MORE)
"""All sounds that must not wake the host. "babble", speech of a television, is measured separately."""


def sound(kind: str, rng: np.random.Generator, n: int, speech: Sequence[NDArray[np.float32]]) -> Sound:
    """Noise of that kind, float64 [n] with unit root mean square; "babble" is mixed from `speech`."""
    if kind == "babble":  # its pieces last a few seconds
        parts = [
            make_noise(kind, rng, 6 * MICROPHONE_RATE_HZ, speech)
            for _ in range(n // (6 * MICROPHONE_RATE_HZ) + 1)
        ]
        return np.concatenate(parts)[:n].astype(np.float64)
    if kind not in _MORE:
        return make_noise(kind, rng, n, speech).astype(np.float64)
    out = _MORE[kind](rng, n)
    return np.asarray(out / np.sqrt(np.mean(out**2)))


def evening(
    kind: str, rng: np.random.Generator, seconds: float, speech: Sequence[NDArray[np.float32]]
) -> NDArray[np.int16]:
    """Intermittent sound of one kind, int16: 10-60 s of it at -55 to -25 dBFS, then 3-15 s of the quiet room;
    it fades in and out within 0.1-1 s.
    """
    n = int(seconds * MICROPHONE_RATE_HZ)
    out = rng.standard_normal(n) * 20
    at = int(rng.uniform(3, 6) * MICROPHONE_RATE_HZ)
    while at < n:
        length = min(n - at, int(rng.uniform(10, 60) * MICROPHONE_RATE_HZ))
        piece = sound(kind, rng, max(length, MICROPHONE_RATE_HZ), speech)[:length]
        ramp = int(rng.uniform(0.1, 1.0) * MICROPHONE_RATE_HZ)
        shape = np.minimum(1.0, np.minimum(np.arange(length), np.arange(length)[::-1]) / ramp)
        out[at : at + length] += piece * shape * 32768 * 10 ** (rng.uniform(-55, -25) / 20)
        at += length + int(rng.uniform(3, 15) * MICROPHONE_RATE_HZ)
    return np.clip(np.round(out), -32768, 32767).astype(np.int16)
