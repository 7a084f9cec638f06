"""Healing that Ctrl-C or SIGTERM ends, and a cache that was damaged."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from PIL import Image

from models.pack.catalogue import find_pack, load_pack
from models.train.recall import train as depths
from models.train.recall.heal import __main__ as healing
from models.train.recall.heal.pictures import Picture
from models.train.recall.heal.refusal import CannotHeal


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_is_one_sentence(
    number: signal.Signals,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def work(*_: object) -> None:
        os.kill(os.getpid(), number)
        time.sleep(10)

    monkeypatch.setattr(healing, "_status", work)
    assert healing.main(["--pictures", str(tmp_path)]) == 128 + number
    assert capsys.readouterr().err == "Stopped; no pack is written.\n"
    monkeypatch.setattr(depths, "days_of", work)
    monkeypatch.setattr(depths, "put_into", None)
    assert depths.main([]) == 128 + number
    assert capsys.readouterr().err == "Stopped; the pack is as it was.\n"


def test_encoded_pictures_that_are_damaged_are_told(tmp_path: Path) -> None:
    pack = load_pack(find_pack("micro"))
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    given = [Picture("2026-03-01 14:05:09", tmp_path / "a.png")]
    healing.encoded(pack, given, tmp_path / "cache")
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(CannotHeal, match=r"\.npy can't be read .*; remove it"):
        healing.encoded(pack, given, tmp_path / "cache")
