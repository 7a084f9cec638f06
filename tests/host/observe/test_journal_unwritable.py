"""A journal on a full disk, and numbers that JSON lacks."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from host.answers.timers import Now
from host.app.headband import Headband
from host.cli.main import main
from host.config import Config, JournalConfig
from host.observe.journal import Journal
from host.session.as_json import step_fields
from host.session.events import Started
from host.session.state import State
from host.session.step import step
from host.session.values import Options, PlanRules, WearerSettings
from host.terminal.usage import print_json
from hw.emulated.board import emulated_board
from hw.emulated.clock import FakeClock
from models.pack.catalogue import load_pack


def strict(text: str) -> object:
    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def test_a_full_disk_is_told_once_and_the_next_line_says_how_many_are_missing(tmp_path: Path) -> None:
    path, told = tmp_path / "journal.jsonl", list[str]()
    path.symlink_to("/dev/full")
    journal = Journal(path, FakeClock())
    journal.report = told.append
    for _ in range(3):
        journal.write("heard")
    assert told == [f"The journal {path} cannot be written: No space left on device."]
    path.unlink()
    journal.write("plan", mode="cascade")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["gap", "plan"] and lines[0]["lost"] == 3
    assert journal.problem is None and len(told) == 1


def test_a_headband_tells_it_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal.jsonl"
    path.symlink_to("/dev/full")
    config = Config(journal=JournalConfig(path=str(path)))
    headband = Headband(emulated_board(sound_card=False), load_pack("micro"), config)
    for _ in range(2):
        headband.journal.write("heard")
    out, err = capsys.readouterr()
    assert out == "" and err == (
        f"The journal {path} cannot be written: No space left on device. The headband goes on without it.\n"
    )


def test_numbers_that_json_lacks_are_null_in_the_journal_and_in_every_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path, FakeClock()).write("turn", mwh=math.nan, waits=(1.5, -math.inf))
    line = strict(path.read_text())
    assert isinstance(line, dict) and line["mwh"] is None and line["waits"] == [1.5, None]
    print_json({"a": [math.nan, {"b": math.inf}], "c": 1.0})
    assert strict(capsys.readouterr().out) == {"a": [None, {"b": None}], "c": 1.0}


def test_a_journal_with_nan_is_replayed_as_valid_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Journals of earlier versions have NaN."""
    path, state = tmp_path / "journal.jsonl", State()
    event = Started(Options(), WearerSettings(), PlanRules(1), at=Now(1.0, math.nan))
    _, actions = step(state, event)
    line = {"t": 1.0, "mono_s": 1.0, "event": "step", **step_fields(event, actions)}
    path.write_text(json.dumps(line) + "\n")
    assert "NaN" in path.read_text()
    assert main(["replay", str(path), "--json", "--show"]) == 0
    told = strict(capsys.readouterr().out)
    assert isinstance(told, dict) and told["runs"][0]["began_s"] is None
