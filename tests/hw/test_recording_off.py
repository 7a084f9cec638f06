"""Recording off at the devices: the recorder has ended, the camera is closed, the microphones are off."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from firmware.pmu import registers as r
from firmware.pmu.guard_light import RECORDING_OFF, STANDBY, choose
from hw.device import MICROPHONE_RATE_HZ, RECORDING_IS_OFF, Camera, DeviceError, Microphone
from hw.emulated.bus import Fault
from hw.emulated.camera import FileCamera
from hw.emulated.clock import FakeClock
from hw.emulated.microphone import WavMicrophone
from hw.linux.alsa import AlsaMicrophone
from hw.linux.wiring import Wiring
from tests.hw.absent_devices import AbsentCamera, AbsentMicrophone
from tests.hw.linux.fake_v4l2 import FakeCamera
from tests.hw.linux.sound_programs import program, programs
from tests.hw.linux.test_v4l2_camera import RED, camera
from tests.hw.pmu.sleeping_headband import Headband, headband, pass_time

__all__ = ["programs"]


def alive(folder: Path) -> list[int]:
    """Recorders that still run."""
    pids = [int(path.name) for path in folder.iterdir() if path.name.isdigit()]
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


@pytest.mark.parametrize("silent", [False, True])
def test_the_recorder_has_ended_and_whoever_waits_for_sound_is_told(
    programs: Path, tmp_path: Path, silent: bool
) -> None:
    sound = "time.sleep(60)" if silent else "os.write(1, bytes(1024)); time.sleep(60)"
    program(programs, "arecord", f"open({str(tmp_path)!r} + f'/{{os.getpid()}}', 'w')\n{sound}")

    async def scene() -> None:
        microphone = AlsaMicrophone(silent_s=30.0)
        waiting = asyncio.ensure_future(anext(microphone))
        while not alive(tmp_path):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
        if not silent:
            await waiting
            waiting = asyncio.ensure_future(anext(microphone))
            await asyncio.sleep(0)
        await asyncio.wait_for(microphone.record(False), 5)
        assert alive(tmp_path) == []
        with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
            await waiting
        for _ in range(3):
            with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
                await anext(microphone)
        assert alive(tmp_path) == []
        await microphone.record(True)
        if not silent:
            assert (await anext(microphone)).shape == (512,)
            assert len(alive(tmp_path)) == 1
        await microphone.close()
        assert alive(tmp_path) == []

    asyncio.run(scene())


def test_switched_off_while_the_recorder_starts_it_ends_as_well(programs: Path, tmp_path: Path) -> None:
    program(programs, "arecord", "while True: os.write(1, bytes(1024)); time.sleep(0.01)")

    async def scene(turns: int) -> None:
        microphone = AlsaMicrophone()
        waiting = asyncio.ensure_future(anext(microphone))
        for _ in range(turns):
            await asyncio.sleep(0)
        await microphone.record(False)
        with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
            await waiting
        assert microphone._recorder is None

    for turns in range(6):
        asyncio.run(scene(turns))


@pytest.mark.parametrize("silent", [False, True])
def test_the_camera_is_closed_also_in_the_middle_of_a_picture(silent: bool) -> None:
    fake = FakeCamera({"YUYV": RED["YUYV"]}, silent=silent)

    async def scene() -> None:
        one = camera(fake, hold_s=60.0)
        one.start(1.0)
        if silent:
            waiting = asyncio.ensure_future(one.capture())
            while not fake.streaming:  # noqa: ASYNC110 - another thread
                await asyncio.sleep(0.001)
            await one.record(False)
            with pytest.raises(DeviceError):
                await waiting
        else:
            await one.capture()
            assert fake.streaming
            await one.record(False)
        assert (fake.opened, fake.streaming) == (0, False)
        openings = fake.openings
        with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
            await one.capture()
        assert fake.openings == openings
        await one.record(True)
        fake.silent = False
        assert (await one.capture()).shape == (48, 64, 3)
        await one.close()

    asyncio.run(scene())


def test_what_is_said_to_an_emulated_microphone_that_is_off_is_lost() -> None:
    async def scene() -> None:
        clock = FakeClock()
        room: Microphone = (microphone := WavMicrophone(clock))
        await room.record(False)
        clip = microphone.say(np.full(MICROPHONE_RATE_HZ, 900, np.int16))
        refused = asyncio.ensure_future(anext(microphone))
        await pass_time(clock, 0.1)
        with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
            await refused
        clock.jump(3.0)
        await room.record(True)
        assert clip.ended_s is not None
        reading = asyncio.ensure_future(anext(microphone))
        await pass_time(clock, 0.1)
        assert not (await reading).any()
        assert microphone.chunks_delivered == 1

    asyncio.run(scene())


def test_what_sees_and_hears_nothing_takes_it_as_well() -> None:
    async def scene() -> None:
        devices: list[Microphone | Camera] = [
            AbsentMicrophone("No."), AbsentCamera("No."), FileCamera(np.zeros((2, 2, 3), np.uint8)),
        ]  # fmt: skip
        for device in devices:
            await device.record(False)
            await device.record(False)
            await device.record(True)

    asyncio.run(scene())


def test_a_sleeping_headband_that_is_switched_off_does_not_listen_nor_wakes_for_speech() -> None:
    async def scene() -> None:
        band = headband()
        microphone = band.microphone
        await microphone.record(False)
        assert band.room.asleep
        await microphone.sleep()
        sleeping = asyncio.ensure_future(anext(microphone))
        speech = (np.random.default_rng(3).standard_normal(48_000) * 6_000).astype(np.int16)
        band.room.say(speech)
        await pass_time(band.clock, 4.0, band.pmu.catch_up)
        assert band.room.listener is None and not band.wake.active and not sleeping.done()
        band.wake.set(True)
        await pass_time(band.clock, 2.0)
        with pytest.raises(DeviceError, match=RECORDING_IS_OFF):
            await sleeping
        band.wake.set(False)
        assert band.room.chunks_delivered == 0 and microphone.last_hand_over is None
        await microphone.record(True)
        reading = asyncio.ensure_future(anext(microphone))
        await pass_time(band.clock, 0.1)
        assert (await reading).shape == (512,)

    asyncio.run(scene())


def test_switched_off_while_it_sleeps_the_microcontroller_stops_listening() -> None:
    async def scene() -> None:
        band = headband()
        await band.microphone.sleep()
        await pass_time(band.clock, 0.2, band.pmu.catch_up)
        assert band.room.listener is not None
        await band.microphone.record(False)
        await pass_time(band.clock, 0.2, band.pmu.catch_up)
        assert band.room.listener is None

    asyncio.run(scene())


def test_the_light_of_a_sleeping_headband_tells() -> None:
    calm = {"gave_up": False, "ending": False, "hung": False, "awake": False, "charging": False, "low": False}
    assert choose(RECORDING_OFF, **calm) == RECORDING_OFF
    assert choose(RECORDING_OFF, **{**calm, "charging": True, "low": True}) == RECORDING_OFF
    assert choose(STANDBY, **calm) != STANDBY


def test_the_switch_has_a_name_in_the_wiring() -> None:
    assert Wiring().lines.recording_off == ""


def listens(band: Headband) -> bool:
    """Whether the microcontroller listens."""
    return band.room.listener is not None


def test_a_microcontroller_that_does_not_answer_is_told_again_to_stop_listening() -> None:
    async def scene() -> None:
        band = headband()
        await band.microphone.sleep()
        await pass_time(band.clock, 0.2, band.pmu.catch_up)
        band.bus.inject(Fault.NAK)
        await band.microphone.record(False)
        await pass_time(band.clock, 0.2, band.pmu.catch_up)
        assert listens(band)
        band.bus.inject(None)
        await pass_time(band.clock, 1.0, band.pmu.catch_up)
        await band.microphone.record(False)
        await pass_time(band.clock, 0.2, band.pmu.catch_up)
        assert not listens(band)

    asyncio.run(scene())


@pytest.mark.parametrize("ends", [True, False])
def test_a_program_that_ends_or_starts_leaves_no_microcontroller_listening(ends: bool) -> None:
    async def scene() -> None:
        band = headband()
        band.gauge.write(r.SOUND_GATE, r.GATE_LISTEN)  # of the program before, or on the way to sleep
        await pass_time(band.clock, 0.2, band.pmu.catch_up)
        assert listens(band)
        if ends:
            await band.microphone.close()
        else:
            reading = asyncio.ensure_future(anext(band.microphone))
        await pass_time(band.clock, 0.2, band.pmu.catch_up)
        assert not listens(band)
        if not ends:
            await reading

    asyncio.run(scene())
