"""`just train`: which stages run, and where they write."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from models.train import all as train
from models.train.pack import PACK


def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *arguments: str) -> list[list[str]]:
    """The commands that a run in an empty checkout would start."""
    commands: list[list[str]] = []

    def run(command: list[str], *_: object) -> int:
        commands.append(command[2:])
        return 0

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(train, "run_to_its_end", run)
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


def test_what_is_trained_goes_into_the_pack_and_the_demo_is_drawn_for_that_pack(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for quick in ([], ["--quick"]):
        *trainings, pack, exits, demo = started(monkeypatch, tmp_path, "--out", "mine", *quick)
        assert pack[0] == "models.train.pack" and pack[-2:] == ["--out", "mine"]
        assert exits[:3] == ["models.train.recall.train", "--pack", "mine"]
        assert demo[0] == "models.train.demo_assets" and demo[-2:] == ["--pack", "mine"]
        written = {argument for _, *arguments in trainings for argument in arguments}
        assert set(pack[2:-2:2]) <= written


def test_reflex_alone_takes_its_own_arguments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (only,) = started(monkeypatch, tmp_path, "reflex", "--data", "DIR", "--out", "OUT")
    assert only == ["models.train.reflex.train", "--eye", str(PACK), "--data", "DIR", "--out", "OUT"]
    for own in (["--eye", "mine"], ["--eye=mine"]):
        (told,) = started(monkeypatch, tmp_path, "reflex", *own, "--out", "OUT")
        parser = argparse.ArgumentParser()
        parser.add_argument("--eye")
        assert parser.parse_known_args(told)[0].eye == "mine"
    assert started(monkeypatch, tmp_path, "--dry-run", "reflex", "--out", "OUT") == []
    assert "models.train.reflex.train" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        started(monkeypatch, tmp_path, "reflexes")


def test_what_is_refused_without_pytorch_is_refused_by_a_dry_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`just` looks by a dry run before it makes the environment with PyTorch."""
    assert started(monkeypatch, tmp_path, "reflex", "--dry-run", "--out", "OUT") == []
    assert "--dry-run" not in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["train", "--dry-run", "reflex", "--data", "nowhere", "--out", "OUT"])
    assert train.main() == 2
    assert capsys.readouterr().err.startswith("nowhere holds neither VQAv2 ")
    with pytest.raises(SystemExit):
        started(monkeypatch, tmp_path, "--dry-run", "reflex")
    assert "--out" in capsys.readouterr().err
    (chooses,) = started(monkeypatch, tmp_path, "recall", "--days", "2")
    assert started(monkeypatch, tmp_path, "recall", "--dry-run", "--days", "2") == []
    assert chooses == ["models.train.recall.train", "--days", "2"]


def test_options_before_the_name_of_a_training_are_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in (["--quick", "recall"], ["--out", "mine", "reflex", "--data", "DIR"]):
        with pytest.raises(SystemExit):
            started(monkeypatch, tmp_path, *options)
        assert "come after that word: just train re" in capsys.readouterr().err


def test_recall_alone_heals_from_pictures_or_chooses_depths(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (heals,) = started(monkeypatch, tmp_path, "recall", "--pictures", "DIR", "--out", "PACK")
    assert heals == ["models.train.recall.heal", "--pictures", "DIR", "--out", "PACK"]
    (looks,) = started(monkeypatch, tmp_path, "--dry-run", "recall", "--pictures=DIR")
    assert looks == ["models.train.recall.heal", "--pictures=DIR", "--dry-run"]
    (chooses,) = started(monkeypatch, tmp_path, "recall", "--days", "2")
    assert chooses == ["models.train.recall.train", "--days", "2"]
    assert started(monkeypatch, tmp_path, "--dry-run", "recall", "--days", "2") == []
    assert "models.train.recall.train --days 2" in capsys.readouterr().out
    (says,) = started(monkeypatch, tmp_path, "recall", "--help")
    assert says == ["models.train.recall.heal", "--help"]
