"""`just train`: which stages run, and where they write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from models.train import all as train

ROOT = Path(__file__).parents[3]


def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *arguments: str) -> list[list[str]]:
    """The commands that a run in an empty checkout would start."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        commands.append(command[2:])
        return SimpleNamespace(returncode=0)

    (tmp_path / train.PACK).mkdir(parents=True, exist_ok=True)
    (tmp_path / train.PACK / "pack.toml").write_text((ROOT / train.PACK / "pack.toml").read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["train", *arguments])
    assert train.main() == 0
    return commands


def test_a_quick_run_writes_nowhere_but_in_its_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = str(train.CACHE / "quick")
    for _ in range(2):  # also over an earlier one
        for module, *arguments in started(monkeypatch, tmp_path, "--quick"):
            places = [each for each in arguments if "/" in each]
            assert places and all(place.startswith(f"{cache}/") for place in places), module
    assert f"the pack is {cache}/pack" in capsys.readouterr().out


def test_a_folder_of_ones_own_is_made_with_its_manifest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for quick in ([], ["--quick"]):
        *_, seal = started(monkeypatch, tmp_path, "--out", "mine", *quick)
        assert seal == ["models.pack.catalogue", "seal", "mine"]
        assert (tmp_path / "mine" / "pack.toml").is_file()
