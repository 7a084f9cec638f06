"""A tone as a recording of it has to come out, and files that are refused with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hw.audio.sound_and_picture_files import MediaError
from hw.device import MICROPHONE_RATE_HZ


def tone(rate_hz: int, seconds: float = 1.0) -> np.ndarray:
    """A 440 Hz sine at half scale, float64 `[samples]`."""
    return 0.5 * np.sin(2 * np.pi * 440 * np.arange(int(rate_hz * seconds)) / rate_hz)


def check_refused(read: Callable[[Path], object], path: Path, content: bytes | str | None, says: str) -> None:
    """The error sentence for a file of that content, for a "folder", or for a missing file."""
    if content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    with pytest.raises(MediaError, match=says) as caught:
        read(path)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert path.name in sentence


def assert_is_the_tone(pcm: np.ndarray, seconds: float = 1.0, tolerance: float = 0.02) -> None:
    assert pcm.dtype == np.int16
    assert pcm.ndim == 1
    assert abs(len(pcm) - MICROPHONE_RATE_HZ * seconds) <= 16
    middle = slice(2000, 14_000)
    spectrum = np.abs(np.fft.rfft(pcm[middle] * np.hanning(12_000)))
    assert abs(np.argmax(spectrum) * MICROPHONE_RATE_HZ / 12_000 - 440) < 2
    assert abs(np.abs(pcm[middle]).max() / 32768 - 0.5) < tolerance
