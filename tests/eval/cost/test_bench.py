from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from host.cli.main import main as headband
from tests.eval.cost.__main__ import start_up

ROOT = Path(__file__).parents[3]


def test_the_start_is_timed_whatever_this_persons_headband_is_set_to_and_without_a_trace_in_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert headband(["recording", "off"]) == 0
    kept = tmp_path / ".local/state/headband"
    before = sorted(each.name for each in kept.iterdir())
    start_up(1)
    assert "launch to listening: " in capsys.readouterr().out
    assert sorted(each.name for each in kept.iterdir()) == before


@pytest.mark.parametrize("module", ["tests.eval.cost", "tests.eval.cost.latency", "tests.eval.soak"])
def test_a_pack_that_is_not_here_is_told_in_a_sentence_before_anything_is_measured(module: str) -> None:
    command = [sys.executable, "-m", module, "--pack", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert "argument --pack: There is no model pack 'nowhere'; known packs: " in done.stderr
    assert done.stdout == "" and "Traceback" not in done.stderr


def test_a_soak_in_an_unknown_mode_names_those_that_there_are() -> None:
    command = [sys.executable, "-m", "tests.eval.soak", "--mode", "cut-off"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2 and "'performance', 'throttled', 'cascade'" in done.stderr
