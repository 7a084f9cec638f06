"""An emulated microphone: hears the recordings queued with `say`, over a background."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np

from hw.audio.loopback import Loopback
from hw.audio.sound_and_picture_files import read_wav
from hw.device import CHUNK_SAMPLES, MICROPHONE_RATE_HZ, RECORDING_IS_OFF, Clock, DeviceError, Pcm
from hw.emulated.room import Room

_CHUNK_S = CHUNK_SAMPLES / MICROPHONE_RATE_HZ
_BACKLOG_S = 2.0
"""How late a reader may be without loss of sound; about the buffer of a real driver."""


class SpokenClip:
    """A recording played to the microphone, and when it was delivered (monotonic seconds of the board's
    clock).
    """

    def __init__(self, pcm: Pcm) -> None:
        self.pcm = pcm
        self.started_s: float | None = None
        """When the chunk with the first sample was delivered."""
        self.ended_s: float | None = None
        """When the chunk with the last sample was delivered."""
        self._heard = asyncio.Event()

    async def heard(self) -> None:
        """Return when the last sample has been delivered."""
        await self._heard.wait()

    def finish(self, now_s: float) -> None:
        """Mark the clip as delivered."""
        self.ended_s = now_s
        self._heard.set()


class WavMicrophone:
    """An endless stream of chunks, int16 `[CHUNK_SAMPLES]` at `MICROPHONE_RATE_HZ`.

    With `real_time`, one chunk every 32 ms of the clock. Without, chunks come as fast as they are read while
    a clip is queued and for `tail_s` after it; then they follow the clock, so that an idle reader does not
    spin.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        real_time: bool = True,
        background: Pcm | None = None,
        tail_s: float = 3.0,
    ) -> None:
        """`background`: int16 sound at `MICROPHONE_RATE_HZ`, repeated without end under the clips; None:
        silence.
        """
        self._clock = clock
        self._real_time = real_time
        self._background = None if background is None or background.size == 0 else background
        self._background_at = 0
        self._tail_chunks = round(tail_s / _CHUNK_S)
        self._fast_left = 0
        self._queue: deque[SpokenClip] = deque()
        self._at = 0
        self._due_s: float | None = None
        self._unplugged = False
        self._closed = False
        self._off = False
        self.chunks_delivered = 0
        self._chunks_skipped = 0
        self.overruns = 0
        """How often the reader was so late that a real microphone would have lost sound."""
        self.asleep = False
        """True while the host is suspended or recording is off: chunks are skipped, and only `listener` gets
        them.
        """
        self.room: tuple[Room, Loopback] | None = None
        """Acoustic path from a loudspeaker to this microphone; only with `real_time`."""
        self.listener: Callable[[Pcm], None] | None = None
        """Called with every chunk, delivered or skipped."""

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return MICROPHONE_RATE_HZ

    @property
    def position_s(self) -> float:
        """Seconds of sound so far, delivered or skipped."""
        return (self.chunks_delivered + self._chunks_skipped) * _CHUNK_S

    @property
    def now_s(self) -> float:
        """The present time on its clock."""
        return self._clock.monotonic()

    @property
    def heard_until_s(self) -> float | None:
        """Until when on the clock the last chunk was sounding; None where chunks do not follow the clock."""
        return self._due_s

    def say(self, sound: Pcm | str | Path) -> SpokenClip:
        """Queue sound at `MICROPHONE_RATE_HZ` or a WAV file (`MediaError`) after the clips already queued."""
        clip = SpokenClip(sound if isinstance(sound, np.ndarray) else read_wav(sound))
        self._queue.append(clip)
        self._fast_left = self._tail_chunks
        return clip

    @property
    def deaf(self) -> bool:
        """Chunks are skipped: the host is suspended, has no power or records nothing, or the microphone is
        unplugged.
        """
        return self.asleep or self._unplugged

    def unplug(self) -> None:
        """Every chunk asked for from now on raises `DeviceError`."""
        self._unplugged = True

    def plug_in(self) -> None:
        """Undo `unplug`; what was queued is still there."""
        self._unplugged = False
        self._due_s = None

    def __aiter__(self) -> AsyncIterator[Pcm]:
        return self

    async def __anext__(self) -> Pcm:
        await self._pace()
        if self._closed:
            raise StopAsyncIteration
        if self._off:
            raise DeviceError(RECORDING_IS_OFF)
        if self._unplugged:
            raise DeviceError("The microphone stopped working: it was unplugged.")
        self.chunks_delivered += 1
        chunk = self._next_chunk()
        if self.listener is not None:
            self.listener(chunk)
        return chunk

    def skip_elapsed(self) -> None:
        """While `deaf`: skip the chunks up to now."""
        now_s = self._clock.monotonic()
        if self._due_s is None:
            self._due_s = now_s
        while self.deaf and self._due_s + _CHUNK_S <= now_s:
            self._due_s += _CHUNK_S
            self._chunks_skipped += 1
            chunk = self._next_chunk()
            if self.listener is not None:
                self.listener(chunk)

    async def record(self, on: bool) -> None:
        """Off: chunks are skipped from now on."""
        if on and self._off:
            self.skip_elapsed()
        self._off = self.asleep = not on

    async def close(self) -> None:
        """End the stream; clips not yet heard count as finished."""
        self._closed = True
        while self._queue:
            self._queue.popleft().finish(self._clock.monotonic())

    async def _pace(self) -> None:
        now_s = self._clock.monotonic()
        if not self._real_time and (self._queue or self._fast_left > 0):
            if not self._queue:
                self._fast_left -= 1
            self._due_s = None
            await asyncio.sleep(0)
            return
        self._due_s = (now_s if self._due_s is None else self._due_s) + _CHUNK_S
        if now_s - self._due_s > _BACKLOG_S:
            self.overruns += 1
            self._chunks_skipped += int((now_s - self._due_s) / _CHUNK_S)
            self._due_s = now_s
        await self._clock.sleep(self._due_s - now_s)

    def _next_chunk(self) -> Pcm:
        chunk = self._background_chunk()
        if self.room is not None and self._due_s is not None:
            room, loopback = self.room
            echo = room.echo(loopback, self._due_s - _CHUNK_S, CHUNK_SAMPLES)
            chunk += np.round(echo * 32768).astype(np.int32)
        filled = 0
        while self._queue and filled < CHUNK_SAMPLES:
            clip = self._queue[0]
            if clip.started_s is None:
                clip.started_s = self._clock.monotonic()
            part = clip.pcm[self._at : self._at + CHUNK_SAMPLES - filled]
            chunk[filled : filled + part.size] += part
            filled += part.size
            self._at += part.size
            if self._at >= clip.pcm.size:
                self._at = 0
                self._queue.popleft().finish(self._clock.monotonic())
        return np.clip(chunk, -32768, 32767).astype(np.int16)

    def _background_chunk(self) -> np.ndarray:
        if self._background is None:
            return np.zeros(CHUNK_SAMPLES, np.int32)
        wanted = np.arange(self._background_at, self._background_at + CHUNK_SAMPLES)
        self._background_at = int(wanted[-1] + 1) % self._background.size
        return np.take(self._background, wanted, mode="wrap").astype(np.int32)
