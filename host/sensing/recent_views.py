"""The camera's present view and a few earlier ones, in memory only."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable

import numpy as np

from host.sensing.kept_views import SURELY_SAME_LEVELS, KeptViews, View
from host.sensing.view_gate import Rgb, difference
from host.sensing.wanted_pictures import WantedPictures
from hw.device import Camera, Clock, DeviceError
from models.sensing.thumbnail import thumbnail

Looked = Callable[[float, View, bool], None]

NOVELTY = 12.0
"""Largest difference of two thumbnails in any cell, in levels of 0 to 255, at which two views count as the
same.
"""
LOOKS = 4
"""Pictures that `look_until_clear` takes at most."""
LOOK_AGAIN_S = 0.2
"""Pause before another picture, where one is not clear: a turn of the head lasts a few of these."""
READY_S = 0.3
"""How long the sensor streams on for a question that may come: a wake word that woke the computer is heard
0.4 to 0.6 s after that, about when the exposure has settled.
"""


def _ignore(start_s: float, view: View, changed: bool) -> None:
    """Default for `looked`."""


async def _leave(view: View) -> None:
    """Default for `on_watched`."""


class RecentViews:
    """Takes views on demand (`look`) or at an interval (`watch`); keeps the last `keep` different ones. Every
    picture passes the view gate.
    """

    def __init__(
        self,
        camera: Camera,
        clock: Clock,
        looked: Looked = _ignore,
        keep: int = 4,
        kept: KeptViews | None = None,
    ) -> None:
        """`looked` is called after every picture: when the camera began, on the board's monotonic clock, the
        view, and whether it differs from the one before.
        """
        self.camera = camera
        """The source of the views."""
        self._wanted = WantedPictures(camera)
        self._clock = clock
        self._views: deque[View] = deque(maxlen=keep)
        self._previous_look: View | None = None
        self._needed_no_more = asyncio.Event()
        """Ends `ready`."""
        self._looked = looked
        self.kept = kept or KeptViews(lambda encoded: None)
        """What the gate kept, and its encodings."""
        self.on_watched: Callable[[View], Awaitable[None]] = _leave
        """What `watch` does with each view before it waits for the next."""

    async def look(self) -> View:
        """Takes a picture and returns it. Raises `DeviceError`."""
        began_s, view = await self._capture()
        self._looked(began_s, view, self._add(view))
        return view

    async def glance(self) -> View:
        """One picture from between two sleeps, which counts as no earlier look at anything: it differs from
        those before if the gate keeps it. Raises `DeviceError`.
        """
        began_s, view = await self._capture()
        self._looked(began_s, view, view.verdict.kept)
        return view

    async def look_until_clear(self, again: Callable[[], Awaitable[bool]]) -> View:
        """The first clear picture, else the sharpest of up to `LOOKS`, of fewer where two in succession are
        alike: the head is still. `again` is awaited before each further one, about `LOOK_AGAIN_S`, and says
        whether to take it; the camera's sensor streams on meanwhile. The others count as no earlier looks.
        Raises `DeviceError` where there is no picture at all.
        """
        with self._wanted.every(LOOK_AGAIN_S):
            self._needed_no_more.set()
            return await self._until_clear(again)

    async def ready(self) -> None:
        """Has the sensor stream until `look_until_clear` begins, up to `READY_S` after its exposure has
        settled, so that a question need not wait for that. The frame that shows that it has is dropped: it is
        no look, and nothing is known of it. Ignores `DeviceError`.
        """
        self._needed_no_more.clear()
        with self._wanted.every(LOOK_AGAIN_S):
            try:
                await self.camera.capture()
            except DeviceError:
                return
            waits = [
                asyncio.ensure_future(each)
                for each in (self._needed_no_more.wait(), self._clock.sleep(READY_S))
            ]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()

    async def _until_clear(self, again: Callable[[], Awaitable[bool]]) -> View:
        best = last = await self.look()
        for _ in range(LOOKS - 1):
            if best.quality.clear or not await again():
                break
            try:
                began_s, view = await self._capture()
            except DeviceError:
                continue
            if view.quality.better_than(best.quality):
                self._put_in_place_of(best, view)
                best = view
            self._looked(began_s, view, False)
            if view.quality.like(last.quality):
                break
            last = view
        return best

    def _put_in_place_of(self, former: View, view: View) -> None:
        if self._views and self._views[-1] is former:
            self._views.pop()
        self._add(view)

    def _add(self, view: View) -> bool:
        """Whether it differs from the one before."""
        changed = not self._views or _difference(self._views[-1].rgb, view.rgb) > NOVELTY
        if not changed:
            self._previous_look = self._views.pop()
        self._views.append(view)
        return changed

    async def _capture(self) -> tuple[float, View]:
        """When the camera began, and a picture."""
        began_s = self._clock.monotonic()
        rgb = await self.camera.capture()
        return began_s, self.kept.view(rgb, self._clock.monotonic())

    def newer(self, view: View) -> View | None:
        """The newest view if it is later than `view` and differs from it by more than light, noise and a
        small motion of the camera, else None.
        """
        newest = self._views[-1] if self._views else view
        if newest.taken_s <= view.taken_s or _difference(newest.rgb, view.rgb) <= NOVELTY:
            return None
        same = difference(newest.verdict.measured, view.verdict.measured) <= SURELY_SAME_LEVELS
        return None if same and newest.kept is not None and view.kept is not None else newest

    def before(self, view: View, within_s: float = math.inf) -> View | None:
        """The last view that differs from `view`; else an earlier picture of the same scene; else None.
        `within_s`: none that is older than `view` by more.
        """
        since_s = view.taken_s - within_s
        for old in reversed(self._views):
            if old is not view and old.taken_s >= since_s and _difference(old.rgb, view.rgb) > NOVELTY:
                return old
        same = self._previous_look
        return None if same is None or same is view or same.taken_s < since_s else same

    @property
    def newest(self) -> Rgb | None:
        """The last picture, uint8 [h, w, 3]; None before the first."""
        return self._views[-1].rgb if self._views else None

    async def watch(self, interval_s: float) -> None:
        """Takes a picture every `interval_s` seconds until cancelled. Ignores `DeviceError`; after a picture
        that took longer than the interval, takes the next one at once.
        """
        with self._wanted.every(interval_s):
            while True:
                next_s = self._clock.monotonic() + interval_s
                with contextlib.suppress(DeviceError):
                    await self.on_watched(await self.look())
                await self._clock.sleep(next_s - self._clock.monotonic())

    async def pictures(
        self, interval_s: Callable[[], float]
    ) -> AsyncGenerator[tuple[float, float, Rgb], None]:
        """When the camera began and when it had it, on its monotonic clock, and a picture, until closed; none
        of them is a look. `interval_s` is asked after each when the next is due, seconds from the beginning
        of one to that of the next; the sensor streams on when it changes. Ignores `DeviceError`, as `watch`
        does.
        """
        with self._wanted.every(interval_s()) as wanted_every:
            while True:
                began_s = self._clock.monotonic()
                with contextlib.suppress(DeviceError):
                    rgb = await self.camera.capture()
                    yield began_s, self._clock.monotonic(), rgb
                wanted_every(interval_s())
                await self._clock.sleep(began_s + interval_s() - self._clock.monotonic())

    def last_seconds(self, seconds: float) -> tuple[View, ...]:
        """The different views of the last seconds that are still kept, oldest first."""
        since_s = self._clock.monotonic() - seconds
        return tuple(view for view in self._views if view.taken_s >= since_s)

    def slept(self) -> None:
        """The computer sleeps: what was seen before is no earlier look at what is asked about afterwards.
        Encodings stay.
        """
        self._views.clear()
        self._previous_look = None
        self._needed_no_more.set()

    def forget(self) -> None:
        """Deletes all views and their encodings."""
        self._views.clear()
        self._previous_look = None
        self._needed_no_more.set()
        self.kept.forget()


def _difference(first: Rgb, second: Rgb) -> float:
    if first.shape != second.shape:
        return 255.0
    thumbnails = [thumbnail(rgb) for rgb in (first, second)]
    return float(np.abs(thumbnails[0] - thumbnails[1]).max())
