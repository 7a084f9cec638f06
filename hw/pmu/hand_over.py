"""One hand-over: the PMU's recording is read and given on, and joined with the host's microphone at a seam.

What was recorded before the host's microphone can have begun is given as soon as it is read, so that a wake
word in it is heard before all is read. It needs the level of the PMU's microphone beside the host's, which
only a seam shows: earlier ones do (`Level`), and until one has, everything is given after the seam. From the
last sound that was given to the seam the level goes over into the one that this seam shows.

The recordings are joined where they correlate (`hw.pmu.seam`). Where they do not, as in silence, the clock is
used: SOUND_PAGES gives the PMU's position at a time of the host's clock, and the arrival of the live chunks
gives their start. Both take the least delayed of several observations; the remaining error is the PMU's tick
of 20 ms and a block of 14.6 ms.
"""

from __future__ import annotations

import asyncio
import statistics
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from firmware.pmu import registers as r
from hw.device import CHUNK_SAMPLES, MICROPHONE_RATE_HZ, Clock, HandOver, Microphone, Pcm
from hw.pmu.page_reader import PageReader
from hw.pmu.recorded_sound import Recorded, SoundLink
from hw.pmu.register_bus import GaugeError, I2cBus
from hw.pmu.seam import crossfade, find_alignment

MAX_HAND_OVER_S = 10.0
"""Time limit of a hand-over; the whole buffer of the PMU, 3.7 s of sound, takes 7.8 s at 100 kHz where its
firmware gives one page at a time.
"""
SKIPPED_SAMPLES = CHUNK_SAMPLES
"""First samples of the live recording, which are dropped because a codec starts with a click."""
COMPARED_SAMPLES = 8 * CHUNK_SAMPLES
"""Samples of the live recording that are correlated with the PMU's, 0.26 s."""
SEARCH_SAMPLES = 800
"""Largest error of the clock's estimate, samples (50 ms)."""
_SEAMS = 5
_CHUNK_S = CHUNK_SAMPLES / MICROPHONE_RATE_HZ


class Level:
    """Factor from the PMU's microphone to the host's: the median of the last seams found by sound."""

    def __init__(self) -> None:
        self._found: deque[float] = deque(maxlen=_SEAMS)

    @property
    def factor(self) -> float | None:
        """None until a seam has shown it."""
        return statistics.median(self._found) if self._found else None

    def learn(self, factor: float) -> None:
        """Take what a seam has shown."""
        self._found.append(factor)


class OneHandOver:
    """`run` once; `ready` fills meanwhile. Nothing is in it before it is known what woke the host."""

    def __init__(
        self,
        link: SoundLink,
        bus: I2cBus,
        clock: Clock,
        level: Level,
        live: Microphone,
        more: Callable[[], None],
    ) -> None:
        """`live`: the host's microphone, just opened. `more`: called when `ready` has grown."""
        self._clock = clock
        self._link = link
        self._reading = Recorded(link, PageReader(bus, clock.monotonic), clock)
        self._level = level
        self._known = level.factor
        self._microphone = live
        self._live = _LiveStart(clock)
        self._more = more
        self._given = 0
        self._began_s = clock.monotonic()
        self.gate: int | None = None
        """Last confirmed value of SOUND_GATE."""
        self.ready: deque[Pcm] = deque()
        """Chunks to be given, int16 `[CHUNK_SAMPLES]`."""
        self.rest: Pcm = np.zeros(0, np.int16)
        """What follows after the last of them, less than a chunk."""
        self.next: asyncio.Task[Pcm] | None = None
        """The live chunk that follows then, when it was asked for already."""
        self.by_sound = False
        """Did sound wake the host, as far as could be read?"""

    async def run(self) -> HandOver | None:
        """Returns when everything up to the live microphone's last chunk is in `ready`; None when something
        else than sound woke the host.
        """
        problem: str | None = None
        try:
            self.by_sound = self._reading.begin()
            if self.by_sound:
                await self._read()
        except GaugeError as error:
            problem = str(error)
        try:
            self._take()
        except GaugeError as error:
            problem = problem or str(error)
        self.by_sound = self.by_sound or problem is not None
        return self._join(problem) if self.by_sound else None

    def _take(self) -> None:
        """The PMU stops recording, and keeps what it has."""
        if self.gate is None:
            self._link.write(r.SOUND_GATE, r.GATE_TAKEN)
            self.gate = r.GATE_TAKEN

    async def _read(self) -> None:
        live, reading = self._live, self._reading
        end_s = self._clock.monotonic() + MAX_HAND_OVER_S
        while self._clock.monotonic() < end_s:
            self._collect_live()
            needed = reading.sample_at(live.began_s) + SKIPPED_SAMPLES + COMPARED_SAMPLES + SEARCH_SAMPLES
            if live.failed or (live.complete and reading.samples >= needed):
                return
            if live.complete and self.gate is None and reading.recorded(needed):
                self._take()
            if not reading.advance():
                if self.gate is not None:
                    return
                await self._clock.sleep(0.01)
            self._give_what_is_surely_before_the_seam()
            await asyncio.sleep(0)

    def _collect_live(self) -> None:
        if self.next is not None and self.next.done() and not self.next.cancelled():
            if self.next.exception() is not None:
                self._live.failed = True  # the next request for a chunk raises the error
                return
            self._live.chunks.append(self.next.result())
            self.next = None
        if self.next is None:
            self.next = asyncio.ensure_future(take(self._microphone))
            self.next.add_done_callback(self._live.arrived)

    def _give_what_is_surely_before_the_seam(self) -> None:
        """The live recording begins at most a chunk before its microphone was opened."""
        reading = self._reading
        before = reading.sample_at(self._began_s - _CHUNK_S) - SEARCH_SAMPLES
        last = self._given + CHUNK_SAMPLES
        if self._known is None or last > min(before, reading.samples):
            return
        self.ready.append(_pcm(reading.between(self._given, last) * self._known))
        self._given = last
        self._more()

    def _join(self, problem: str | None) -> HandOver:
        reading, given = self._reading, self._given
        recorded, pcm = reading.between(0, reading.samples), self._live.pcm()
        joined_by: Literal["sound", "clock", "nothing"] = "nothing"
        correlation, lost = 0.0, reading.lost_samples
        factor = self._known or 1.0
        if pcm.size and recorded.size:
            at = reading.sample_at(self._live.began_s)
            compared = pcm[SKIPPED_SAMPLES : SKIPPED_SAMPLES + COMPARED_SAMPLES]
            place = find_alignment(recorded, compared, at + SKIPPED_SAMPLES, SEARCH_SAMPLES)
            joined_by = "sound" if place else "clock"
            if place:
                at, correlation = place.at - SKIPPED_SAMPLES, place.correlation
                self._level.learn(place.gain)
            seam = at + SKIPPED_SAMPLES
            levels = np.full(recorded.size, place.gain if place else factor)
            if place and given and given < seam:
                levels = np.interp(np.arange(recorded.size), [given, seam], [factor, place.gain])
            lost += max(0, seam - recorded.size)
            stream = crossfade(recorded, pcm, at, SKIPPED_SAMPLES, levels)[given:]
        else:
            stream = np.concatenate([recorded[given:] * factor, pcm])
        self.rest = _pcm(stream)
        if not given:  # nothing was given yet, so no chunk has to wait for the next to be full
            self.rest = self.rest[self.rest.size % CHUNK_SAMPLES :]
        while self.rest.size >= CHUNK_SAMPLES:
            self.ready.append(self.rest[:CHUNK_SAMPLES])
            self.rest = self.rest[CHUNK_SAMPLES:]
        reader = reading.reader
        return HandOver(
            reading.samples / MICROPHONE_RATE_HZ, self._clock.monotonic() - self._began_s, reader.transfers,
            reader.repeated, reader.wire_s, reader.bus_hz, joined_by, correlation, lost, problem,
        )  # fmt: skip


async def take(live: Microphone) -> Pcm:
    """The next chunk of a microphone. Raises StopAsyncIteration after its last."""
    async for chunk in live:
        return chunk
    raise StopAsyncIteration


def _pcm(sound: NDArray[Any]) -> Pcm:
    return np.clip(np.round(sound), -32768, 32767).astype(np.int16)


class _LiveStart:
    """The first chunks of the live microphone, and the time of their first sample."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._arrivals = 0
        self.chunks: list[Pcm] = []
        self.began_s = 0.0
        self.failed = False

    @property
    def complete(self) -> bool:
        return len(self.chunks) * CHUNK_SAMPLES >= SKIPPED_SAMPLES + COMPARED_SAMPLES

    def arrived(self, _: asyncio.Task[Pcm]) -> None:
        self._arrivals += 1
        began_s = self._clock.monotonic() - self._arrivals * _CHUNK_S
        self.began_s = began_s if self._arrivals == 1 else min(self.began_s, began_s)

    def pcm(self) -> Pcm:
        return np.concatenate([np.zeros(0, np.int16), *self.chunks])
