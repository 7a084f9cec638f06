"""Trainings that SIGTERM or Ctrl-C ends: what they started ends too, and one sentence says how to go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from models.train import all as train_all
from models.train.stopping import helper, run_to_its_end, stopping

_TELLS_THAT_IT_ENDS = """
import pathlib, signal, sys, time
def end(number, _):
    pathlib.Path(sys.argv[1]).write_text(str(number))
    sys.exit(128 + number)
signal.signal(signal.SIGTERM, end)
pathlib.Path(sys.argv[2]).touch()
time.sleep(20)
"""
_RUNS_ONE = """
import sys
from models.train.stopping import run_to_its_end
sys.exit(run_to_its_end([sys.executable, "-c", *sys.argv[1:]]))
"""


def _waited_for(path: Path) -> None:
    deadline_s = time.monotonic() + 15
    while not path.exists() and time.monotonic() < deadline_s:
        time.sleep(0.02)
    assert path.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_can_be_given_up_ends_at_once(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> str:
        try:
            os.kill(os.getpid(), number)
            time.sleep(10)
        except Exception:
            return "A training that catches errors goes on."
        return "The signal was only noted."

    with stopping() as stop:
        assert stop.unless(lambda: "made") == "made"
        assert stop.unless(work) is None
        assert stop.unless(lambda: "made after all") is None
    assert stop.ended("Stopped after step 3.").code == 128 + number
    assert capsys.readouterr().err == "Stopped after step 3.\n"


def test_sigterm_is_handed_on_to_the_training(tmp_path: Path) -> None:
    """The program that was asked for ends with it, and not before it."""
    ended, begun = tmp_path / "ended", tmp_path / "begun"
    command = [sys.executable, "-c", _RUNS_ONE, _TELLS_THAT_IT_ENDS, str(ended), str(begun)]
    running = subprocess.Popen(command)
    _waited_for(begun)
    running.terminate()
    assert running.wait(15) == 143
    assert ended.read_text() == str(int(signal.SIGTERM))


def test_the_status_is_the_trainings() -> None:
    assert run_to_its_end([sys.executable, "-c", "raise SystemExit(2)"]) == 2
    died = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    assert (
        run_to_its_end([sys.executable, "-c", f"import signal; signal.signal(2, signal.SIG_DFL); {died}"])
        == 130
    )


@pytest.mark.parametrize(("status", "said"), [(143, "was stopped"), (130, "was stopped"), (3, "failed")])
def test_a_stage_that_was_stopped_has_not_failed(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    status: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(train_all, "run_to_its_end", lambda *_: status)
    monkeypatch.setattr(sys, "argv", ["train"])
    assert train_all.main() == (1 if status == 3 else status)
    assert f"models.train.recogniser.train {said}; what it finished is kept" in capsys.readouterr().err


def test_ctrl_c_does_not_reach_a_helper() -> None:
    said = "import signal; raise SystemExit(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    before = signal.getsignal(signal.SIGINT)
    assert helper([sys.executable, "-c", said]).wait(15) == 1
    assert signal.getsignal(signal.SIGINT) is before
