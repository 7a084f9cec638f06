"""Generated background sounds at 16 kHz (white, pink, mains hum, fan, kettle, clatter, babble), and rooms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.brick import MICROPHONE_RATE_HZ

KINDS = ("white", "pink", "hum", "fan", "kettle", "clatter", "babble")


def _coloured(rng: np.random.Generator, n: int, slope: float) -> np.ndarray:
    spectrum = np.fft.rfft(rng.standard_normal(n))
    frequency = np.fft.rfftfreq(n, 1.0 / MICROPHONE_RATE_HZ)
    frequency[0] = frequency[1]
    return np.fft.irfft(spectrum * np.maximum(frequency, 20.0) ** (-slope / 2.0), n)


def _hum(rng: np.random.Generator, n: int) -> np.ndarray:
    t = np.arange(n) / MICROPHONE_RATE_HZ
    base = rng.choice((50.0, 60.0)) * rng.uniform(0.995, 1.005)
    tones = [
        rng.uniform(0.1, 1.0) / k * np.sin(2 * np.pi * (base * k * t + rng.random())) for k in range(1, 13)
    ]
    return np.sum(tones, axis=0) + 0.02 * rng.standard_normal(n)


def _fan(rng: np.random.Generator, n: int) -> np.ndarray:
    t = np.arange(n) / MICROPHONE_RATE_HZ
    sway = 1.0 + 0.3 * np.sin(2 * np.pi * rng.uniform(3.0, 25.0) * t)
    rumble = _coloured(rng, n, 2.0)
    tone = np.sin(2 * np.pi * rng.uniform(90.0, 400.0) * t)
    return rumble / rumble.std() * sway + rng.uniform(0.0, 0.5) * tone


def _kettle(rng: np.random.Generator, n: int) -> np.ndarray:
    hiss = np.diff(rng.standard_normal(n + 1)) * np.linspace(rng.uniform(0.2, 1.0), 1.0, n)
    return hiss + rng.uniform(0.2, 1.0) * _coloured(rng, n, 1.0)


def _clatter(rng: np.random.Generator, n: int) -> np.ndarray:
    """Dishes and doors: decaying resonances at random times, with faint white noise."""
    out = 0.01 * rng.standard_normal(n)
    for _ in range(int(rng.integers(3, 14)) * n // (4 * MICROPHONE_RATE_HZ) + 1):
        start = int(rng.integers(0, n))
        t = np.arange(min(n - start, MICROPHONE_RATE_HZ // 2)) / MICROPHONE_RATE_HZ
        decay = np.exp(-t / rng.uniform(0.01, 0.12))
        modes = [np.sin(2 * np.pi * rng.uniform(150.0, 5000.0) * t) for _ in range(4)]
        out[start : start + len(t)] += rng.uniform(0.2, 1.0) * decay * np.sum(modes, axis=0)
    return out


def _babble(rng: np.random.Generator, n: int, speech: Sequence[np.ndarray]) -> np.ndarray:
    out = np.zeros(n)
    for _ in range(int(rng.integers(3, 8))):
        line = np.concatenate([speech[int(rng.integers(len(speech)))] for _ in range(6)])
        start = int(rng.integers(0, max(1, len(line) - n)))
        piece = line[start : start + n]
        out[: len(piece)] += rng.uniform(0.4, 1.0) * piece
    return out


def make_noise(kind: str, rng: np.random.Generator, n: int, speech: Sequence[np.ndarray]) -> np.ndarray:
    """Noise of `kind`, float32 [n] with unit root mean square; babble is mixed from clips of `speech`."""
    if kind == "white":
        out = rng.standard_normal(n)
    elif kind == "pink":
        out = _coloured(rng, n, 1.0)
    elif kind == "babble":
        out = _babble(rng, n, speech)
    else:
        out = {"hum": _hum, "fan": _fan, "kettle": _kettle, "clatter": _clatter}[kind](rng, n)
    return (out / (np.sqrt(np.mean(out**2)) + 1e-9)).astype(np.float32)


def add_noise(clip: np.ndarray, noise: np.ndarray, snr_db: float, speech_power: float) -> np.ndarray:
    """clip [n] plus unit noise [n], scaled to `snr_db` below `speech_power`."""
    return (clip + noise * np.sqrt(speech_power / 10.0 ** (snr_db / 10.0))).astype(np.float32)


def in_a_room(clip: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """clip [n] with the sound that comes back from a room's walls, float32 [n]: noise that decays by 60 dB in
    0.15 to 0.7 s, 2 to 14 dB below what comes straight from the mouth.
    """
    n = int(rng.uniform(0.15, 0.7) * MICROPHONE_RATE_HZ)
    t = np.arange(n) / n
    tail = _coloured(rng, n, rng.uniform(0.0, 1.5)) * 10.0 ** (-3.0 * t)
    tail[: int(0.002 * MICROPHONE_RATE_HZ)] = 0.0
    tail *= 10.0 ** (-rng.uniform(2.0, 14.0) / 20) / np.sqrt(np.sum(tail**2))
    size = 1 << (len(clip) + n).bit_length()
    back = np.fft.irfft(np.fft.rfft(clip, size) * np.fft.rfft(tail, size), size)[: len(clip)]
    return (clip + back).astype(np.float32)
