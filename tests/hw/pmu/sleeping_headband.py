"""A suspended headband: room, PMU with microphone, bus with transfer times, host with resume time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hw.device import Pcm
from hw.emulated.bus import EmulatedBus
from hw.emulated.clock import FakeClock
from hw.emulated.microphone import WavMicrophone
from hw.emulated.pmu import EmulatedPmu
from hw.emulated.pmu_microphone import PmuMicrophone, preroll_microphone
from hw.emulated.signals import EmulatedLine
from hw.pmu.gauge import PmuGauge
from hw.pmu.sleeping_microphone import PrerollMicrophone
from tests.hw.pmu.i2c_timing import I2cTiming, SpecifiedBus


@dataclass
class Headband:
    clock: FakeClock
    room: WavMicrophone
    pmu: EmulatedPmu
    bus: EmulatedBus
    gauge: PmuGauge
    wake: EmulatedLine
    microphone: PrerollMicrophone
    recorder: PmuMicrophone


def headband(
    background: Pcm | None = None,
    *,
    resume_s: float = 0.8,
    delay_samples: int = 137,
    gain: float = 0.6,
    hiss: float = 3.0,
    bus_hz: int = 400_000,
    timing: I2cTiming | None = None,
    threshold: int | None = None,
) -> Headband:
    clock = FakeClock()
    room = WavMicrophone(clock, background=background)
    wake = EmulatedLine()
    pmu = EmulatedPmu(clock, lambda active: None, wake=wake.set)
    pmu.set_battery(70)
    recorder = PmuMicrophone(room, delay_samples=delay_samples, gain=gain, hiss=hiss, threshold=threshold)
    pmu.fill_samples = recorder.fill
    if threshold is not None:
        pmu.sound_detected = recorder.detects
    bus = EmulatedBus(pmu, hz=bus_hz, spend=clock.jump)
    if timing is not None:
        bus = SpecifiedBus(pmu, timing, clock.jump)
    gauge = PmuGauge(bus, clock.monotonic, pause=clock.jump)
    microphone = preroll_microphone(room, pmu, gauge, bus, wake, clock, resume_s)
    return Headband(clock, room, pmu, bus, gauge, wake, microphone, recorder)


async def pass_time(clock: FakeClock, seconds: float, step: Callable[[], None] = lambda: None) -> None:
    """Advances in small steps, because transfers on the bus advance the clock without sleeping."""
    end_s = clock.monotonic() + seconds
    while clock.monotonic() < end_s:
        step()
        await clock.advance(0.005)


async def sleep_and_hear(
    band: Headband,
    seconds: float,
    *,
    after_s: float = 3.0,
    said: Pcm | None = None,
    step: Callable[[], None] = lambda: None,
) -> Pcm:
    """Everything the host hears in that time after it went to sleep; `said` comes `after_s` later, and `step`
    is called every few milliseconds.
    """
    await band.microphone.sleep()
    heard: list[Pcm] = []

    async def listen() -> None:
        async for chunk in band.microphone:
            assert chunk.shape == (512,)
            heard.append(chunk)

    listening = asyncio.create_task(listen())
    await pass_time(band.clock, after_s, step)
    if said is not None:
        band.room.say(said)
    await pass_time(band.clock, seconds - after_s, step)
    listening.cancel()
    return np.concatenate([np.zeros(0, np.int16), *heard])


def watched(band: Headband) -> list[Pcm]:
    """All sound in the room from now on, by chunk."""
    room: list[Pcm] = []
    mixed = band.room._next_chunk

    def remember() -> Pcm:
        room.append(mixed())
        return room[-1]

    band.room._next_chunk = remember  # type: ignore[method-assign]
    return room


def place_in(room: np.ndarray, pcm: np.ndarray) -> int:
    """The sample of the room's sound at which `piece` begins, by correlation of signs."""
    size = 1 << (room.size + pcm.size).bit_length()
    spectrum = np.fft.rfft(np.sign(room), size) * np.conj(np.fft.rfft(np.sign(pcm), size))
    return int(np.argmax(np.fft.irfft(spectrum, size)[: room.size]))
