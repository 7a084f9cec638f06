"""Counts what a camera's sensor does."""

from __future__ import annotations

import threading
from collections.abc import Callable

from hw.device import CameraUse


class UseMeter:
    """Starts, streaming time and frames of one sensor; may be called from any thread."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """`monotonic`: seconds of any clock that never goes back."""
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._starts = 0
        self._frames = 0
        self._streamed_s = 0.0
        self._since_s: float | None = None

    def started(self) -> None:
        """The sensor begins to stream."""
        with self._lock:
            self._starts += 1
            self._since_s = self._monotonic()

    def sensed(self, frames: int) -> None:
        """It delivered that many frames more."""
        with self._lock:
            self._frames += frames

    def stopped(self, at_s: float | None = None) -> None:
        """It streams no longer, since `at_s` of the clock or since now. Harmless when it did not."""
        with self._lock:
            if self._since_s is not None:
                self._streamed_s += (self._monotonic() if at_s is None else at_s) - self._since_s
                self._since_s = None

    @property
    def use(self) -> CameraUse:
        """So far; a stream that runs counts until now."""
        with self._lock:
            running_s = 0.0 if self._since_s is None else self._monotonic() - self._since_s
            return CameraUse(self._starts, self._streamed_s + running_s, self._frames)
