"""Tells the camera when several pictures in a row are wanted, so that its sensor need not start for each."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from hw.device import Camera


class WantedPictures:
    """Joins what several tasks want of one camera: the shortest interval counts."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._intervals_s: dict[object, float] = {}

    @contextlib.contextmanager
    def every(self, interval_s: float) -> Iterator[Callable[[float], None]]:
        """Pictures are wanted at about this interval until the block ends, however it ends. What it gives is
        called with another interval in between, in seconds.
        """
        key = object()

        def change(to_s: float) -> None:
            self._intervals_s[key] = to_s
            self._tell()

        change(interval_s)
        try:
            yield change
        finally:
            del self._intervals_s[key]
            self._tell()

    def _tell(self) -> None:
        if self._intervals_s:
            self._camera.start(1.0 / min(self._intervals_s.values()))
        else:
            self._camera.stop()
