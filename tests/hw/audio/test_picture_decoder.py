"""The process that decodes a picture, and what can end it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from PIL import Image

from hw.audio import sound_and_picture_files as media
from hw.audio.sound_and_picture_files import MediaError, read_image


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV])
def test_a_picture_is_decoded_again_when_an_interruption_ended_its_decoder(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interruption of the process group can arrive before the decoder has a group of its own. A crash is
    the picture's fault, and is said.
    """
    Image.new("RGB", (30, 20), "red").save(tmp_path / "view.png")
    decoder = tmp_path / "decoder.py"
    decoder.write_text(
        f"""
import os, pathlib, runpy, signal
mark = pathlib.Path({str(tmp_path / "mark")!r})
if not mark.exists():
    mark.touch()
    signal.signal({int(number)}, signal.SIG_DFL)
    os.kill(os.getpid(), {int(number)})
runpy.run_path({str(media._DECODER)!r}, run_name="__main__")
"""
    )
    monkeypatch.setattr(media, "_DECODER", decoder)
    if number == signal.SIGSEGV:
        with pytest.raises(MediaError, match=r"view\.png could not be decoded\.$"):
            read_image(tmp_path / "view.png")
    else:
        assert read_image(tmp_path / "view.png").shape == (20, 30, 3)
