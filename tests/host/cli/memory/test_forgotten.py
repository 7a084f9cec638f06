"""`headband memory forget`, and what is too old."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from host.cli.memory.actions import FORGOTTEN, RUNS
from host.cli.memory.opened import NOTHING
from host.memory.key import DATABASE, DESTROYED
from host.wearer.recording_request import RecordingRequests
from tests.host.cli.memory.command import memory


def test_forgetting_by_number_and_time(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert memory(state, "forget", "2") == 0
    assert memory(state, "forget", "2") == 2 and memory(state, "forget") == 2
    assert memory(state, "forget", "--last", "90m") == 0
    assert capsys.readouterr().out == "Forgotten: 1 view.\nForgotten: 1 view.\n"
    memory(state, "status", "--json")
    assert json.loads(capsys.readouterr().out)["memory"]["views"] == 1


def test_what_is_too_old_is_gone_when_a_person_looks(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    (state.parent / "headband.toml").open("a").write("[memory]\nretention_days = 0.06\n")
    assert memory(state, "status", "--json") == 0
    assert json.loads(capsys.readouterr().out)["memory"]["views"] == 2


def test_forgetting_everything_destroys_the_key_too(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    requests = RecordingRequests(state / "kept.lock")
    requests.open()
    assert memory(state, "forget", "--all") == 1
    assert capsys.readouterr().err == f"{RUNS}\n" and (state / DATABASE).exists()
    requests.close()
    assert memory(state, "forget", "--all") == 0
    assert capsys.readouterr().out == f"{FORGOTTEN}\n"
    assert {path.name for path in state.iterdir()} == {"kept.lock"}


def test_a_key_that_can_be_overwritten_and_not_removed_is_destroyed(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as folder:
        folder.setattr(Path, "unlink", refused)
        assert memory(state, "forget", "--all") == 1
    assert capsys.readouterr().err.startswith(DESTROYED)
    assert memory(state, "status") == 1
    assert memory(state, "forget", "--all") == 0
    assert capsys.readouterr().out == f"{FORGOTTEN}\n"


def test_where_nothing_is_remembered_nothing_is_said_to_be_forgotten(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert memory(state, "forget", "--all") == 0
    assert capsys.readouterr().out == f"{NOTHING}\n"
    (state / "memory.key").write_bytes(b"damaged")
    assert memory(state, "forget", "--all") == 0
    assert capsys.readouterr().out == f"{FORGOTTEN}\n" and list(state.iterdir()) == []
