"""whisper.cpp's log-mel spectrogram in numpy, equal to the library's own for a clip followed by zeros."""

from __future__ import annotations

import numpy as np

from models.train.sound.whisper_assets import mel_filters

HOP = 160
WINDOW = 400
_HANN = (0.5 * (1.0 - np.cos(2.0 * np.pi * np.arange(WINDOW) / WINDOW))).astype(np.float32)


def log_mel(pcm: np.ndarray) -> tuple[np.ndarray, float]:
    """float32 [n] at 16 kHz in [-1, 1] -> (float32 [frames, 80], value of the silent frames that follow).

    The library reflects 200 samples at the start, appends 30 s of zeros, clamps everything to 8 below the
    clip's maximum (log10) and maps x to (x + 4) / 4; frames beyond the returned ones all hold the second
    value.
    """
    half = WINDOW // 2
    frames = (len(pcm) + half) // HOP + 1
    padded = np.zeros(frames * HOP + WINDOW, np.float32)
    padded[:half] = pcm[1 : half + 1][::-1]
    padded[half : half + len(pcm)] = pcm
    view = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:frames]
    spectrum = np.fft.rfft(view * _HANN, axis=1).astype(np.complex64)
    power = spectrum.real**2 + spectrum.imag**2
    mel = np.log10(np.maximum(power @ mel_filters().T, 1e-10))
    floor = max(float(mel.max()) - 8.0, -10.0)
    return ((np.maximum(mel, floor) + 4.0) / 4.0).astype(np.float32), (floor + 4.0) / 4.0
