"""Recordings and pictures from users: those that are converted, and those that are refused with one
sentence.
"""

from __future__ import annotations

import os
import resource
import shutil
import struct
import tempfile
import warnings
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from PIL import Image

from hw.audio.sound_and_picture_files import MediaError, read_image, read_wav
from hw.device import MICROPHONE_RATE_HZ


def tone(rate_hz: int, seconds: float = 1.0) -> np.ndarray:
    """A 440 Hz sine at half scale, float64 `[samples]`."""
    return 0.5 * np.sin(2 * np.pi * 440 * np.arange(int(rate_hz * seconds)) / rate_hz)


def check_refused(read: Callable[[Path], object], path: Path, content: bytes | str | None, says: str) -> None:
    """The error sentence for a file of that content, for a "folder", or for a missing file."""
    if content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    with pytest.raises(MediaError, match=says) as caught:
        read(path)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert path.name in sentence


def assert_is_the_tone(pcm: np.ndarray, seconds: float = 1.0, tolerance: float = 0.02) -> None:
    assert pcm.dtype == np.int16
    assert pcm.ndim == 1
    assert abs(len(pcm) - MICROPHONE_RATE_HZ * seconds) <= 16
    middle = slice(2000, 14_000)
    spectrum = np.abs(np.fft.rfft(pcm[middle] * np.hanning(12_000)))
    assert abs(np.argmax(spectrum) * MICROPHONE_RATE_HZ / 12_000 - 440) < 2
    assert abs(np.abs(pcm[middle]).max() / 32768 - 0.5) < tolerance


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


def halves(width: int = 200, height: int = 100) -> np.ndarray:
    """Left half red, right half blue."""
    rgb = np.zeros((height, width, 3), np.uint8)
    rgb[:, : width // 2, 0] = 255
    rgb[:, width // 2 :, 2] = 255
    return rgb


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "webp"])
def test_pictures_become_rgb(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"halves.{suffix}"
    Image.fromarray(halves()).save(path)
    rgb = read_image(path)
    assert rgb.dtype == np.uint8
    assert rgb.shape == (100, 200, 3)
    assert rgb[50, 20, 0] > 230
    assert rgb[50, 20, 2] < 25
    assert rgb[50, 180, 2] > 230
    rgb[0, 0] = 1  # the frame belongs to the caller


def test_exif_rotation_is_honoured(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held a quarter turn clockwise
    Image.fromarray(halves()).save(tmp_path / "turned.jpg", exif=exif)
    rgb = read_image(tmp_path / "turned.jpg")
    assert rgb.shape == (200, 100, 3)
    assert rgb[20, 50, 0] > 230
    assert rgb[180, 50, 2] > 230


@pytest.mark.parametrize("exif", [b"Exif\0\0MM\0*", b"Exif\0\0garbagegarbage", b"Exif\0\0MM\0*\0\0\xff\xff"])
@pytest.mark.parametrize("name", ["view.png", "view.jpg"])
def test_a_picture_whose_exif_cannot_be_read_is_kept_as_it_is(exif: bytes, name: str, tmp_path: Path) -> None:
    Image.fromarray(halves()).save(tmp_path / name, exif=exif)
    rgb = read_image(tmp_path / name)
    assert rgb.shape == (100, 200, 3) and rgb[50, 20, 0] > 230 and rgb[50, 180, 2] > 230


def test_unusual_pixel_formats(tmp_path: Path) -> None:
    deep = np.full((40, 40), 32_768, np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    assert abs(int(read_image(tmp_path / "deep.png")[5, 5, 0]) - 128) <= 1
    clear = Image.new("RGBA", (40, 40), (255, 0, 0, 0))
    clear.save(tmp_path / "clear.png")
    assert tuple(read_image(tmp_path / "clear.png")[5, 5]) == (255, 255, 255)
    Image.new("P", (40, 40)).save(tmp_path / "palette.gif")
    assert read_image(tmp_path / "palette.gif").shape == (40, 40, 3)


def test_an_animation_is_its_first_picture_and_a_print_shops_jpeg_is_rgb(tmp_path: Path) -> None:
    first, later = (Image.new("RGB", (40, 30), colour) for colour in ("red", "blue"))
    first.save(tmp_path / "moves.gif", save_all=True, append_images=[later], duration=100, loop=0)
    first.convert("CMYK").save(tmp_path / "print.jpg")
    for name in ("moves.gif", "print.jpg"):
        rgb = read_image(tmp_path / name)
        assert rgb.shape == (30, 40, 3)
        assert rgb[15, 20, 0] > 200 and rgb[15, 20, 1:].max() < 50, "red, whoever draws it"


def test_one_pixel_is_a_picture(tmp_path: Path) -> None:
    Image.new("RGB", (1, 1), "red").save(tmp_path / "one.png")
    assert read_image(tmp_path / "one.png").tolist() == [[[255, 0, 0]]]


@pytest.fixture
def no_right() -> Iterator[Path]:
    """A folder whose file `secret` the user of the test may not read."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    (folder / "secret").write_bytes(b"RIFF")
    (folder / "secret").chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65_534)
    yield folder
    if root:
        os.seteuid(0)
    shutil.rmtree(folder)


@pytest.mark.parametrize("read", [read_wav, read_image])
def test_a_file_that_is_somebody_elses_is_one_sentence(
    no_right: Path, read: Callable[[Path], object]
) -> None:
    with pytest.raises(MediaError, match=r"/secret cannot be read: Permission denied\.$"):
        read(no_right / "secret")


@pytest.mark.parametrize("read", [read_wav, read_image])
def test_a_name_that_no_file_has_is_one_sentence(read: Callable[[Path], object]) -> None:
    with pytest.raises(MediaError, match=r"cannot be read: File name too long\.$"):
        read(Path("x" * 300))


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1", "P with a clear colour"])
def test_thin_lines_are_seen_in_large_pictures_of_any_kind(tmp_path: Path, mode: str) -> None:
    """A line of one pixel is grey where two rows become one; left out it is not there at all."""
    for row in (0, 1):
        grey = np.full((1400, 1400), 255, np.uint8)
        grey[row::70] = 0
        picture = Image.fromarray(grey).convert(mode.partition(" ")[0])
        clear: dict[str, Any] = {"transparency": 3} if "clear" in mode else {}
        picture.save(tmp_path / "lines.png", **clear)
        rgb = read_image(tmp_path / "lines.png", max_side_px=700)
        assert rgb.shape == (700, 700, 3)
        assert (rgb[::35] < 160).all() and (rgb[1::35] == 255).all()


def test_large_pictures_are_reduced(tmp_path: Path) -> None:
    Image.fromarray(halves(3000, 2000)).save(tmp_path / "large.png")
    rgb = read_image(tmp_path / "large.png", max_side_px=600)
    assert rgb.shape == (400, 600, 3)
    assert rgb[200, 10, 0] == 255
    assert rgb[200, 590, 2] == 255


def test_a_large_damaged_picture_is_refused_too(tmp_path: Path) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (2000, 3000, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "large.jpg")
    whole = (tmp_path / "large.jpg").read_bytes()
    (tmp_path / "large.jpg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MediaError, match=r"large\.jpg is damaged or cut short"):
        read_image(tmp_path / "large.jpg")


def png_header(width: int, height: int) -> bytes:
    import zlib

    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"")
    chunks = [
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in (body, data)
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "does not exist"),
        ("folder", "is a folder"),
        (b"", "is empty"),
        (b"hello, this is text", "is not an image"),
        (b"\x89PNG\r\n\x1a\n", "cannot be read as an image|is not an image"),
        (png_header(12_000, 9_000), "12000x9000 pixels; the limit is 50 megapixels"),
        (png_header(60_000, 60_000), "limit is 50 megapixels"),
        (png_header(300, 200), "damaged or cut short"),
    ],
)
def test_bad_pictures_get_one_clear_sentence(tmp_path: Path, content: bytes | str | None, says: str) -> None:
    check_refused(read_image, tmp_path / "bad.png", content, says)


def test_a_truncated_png_is_refused(tmp_path: Path) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "cut.png")
    whole = (tmp_path / "cut.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(MediaError, match=r"cut\.png is damaged or cut short"):
        read_image(tmp_path / "cut.png")
