"""Recordings from users: those that are converted, and those that are refused with one sentence."""

from __future__ import annotations

import resource
import struct
import warnings
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile

from hw.audio.sound_and_picture_files import MediaError, read_wav
from hw.device import MICROPHONE_RATE_HZ
from tests.hw.audio.media_files import assert_is_the_tone, check_refused, tone


@pytest.mark.parametrize(
    ("subtype", "rate_hz", "channels"),
    [
        ("PCM_16", MICROPHONE_RATE_HZ, 1),
        ("PCM_U8", MICROPHONE_RATE_HZ, 1),
        ("PCM_24", MICROPHONE_RATE_HZ, 1),
        ("PCM_32", MICROPHONE_RATE_HZ, 2),
        ("FLOAT", 48_000, 1),
        ("DOUBLE", 44_100, 2),
        ("PCM_16", 8_000, 1),
        ("PCM_16", 48_000, 6),
        ("ULAW", 8_000, 1),
    ],
)
def test_any_wav_becomes_16_khz_mono(tmp_path: Path, subtype: str, rate_hz: int, channels: int) -> None:
    path = tmp_path / "tone.wav"
    soundfile.write(path, np.repeat(tone(rate_hz)[:, None], channels, axis=1), rate_hz, subtype=subtype)
    assert_is_the_tone(read_wav(path))


def test_a_codec_of_blocks_is_read(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "phone.wav", tone(8_000), 8_000, subtype="GSM610")
    assert_is_the_tone(read_wav(tmp_path / "phone.wav")[:MICROPHONE_RATE_HZ], tolerance=0.1)


def test_the_limit_counts_whatever_the_header_says_of_bytes_per_second(tmp_path: Path) -> None:
    path = tmp_path / "phone.wav"
    soundfile.write(path, tone(8_000, 200), 8_000, subtype="GSM610")
    whole = bytearray(path.read_bytes())
    at = whole.find(b"fmt ") + 8
    whole[at + 8 : at + 12] = struct.pack("<I", 0xFFFF_FFF)
    check_refused(read_wav, path, bytes(whole), "200 seconds long; the limit is 120 seconds")


def test_a_chunk_that_claims_more_than_there_is_memory_is_damaged(tmp_path: Path) -> None:
    whole = bytearray(wav_bytes(1) + bytes(32_000))
    whole[16:20] = struct.pack("<I", 0xFFFF_FFF0)
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, before[1]))
    try:
        check_refused(read_wav, tmp_path / "huge.wav", bytes(whole), "damaged: it ends before any sound")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_plain_recordings_pass_bit_for_bit(tmp_path: Path) -> None:
    pcm = np.random.default_rng(1).integers(-32768, 32768, 5000).astype(np.int16)
    soundfile.write(tmp_path / "noise.wav", pcm, MICROPHONE_RATE_HZ, subtype="PCM_16")
    assert np.array_equal(read_wav(tmp_path / "noise.wav"), pcm)


@pytest.mark.parametrize(
    ("whole_file", "sound"),
    [
        (0xFFFF_FFFF, 0xFFFF_FFFF),
        (0x7FFF_F024, 0x7FFF_F000),  # sox
        (0x8000_0024, 0x8000_0000),  # arecord
        (0, 0),
        (36, 0),
    ],
)
@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24"])
def test_a_streamed_wav_without_a_true_length_is_read(
    tmp_path: Path, whole_file: int, sound: int, subtype: str
) -> None:
    path = tmp_path / "pipe.wav"
    soundfile.write(path, tone(MICROPHONE_RATE_HZ), MICROPHONE_RATE_HZ, subtype=subtype)
    whole = bytearray(path.read_bytes())
    whole[4:8], whole[40:44] = struct.pack("<I", whole_file), struct.pack("<I", sound)
    path.write_bytes(whole)
    assert_is_the_tone(read_wav(path))


def test_endless_values_are_the_loudest_sound(tmp_path: Path) -> None:
    samples = tone(MICROPHONE_RATE_HZ).astype(np.float32)
    samples[[10, 11, 12]] = np.inf, -np.inf, np.nan
    soundfile.write(tmp_path / "endless.wav", samples, MICROPHONE_RATE_HZ, subtype="FLOAT")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pcm = read_wav(tmp_path / "endless.wav")
    assert_is_the_tone(pcm)
    assert list(pcm[10:13]) == [32767, -32768, 0]


def wav_bytes(seconds: float, rate_hz: int = MICROPHONE_RATE_HZ) -> bytes:
    count = int(seconds * rate_hz) * 2
    fmt = struct.pack("<HHIIHH", 1, 1, rate_hz, rate_hz * 2, 2, 16)
    return (
        b"RIFF"
        + struct.pack("<I", 36 + count)
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + fmt
        + b"data"
        + struct.pack("<I", count)
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "does not exist"),
        ("folder", "is a folder"),
        (b"", "is empty"),
        (b"hello, this is text", "is not a WAV file"),
        (b"RIFF\x00\x00\x00\x00WAVE", "damaged"),
        (wav_bytes(0), "length is zero"),
        (wav_bytes(3) + bytes(32_000), "cut short: it promises 3.00 s of sound and has 1.00 s"),
        (wav_bytes(3600), "60 minutes long; the limit is 120 seconds"),
        (wav_bytes(121), "121 seconds long"),
        (wav_bytes(1).replace(b"data", b"date"), "damaged"),
        (wav_bytes(1, rate_hz=0) + bytes(10), "damaged"),
        (b"ID3\x04" + bytes(500), "is not a WAV file"),
    ],
)
def test_bad_recordings_get_one_clear_sentence(
    tmp_path: Path, content: bytes | str | None, says: str
) -> None:
    check_refused(read_wav, tmp_path / "bad.wav", content, says)


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT"])
@pytest.mark.parametrize(("seconds", "factor"), [(121, 100.0), (100, 0.5)])
def test_the_length_is_that_of_the_samples_whatever_the_byte_rate_says(
    tmp_path: Path, subtype: str, seconds: int, factor: float
) -> None:
    path = tmp_path / "sound.wav"
    soundfile.write(path, np.zeros(seconds * 8_000), 8_000, subtype=subtype, format="WAV")
    whole = bytearray(path.read_bytes())
    (rate,) = struct.unpack("<I", whole[28:32])
    whole[28:32] = struct.pack("<I", round(rate * factor))
    path.write_bytes(whole)
    if seconds > 120:
        with pytest.raises(MediaError, match="121 seconds long; the limit is 120"):
            read_wav(path)
    else:
        assert len(read_wav(path)) == 100 * MICROPHONE_RATE_HZ


@pytest.mark.parametrize("says", [True, False])
def test_what_follows_the_sound_of_a_large_files_format_is_no_sound(tmp_path: Path, says: bool) -> None:
    """RF64 says the length in a chunk of its own; where that does not know it, the sound goes on to the
    end.
    """
    path = tmp_path / "large.wav"
    soundfile.write(path, tone(MICROPHONE_RATE_HZ), MICROPHONE_RATE_HZ, format="RF64", subtype="PCM_16")
    whole = bytearray(path.read_bytes())
    at = whole.index(b"ds64") + 16
    assert whole[:4] == b"RF64" and struct.unpack("<Q", whole[at : at + 8]) == (2 * MICROPHONE_RATE_HZ,)
    data = whole.index(b"data")
    assert whole[data + 4 : data + 8] == b"\xff" * 4
    if says:
        whole += b"LIST" + struct.pack("<I", 1000) + b"x" * 1000
    else:
        whole[at : at + 8] = bytes(8)
    path.write_bytes(whole)
    assert_is_the_tone(read_wav(path))
    assert len(read_wav(path)) == MICROPHONE_RATE_HZ
    path.write_bytes(whole[:-3000])
    if says:
        with pytest.raises(MediaError, match=r"cut short: it promises 1\.00 s"):
            read_wav(path)


def test_an_hour_is_refused_from_its_header(tmp_path: Path) -> None:
    path = tmp_path / "hour.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, MICROPHONE_RATE_HZ, 0, "NONE", ""))
        file.writeframes(bytes(MICROPHONE_RATE_HZ * 2 * 125))
    with pytest.raises(MediaError, match="125 seconds"):
        read_wav(path)
