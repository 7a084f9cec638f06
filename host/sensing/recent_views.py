"""What the camera showed: the present view and a few earlier ones, kept small and only in memory."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hw.device import Camera, Clock, DeviceError

Rgb = NDArray[np.uint8]

NOVELTY = 12.0
"""Difference in any cell of two thumbnails, in levels of 0 to 255, above which a view counts as a new one."""


@dataclass(frozen=True)
class View:
    """`rgb` uint8 [h, w, 3]; `taken_s` on the clock of the board."""

    rgb: Rgb
    taken_s: float


class RecentViews:
    """Takes views on demand and, between questions, at the interval the power plan sets."""

    def __init__(self, camera: Camera, clock: Clock, keep: int = 4) -> None:
        self.camera = camera
        """Where the views come from."""
        self._clock = clock
        self._views: deque[View] = deque(maxlen=keep)
        self._same: View | None = None
        self.looked_s = 0.0
        """Seconds for which the camera worked so far."""
        self.on_look: Callable[[float, float, bool], None] = lambda start_s, end_s, changed: None
        """Called after every picture with when the camera worked, on the clock of the board, and whether the
        view is another one than at the look before.
        """

    async def look(self) -> View:
        """The present view; remembered when it is new."""
        began_s = self._clock.monotonic()
        try:
            rgb = await self.camera.capture()
        finally:
            self.looked_s += self._clock.monotonic() - began_s
        view = View(rgb, self._clock.monotonic())
        changed = not self._views or _difference(self._views[-1].rgb, view.rgb) > NOVELTY
        if not changed:
            self._same = self._views.pop()
        self._views.append(view)
        self.on_look(began_s, view.taken_s, changed)
        return view

    def newer(self, view: View) -> View | None:
        """The newest view, where it is unlike `view`; None otherwise."""
        newest = self._views[-1] if self._views else view
        if newest.taken_s <= view.taken_s or _difference(newest.rgb, view.rgb) <= NOVELTY:
            return None
        return newest

    def before(self, view: View) -> View | None:
        """The last view that was different from `view`; where there is none, an earlier look at the same."""
        for old in reversed(self._views):
            if old is not view and _difference(old.rgb, view.rgb) > NOVELTY:
                return old
        return None if self._same is view else self._same

    @property
    def newest(self) -> Rgb | None:
        """The last view, uint8 [h, w, 3]; None before the first look."""
        return self._views[-1].rgb if self._views else None

    async def watch(self, interval_s: float) -> None:
        """Looks every `interval_s` seconds until cancelled; a camera that fails may come back, and one that
        takes longer than that is asked again at once.
        """
        while True:
            next_s = self._clock.monotonic() + interval_s
            with contextlib.suppress(DeviceError):
                await self.look()
            await self._clock.sleep(next_s - self._clock.monotonic())

    def forget(self) -> None:
        """Drops every view."""
        self._views.clear()
        self._same = None


def _difference(first: Rgb, second: Rgb) -> float:
    if first.shape != second.shape:
        return 255.0
    thumbnails = [_thumbnail(rgb) for rgb in (first, second)]
    return float(np.abs(thumbnails[0] - thumbnails[1]).max())


def _thumbnail(rgb: Rgb, size: int = 16) -> NDArray[np.float32]:
    """Mean colour of each cell of a size x size grid, float32 [size, size, 3]; noise is averaged away."""
    size = min(size, *rgb.shape[:2])
    height, width = (extent // size * size for extent in rgb.shape[:2])
    cells = rgb[:height, :width].reshape(size, height // size, size, width // size, 3)
    return cells.mean(axis=(1, 3), dtype=np.float32)
