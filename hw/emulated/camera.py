"""A camera that sees picture files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hw.device import DeviceError, Image
from hw.media import MediaError, read_image

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".webp")

View = str | Path | Image


class FileCamera:
    """Shows one picture, or a series: each capture moves on by one and the last picture stays in view.

    A file that cannot be read raises `MediaError` where it is named (`__init__`, `show`), not at capture.
    """

    def __init__(self, view: View | Sequence[View] | None = None) -> None:
        """A file, a folder of frames (in order of their names), an image, a list of files and images, or
        nothing yet.
        """
        self._frames: list[Image] = []
        self._next = 0
        self._unplugged = False
        self.captures = 0
        if view is not None:
            self.show(view)

    def show(self, view: View | Sequence[View]) -> None:
        """From now on, see this. Raises `MediaError`."""
        self._frames = [_loaded(each) for each in _listed(view)]
        self._next = 0

    def unplug(self) -> None:
        """Every capture from now on raises `DeviceError`."""
        self._unplugged = True

    def plug_in(self) -> None:
        """Undo `unplug`."""
        self._unplugged = False

    async def capture(self) -> Image:
        """The present frame, uint8 `[height, width, 3]` RGB; the caller's own copy."""
        await asyncio.sleep(0)
        if self._unplugged:
            raise DeviceError("The camera stopped working: it was unplugged.")
        if not self._frames:
            raise DeviceError("The camera has nothing in view: no picture was given to it.")
        frame = self._frames[self._next]
        self._next = min(self._next + 1, len(self._frames) - 1)
        self.captures += 1
        return frame.copy()

    async def close(self) -> None:
        """Forget the pictures."""
        self._frames = []


def _listed(view: View | Sequence[View]) -> list[View]:
    if isinstance(view, np.ndarray):
        return [view]
    if isinstance(view, str | Path):
        folder = Path(view)
        if not folder.is_dir():
            return [view]
        files = sorted(each for each in folder.iterdir() if each.suffix.lower() in PICTURE_SUFFIXES)
        if not files:
            raise MediaError(f"{folder} holds no pictures ({', '.join(PICTURE_SUFFIXES)}).")
        return list(files)
    return list(view)


def _loaded(view: View) -> Image:
    return view if isinstance(view, np.ndarray) else read_image(view)
