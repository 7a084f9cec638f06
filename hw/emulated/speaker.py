"""A speaker that writes a WAV file, and is heard when the computer has a sound card."""

from __future__ import annotations

import asyncio
import wave
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np

from hw.device import Clock, Pcm, Sound
from hw.player import Player, find_player

_SLICE_S = 0.1
_LEAD_S = 0.2
"""How far ahead of real time a sound card is fed, so that it never runs dry between slices."""


class WavSpeaker:
    """Appends everything played to one WAV file at the sample rate of its first chunk (mono, 16 bit).

    With `real_time`, `play` takes as long as the sound does and `stop` cuts it where it is; without, it
    returns as soon as the last
    chunk is written.
    """

    def __init__(
        self,
        clock: Clock,
        path: str | Path | None = None,
        *,
        real_time: bool = True,
        sound_card: bool = True,
    ) -> None:
        """`path` None keeps no file; `sound_card` False stays silent even where there is one."""
        self._clock = clock
        self._path = None if path is None else Path(path)
        self._real_time = real_time
        self._file: wave.Wave_write | None = None
        self._player_program = find_player() if sound_card and real_time else None
        self._player: Player | None = None
        self._turn = asyncio.Lock()
        self._stopped = asyncio.Event()
        self._stops = 0
        self._volume_percent = 100
        self.seconds_played = 0.0
        """Length of all sound heard so far."""

    @property
    def path(self) -> Path | None:
        """The WAV file, None when none is kept. It exists from the first sound on and is complete after each
        `play`.
        """
        return self._path

    @property
    def audible(self) -> bool:
        """Is there a sound card that plays along?"""
        return self._player_program is not None

    @property
    def volume_percent(self) -> int:
        """Loudness, 0..100."""
        return self._volume_percent

    def set_volume(self, percent: int) -> None:
        """Set the loudness; values outside 0..100 are clipped."""
        self._volume_percent = min(100, max(0, percent))

    async def play(self, chunks: AsyncIterator[Sound]) -> float | None:
        """Play the chunks in turn; returns the time of the first audible sample, None if nothing was heard.

        A second `play` begins when the first has ended; `stop` ends both.
        """
        stops = self._stops
        async with self._turn:
            if self._stops != stops:
                return None
            self._stopped.clear()
            return await self._play(chunks)

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
                # A chunk that comes late begins when it comes: the wearer hears a gap.
                heard_until_s = await self._play_chunk(chunk, max(now_s, heard_until_s))
            if self._real_time and not self._stopped.is_set():
                await self._wait(heard_until_s - self._clock.monotonic())
        finally:
            self._end_player()
        return first_s

    def stop(self) -> None:
        """Fall silent now."""
        self._stops += 1
        self._stopped.set()
        self._end_player(cut=True)

    async def close(self) -> None:
        """Stop, and finish the file."""
        self.stop()
        if self._file is not None:
            self._file.close()
            self._file = None

    async def _play_chunk(self, chunk: Sound, begins_s: float) -> float:
        """Deliver one chunk; returns when its last sample is heard."""
        pcm = chunk.pcm
        if self._volume_percent != 100:
            pcm = (pcm.astype(np.int32) * self._volume_percent // 100).astype(np.int16)
        step = round(_SLICE_S * chunk.sample_rate) if self._real_time else pcm.size
        for start in range(0, pcm.size, step):
            if self._real_time:
                await self._wait(begins_s - _LEAD_S - self._clock.monotonic())
            if self._stopped.is_set():
                break
            part = pcm[start : start + step]
            self._write(part, chunk.sample_rate)
            self._sound(part, chunk.sample_rate)
            begins_s += part.size / chunk.sample_rate
            self.seconds_played += part.size / chunk.sample_rate
        return begins_s

    async def _next(self, chunks: AsyncIterator[Sound]) -> Sound | None:
        """The next chunk; None at the end and on `stop`, which also gives up on a chunk still being made."""
        making = asyncio.ensure_future(anext(chunks, None))
        await self._until_stopped(making)
        return making.result() if making.done() and not making.cancelled() else None

    async def _wait(self, seconds: float) -> None:
        """Sleep by the board's clock, but no longer than until `stop`."""
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

    def _write(self, pcm: Pcm, rate_hz: int) -> None:
        if self._path is None:
            return
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = wave.open(str(self._path), "wb")  # noqa: SIM115 - stays open until close()
            self._file.setparams((1, 2, rate_hz, 0, "NONE", "not compressed"))
        if rate_hz != self._file.getframerate():
            import soxr  # only sounds of two rates in one file need it

            pcm = soxr.resample(pcm, rate_hz, self._file.getframerate())
        self._file.writeframes(pcm.astype("<i2").tobytes())

    def _sound(self, pcm: Pcm, rate_hz: int) -> None:
        if self._player_program is None:
            return
        if self._player is None or self._player.rate_hz != rate_hz:
            self._end_player()
            self._player = Player(self._player_program, rate_hz)
        if not self._player.write(pcm):
            self._player_program = None  # the card went away; the file still has everything

    def _end_player(self, cut: bool = False) -> None:
        if self._player is not None:
            self._player.end(cut)
            self._player = None
