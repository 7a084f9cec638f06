"""The program that decodes a camera's compressed frames."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import PIL.Image as Pillow
import pytest

from hw.audio import decode_image
from hw.linux import jpeg_decoder
from hw.linux.jpeg_decoder import JpegDecoder, UndecodableFrame


def jpeg(width: int = 64, height: int = 48, level: int = 200) -> bytes:
    file = io.BytesIO()
    Pillow.new("RGB", (width, height), (level, level, level)).save(file, "JPEG")
    return file.getvalue()


@pytest.fixture
def decoder() -> Iterator[JpegDecoder]:
    made = JpegDecoder()
    yield made
    made.close()


def pid(decoder: JpegDecoder) -> int:
    """Of its program."""
    assert decoder._program is not None
    return decoder._program.pid


def test_frames_are_decoded_by_one_program(decoder: JpegDecoder) -> None:
    decoder.warm()
    first = pid(decoder)
    for level in (10, 200):
        picture = decoder.decode(jpeg(level=level), 64)
        assert picture.shape == (48, 64, 3) and abs(int(picture.mean()) - level) <= 2
        assert picture.dtype == np.uint8 and picture.flags.writeable
    assert decoder.decode(jpeg(1280, 960), 640).shape == (480, 640, 3)
    assert pid(decoder) == first


def test_a_damaged_frame_costs_that_frame_only(decoder: JpegDecoder) -> None:
    decoder.warm()
    first = pid(decoder)
    for bad in (b"", b"no picture", jpeg()[:300]):
        with pytest.raises(UndecodableFrame):
            decoder.decode(bad, 64)
    assert decoder.decode(jpeg(), 64).shape == (48, 64, 3) and pid(decoder) == first


def test_a_program_that_was_killed_is_started_again(decoder: JpegDecoder) -> None:
    decoder.decode(jpeg(), 64)
    first = pid(decoder)
    os.kill(first, 9)
    assert decoder.decode(jpeg(), 64).shape == (48, 64, 3) and pid(decoder) != first


def test_a_program_that_gives_no_answer_is_given_up(
    decoder: JpegDecoder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text("import sys\nsys.stdin.read()\n")
    monkeypatch.setattr(jpeg_decoder, "_TIMEOUT_S", 0.2)
    monkeypatch.setattr(jpeg_decoder, "_PROGRAM", silent)
    with pytest.raises(UndecodableFrame):
        decoder.decode(jpeg(), 64)
    assert decoder._program is None


def test_it_ends_by_itself_and_with_its_camera() -> None:
    idle = JpegDecoder(idle_s=0.2)
    idle.decode(jpeg(), 64)
    program = idle._program
    assert program is not None and program.wait(5.0) == 0
    assert idle.decode(jpeg(), 64).shape == (48, 64, 3)
    again = idle._program
    idle.close()
    idle.close()
    assert again is not None and again.poll() is not None


def test_it_ends_when_nobody_asks_any_more() -> None:
    command = [sys.executable, "-I", str(jpeg_decoder._PROGRAM), "--frames", "60"]
    for given in (b"", b"\x01", jpeg_decoder.ASKED.pack(100, 64) + b"half"):
        began_s = time.monotonic()
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert time.monotonic() - began_s < 30


def test_both_sides_agree_on_what_is_sent() -> None:
    assert jpeg_decoder.ASKED.format == decode_image.ASKED.format
    assert jpeg_decoder.TOLD.format == decode_image.TOLD.format
