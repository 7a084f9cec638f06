"""Hand-over from the PMU's microphone to the host's, so that speech to a suspended headband is not lost.

`PrerollMicrophone` is a `hw.device.Microphone`. Before the sleep the PMU records beside it (`listen_beside`)
for longer than a wake word lasts, because a word of which one microphone has the beginning and the other one
the end is heard by nobody; and its onset detector has learned the room's noise by then. What the PMU hears in
that time keeps the computer awake, which heard it too. After `sleep()` the next request for a chunk suspends
the computer. When speech has woken it, the stream continues with the PMU's recording, from half a second
before the speech, and then with the live microphone, without a gap, so that the wake-word detector sees one
stream.

The PMU records until the host's microphone has run for 0.3 s. Then it stops, so that nothing of what it
holds is overwritten however slow the bus is: a second of sound is read in 0.6 s at 400 kHz and in 2.1 s at
100 kHz. What the host's microphone hears meanwhile follows.

The recordings are joined where they correlate (`hw.pmu.seam`). Where they do not, as in silence, the clock is
used: SOUND_PAGES gives the PMU's position at a time of the host's clock, and the arrival of the live chunks
gives their start. Both take the least delayed of several observations; the remaining error is the PMU's tick
of 20 ms and a block of 14.6 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Literal

import numpy as np

from firmware.pmu import registers as r
from hw.device import (
    CHUNK_SAMPLES,
    MICROPHONE_RATE_HZ,
    RECORDING_IS_OFF,
    Clock,
    DeviceError,
    HandOver,
    Microphone,
    Pcm,
)  # fmt: skip
from hw.pmu.page_reader import PageReader
from hw.pmu.recorded_sound import Recorded, SoundLink
from hw.pmu.register_bus import GaugeError, I2cBus
from hw.pmu.seam import crossfade, find_alignment

MAX_HAND_OVER_S = 10.0
"""Time limit of a hand-over; the whole buffer of the PMU, 3.7 s of sound, takes 7.8 s at 100 kHz."""
SKIPPED_SAMPLES = CHUNK_SAMPLES
"""First samples of the live recording, which are dropped because a codec starts with a click."""
COMPARED_SAMPLES = 8 * CHUNK_SAMPLES
"""Samples of the live recording that are correlated with the PMU's, 0.26 s."""
SEARCH_SAMPLES = 800
"""Largest error of the clock's estimate, samples (50 ms)."""
BESIDE_S = 10.0
"""The PMU stops recording when no sleep has followed for that time."""
NOT_LISTENING = "The microcontroller does not listen any more."
_CHUNK_S = CHUNK_SAMPLES / MICROPHONE_RATE_HZ
_RETRY_S = 1.0


class PrerollMicrophone:
    """The host's microphone, preceded by the PMU's recording after a suspend; see the module's docstring."""

    def __init__(
        self,
        open_live: Callable[[], Microphone],
        link: SoundLink,
        bus: I2cBus,
        clock: Clock,
        suspend: Callable[[], Awaitable[None]],
    ) -> None:
        """`open_live` opens the host's microphone, now and after each sleep. `suspend` puts the computer to
        sleep and returns when it is awake again.
        """
        self._open_live = open_live
        self._link = link
        self._bus = bus
        self._clock = clock
        self._suspend = suspend
        self.around_suspend: Callable[[Callable[[], Awaitable[None]]], Awaitable[None]] = _call
        """As `hw.device.SuspendableMicrophone.around_suspend`."""
        self._live = open_live()
        self._asleep = False
        self._off = False
        self._gate: int | None = None  # last confirmed value of SOUND_GATE
        self._gate_tried_s = -math.inf
        self._beside_until_s = -math.inf
        self._ready: deque[Pcm] = deque()
        self._next: asyncio.Task[Pcm] | None = None
        self.suspend_refusal: str | None = None
        self.last_hand_over: HandOver | None = None
        """The last hand-over; None before the first, and when something else than sound woke the host."""

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return MICROPHONE_RATE_HZ

    def __aiter__(self) -> AsyncIterator[Pcm]:
        return self

    async def __anext__(self) -> Pcm:
        if self._asleep:
            self.suspend_refusal = None
            try:
                await self.around_suspend(self._suspend)
            except DeviceError as error:
                self.suspend_refusal = str(error)
            self._asleep = False
            self.last_hand_over = None
            if not self._off:
                self._live = self._open_live()
                await self._hand_over()
        self._stop_pmu_listening()  # it may still record for a program that ended
        if self._off:
            raise DeviceError(RECORDING_IS_OFF)
        if self._ready:
            return self._ready.popleft()
        if self._next is not None:
            pending, self._next = self._next, None
            return await pending
        return await _take(self._live)

    async def listen_beside(self) -> None:
        """As `hw.device.SuspendableMicrophone.listen_beside`; nothing records while recording is off."""
        if self._off:
            return
        try:
            self._write(r.GATE_LISTEN)
        except GaugeError as error:
            raise DeviceError(str(error)) from None
        self._beside_until_s = self._clock.monotonic() + BESIDE_S

    async def sleep(self) -> bool:
        """As `hw.device.SuspendableMicrophone.sleep`. Without `listen_beside`, a word that has just begun is
        lost.
        """
        beside = self._clock.monotonic() < self._beside_until_s
        self._beside_until_s = -math.inf
        try:
            if beside and not self._off:
                words = self._link.words_or_torn((r.PMU_REQUEST, r.SOUND_GATE))
                if words[r.SOUND_GATE] != r.GATE_LISTEN:  # the PMU was reset
                    self._forget_gate()
                    raise DeviceError(NOT_LISTENING)
                if words[r.PMU_REQUEST] & r.ASK_SOUND:
                    return False
            else:
                self._write(r.GATE_OFF if self._off else r.GATE_LISTEN)
        except GaugeError as error:
            raise DeviceError(str(error)) from None
        await self._drop_live()
        self._asleep = True
        return True

    def called(self) -> bool:
        """As `hw.device.SuspendableMicrophone.called`. What it has heard waits for the hand-over."""
        if self._off:
            return False
        try:
            words = self._link.words_or_torn((r.PMU_REQUEST, r.SOUND_GATE))
        except GaugeError:
            return True
        if words[r.SOUND_GATE] != r.GATE_LISTEN:  # the PMU was reset
            self._forget_gate()
            return True
        return bool(words[r.PMU_REQUEST] & r.ASK_SOUND)

    async def record(self, on: bool) -> None:
        """Off: returns when the host's microphone is closed and the PMU does not record. A PMU that does not
        answer is retried by the next call.
        """
        if on != (not self._off):
            self._off = not on
            if on:
                self._live = self._open_live()
            else:
                await self._drop_live()
                self._forget_gate()  # it may hold a recording from before the hand-over
        if self._off:
            self._stop_pmu_listening()

    async def close(self) -> None:
        """Stop recording, on the PMU too."""
        await self._drop_live()
        self._forget_gate()
        self._stop_pmu_listening()

    def _write(self, gate: int) -> None:
        self._gate = None
        self._gate_tried_s = self._clock.monotonic()
        self._link.write(r.SOUND_GATE, gate)
        self._gate = gate

    def _forget_gate(self) -> None:
        self._gate, self._gate_tried_s, self._beside_until_s = None, -math.inf, -math.inf

    def _stop_pmu_listening(self) -> None:
        """Stop the PMU's recording while this computer is awake and does not fall asleep. Without an answer a
        later call retries.
        """
        now_s = self._clock.monotonic()
        tried_s = now_s - self._gate_tried_s
        if now_s >= self._beside_until_s and self._gate in (None, r.GATE_LISTEN) and tried_s >= _RETRY_S:
            with contextlib.suppress(GaugeError):
                self._write(r.GATE_OFF)

    async def _drop_live(self) -> None:
        self._ready.clear()
        if self._next is not None:
            self._next.cancel()
            self._next = None
        await self._live.close()

    async def _hand_over(self) -> None:
        self.last_hand_over = None
        began_s = self._clock.monotonic()
        reading = Recorded(self._link, PageReader(self._bus, self._clock.monotonic), self._clock)
        live = _LiveStart(self._clock)
        problem: str | None = None
        woken = False
        try:
            woken = reading.begin()
            if woken:
                await self._read(reading, live)
        except GaugeError as error:
            problem = str(error)
        try:
            if self._gate != r.GATE_TAKEN:
                self._write(r.GATE_TAKEN)
        except GaugeError as error:
            problem = problem or str(error)
        if woken or problem:
            self._join(reading, live, self._clock.monotonic() - began_s, problem)

    async def _read(self, reading: Recorded, live: _LiveStart) -> None:
        end_s = self._clock.monotonic() + MAX_HAND_OVER_S
        while self._clock.monotonic() < end_s:
            self._collect_live(live)
            needed = reading.sample_at(live.began_s) + SKIPPED_SAMPLES + COMPARED_SAMPLES + SEARCH_SAMPLES
            if live.failed or (live.complete and reading.samples >= needed):
                return
            if live.complete and self._gate != r.GATE_TAKEN and reading.recorded(needed):
                self._write(r.GATE_TAKEN)
            if not reading.advance():
                if self._gate == r.GATE_TAKEN:
                    return
                await self._clock.sleep(0.01)
            await asyncio.sleep(0)

    def _collect_live(self, live: _LiveStart) -> None:
        if self._next is not None and self._next.done() and not self._next.cancelled():
            if self._next.exception() is not None:
                live.failed = True  # the next request for a chunk raises the error
                return
            live.chunks.append(self._next.result())
            self._next = None
        if self._next is None:
            self._next = asyncio.ensure_future(_take(self._live))
            self._next.add_done_callback(live.arrived)

    def _join(self, reading: Recorded, live: _LiveStart, took_s: float, problem: str | None) -> None:
        recorded = reading.pcm()
        pcm = live.pcm()
        joined_by: Literal["sound", "clock", "nothing"] = "nothing"
        correlation, lost = 0.0, reading.lost_samples
        if pcm.size and recorded.size:
            at = reading.sample_at(live.began_s)
            place = find_alignment(
                recorded,
                pcm[SKIPPED_SAMPLES : SKIPPED_SAMPLES + COMPARED_SAMPLES],
                at + SKIPPED_SAMPLES,
                SEARCH_SAMPLES,
            )
            joined_by = "sound" if place else "clock"
            if place:
                at, correlation = place.at - SKIPPED_SAMPLES, place.correlation
            lost += max(0, at + SKIPPED_SAMPLES - recorded.size)
            stream = crossfade(recorded, pcm, at, SKIPPED_SAMPLES, place.gain if place else 1.0)
        else:
            stream = np.concatenate([recorded, pcm])
        stream = stream[stream.size % CHUNK_SAMPLES :]
        self._ready.extend(stream.reshape(-1, CHUNK_SAMPLES))
        reader = reading.reader
        self.last_hand_over = HandOver(
            recorded.size / MICROPHONE_RATE_HZ, took_s, reader.transfers, reader.repeated, reader.wire_s,
            reader.bus_hz, joined_by, correlation, lost, problem,
        )  # fmt: skip


async def _call(suspend: Callable[[], Awaitable[None]]) -> None:
    await suspend()


async def _take(live: Microphone) -> Pcm:
    async for chunk in live:
        return chunk
    raise StopAsyncIteration


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
