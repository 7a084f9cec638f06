"""Hand-over from the PMU's microphone to the host's, so that speech to a suspended headband is not lost.

`PrerollMicrophone` is a `hw.device.Microphone`. Before the sleep the PMU records beside it (`listen_beside`)
for longer than a wake word lasts, because a word of which one microphone has the beginning and the other one
the end is heard by nobody; and its onset detector has learned the room's noise by then. What the PMU hears in
that time keeps the computer awake, which heard it too. After `sleep()` the next request for a chunk suspends
the computer. When speech has woken it, the stream continues with the PMU's recording, from half a second
before the speech, and then with the live microphone, without a gap, so that the wake-word detector sees one
stream. It sees the recording while that is read (`hw.pmu.hand_over`), which goes on beside whatever its
chunks begin.

The PMU records until the host's microphone has run for 0.3 s. Then it stops, so that nothing of what it
holds is overwritten however slow the bus is: a second of sound is read in 0.3 s at 400 kHz and in 1.1 s at
100 kHz, with firmware from before `registers.PAGE_PAIR` in 0.6 s and 2.1 s. What the host's microphone hears
meanwhile follows. As the seam lies anywhere within a chunk, what was given before it makes the chunks after
it up to 32 ms late, until the next sleep.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Awaitable, Callable

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
from hw.pmu.hand_over import Level, OneHandOver, take
from hw.pmu.recorded_sound import SoundLink
from hw.pmu.register_bus import GaugeError, I2cBus

BESIDE_S = 10.0
"""The PMU stops recording when no sleep has followed for that time."""
NOT_LISTENING = "The microcontroller does not listen any more."
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
        self._level = Level()
        self._over: OneHandOver | None = None
        self._handing_over: asyncio.Task[None] | None = None
        self._more = asyncio.Event()
        """A hand-over has given something, or ended."""
        self._next: asyncio.Task[Pcm] | None = None
        self._rest: Pcm = np.zeros(0, np.int16)
        """The end of what the hand-over gave, less than a chunk, which the next chunks begin with."""
        self.suspend_refusal: str | None = None
        self.handed_over: Callable[[HandOver], None] = _ignore
        """As `hw.device.SuspendableMicrophone.handed_over`."""
        self.woken_by_sound = False
        """As `hw.device.SuspendableMicrophone.woken_by_sound`."""
        self.last_hand_over: HandOver | None = None
        """The last hand-over; None until it has ended, and when something else than sound woke the host."""

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
            self.last_hand_over, self.woken_by_sound = None, False
            if not self._off:
                self._live = self._open_live()
                self._begin_hand_over()
        if self._over is not None:
            chunk = await self._of_hand_over(self._over)
            if chunk is not None:
                return chunk
        self._stop_pmu_listening()  # it may still record for a program that ended
        if self._off:
            raise DeviceError(RECORDING_IS_OFF)
        return await self._live_chunk()

    async def _of_hand_over(self, over: OneHandOver) -> Pcm | None:
        """The next chunk of a hand-over; None when all was given, or it was dropped."""
        while not over.ready and self._handing_over is not None and not self._handing_over.done():
            self._more.clear()
            await self._more.wait()
        self.woken_by_sound = over.by_sound
        if over.ready:
            return over.ready.popleft()
        if self._over is over and self._handing_over is not None:
            ended, self._over, self._handing_over = self._handing_over, None, None
            ended.result()
            self._next, self._rest = over.next, over.rest
        return None

    async def _live_chunk(self) -> Pcm:
        rest, self._rest = self._rest, np.zeros(0, np.int16)
        if self._next is not None:
            pending, self._next = self._next, None
            chunk = await pending
        else:
            chunk = await take(self._live)
        if not rest.size:
            return chunk
        joined = np.concatenate([rest, chunk])
        self._rest = joined[CHUNK_SAMPLES:]
        return joined[:CHUNK_SAMPLES]

    async def listen_beside(self) -> None:
        """As `hw.device.SuspendableMicrophone.listen_beside`; nothing records while recording is off. What
        the PMU has recorded is read before.
        """
        if self._handing_over is not None:
            await asyncio.wait([self._handing_over])
        if self._off:
            return
        try:
            self._write(r.GATE_LISTEN)
        except GaugeError as error:
            raise DeviceError(str(error)) from None
        self._beside_until_s = self._clock.monotonic() + BESIDE_S

    async def sleep(self) -> bool:
        """As `hw.device.SuspendableMicrophone.sleep`. Without `listen_beside`, a word that has just begun is
        lost. False also while what woke the computer is still being given.
        """
        if self._over is not None:
            return False
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
        handing_over, self._handing_over = self._handing_over, None
        over, self._over = self._over, None
        if handing_over is not None:
            handing_over.cancel()
            await asyncio.wait([handing_over])
        self._rest = np.zeros(0, np.int16)
        for pending in (self._next, None if over is None else over.next):
            if pending is not None:
                pending.cancel()
        self._next = None
        self._more.set()
        await self._live.close()

    def _begin_hand_over(self) -> None:
        self._more = more = asyncio.Event()
        self._over = OneHandOver(self._link, self._bus, self._clock, self._level, self._live, more.set)
        self._handing_over = asyncio.create_task(self._hand_over(self._over))
        self._handing_over.add_done_callback(lambda _: more.set())

    async def _hand_over(self, over: OneHandOver) -> None:
        """In a task of its own, so that the PMU is read whatever the chunks that were given begin."""
        self._gate, self._gate_tried_s = None, self._clock.monotonic()
        found = await over.run()
        self._gate, self._gate_tried_s = over.gate, self._clock.monotonic()
        self.last_hand_over = found
        if found is not None:
            self.handed_over(found)


async def _call(suspend: Callable[[], Awaitable[None]]) -> None:
    await suspend()


def _ignore(_: HandOver) -> None:
    """Nobody wants to know."""
