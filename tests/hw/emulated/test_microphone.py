"""The emulated microphone: its sound and its timing."""

from __future__ import annotations

import asyncio
from array import array
from pathlib import Path

import numpy as np
import pytest

from hw.audio.sound_and_picture_files import MediaError
from hw.device import MICROPHONE_RATE_HZ, DeviceError, Pcm
from hw.emulated.board import emulated_board
from hw.emulated.clock import FakeClock
from hw.emulated.microphone import WavMicrophone
from hw.emulated.pmu_microphone import PmuMicrophone
from hw.emulated.room import Room
from hw.linux.system_clock import SystemClock
from tests.hw.contracts import pieces, ramp


async def take(microphone: WavMicrophone, count: int) -> Pcm:
    return np.concatenate([await anext(microphone) for _ in range(count)])


def test_the_microphone_hears_what_is_said_between_silence() -> None:
    async def scene() -> None:
        microphone = WavMicrophone(SystemClock(), real_time=False)
        clip = microphone.say(ramp(1000))
        second = microphone.say(ramp(100))
        heard = await take(microphone, 5)
        assert heard.dtype == np.int16
        assert heard.shape == (5 * 512,)
        assert np.array_equal(heard[:1000], ramp(1000))
        assert np.array_equal(heard[1000:1100], ramp(100))
        assert not heard[1100:].any()
        await clip.heard()
        assert clip.started_s is not None
        assert second.ended_s is not None
        assert clip.started_s <= second.ended_s

    asyncio.run(scene())


def test_a_real_time_microphone_keeps_the_clocks_pace() -> None:
    async def scene() -> None:
        clock = FakeClock()
        microphone = WavMicrophone(clock)
        listening = asyncio.create_task(take(microphone, 1000))
        await clock.advance(3.21)
        assert microphone.chunks_delivered == 100
        clip = microphone.say(ramp(MICROPHONE_RATE_HZ))
        await clock.advance(1.1)
        assert clip.started_s == pytest.approx(1003.232)
        assert clip.ended_s == pytest.approx(1004.224)
        listening.cancel()

    asyncio.run(scene())


def test_a_late_listener_catches_up_a_little_and_no_more() -> None:
    async def scene() -> None:
        clock = FakeClock()
        microphone = WavMicrophone(clock)
        first = asyncio.create_task(take(microphone, 1))
        await clock.advance(0.032)
        await first
        clock.jump(1.0)
        await take(microphone, 31)
        assert microphone.overruns == 0
        clock.jump(60.0)
        later = asyncio.create_task(take(microphone, 5))
        await clock.advance(0.2)
        await later
        assert microphone.overruns == 1

    asyncio.run(scene())


def test_as_fast_as_possible_ends_with_the_sound() -> None:
    async def scene() -> None:
        clock = FakeClock()
        microphone = WavMicrophone(clock, real_time=False, tail_s=0.32)
        microphone.say(ramp(MICROPHONE_RATE_HZ))
        listening = asyncio.create_task(take(microphone, 10_000))
        for _ in range(100):
            await asyncio.sleep(0)
        assert microphone.position_s == pytest.approx(1.344)
        await clock.advance(0.032 * 5 + 0.001)
        assert microphone.position_s == pytest.approx(1.504)
        listening.cancel()

    asyncio.run(scene())


def test_background_lies_under_the_clips() -> None:
    async def scene() -> None:
        noise = np.array([5, -5, 7], np.int16)
        microphone = WavMicrophone(SystemClock(), real_time=False, background=noise)
        microphone.say(np.full(600, 32_766, np.int16))
        heard = await take(microphone, 3)
        assert heard[0] == 32_767
        assert heard[1] == 32_761
        assert np.array_equal(heard[600:], np.resize(noise, 1536)[600:])

    asyncio.run(scene())


def test_an_unplugged_microphone_says_so_and_comes_back() -> None:
    async def scene() -> None:
        microphone = WavMicrophone(SystemClock(), real_time=False)
        microphone.say(ramp(100))
        microphone.unplug()
        with pytest.raises(DeviceError, match="microphone"):
            await anext(microphone)
        microphone.plug_in()
        assert (await anext(microphone))[0] == 1
        await microphone.close()
        assert [chunk async for chunk in microphone] == []

    asyncio.run(scene())


def test_the_microphone_refuses_a_bad_file_where_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="does not exist"):
        WavMicrophone(SystemClock()).say(tmp_path / "none.wav")


def test_the_microphone_hears_the_speaker_through_the_room() -> None:
    async def scene() -> None:
        clock = FakeClock()
        board = emulated_board(clock=clock, sound_card=False, room=Room(gain_db=-6.0, delay_s=0.1))
        noise = (np.random.default_rng(1).standard_normal(32_000) * 3000).astype(np.int16)
        heard: list[np.ndarray] = []

        async def listen() -> None:
            async for pcm in board.microphone:
                heard.append(pcm)

        tasks = [
            asyncio.create_task(listen()),
            asyncio.create_task(board.speaker.play(pieces(noise, rate_hz=MICROPHONE_RATE_HZ))),
        ]
        await clock.advance(1.6)
        for task in tasks:
            task.cancel()
        sound = np.concatenate(heard).astype(float)
        assert not sound[: 16 * 96].any(), "nothing before the delay is over"
        level_db = 20 * np.log10(np.std(sound[8000:24_000]) / np.std(noise))
        assert level_db == pytest.approx(-6.0, abs=1.0)
        await board.close()

    asyncio.run(scene())


def test_sound_that_arrives_while_the_pmu_counts_what_it_has_is_no_fault() -> None:
    """The room is read in the loop's thread, the PMU's firmware runs in the gauge's."""
    room = WavMicrophone(FakeClock())
    recorder = PmuMicrophone(room)
    block = array("h", [0] * 16)
    assert not recorder.fill(block)

    class Counted:
        @property
        def size(self) -> int:
            recorder._heard.append(np.zeros(8, np.int16))
            return 0

    recorder._heard.appendleft(Counted())  # type: ignore[arg-type]
    assert not recorder.fill(block)
