"""Recorded questions under the numbers by which events name them."""

from __future__ import annotations

import numpy as np

from host.hearing.endpointer import RecordedQuestion

_KEPT = 8
SILENCE = RecordedQuestion(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0)


class Recordings:
    """The last few recordings, in memory only."""

    def __init__(self) -> None:
        self._recordings: dict[int, RecordedQuestion] = {}
        self._last = 0

    def put(self, recording: RecordedQuestion) -> int:
        """Keeps a recording; returns its number."""
        self._last += 1
        self._recordings[self._last] = recording
        self._recordings.pop(self._last - _KEPT, None)
        return self._last

    def clear(self) -> None:
        """Drops all recordings."""
        self._recordings.clear()

    def get(self, number: int | None) -> RecordedQuestion:
        """The recording with this number; `SILENCE` for None, and for one that is not kept."""
        return SILENCE if number is None else self._recordings.get(number, SILENCE)
