"""Short tones that say woken, thinking, error without words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RATE = 22_050
_TONES_HZ = {
    "woken": (660.0, 880.0),
    "thinking": (520.0,),
    "error": (440.0, 330.0),
    "closed": (660.0, 495.0),
    "timer": (880.0, 1100.0, 880.0, 1100.0, 880.0, 1100.0),
}


def earcon(name: str) -> NDArray[np.int16]:
    """int16 [n] at RATE for one of woken, thinking, error, closed, timer; 70 ms per tone with soft edges, -15
    dBFS.
    """
    length = int(0.07 * RATE)
    time_s = np.arange(length) / RATE
    envelope = np.sin(np.pi * np.arange(length) / length) ** 2
    tones = [np.sin(2 * np.pi * hertz * time_s) * envelope for hertz in _TONES_HZ[name]]
    return (np.concatenate(tones) * 0.18 * 32767).astype(np.int16)
