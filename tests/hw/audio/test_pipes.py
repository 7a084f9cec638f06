"""Recordings and pictures that come through a pipe or standard input."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import soundfile
from PIL import Image

from hw.audio import sound_and_picture_files as media
from hw.audio.sound_and_picture_files import MediaError, read_image, read_wav
from hw.device import MICROPHONE_RATE_HZ
from tests.hw.audio.media_files import assert_is_the_tone, tone


def piped(data: bytes) -> tuple[Path, threading.Thread]:
    """A pipe, by its name in /dev/fd, and the thread that writes to it."""
    read, write = os.pipe()

    def feed() -> None:
        with open(write, "wb") as pipe, contextlib.suppress(BrokenPipeError):
            pipe.write(data)

    thread = threading.Thread(target=feed)
    thread.start()
    return Path(f"/dev/fd/{read}"), thread


@pytest.fixture
def standard_input() -> Iterator[Callable[[Path], None]]:
    """Replaces standard input."""
    before = os.dup(0)

    def put(path: Path) -> None:
        os.dup2(os.open(path, os.O_RDONLY), 0)

    yield put
    os.dup2(before, 0)
    os.close(before)


@pytest.mark.parametrize("kind", [("PCM_16", MICROPHONE_RATE_HZ), ("FLOAT", 48_000)])
def test_sound_and_picture_come_through_a_pipe(
    tmp_path: Path, kind: tuple[str, int], standard_input: Callable[[Path], None]
) -> None:
    soundfile.write(tmp_path / "tone.wav", tone(kind[1]), kind[1], subtype=kind[0])
    path, thread = piped((tmp_path / "tone.wav").read_bytes())
    assert_is_the_tone(read_wav(path))
    thread.join()
    Image.new("RGB", (40, 30), "red").save(tmp_path / "red.png")
    path, thread = piped((tmp_path / "red.png").read_bytes())
    assert (read_image(path) == (255, 0, 0)).all()
    thread.join()
    path, thread = piped((tmp_path / "tone.wav").read_bytes())
    standard_input(path)
    assert_is_the_tone(read_wav("-"))
    thread.join()
    standard_input(tmp_path / "red.png")
    assert read_image("-").shape == (30, 40, 3)


@pytest.mark.parametrize(
    ("data", "says"), [(b"", "is empty"), (b"hello, this is text", "is not a WAV"), (b"R" * 300, "more than")]
)
def test_a_bad_pipe_gets_one_clear_sentence(data: bytes, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "MAX_PIPE_BYTES", 200)
    path, thread = piped(data)
    with pytest.raises(MediaError, match=says):
        read_wav(path)
    thread.join()


@pytest.mark.parametrize("read", [read_wav, read_image])
def test_a_pipe_into_which_nobody_writes_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object]
) -> None:
    monkeypatch.setattr(media, "NOBODY_S", 0.1)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MediaError, match=r"^Nobody has written into the pipe .*/pipe within 0 seconds\.$"):
        read(tmp_path / "pipe")


def test_somebody_who_has_a_pipe_open_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "NOBODY_S", 0.05)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    soundfile.write(tmp_path / "tone.wav", tone(MICROPHONE_RATE_HZ), MICROPHONE_RATE_HZ)
    whole = (tmp_path / "tone.wav").read_bytes()
    held = os.open(pipe, os.O_RDWR)

    def feed() -> None:
        with open(held, "wb") as writer:
            time.sleep(0.3)
            writer.write(whole[:1000])
            writer.flush()
            time.sleep(0.3)
            writer.write(whole[1000:])

    thread = threading.Thread(target=feed)
    thread.start()
    assert_is_the_tone(read_wav(pipe))
    thread.join()
