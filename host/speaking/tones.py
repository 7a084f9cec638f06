"""Earcons: short tones for states such as woken, thinking, error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RATE = 22_050
"""Samples per second."""
_TONES_HZ = {
    "woken": (660.0, 880.0),
    "thinking": (520.0,),
    "error": (440.0, 330.0),
    "closed": (660.0, 495.0),
    "timer": (880.0, 1100.0, 880.0, 1100.0, 880.0, 1100.0),
}


def earcon(name: str) -> NDArray[np.int16]:
    """The earcon woken, thinking, error, closed or timer as int16 [n] at `RATE`: 70 ms per tone, faded in and
    out, -15 dBFS. Raises `KeyError` for another name.
    """
    length = int(0.07 * RATE)
    time_s = np.arange(length) / RATE
    envelope = np.sin(np.pi * np.arange(length) / length) ** 2
    tones = [np.sin(2 * np.pi * hertz * time_s) * envelope for hertz in _TONES_HZ[name]]
    return (np.concatenate(tones) * 0.18 * 32767).astype(np.int16)
