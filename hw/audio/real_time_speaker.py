"""Plays sound in real time: the part that all speakers have in common."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Any

import numpy as np

from hw.audio.loopback import Loopback
from hw.device import Clock, DeviceError, Pcm, Sound

_SLICE_S = 0.1
_LEAD_S = 0.2
"""How far ahead of real time samples are delivered, so that the sound card has no underrun between slices."""


class PacedSpeaker(ABC):
    """Plays one sound after the other; `stop` ends playback at once. A subclass delivers the samples.

    With `real_time`, `play` takes as long as the sound does; without, it returns as soon as the last chunk is
    delivered.
    """

    def __init__(self, clock: Clock, *, real_time: bool = True) -> None:
        self._clock = clock
        self._real_time = real_time
        self._turn = asyncio.Lock()
        self._stopped = asyncio.Event()
        self._stops = 0
        self._volume_percent = 100
        self.seconds_played = 0.0
        """Length of all sound delivered so far."""
        self.loopback = Loopback() if real_time else None
        """What is played and when; None for a speaker without `real_time`."""

    @abstractmethod
    def _deliver(self, pcm: Pcm, rate_hz: int) -> None:
        """Deliver samples that are audible at most about `_LEAD_S` later. Raises `DeviceError`."""

    @abstractmethod
    def _end(self, cut: bool) -> None:
        """End of a sound; `cut`: discard samples that are not yet audible. Harmless when repeated."""

    @property
    def volume_percent(self) -> int:
        """Loudness, 0..100."""
        return self._volume_percent

    def set_volume(self, percent: int) -> None:
        """Set the loudness; values outside 0..100 are clipped."""
        self._volume_percent = min(100, max(0, percent))

    async def play(self, chunks: AsyncIterator[Sound]) -> float | None:
        """Play the chunks in turn; returns the time of the first audible sample, None if nothing was heard.

        A second `play` begins when the first has ended; `stop` ends both. Raises `DeviceError`.
        """
        stops = self._stops
        async with self._turn:
            if self._stops != stops:
                return None
            self._stopped.clear()
            return await self._play(chunks)

    def stop(self) -> None:
        """Stop playback now; discards everything queued."""
        self._stops += 1
        if self.loopback is not None:
            self.loopback.cut(self._clock.monotonic())
        self._stopped.set()
        self._end(cut=True)

    async def close(self) -> None:
        """Stop, and give the device back."""
        self.stop()

    async def _play(self, chunks: AsyncIterator[Sound]) -> float | None:
        first_s: float | None = None
        heard_until_s = 0.0
        try:
            while (chunk := await self._next(chunks)) is not None:
                if chunk.pcm.size == 0:
                    continue
                now_s = self._clock.monotonic()
                if first_s is None:
                    first_s = heard_until_s = now_s
                # A chunk that arrives late begins when it arrives: the wearer hears a gap.
                heard_until_s = await self._play_chunk(chunk, max(now_s, heard_until_s))
            if self._real_time and not self._stopped.is_set():
                await self._wait(heard_until_s - self._clock.monotonic())
        except DeviceError:
            if self.loopback is not None:  # what was left of the chunk is not played
                self.loopback.cut(self._clock.monotonic())
            raise
        finally:
            self._end(cut=False)
        return first_s

    async def _play_chunk(self, chunk: Sound, begins_s: float) -> float:
        """Deliver one chunk; returns the time at which its last sample is audible."""
        pcm = chunk.pcm
        if self._volume_percent != 100:
            pcm = (pcm.astype(np.int32) * self._volume_percent // 100).astype(np.int16)
        if self.loopback is not None and not self._stopped.is_set():
            self.loopback.add(begins_s, pcm, chunk.sample_rate)
        step = round(_SLICE_S * chunk.sample_rate) if self._real_time else pcm.size
        for start in range(0, pcm.size, step):
            if self._real_time:
                await self._wait(begins_s - _LEAD_S - self._clock.monotonic())
            if self._stopped.is_set():
                break
            part = pcm[start : start + step]
            self._deliver(part, chunk.sample_rate)
            begins_s += part.size / chunk.sample_rate
            self.seconds_played += part.size / chunk.sample_rate
        return begins_s

    async def _next(self, chunks: AsyncIterator[Sound]) -> Sound | None:
        """The next chunk; None at the end and on `stop`, which also cancels pending production."""
        making = asyncio.ensure_future(anext(chunks, None))
        await self._until_stopped(making)
        return making.result() if making.done() and not making.cancelled() else None

    async def _wait(self, seconds: float) -> None:
        """Sleep by the board's clock; `stop` ends the sleep."""
        if seconds > 0:
            await self._until_stopped(asyncio.ensure_future(self._clock.sleep(seconds)))

    async def _until_stopped(self, work: asyncio.Future[Any]) -> None:
        """Wait for the work; cancel it when `stop` comes first."""
        stopping = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait((work, stopping), return_when=asyncio.FIRST_COMPLETED)
            if self._stopped.is_set() and not work.done():
                work.cancel()
                await asyncio.wait((work,))
        finally:
            work.cancel()
            stopping.cancel()
