"""`python -m models.process.brick_cost`: what it says of a pack that can't be used, and where it writes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from models.pack.catalogue import seal
from models.process import brick_cost


def test_a_pack_whose_model_cannot_be_loaded_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "stt.bin").write_bytes(b"no model")
    (folder / "pack.toml").write_text(
        'name = "broken"\n[[file]]\npath = "stt.bin"\n'
        '[brick.stt]\nruntime = "whisper.cpp"\nmemory_mib = 1\nfiles = { model = "stt.bin" }\n'
    )
    seal(folder)
    assert brick_cost.main([str(folder)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("The stt brick failed at load: ") and said.count("\n") == 1


def test_what_an_eye_takes_is_not_written_into_another_bricks_table(tmp_path: Path) -> None:
    manifest = tmp_path / "pack.toml"
    manifest.write_text(
        "[brick.vision]\nmemory_mib = 1\n[brick.vision.settings]\ntokens = 4\n"
        "[brick.recall]\nmemory_mib = 2\n[brick.recall.settings]\nstreamed_mib = 3\n"
    )
    pack = SimpleNamespace(root=tmp_path)
    brick_cost.declare(pack, {brick_cost.STREAMED: {"own_mib": 100.0}, "vision": {"own_mib": 10.0}})  # type: ignore[arg-type]
    bricks = tomllib.loads(manifest.read_text())["brick"]
    assert bricks["recall"] == {"memory_mib": 2, "settings": {"streamed_mib": 3}}
    assert bricks["vision"] == {"memory_mib": 11, "settings": {"tokens": 4}}
