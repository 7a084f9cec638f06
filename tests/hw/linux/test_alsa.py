"""Microphone and speaker with doubles of ALSA's programs, which start, fail, hang and recover."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from hw.audio import player_program as player
from hw.device import MICROPHONE_RATE_HZ, DeviceError, Microphone, Speaker
from hw.linux.alsa import AlsaMicrophone, AlsaSpeaker
from hw.linux.system_clock import SystemClock
from models.process.rss import children
from tests.hw import contracts
from tests.hw.contracts import Piece, pieces
from tests.hw.linux.sound_programs import ends, program, programs

__all__ = ["programs"]

GONE = "sys.exit('ALSA lib pcm.c: open failed\\narecord: audio open error: No such file or directory.')"


def test_the_microphone_yields_chunks_until_it_breaks_and_then_starts_again(programs: Path) -> None:
    program(
        programs,
        "arecord",
        "assert sys.argv[1:3] == ['-D', 'plughw:1,0'] and '16000' in sys.argv\n"
        "os.write(1, bytes(range(256)) * 8 + b'half')\n"
        "sys.exit('arecord: pcm_read: read error: No such device.')",
    )

    async def scene() -> None:
        microphone = AlsaMicrophone("plughw:1,0")
        plain: Microphone = microphone
        assert plain.sample_rate == MICROPHONE_RATE_HZ
        for _ in range(2):
            chunks = [await anext(microphone), await anext(microphone)]
            assert all(chunk.shape == (512,) and chunk.dtype == np.int16 for chunk in chunks)
            assert chunks[0][0] == 0x0100
            with pytest.raises(DeviceError, match=r"stopped working: arecord: .* No such device\.$"):
                await anext(microphone)
        await microphone.close()
        assert [chunk async for chunk in microphone] == []

    asyncio.run(scene())


def test_working_programs_make_devices_that_keep_the_contracts(programs: Path) -> None:
    program(programs, "arecord", "while True: os.write(1, bytes(1024))")
    program(programs, "aplay", "sys.stdin.buffer.read()")

    async def scene() -> None:
        await contracts.check_microphone(AlsaMicrophone())
        await contracts.check_speaker(AlsaSpeaker(SystemClock()))

    asyncio.run(scene())


def test_a_player_is_found_only_with_something_to_play_on(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = tmp_path / "cards"
    cards.write_text(" 0 [Codec          ]: rk817 - rk817\n")
    monkeypatch.setattr(player, "_CARDS", cards)
    monkeypatch.delenv("PULSE_SERVER", raising=False)
    assert player.find_player() is None
    program(programs, "aplay", "")
    assert player.find_player() == str(programs / "aplay")
    cards.write_text("--- no soundcards ---\n")
    assert player.find_player() is None
    monkeypatch.setenv("PULSE_SERVER", "unix:/run/pulse")
    assert player.find_player() == str(programs / "aplay")


def test_missing_programs_are_said_plainly(programs: Path) -> None:
    with pytest.raises(DeviceError, match="arecord"):
        asyncio.run(anext(AlsaMicrophone()))  # type: ignore[arg-type]
    with pytest.raises(DeviceError, match="aplay"):
        AlsaSpeaker(SystemClock())


def test_a_recorder_that_cannot_be_started_is_not_said_to_be_missing(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    program(programs, "arecord", "")
    monkeypatch.setattr(asyncio, "create_subprocess_exec", refused)
    with pytest.raises(DeviceError, match=r"arecord cannot be started \(Resource temporarily unavailable\)"):
        asyncio.run(anext(AlsaMicrophone()))  # type: ignore[arg-type]


def test_the_speaker_hands_its_samples_to_aplay(programs: Path, tmp_path: Path) -> None:
    heard = tmp_path / "heard.raw"
    program(programs, "aplay", f"open({str(heard)!r}, 'wb').write(sys.stdin.buffer.read())")
    before = set(children(os.getpid()))

    async def scene() -> None:
        speaker: Speaker = AlsaSpeaker(SystemClock())
        pcm = np.arange(2205, dtype=np.int16)
        assert await speaker.play(pieces(pcm)) is not None
        for _ in range(100):
            if heard.exists() and heard.stat().st_size == pcm.nbytes:
                break
            await asyncio.sleep(0.02)
        assert heard.read_bytes() == pcm.tobytes()
        for _ in range(500):
            if not set(children(os.getpid())) - before:
                break
            await asyncio.sleep(0.02)
        assert not set(children(os.getpid())) - before  # a program that has ended is reaped
        speaker.stop()
        await speaker.close()

    asyncio.run(scene())


def test_a_speaker_whose_device_is_gone_says_so(programs: Path) -> None:
    program(programs, "aplay", "sys.stdin.close(); sys.exit(1)")

    async def slowly() -> AsyncIterator[Piece]:
        for _ in range(20):
            yield Piece(np.ones(22_050, np.int16))
            await asyncio.sleep(0.05)

    with pytest.raises(DeviceError, match="takes no sound"):
        asyncio.run(AlsaSpeaker(SystemClock()).play(slowly()))


def test_a_microphone_that_is_plugged_in_again_is_heard_again(programs: Path) -> None:
    async def scene() -> None:
        program(programs, "arecord", GONE)
        microphone = AlsaMicrophone()
        for _ in range(2):
            with pytest.raises(DeviceError, match=r"arecord: audio open error: No such file or directory\.$"):
                await anext(microphone)
        program(programs, "arecord", "while True: os.write(1, bytes(1024))")
        assert (await anext(microphone)).shape == (512,)
        await microphone.close()

    asyncio.run(scene())


def test_a_recorder_that_ends_by_itself_is_told_of_by_its_sentence_alone(
    programs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        microphone = AlsaMicrophone()
        for _ in range(10):
            with pytest.raises(DeviceError):
                await anext(microphone)

    program(programs, "arecord", GONE)
    asyncio.run(scene())
    assert caplog.records == []


def test_a_recorder_that_hangs_is_ended(programs: Path) -> None:
    pid = programs / "pid"
    program(programs, "arecord", f"open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)")

    async def scene() -> None:
        microphone = AlsaMicrophone("plughw:CARD=Headset", silent_s=0.5)
        with pytest.raises(DeviceError, match="plughw:CARD=Headset delivers no sound"):
            await anext(microphone)

    asyncio.run(scene())
    assert not Path(f"/proc/{pid.read_text()}").exists()


def test_a_recorder_that_complains_all_day_is_not_held_up(programs: Path) -> None:
    complaint = "os.write(2, b'overrun!!! (at least 12.345 ms long)\\n' * 8000); "
    program(programs, "arecord", complaint + "os.write(1, bytes(1024)); time.sleep(60)")

    async def scene() -> None:
        microphone = AlsaMicrophone(silent_s=5)
        assert (await anext(microphone)).shape == (512,)
        await microphone.close()

    asyncio.run(scene())


def test_a_player_that_cannot_open_its_device_is_an_error_even_for_a_short_sound(programs: Path) -> None:
    program(programs, "aplay", "sys.exit(1)")

    async def scene() -> None:
        speaker = AlsaSpeaker(SystemClock(), "plughw:CARD=Gone")
        with pytest.raises(DeviceError, match="plughw:CARD=Gone takes no sound"):
            await speaker.play(pieces(np.zeros(MICROPHONE_RATE_HZ, np.int16), rate_hz=MICROPHONE_RATE_HZ))
        program(programs, "aplay", "sys.stdin.buffer.read()")
        assert await speaker.play(pieces(np.zeros(160, np.int16), rate_hz=MICROPHONE_RATE_HZ)) is not None
        await speaker.close()

    asyncio.run(scene())


def test_a_player_that_is_stuck_does_not_hold_up_the_headband(programs: Path) -> None:
    program(programs, "aplay", "time.sleep(60)")

    async def scene() -> None:
        speaker = AlsaSpeaker(SystemClock())
        began_s = time.monotonic()
        with pytest.raises(DeviceError, match="takes no sound"):
            await speaker.play(pieces(np.zeros(96_000 * 3, np.int16), rate_hz=96_000))
        assert time.monotonic() - began_s < 20

    asyncio.run(scene())


SHORT = np.zeros(2205, np.int16)
LONG = np.zeros(96_000 * 3, np.int16)


def test_a_player_that_does_not_end_after_its_sound_is_ended_and_counts_as_a_failure(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player, "END_LIMIT_S", 0.3)
    program(programs, "aplay", "time.sleep(60)")
    before = set(children(os.getpid()))

    async def scene() -> None:
        speaker = AlsaSpeaker(SystemClock())
        assert await speaker.play(pieces(SHORT)) is not None  # nothing tells yet that nobody hears it
        assert await ends(before)
        for _ in range(2):
            with pytest.raises(DeviceError, match="takes no sound"):
                await speaker.play(pieces(SHORT))
        assert await ends(before)
        program(programs, "aplay", "sys.stdin.buffer.read()")
        monkeypatch.setattr(player, "END_LIMIT_S", 20.0)
        assert await speaker.play(pieces(SHORT)) is not None
        await speaker.close()

    asyncio.run(scene())


def test_after_a_failure_a_short_sound_counts_only_when_its_player_has_ended_well(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player, "END_LIMIT_S", 0.3)
    program(programs, "aplay", "time.sleep(60)")

    async def scene() -> None:
        speaker = AlsaSpeaker(SystemClock())
        with pytest.raises(DeviceError, match="takes no sound"):
            await speaker.play(pieces(LONG, rate_hz=96_000))
        with pytest.raises(DeviceError, match="takes no sound"):
            await speaker.play(pieces(SHORT))
        monkeypatch.setattr(player, "END_LIMIT_S", 20.0)
        playing = asyncio.create_task(speaker.play(pieces(SHORT)))
        await asyncio.sleep(0.3)
        assert not playing.done()
        speaker.stop()  # ends the wait as well
        with pytest.raises(DeviceError, match="takes no sound"):
            await asyncio.wait_for(playing, 5)
        program(programs, "aplay", "sys.stdin.buffer.read()")
        assert await speaker.play(pieces(SHORT)) is not None
        await speaker.close()

    asyncio.run(scene())


def test_what_is_stopped_is_not_heard_later_from_players_that_were_held_up(
    programs: Path, tmp_path: Path
) -> None:
    free, heard = tmp_path / "free", tmp_path / "heard"
    program(
        programs,
        "aplay",
        f"while not os.path.exists({str(free)!r}): time.sleep(0.02)\n"
        f"sys.stdin.buffer.read(); open({str(heard)!r}, 'w')",
    )
    before = set(children(os.getpid()))

    async def scene() -> None:
        speaker = AlsaSpeaker(SystemClock())
        for _ in range(3):
            assert await speaker.play(pieces(SHORT)) is not None
        assert len(set(children(os.getpid())) - before) == 3
        speaker.stop()
        assert not set(children(os.getpid())) - before
        free.touch()
        await asyncio.sleep(0.2)
        assert not heard.exists()
        free.unlink()
        assert await speaker.play(pieces(SHORT)) is not None
        await speaker.close()
        assert not set(children(os.getpid())) - before

    asyncio.run(scene())


def test_closing_lets_the_last_moments_of_a_sound_be_heard(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hw.linux.alsa.CLOSE_LIMIT_S", 20.0)
    heard = tmp_path / "heard"
    play = f"sys.stdin.buffer.read(); time.sleep(0.1); open({str(heard)!r}, 'w')"
    program(programs, "aplay", play)

    async def scene() -> None:
        speaker = AlsaSpeaker(SystemClock())
        assert await speaker.play(pieces(SHORT)) is not None
        await speaker.close()

    asyncio.run(scene())
    assert heard.exists()
