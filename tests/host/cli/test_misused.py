"""Options that mean nothing together or here, files that nobody writes, and too few of them: one sentence."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path
from typing import Any

import pytest

from host.app.narrator import Narrator
from host.cli.main import main
from host.system import open_files
from tests.demo_files import COLOUR, DEMO
from tests.host.cli.test_cli import refusal

QUESTION = str(DEMO / COLOUR[0])


def test_a_diagram_is_no_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--json: not allowed" in refusal(["status", "--diagram", "--json"], capsys)


@pytest.mark.parametrize("command", ["ask", "status", "doctor"])
@pytest.mark.parametrize("percent", ["0", "5"])
def test_a_real_board_has_its_own_battery(
    command: str, percent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal([command, "--board", "laptop", "--battery", percent], capsys)
    assert said == "--battery is for the emulated board; laptop has real devices."


def test_a_real_board_speaks_and_writes_no_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "answer.wav"
    said = refusal(["ask", "--board", "laptop", "--out", str(out)], capsys)
    assert said == "--out is for the emulated board; laptop has real devices."


def test_a_named_pipe_is_no_settings_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "headband.toml"
    os.mkfifo(pipe)
    assert f"{pipe} is a pipe" in refusal(["status", "--config", str(pipe)], capsys)


def test_settings_come_through_a_pipe_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs = os.pipe()
    try:
        os.write(theirs, b'[wake]\nword = "alexa"\n')
        os.close(theirs)
        assert main(["status", "--config", f"/dev/fd/{ours}"]) == 0
    finally:
        os.close(ours)
    assert "wake word  alexa" in capsys.readouterr().out


def test_too_few_files_at_once_are_said_before_the_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = [(30, 30), (30, 4096)]
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[0])
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: raised.append(limit))
    monkeypatch.setattr("host.cli.main.disable_core_dumps", lambda: None)
    assert main(["ask", "--audio", QUESTION]) == 1
    said = capsys.readouterr()
    assert said.out == "" and "30 files open at once" in said.err and said.err.count("\n") == 1
    del limits[0]
    open_files.allow_open_files()
    assert raised == [(open_files.NEEDED, 4096)], "a limit that may be raised is raised"


def test_a_day_that_is_stopped_leaves_its_trace_and_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Narrator.observe

    def stop(self: Narrator, event: str, fields: dict[str, Any]) -> None:
        told(self, event, fields)
        if event == "listening":
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Narrator, "observe", stop)
    out, trace = tmp_path / "out", tmp_path / "trace.json"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job has none
    try:
        words = ["run", "--script", str(DEMO / "demo.toml"), "--out", str(out), "--trace", str(trace)]
        assert main(words) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    written = [each.stat() for each in (trace, out / "trace.json", out / "timeline.svg")]
    assert all(each.st_size > 0 and each.st_mode & 0o077 == 0 for each in written)
    assert f"In {out}:" in capsys.readouterr().out
