"""Where speech began, by its level: a voice-activity model detects a hoarse, whispering or quiet voice late,
often only in its second or third word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from host.hearing.quantile import quantile

_ABOVE_BACKGROUND_DB = 9.0
_BACKGROUND_SHARE = 0.1
"""The level that this share of the blocks stays below is that of the background."""
_GAP_BLOCKS = 5
"""Fewer blocks in a row (0.16 s) may be quieter inside a question, such as before a plosive."""
_SOON_BLOCKS = 2
"""Speech that was detected within as many (0.06 s) was not detected late: the question stays as it is."""
_EARLIEST_BLOCKS = 48
"""The model is at most so late (1.5 s)."""


def speech_began(blocks: NDArray[np.int16], detected: int) -> int:
    """Index of the first block of the sound that goes on up to the block in which speech was detected.

    blocks: int16 [n, 512] at 16 kHz, from where the question may begin to shortly after `detected`. Sound is
    what is louder than the background of these blocks by 9 dB. `detected` itself where it was detected soon.
    """
    sound = blocks.astype(np.float32)
    level_db = 10.0 * np.log10(np.mean(sound * sound, axis=1) + 1.0)
    loud = level_db >= quantile(level_db, _BACKGROUND_SHARE) + _ABOVE_BACKGROUND_DB
    began = detected
    for index in range(detected - 1, max(-1, detected - _EARLIEST_BLOCKS - 1), -1):
        if loud[index]:
            began = index
        elif began - index >= _GAP_BLOCKS:
            break
    return began if detected - began > _SOON_BLOCKS else detected
