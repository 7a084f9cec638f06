"""Spectrograms as a picture, one above the other: time to the right, 0 to 8 kHz upwards, dark is loud."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from models.train.voice.frames import SAMPLE_RATE_HZ

_WINDOW, _FFT, _STEP_S, _TOP_HZ = 512, 1024, 0.004, 8000
_QUIETEST_DB, _LOUDEST_DB = -60.0, 20.0
_GAP_PX = 8


def spectrogram(audio: np.ndarray) -> np.ndarray:
    """The spectrogram of float `audio` [n]: uint8 [height, width], white where silent."""
    step = round(_STEP_S * SAMPLE_RATE_HZ)
    pieces = np.lib.stride_tricks.sliding_window_view(np.pad(audio, _WINDOW // 2), _WINDOW)[::step]
    size = np.abs(np.fft.rfft(pieces * np.hanning(_WINDOW), _FFT))[
        :, : round(_TOP_HZ / SAMPLE_RATE_HZ * _FFT)
    ]
    level_db = 20 * np.log10(size + 1e-6)
    ink = np.clip((level_db - _QUIETEST_DB) / (_LOUDEST_DB - _QUIETEST_DB), 0, 1)
    return (255 * (1 - ink)).astype(np.uint8).T[::-1]


def save_spectrograms(signals: list[np.ndarray], path: Path) -> None:
    """Writes the spectrograms of `signals` (float at SAMPLE_RATE_HZ) as one PNG."""
    pictures = [spectrogram(signal) for signal in signals]
    width = max(picture.shape[1] for picture in pictures)
    rows = [np.pad(p, ((0, _GAP_PX), (0, width - p.shape[1])), constant_values=255) for p in pictures]
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.concatenate(rows)).save(path)
