"""Features of a frame of speech: pitch, two spectral envelopes and two gates, measured from the voiced and
the noise layer of espeak-ng's speech.

Frame i is samples [HOP i, HOP i + HOP); the analysis windows are centred on its middle. Envelopes are
minimum-phase cepstra: the log magnitude at angular frequency w is sum(c[n] cos(n w)), in nepers, for an
excitation of unit power.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SAMPLE_RATE_HZ = 22050
HOP = 128
VOICED_ORDER = 100
NOISE_ORDER = 32
_LOWEST_F0_HZ, _HIGHEST_F0_HZ = 60.0, 330.0
_FFT = 2048
_F0_WINDOW = 1024
_GATE_WINDOW = 256
_GATE_RMS = 10 ** (-60 / 20)
_FLOOR_POWER = 1e-9
_NOISE_WINDOW = 384
_NOISE_SMOOTHING_BINS = 33
_CHEAPTRICK_Q1 = -0.15


@dataclass(frozen=True)
class Frames:
    """Features of N frames, float32. f0_hz: [N], interpolated where unvoiced; gates: [N, 2] in {0, 1}, voiced
    and noise; voiced and noise: cepstra [N, VOICED_ORDER] and [N, NOISE_ORDER], meaningless where the gate is
    0.
    """

    f0_hz: np.ndarray
    gates: np.ndarray
    voiced: np.ndarray
    noise: np.ndarray


def windows(signal: np.ndarray, length: int, n_frames: int) -> np.ndarray:
    """float32 [n_frames, length]: windows of `signal`, zero-padded, centred on each frame's middle."""
    before = length // 2 - HOP // 2
    padded = np.concatenate(
        (np.zeros(before, np.float32), signal, np.zeros(length + HOP * n_frames, np.float32))
    )
    return np.lib.stride_tricks.sliding_window_view(padded, length)[: n_frames * HOP : HOP]


def measure(voiced: np.ndarray, noise: np.ndarray, n_frames: int) -> Frames:
    """Features of the two layers of speech, each float32 [n] in [-1, 1] at SAMPLE_RATE_HZ."""
    gates = np.stack(
        [
            np.sqrt((windows(layer, _GATE_WINDOW, n_frames) ** 2).mean(1)) > _GATE_RMS
            for layer in (voiced, noise)
        ],
        1,
    )
    f0_hz, clarity = _pitch(voiced, n_frames)
    gates[:, 0] &= clarity > 0.3
    f0_hz = _interpolated(f0_hz, gates[:, 0] & (clarity > 0.6))
    return Frames(
        f0_hz.astype(np.float32),
        gates.astype(np.float32),
        _voiced_cepstrum(voiced, f0_hz, n_frames),
        _noise_cepstrum(noise, n_frames),
    )


def _pitch(signal: np.ndarray, n_frames: int) -> tuple[np.ndarray, np.ndarray]:
    """f0 in Hz and clarity (0 to 1) of each frame: the first high peak of the windowed, normalised
    autocorrelation.
    """
    window = np.hanning(_F0_WINDOW + 1)[:-1].astype(np.float32)
    spectrum = np.fft.rfft(windows(signal, _F0_WINDOW, n_frames) * window, _FFT)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)
    own = np.fft.irfft(np.abs(np.fft.rfft(window, _FFT)) ** 2)
    low, high = int(SAMPLE_RATE_HZ / _HIGHEST_F0_HZ), int(SAMPLE_RATE_HZ / _LOWEST_F0_HZ)
    normal = correlation[:, : high + 2] / (correlation[:, :1] + 1e-9) / (own[: high + 2] / own[0])
    middle = normal[:, low : high + 1]
    peak = (middle >= normal[:, low - 1 : high]) & (middle >= normal[:, low + 1 : high + 2])
    height = np.where(peak, middle, -1.0)
    best = height.max(1)
    lag = low + (height >= 0.9 * best[:, None]).argmax(1)
    rows = np.arange(n_frames)
    left, centre, right = normal[rows, lag - 1], normal[rows, lag], normal[rows, lag + 1]
    curve = left - 2 * centre + right
    shift = np.where(np.abs(curve) > 1e-6, 0.5 * (left - right) / np.where(curve == 0, 1, curve), 0.0)
    return SAMPLE_RATE_HZ / (lag + np.clip(shift, -0.5, 0.5)), np.clip(centre, 0, 1)


def _interpolated(f0_hz: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """f0 filtered by a median over five frames, and log-interpolated over frames that are not `sure`."""
    if not sure.any():
        return np.full_like(f0_hz, 110.0)
    rows = np.flatnonzero(sure)
    values = np.log(f0_hz[rows])
    padded = np.pad(values, 2, mode="edge")
    values = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    return np.exp(np.interp(np.arange(len(f0_hz)), rows, values))


def _voiced_cepstrum(signal: np.ndarray, f0_hz: np.ndarray, n_frames: int) -> np.ndarray:
    """Pitch-adaptive envelope as by WORLD's CheapTrick: a window of three periods, smoothing over 2/3 f0,
    liftering.
    """
    length = 1 + 2 * int(1.5 * SAMPLE_RATE_HZ / _LOWEST_F0_HZ)
    offset = (np.arange(length) - length // 2)[None, :]
    half = 1.5 * SAMPLE_RATE_HZ / f0_hz[:, None]
    window = np.where(np.abs(offset) < half, 0.5 + 0.5 * np.cos(np.pi * offset / half), 0.0)
    power = np.abs(np.fft.rfft(windows(signal, length, n_frames) * window, _FFT)) ** 2 / (window**2).sum(
        1, keepdims=True
    )
    smooth = _moving_average(power, f0_hz * 2 / 3 * _FFT / SAMPLE_RATE_HZ)
    cepstrum = np.fft.irfft(0.5 * np.log(smooth + _FLOOR_POWER))[:, :VOICED_ORDER]
    quefrency = np.arange(VOICED_ORDER)[None, :] * f0_hz[:, None] / SAMPLE_RATE_HZ
    lifter = np.sinc(quefrency) * (
        1 - 2 * _CHEAPTRICK_Q1 + 2 * _CHEAPTRICK_Q1 * np.cos(2 * np.pi * quefrency)
    )
    return _minimum_phase(cepstrum * lifter)


def _moving_average(power: np.ndarray, width_bins: np.ndarray) -> np.ndarray:
    """Each row of `power` smoothed by a moving average of that row's width; the spectrum is mirrored at both
    ends.
    """
    margin = 64
    mirrored = np.concatenate((power[:, margin:0:-1], power, power[:, -2 : -2 - margin : -1]), axis=1)
    total = np.concatenate((np.zeros((len(power), 1)), np.cumsum(mirrored, axis=1)), axis=1)
    centre = np.arange(power.shape[1])[None, :] + margin + 0.5

    def at(position: np.ndarray) -> np.ndarray:
        whole = np.floor(position).astype(np.int64)
        part = position - whole
        return (
            np.take_along_axis(total, whole, 1) * (1 - part) + np.take_along_axis(total, whole + 1, 1) * part
        )

    half = width_bins[:, None] / 2
    return (at(centre + half) - at(centre - half)) / width_bins[:, None]


def _noise_cepstrum(signal: np.ndarray, n_frames: int) -> np.ndarray:
    """Envelope of the noise layer: a periodogram smoothed over about 355 Hz, then truncated in quefrency."""
    window = np.hanning(_NOISE_WINDOW + 1)[:-1].astype(np.float32)
    power = (
        np.abs(np.fft.rfft(windows(signal, _NOISE_WINDOW, n_frames) * window, _FFT)) ** 2 / (window**2).sum()
    )
    smooth = _moving_average(power, np.full(n_frames, float(_NOISE_SMOOTHING_BINS)))
    return _minimum_phase(np.fft.irfft(0.5 * np.log(smooth + _FLOOR_POWER))[:, :NOISE_ORDER])


def _minimum_phase(cepstrum: np.ndarray) -> np.ndarray:
    """The minimum-phase cepstrum, float32, from the first half of a real (even) cepstrum."""
    result = 2.0 * cepstrum
    result[:, 0] = cepstrum[:, 0]
    return result.astype(np.float32)
