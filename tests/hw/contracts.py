"""Contracts of devices: checks that every implementation, emulated or real, has to pass."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pytest

from hw.device import (
    MICROPHONE_RATE_HZ,
    Camera,
    Clock,
    DeviceError,
    Light,
    LightPattern,
    Line,
    Microphone,
    Output,
    Pcm,
    Speaker,
    WakeAlarm,
)
from hw.linux.system_clock import SystemClock
from hw.supply import BatteryReading, Gauge
from power.policy.plan import Mode
from power.policy.policy import Policy
from power.policy.policy_state import PolicyState


@dataclass(frozen=True)
class Piece:
    """A sound to play."""

    pcm: Pcm
    sample_rate: int = 22_050


def ramp(count: int) -> Pcm:
    """Samples that differ from their neighbours, none of which is zero."""
    return (np.arange(count) % 30_000 + 1).astype(np.int16)


async def pieces(*each: Pcm, rate_hz: int = 22_050) -> AsyncIterator[Piece]:
    """The arrays as a stream of sounds."""
    for pcm in each:
        yield Piece(pcm, rate_hz)


async def check_microphone(microphone: Microphone) -> None:
    """A working microphone yields whole chunks; a closed one ends its stream."""
    assert microphone.sample_rate == MICROPHONE_RATE_HZ
    count = 0
    async for chunk in microphone:
        assert chunk.dtype == np.int16
        assert chunk.shape == (512,)
        count += 1
        if count == 4:
            break
    await microphone.close()
    await microphone.close()
    assert [chunk async for chunk in microphone] == []


async def check_recording(microphone: Microphone, camera: Camera) -> None:
    """Switched off, once or repeatedly, neither camera nor microphone delivers data; switched on, both do."""
    for on in (False, False, True, True):
        await microphone.record(on)
        await camera.record(on)
        if on:
            assert (await anext(aiter(microphone))).shape == (512,)
            assert (await camera.capture()).ndim == 3
            continue
        for refused in (anext(aiter(microphone)), camera.capture()):
            with pytest.raises(DeviceError):
                await asyncio.wait_for(refused, 5)


async def check_clock(clock: Clock) -> None:
    """Time advances, and a sleep lasts at least as long as requested."""
    began_s = clock.monotonic()
    assert clock.monotonic() >= began_s
    await clock.sleep(0)
    await clock.sleep(-1)
    await clock.sleep(0.02)
    assert clock.monotonic() - began_s >= 0.02
    assert clock.time() > 1_700_000_000


def check_light(light: Light) -> None:
    """It accepts every pattern, without blocking or error."""
    began_s = time.monotonic()
    for pattern in (*LightPattern, LightPattern.OFF, LightPattern.OFF):
        light.set(pattern)
    assert time.monotonic() - began_s < 0.5


def check_wake_alarm(alarm: WakeAlarm, armed: Callable[[], bool]) -> None:
    """The alarm is set, replaced and cancelled; `armed`: reads the clock's alarm."""
    assert 0.0 <= alarm.late_s <= 60.0
    for seconds in (30, 90):
        alarm.set(seconds)
        assert armed()
    for _ in range(2):
        alarm.clear()
        assert not armed()


async def check_camera(camera: Camera) -> None:
    """A working camera returns RGB arrays that it does not modify afterwards."""
    frame = await camera.capture()
    assert frame.dtype == np.uint8
    assert frame.ndim == 3
    assert frame.shape[2] == 3
    frame[:] = 0
    await camera.close()
    await camera.close()


async def check_speaker(speaker: Speaker, clock: Clock = SystemClock()) -> None:  # noqa: B008 - no state
    """A working speaker returns the start time of a sound, or None for no sound; it obeys `stop`, and limits
    its volume.
    """
    speaker.set_volume(130)
    assert speaker.volume_percent == 100
    speaker.set_volume(5)
    assert await speaker.play(pieces()) is None
    assert await speaker.play(pieces(np.zeros(100, np.int16))) is not None
    began_s = time.monotonic()
    playing = asyncio.create_task(speaker.play(pieces(np.zeros(22_050 * 30, np.int16))))
    await asyncio.sleep(0.05)
    speaker.stop()
    speaker.stop()
    await asyncio.wait_for(playing, 5)
    assert time.monotonic() - began_s < 5
    if speaker.loopback is not None:  # it has what was played, and the silence after it
        heard_s = speaker.loopback.played_s(clock.monotonic())
        assert 0.0 < heard_s < 5
        await clock.sleep(0.05)
        assert speaker.loopback.played_s(clock.monotonic()) == heard_s
        after = speaker.loopback.read(clock.monotonic(), MICROPHONE_RATE_HZ)
        assert after.dtype == np.float32 and after.shape == (MICROPHONE_RATE_HZ,) and not after.any()
    await speaker.close()


def check_gauge(gauge: Gauge, *, current: bool = True, temperature: bool = True, most_cells: int = 1) -> None:
    """A working gauge returns plausible values, and the problem of each reading fits its state. `current`,
    `temperature`: False for a chip that does not measure them; `most_cells`: in series.
    """
    for _ in range(3):
        reading = gauge.read()
        assert reading.state == "good"
        assert reading.problem is None
        assert reading.percent is not None
        assert reading.percent in range(101)
        assert reading.voltage_mv in range(2000, 5000 * most_cells + 1)
        assert (reading.current_ma is not None) is current
        assert (reading.temperature_c is not None) is temperature
        assert -40 <= (reading.temperature_c or 0) <= 100


class GaugeBench(Protocol):
    """A gauge with a battery that a test controls."""

    gauge: Gauge
    current: bool
    """Whether it measures the current."""
    temperature: bool
    """Whether it measures the temperature."""
    stale_after_s: float
    """Longest time without a change of its values under load, seconds."""

    def battery(self, percent: int, *, charging: bool = False) -> None:
        """Sets a battery of that charge, which charges or has a load of some hundred mA."""

    def pass_time(self, seconds: float) -> None:
        """Advances the clock."""

    def vanish(self, gone: bool) -> None:
        """Disconnects or connects the gauge."""

    def talk_nonsense(self, kind: str) -> None:
        """Makes it report an impossible "percent" or "voltage", until `battery` is called."""

    def freeze(self, frozen: bool) -> None:
        """Makes it repeat its last values."""


def check_gauge_on_bench(bench: GaugeBench) -> None:
    """Checks of every gauge, in normal operation and with faults."""
    gauge = bench.gauge
    for percent in (57, 3, 100):
        bench.battery(percent)
        check_gauge(gauge, current=bench.current, temperature=bench.temperature)
        reading = gauge.read()
        assert reading.percent is not None and abs(reading.percent - percent) <= 1
        assert not reading.charging
        assert reading.current_ma is None or reading.current_ma < 0
        assert reading.temperature_c is None or abs(reading.temperature_c - 25) < 1
    bench.battery(40, charging=True)
    reading = gauge.read()
    assert reading.charging
    assert reading.current_ma is None or reading.current_ma > 0

    for _ in range(2):
        bench.vanish(True)
        _check_believed(gauge.read(), "absent")
        bench.vanish(False)
        assert gauge.read().state == "good"
    for kind in ("percent", "voltage"):
        bench.talk_nonsense(kind)
        _check_believed(gauge.read(), "implausible")
        bench.battery(57)
        assert gauge.read().state == "good"
    bench.freeze(True)
    for _ in range(4):
        bench.pass_time(bench.stale_after_s / 5)
        assert gauge.read().state == "good"
    bench.pass_time(bench.stale_after_s / 2)
    _check_believed(gauge.read(), "stale")
    bench.freeze(False)
    bench.battery(56)
    assert gauge.read().state == "good"


def _check_believed(reading: BatteryReading, state: str) -> None:
    """An implausible reading has an error of one sentence, and the mode is throttled."""
    assert reading.state == state, reading
    assert reading.problem is not None
    assert reading.problem[0].isupper() and reading.problem.endswith(".") and "\n" not in reading.problem
    assert Policy().decide(reading, 0.0, None, PolicyState(Mode.PERFORMANCE))[0].mode is Mode.THROTTLED
    assert Policy().decide(reading, 0.0)[0].mode is Mode.THROTTLED


def check_output(output: Output, level: Callable[[], bool]) -> None:
    """The line has the level that was set; `level`: reads it from outside."""
    for wanted in (True, True, False, True, False):
        output.set(wanted)
        assert level() == wanted


async def check_line(line: Line) -> None:
    """Waiting for a line without edges does not return."""
    waiting = asyncio.create_task(line.wait())
    await asyncio.sleep(0.02)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
