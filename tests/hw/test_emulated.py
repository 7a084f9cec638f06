"""The emulated board's devices, by what a person can do with them."""

from __future__ import annotations

import asyncio
import time
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from firmware.pmu import registers as r
from hw.clock import SystemClock
from hw.device import Board, DeviceError, LightPattern, Pcm
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import Fault
from hw.emulated.camera import FileCamera
from hw.emulated.clock import FakeClock
from hw.emulated.microphone import WavMicrophone
from hw.emulated.room import Room
from hw.emulated.speaker import WavSpeaker
from hw.loopback import resampled
from hw.media import MediaError
from tests.hw import contracts
from tests.hw.contracts import Piece, pieces


def ramp(count: int) -> Pcm:
    return (np.arange(count) % 30_000 + 1).astype(np.int16)


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
        clip = microphone.say(ramp(16_000))
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
        microphone.say(ramp(16_000))
        listening = asyncio.create_task(take(microphone, 10_000))
        began_s = time.monotonic()
        for _ in range(100):
            await asyncio.sleep(0)
        assert microphone.position_s == pytest.approx(1.344)
        assert time.monotonic() - began_s < 0.5
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


def colour(value: int) -> np.ndarray:
    return np.full((8, 8, 3), value, np.uint8)


def test_the_camera_steps_through_a_folder_and_stays_on_the_last(tmp_path: Path) -> None:
    for index in (2, 0, 1):
        Image.fromarray(colour(index)).save(tmp_path / f"frame{index}.png")
    (tmp_path / "notes.txt").write_text("not a frame")

    async def scene() -> None:
        camera = FileCamera(tmp_path)
        seen = [int((await camera.capture())[0, 0, 0]) for _ in range(4)]
        assert seen == [0, 1, 2, 2]
        camera.show(colour(9))
        frame = await camera.capture()
        frame[:] = 0
        assert (await camera.capture())[0, 0, 0] == 9
        camera.unplug()
        with pytest.raises(DeviceError, match="camera"):
            await camera.capture()

    asyncio.run(scene())


def test_a_long_series_is_read_as_it_is_seen(tmp_path: Path) -> None:
    for index in range(11):
        Image.fromarray(colour(index)).save(tmp_path / f"frame{index}.png")

    async def scene() -> None:
        camera = FileCamera(tmp_path)
        (tmp_path / "frame6.png").write_bytes(b"broken meanwhile")
        seen = [int((await camera.capture())[0, 0, 0]) for _ in range(6)]
        assert seen == [0, 1, 2, 3, 4, 5]
        with pytest.raises(DeviceError, match=r"frame6\.png is not an image"):
            await camera.capture()
        seen = [int((await camera.capture())[0, 0, 0]) for _ in range(5)]
        assert seen == [7, 8, 9, 10, 10]

    asyncio.run(scene())


def test_the_camera_refuses_what_it_cannot_show(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="no pictures"):
        FileCamera(tmp_path)
    with pytest.raises(MediaError, match="does not exist"):
        FileCamera(tmp_path / "none.png")
    with pytest.raises(DeviceError, match="nothing in view"):
        asyncio.run(FileCamera().capture())


def read_back(path: Path) -> tuple[int, Pcm]:
    with wave.open(str(path)) as file:
        return file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2")


def test_the_speaker_accumulates_a_wav(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "out" / "answer.wav"
        speaker = WavSpeaker(SystemClock(), path, real_time=False)
        before_s = time.monotonic()
        first_s = await speaker.play(pieces(ramp(1000), ramp(0), ramp(500)))
        assert first_s is not None
        assert before_s <= first_s <= time.monotonic()
        rate_hz, pcm = read_back(path)  # complete after each play, not only after close
        assert rate_hz == 22_050
        assert np.array_equal(pcm, np.concatenate([ramp(1000), ramp(500)]))
        speaker.set_volume(50)
        await speaker.play(pieces(np.full(16_000, 8000, np.int16), rate_hz=16_000))
        assert await speaker.play(pieces()) is None
        await speaker.close()
        _, pcm = read_back(path)
        assert abs(pcm.size - 1500 - 22_050) <= 2
        assert abs(int(pcm[12_000]) - 4000) <= 2
        assert speaker.seconds_played == pytest.approx(1500 / 22_050 + 1)

    asyncio.run(scene())


def test_a_real_time_speaker_takes_its_time_and_can_be_cut(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = FakeClock()
        speaker = WavSpeaker(clock, tmp_path / "cut.wav", sound_card=False)
        playing = asyncio.create_task(speaker.play(pieces(ramp(22_050), ramp(22_050))))
        await clock.advance(1.99)
        assert not playing.done()
        await clock.advance(0.02)
        assert playing.done()
        assert playing.result() == 1000.0
        playing = asyncio.create_task(speaker.play(pieces(ramp(44_100))))
        await clock.advance(0.5)
        speaker.stop()
        await clock.advance(0)
        assert playing.done()
        assert playing.result() == pytest.approx(1002.01)
        assert 2.5 <= speaker.seconds_played <= 2.9

    asyncio.run(scene())


def test_a_speaker_tells_what_is_heard_and_nothing_of_it_after_stop() -> None:
    async def scene() -> None:
        clock = FakeClock()
        speaker = WavSpeaker(clock, sound_card=False)
        assert speaker.loopback is not None
        tone = np.full(16_000, 8192, np.int16)
        playing = asyncio.create_task(speaker.play(pieces(tone, tone, tone, rate_hz=16_000)))
        await clock.advance(1.5)
        heard = speaker.loopback.read(1000.0, 16_000)
        assert np.allclose(heard, 0.25) and not speaker.loopback.read(999.0, 16_000).any()
        speaker.stop()
        await clock.advance(5.0)
        assert playing.done() and speaker.loopback.heard_s(clock.monotonic()) == pytest.approx(1.5)
        assert not speaker.loopback.read(1001.51, 64_000).any()
        assert WavSpeaker(clock, real_time=False, sound_card=False).loopback is None

    asyncio.run(scene())


@pytest.mark.parametrize("rate_hz", [22_050, 24_000, 8_000])
def test_the_reference_has_the_microphones_rate(rate_hz: int) -> None:
    def tones(rate: int) -> np.ndarray:
        times_s = np.arange(rate) / rate
        return np.sum([np.sin(2 * np.pi * hertz * times_s) for hertz in (110, 700, 3000)], axis=0)

    got = resampled(tones(rate_hz).astype(np.float32), rate_hz)
    assert len(got) == 16_000
    assert np.abs(got - tones(16_000))[100:-100].max() < 0.05


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
            asyncio.create_task(board.speaker.play(pieces(noise, rate_hz=16_000))),
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


def test_stop_gives_up_on_a_chunk_that_is_still_being_made() -> None:
    async def scene() -> None:
        closed = asyncio.Event()

        async def slow() -> AsyncIterator[Piece]:
            try:
                yield Piece(ramp(10))
                await asyncio.sleep(3600)
            finally:
                closed.set()

        speaker = WavSpeaker(SystemClock(), real_time=False)
        playing = asyncio.create_task(speaker.play(slow()))
        await asyncio.sleep(0.01)
        speaker.stop()
        assert await asyncio.wait_for(playing, 1) is not None
        await asyncio.wait_for(closed.wait(), 1)

    asyncio.run(scene())


def test_sounds_wait_for_each_other_and_stop_ends_them_all(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = FakeClock()
        speaker = WavSpeaker(clock, tmp_path / "two.wav", sound_card=False)
        both = [asyncio.create_task(speaker.play(pieces(ramp(22_050)))) for _ in range(2)]
        await clock.advance(2.5)
        assert [task.result() for task in both] == pytest.approx([1000.0, 1001.0])
        both = [asyncio.create_task(speaker.play(pieces(ramp(22_050)))) for _ in range(2)]
        await clock.advance(0.5)
        speaker.stop()
        await clock.advance(0)
        assert [task.result() for task in both] == [pytest.approx(1002.5), None]

    asyncio.run(scene())


def test_an_error_in_the_voice_reaches_whoever_plays() -> None:
    async def broken() -> AsyncIterator[Piece]:
        yield Piece(ramp(10))
        raise RuntimeError("voice died")

    with pytest.raises(RuntimeError, match="voice died"):
        asyncio.run(WavSpeaker(SystemClock(), real_time=False).play(broken()))


def test_the_fake_clock_wakes_sleepers_in_order() -> None:
    async def scene() -> None:
        clock = FakeClock()
        log: list[tuple[str, float]] = []

        async def ticking(name: str, step_s: float) -> None:
            while True:
                await clock.sleep(step_s)
                log.append((name, clock.monotonic() - 1000))

        tasks = [asyncio.create_task(ticking("a", 2)), asyncio.create_task(ticking("b", 3))]
        began = clock.time()
        await clock.advance(6.5)
        assert log == [("a", 2), ("b", 3), ("a", 4), ("b", 6), ("a", 6)]
        assert clock.time() - began == 6.5
        assert clock.next_wake_s == 1008
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert clock.next_wake_s is None

    asyncio.run(scene())


@pytest.fixture
def board(tmp_path: Path) -> EmulatedBoard:
    return emulated_board(clock=FakeClock(), real_time=False, sysfs_root=tmp_path / "sys")


def test_its_devices_keep_the_contracts_of_all_boards(tmp_path: Path) -> None:
    async def scene() -> None:
        board = emulated_board(view=colour(7), sysfs_root=tmp_path / "sys", audio_out=tmp_path / "out.wav")
        contracts.check_gauge(board.gauge)
        await contracts.check_recording(board.microphone, board.camera)
        await contracts.check_clock(board.clock)
        contracts.check_light(board.light)
        assert board.wake_alarm is not None
        record = board.sysfs_root / "class/rtc/rtc0/wakealarm"
        contracts.check_wake_alarm(board.wake_alarm, lambda: record.read_text() not in ("", "0"))
        await contracts.check_microphone(board.microphone)
        await contracts.check_camera(board.camera)
        await contracts.check_speaker(board.speaker)
        await contracts.check_line(board.button)
        contracts.check_output(board.marker, lambda: board.marker.active)

    asyncio.run(scene())


def test_the_board_is_a_board_and_the_battery_goes_the_real_way(board: EmulatedBoard) -> None:
    plain: Board = board
    assert plain.gauge.read().percent == 80
    before = board.bus.transfers
    board.set_battery(18, temperature_c=41)
    reading = plain.gauge.read()
    assert (reading.percent, reading.temperature_c, reading.state) == (18, 41.0, "good")
    assert board.bus.transfers > before
    node = board.sysfs_root / "class/power_supply/rk817-battery"
    assert (node / "capacity").read_text() == "18\n"
    assert (node / "status").read_text() == "Discharging\n"
    with pytest.raises(ValueError, match="0 to 100 percent, not 140"):
        board.set_battery(140)
    board.bus.inject(Fault.NAK)
    assert plain.gauge.read().state == "absent"


def test_the_alert_line_wakes_a_waiter(board: EmulatedBoard) -> None:
    async def scene() -> None:
        waiting = asyncio.create_task(board.alert.wait())
        await asyncio.sleep(0)
        before = board.alert.active
        board.set_battery(6)
        await asyncio.wait_for(waiting, 1)
        during = board.alert.active
        board.gauge.write(r.EVENT_ACK, 1)
        assert (before, during, board.alert.active) == (False, True, False)

    asyncio.run(scene())


def test_a_short_press_is_not_lost(board: EmulatedBoard) -> None:
    async def scene() -> None:
        waiting = [asyncio.create_task(board.button.wait()) for _ in range(2)]
        await asyncio.sleep(0)
        board.button.pulse()
        await asyncio.wait_for(asyncio.gather(*waiting), 1)
        assert not board.button.active

    asyncio.run(scene())


def test_the_light_remembers(board: EmulatedBoard) -> None:
    for pattern in (LightPattern.LISTENING, LightPattern.LISTENING, LightPattern.THINKING):
        board.light.set(pattern)
    assert [shown for _, shown in board.light.shown] == [LightPattern.LISTENING, LightPattern.THINKING]
    assert board.light.pattern is LightPattern.THINKING


def test_a_temporary_tree_goes_with_its_board(tmp_path: Path) -> None:
    async def scene() -> None:
        board = emulated_board(sound_card=False)
        assert (board.sysfs_root / "devices/system/cpu/cpufreq/policy0/scaling_max_freq").exists()
        await board.close()
        await board.close()
        assert not board.sysfs_root.exists()

    asyncio.run(scene())
