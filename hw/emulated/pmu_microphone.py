"""The PMU's microphone of the emulated board: the host's sound with another delay, gain and noise."""

from __future__ import annotations

import asyncio
import math
from array import array
from collections import deque
from collections.abc import AsyncIterator, Callable

import numpy as np

from hw.device import Clock, Line, Pcm
from hw.emulated.microphone import WavMicrophone
from hw.emulated.pmu import EmulatedPmu
from hw.pmu.gauge import PmuGauge
from hw.pmu.register_bus import I2cBus
from hw.pmu.sleeping_microphone import PrerollMicrophone

RESUME_S = 0.8
"""From the wake line to a running program; 0.6-1.0 s is usual for a suspended RK3566."""
_LOOK_S = 0.02


class PmuMicrophone:
    """Fills the firmware's blocks with the sound at the host's microphone while the firmware listens.

    `detects` is a sound detector beside it: a sample louder than `threshold` ends the firmware's rest, and
    the recording goes on `START_S` after that sample.
    """

    START_S = 0.028
    """From the detector's edge to the first sample: 2 ms out of the light sleep and 5 ms to the firmware's
    first step (both estimates), 4.5 ms start and 16 ms soft start of an ICS-43432 at 16 kHz (its data sheet).
    """

    def __init__(
        self,
        room: WavMicrophone,
        *,
        delay_samples: int = 0,
        gain: float = 1.0,
        hiss: float = 0.0,
        threshold: int | None = None,
    ) -> None:
        """`delay_samples`: its delay against the host's. `hiss`: RMS of its own noise. `threshold`: of the
        detector, of 32767; None: there is none.
        """
        self._threshold = threshold
        self._detected = False
        self._skipped = 0
        """Samples still to be dropped while the microphone starts."""
        self.rests = 0
        """How often the firmware let it rest."""
        self._room = room
        self._delay = delay_samples
        self._gain = gain
        self._hiss = hiss
        self._noise = np.random.default_rng(7) if hiss else None  # importing it costs a process 5 MiB
        self._heard: deque[Pcm] = deque()
        self._at = 0
        self._listening = False
        self._began_s = 0.0
        """When it began to record; what sounded before is not in its recording, though the room may deliver
        it later.
        """

    def fill(self, samples: array[int] | None) -> bool:
        """`firmware.pmu.sound_gate.SoundGate.step`'s `microphone`."""
        if samples is None:
            self.rests += self._listening
            self._listening = self._detected = False
            self._room.listener = None if self._threshold is None else self._watch
            return False
        if not self._listening:
            self._listening = True
            if not self._detected:
                self._heard.clear()
                self._heard.append(np.zeros(self._delay, np.int16))
                self._at = 0
                self._began_s = self._room.now_s
            self._room.listener = self._hear
        self._room.skip_elapsed()
        # A copy, as the loop's thread appends while the gauge's thread is here.
        if sum(part.size for part in tuple(self._heard)) - self._at < len(samples):
            return False
        block = np.zeros(0, np.float64)
        while block.size < len(samples):
            part = self._heard[0][self._at : self._at + len(samples) - block.size]
            block = np.concatenate([block, part])
            self._at += part.size
            if self._at == self._heard[0].size:
                self._heard.popleft()
                self._at = 0
        block = block * self._gain
        if self._noise is not None:
            block += self._noise.standard_normal(block.size) * self._hiss
        samples[:] = array("h", np.clip(np.round(block), -32768, 32767).astype(int).tolist())
        return True

    def detects(self) -> bool:
        """Level of the detector's line: there was sound since the microphone rested."""
        if self._threshold is None:
            return True
        self._room.skip_elapsed()
        return self._detected and not self._listening

    def _watch(self, pcm: Pcm) -> None:
        loud = np.flatnonzero(np.abs(pcm.astype(np.int32)) > (self._threshold or 0))
        if self._detected:
            self._hear(pcm)
        elif loud.size:
            self._detected = True
            self._heard.clear()
            self._at = 0
            self._skipped = round(self.START_S * self._room.sample_rate)
            self._hear(pcm[loud[0] :])

    def _hear(self, pcm: Pcm) -> None:
        until_s = self._room.heard_until_s
        if until_s is not None and until_s <= self._began_s:
            return
        self._heard.append(pcm[self._skipped :])
        self._skipped = max(0, self._skipped - pcm.size)


class HostMicrophone:
    """The host's microphone while the host is awake: created on resume, closed on suspend."""

    def __init__(self, room: WavMicrophone) -> None:
        self._room = room
        room.skip_elapsed()
        room.asleep = False

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return self._room.sample_rate

    def __aiter__(self) -> AsyncIterator[Pcm]:
        return self

    async def __anext__(self) -> Pcm:
        return await anext(self._room)

    async def record(self, on: bool) -> None:
        """As `WavMicrophone.record`."""
        await self._room.record(on)

    async def close(self) -> None:
        """The host suspends: chunks are skipped."""
        self._room.asleep = True


def preroll_microphone(
    room: WavMicrophone,
    pmu: EmulatedPmu,
    gauge: PmuGauge,
    bus: I2cBus,
    wake: Line,
    clock: Clock,
    resume_s: float = RESUME_S,
    alert: Line | None = None,
    alarm_s: Callable[[], float | None] = lambda: None,
    switch: Line | None = None,
) -> PrerollMicrophone:
    """The host's microphone with the PMU's recording before it, on a computer that resumes within `resume_s`:
    on the wake line, on a rising edge of the alert line, when the `switch` is moved, or after `alarm_s`.
    """

    async def suspend() -> None:
        # Reading the event releases the line, so its edge counts, not its level.
        called = [] if alert is None else [asyncio.ensure_future(alert.wait())]
        stood = switch is not None and switch.active

        def ends() -> bool:
            moved = switch is not None and switch.active is not stood
            return wake.active or moved or any(each.done() for each in called)

        longest_s = alarm_s()
        until_s = math.inf if longest_s is None else clock.monotonic() + longest_s
        try:
            while not ends() and clock.monotonic() < until_s:
                await clock.sleep(_LOOK_S)
                pmu.catch_up()
        finally:
            for each in called:
                each.cancel()
        await clock.sleep(resume_s)

    return PrerollMicrophone(lambda: HostMicrophone(room), gauge, bus, clock, suspend)
