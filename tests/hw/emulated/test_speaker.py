"""The emulated speaker: what it plays, and when it is heard."""

from __future__ import annotations

import asyncio
import io
import os
import resource
import time
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from hw.audio.loopback import resampled
from hw.device import MICROPHONE_RATE_HZ, DeviceError, Pcm
from hw.emulated.clock import FakeClock
from hw.emulated.speaker import WavSpeaker
from hw.linux.system_clock import SystemClock
from tests.hw.contracts import Piece, pieces, ramp
from tests.hw.linux.sound_programs import program, programs

__all__ = ["programs"]


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
        await speaker.play(pieces(np.full(MICROPHONE_RATE_HZ, 8000, np.int16), rate_hz=MICROPHONE_RATE_HZ))
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
        tone = np.full(MICROPHONE_RATE_HZ, 8192, np.int16)
        playing = asyncio.create_task(speaker.play(pieces(tone, tone, tone, rate_hz=MICROPHONE_RATE_HZ)))
        await clock.advance(1.5)
        heard = speaker.loopback.read(1000.0, MICROPHONE_RATE_HZ)
        assert np.allclose(heard, 0.25) and not speaker.loopback.read(999.0, MICROPHONE_RATE_HZ).any()
        speaker.stop()
        await clock.advance(5.0)
        assert playing.done() and speaker.loopback.played_s(clock.monotonic()) == pytest.approx(1.5)
        assert not speaker.loopback.read(1001.51, 64_000).any()
        assert WavSpeaker(clock, real_time=False, sound_card=False).loopback is None

    asyncio.run(scene())


def test_nothing_counts_as_heard_of_a_speaker_that_has_failed() -> None:
    class Unplugged(WavSpeaker):
        def _deliver(self, pcm: Pcm, rate_hz: int) -> None:
            if self.seconds_played > 0.45:
                raise DeviceError("It was unplugged.")

    async def scene() -> None:
        clock = FakeClock()
        speaker = Unplugged(clock, sound_card=False)
        assert speaker.loopback is not None
        sound = pieces(np.full(5 * MICROPHONE_RATE_HZ, 8192, np.int16), rate_hz=MICROPHONE_RATE_HZ)
        playing = asyncio.create_task(speaker.play(sound))
        await clock.advance(0.5)
        assert isinstance(playing.exception(), DeviceError)
        await clock.advance(10.0)
        assert speaker.loopback.played_s(clock.monotonic()) < 0.6
        assert not speaker.loopback.read(1000.6, MICROPHONE_RATE_HZ).any()

    asyncio.run(scene())


@pytest.mark.parametrize("rate_hz", [22_050, 24_000, 8_000])
def test_the_reference_has_the_microphones_rate(rate_hz: int) -> None:
    def tones(rate: int) -> np.ndarray:
        times_s = np.arange(rate) / rate
        return np.sum([np.sin(2 * np.pi * hertz * times_s) for hertz in (110, 700, 3000)], axis=0)

    got = resampled(tones(rate_hz).astype(np.float32), rate_hz)
    assert len(got) == MICROPHONE_RATE_HZ
    assert np.abs(got - tones(MICROPHONE_RATE_HZ))[100:-100].max() < 0.05


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


def test_a_player_that_is_stuck_holds_up_nothing_and_the_file_is_whole(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULSE_SERVER", "unix:/run/pulse")
    program(programs, "paplay", "time.sleep(60)")
    stood_still_s = 0.0

    async def ticks() -> None:
        nonlocal stood_still_s
        while True:
            before_s = time.monotonic()
            await asyncio.sleep(0.01)
            stood_still_s = max(stood_still_s, time.monotonic() - before_s)

    async def scene() -> None:
        speaker = WavSpeaker(SystemClock(), tmp_path / "whole.wav")
        audible_before = speaker.audible
        ticking = asyncio.create_task(ticks())
        await speaker.play(pieces(ramp(96_000), rate_hz=96_000))
        assert audible_before and not speaker.audible
        ticking.cancel()
        await speaker.close()

    asyncio.run(asyncio.wait_for(scene(), 20))
    assert stood_still_s < 3
    assert read_back(tmp_path / "whole.wav")[1].size == 96_000


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


def test_a_file_that_finds_no_room_is_given_up_and_the_sound_goes_on(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "answer.wav"
        speaker = WavSpeaker(SystemClock(), path, real_time=False)
        assert await speaker.play(pieces(ramp(400))) is not None
        assert path.exists()
        assert await speaker.play(pieces(ramp(1000), ramp(1000))) is not None
        assert speaker.fault == f"{path} could not be written (File too large)."
        assert speaker.seconds_played == pytest.approx(2400 / 22_050)
        await speaker.close()
        assert not path.exists()

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        asyncio.run(scene())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_pipe_gets_the_whole_sound_with_its_length(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    async def scene() -> None:
        speaker = WavSpeaker(SystemClock(), path, real_time=False)
        await speaker.play(pieces(ramp(1000), ramp(500)))
        await speaker.close()
        assert speaker.fault is None

    asyncio.run(scene())
    with open(reader, "rb") as pipe, wave.open(io.BytesIO(pipe.read())) as file:
        assert file.getnframes() == 1500


def test_a_pipe_from_which_nobody_reads_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)

    async def scene() -> None:
        speaker = WavSpeaker(SystemClock(), path, real_time=False)
        assert await speaker.play(pieces(ramp(1000))) is not None
        await speaker.close()
        assert speaker.fault == f"{path} could not be written (nobody reads from this pipe)."

    asyncio.run(asyncio.wait_for(scene(), 5))
    assert path.is_fifo()
