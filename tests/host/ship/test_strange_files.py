"""What lies where a deploy works and is not of a deploy, and a disk that takes nothing more at the worst
moment.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from host.ship.running import DeployRefused
from host.ship.target.supervise import SERVICE
from tests.host.ship import in_process


def test_what_no_deploy_made_is_left_in_peace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process.replace_programs(monkeypatch)
    board = tmp_path / "board"
    in_process.deploy(board, in_process.checkout(tmp_path, "one", "venv"))
    opt = board / "opt/headband"
    files = [opt / "releases/notes.txt", opt / "half a download.part", opt / "venvs/list.part"]
    for file in files:
        file.write_text("mine")
    link = opt / "venvs/old"
    link.symlink_to("/nowhere")
    for name in ("two", "three"):
        release = in_process.checkout(tmp_path, name, "venv")
        in_process.deploy(board, release)
        assert in_process.current(board) == release.name
    assert all(file.read_text() == "mine" for file in files) and link.is_symlink()
    assert len([each for each in (opt / "releases").iterdir() if each.is_dir()]) == 2, "the first is deleted"


def test_a_release_that_can_not_be_made_current_does_not_stay_on_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    class Systemd(in_process.Systemd):
        def start(self, unit: str) -> str:
            runs.append(unit)
            return ""

        restart = start

    in_process.replace_programs(monkeypatch, Systemd)
    board, one = tmp_path / "board", in_process.checkout(tmp_path, "one", "venv")
    in_process.deploy(board, one)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "boot.json")

    monkeypatch.setattr("host.ship.target.trial.write_count", full)
    runs.clear()
    two = in_process.checkout(tmp_path, "two", "venv")
    with pytest.raises(DeployRefused, match=r"can't write \(No space left on device\)"):
        in_process.deploy(board, two)
    assert in_process.current(board) == one.name
    assert [each == SERVICE for each in runs] == [False, True], "the trial, and again what ran before"
