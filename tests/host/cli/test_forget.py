"""`headband forget --logs`, and who may read what is kept."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from host.cli.forget import RUNS
from host.cli.main import main
from host.observe.journal import MAX_AGE_S, Journal, rotated
from host.observe.trace import write_trace
from host.wearer.recording_request import RecordingRequests
from host.wearer.saved_settings import save_recording
from hw.emulated.clock import FakeClock
from hw.emulated.speaker import WavSpeaker

LOGS = ("journal.jsonl", "journal.old.jsonl", "energy.json", "energy.bad.json", "energy.json.77.new")
OTHERS = ("energy.txt", "kept.json")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A folder with logs and settings."""
    folder = tmp_path / "state"
    folder.mkdir()
    for name in (*LOGS, *OTHERS):
        (folder / name).write_text("{}")
    (tmp_path / "headband.toml").write_text(f'[journal]\npath = "{folder}/journal.jsonl"\n')
    return folder


def forget(state: Path, *arguments: str) -> int:
    return main(["forget", "--config", str(state.parent / "headband.toml"), *arguments])


def test_the_logs_go_and_everything_else_stays(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert forget(state, "--logs") == 0
    assert {path.name for path in state.iterdir()} == set(OTHERS)
    told = capsys.readouterr().out
    assert all(name in told for name in LOGS) and str(state) in told
    assert forget(state, "--logs") == 0
    assert capsys.readouterr().out == "There are no logs.\n"


def test_what_to_forget_has_to_be_said(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert forget(state) == 2
    assert capsys.readouterr().err == "Say what to forget: --logs.\n"
    assert len(list(state.iterdir())) == len(LOGS + OTHERS)


def test_a_headband_that_runs_has_to_be_ended_first(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    requests = RecordingRequests(state / "kept.lock")
    requests.open()
    try:
        assert forget(state, "--logs") == 1
        assert capsys.readouterr().err == f"{RUNS}\n"
        assert (state / "energy.json").exists()
    finally:
        requests.close()


def test_a_journal_in_memory_only_leaves_nothing_to_forget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "headband.toml").write_text('[journal]\npath = ""\n')
    assert main(["forget", "--logs", "--config", str(tmp_path / "headband.toml")]) == 0
    assert capsys.readouterr().out == "There are no logs.\n"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_only_the_owner_may_read_what_is_kept_and_said(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Journal(tmp_path / "journal.jsonl", FakeClock()).write("turn")
        save_recording(tmp_path / "kept.json", False)
        speaker = WavSpeaker(FakeClock(), tmp_path / "answer.wav")
        speaker._begun(tmp_path / "answer.wav", 16_000).close()
        write_trace([], tmp_path / "trace.json")
    finally:
        os.umask(before)
    files = list(tmp_path.iterdir())
    assert len(files) == 4 and {mode(file) for file in files} == {0o600}


def test_a_journal_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text("{}\n")
    path.chmod(0o644)
    Journal(path, FakeClock()).write("turn")
    assert mode(path) == 0o600


def test_nothing_is_in_the_journal_for_longer_than_its_age(tmp_path: Path) -> None:
    path, clock = tmp_path / "journal.jsonl", FakeClock()

    def times() -> list[float]:
        files = [file for file in (rotated(path), path) if file.exists()]
        return [json.loads(line)["t"] for file in files for line in file.read_text().splitlines()]

    for _ in range(60):
        journal = Journal(path, clock)  # a headband is started anew now and then
        journal.write("wake")
        os.utime(path, (clock.time(), clock.time()))
        assert clock.time() - min(times()) <= 2 * MAX_AGE_S
        clock = FakeClock(epoch_s=clock.time() + 0.7 * 86_400)
    assert len(times()) >= MAX_AGE_S / (0.7 * 86_400)


def test_a_clock_that_is_put_back_removes_nothing(tmp_path: Path) -> None:
    path, clock = tmp_path / "journal.jsonl", FakeClock()
    path.write_text(json.dumps({"t": clock.time() + 10 * MAX_AGE_S, "event": "wake"}) + "\n")
    rotated(path).write_text("{}\n")
    Journal(path, clock).write("wake")
    assert len(path.read_text().splitlines()) == 2 and rotated(path).exists()
