"""Pictures of the memory that `headband memory` writes elsewhere: `show --out`, `export` and `report`."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from host.memory.key import CODE, DATABASE
from models.atomic_file import write_whole
from tests.host.cli.memory.command import memory

Capture = pytest.CaptureFixture[str]


def test_a_report_without_words_has_no_use_for_a_pack(
    state: Path, remembered: list[bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    assert memory(state, "report", str(out), "--pack", "nope") == 2
    assert capsys.readouterr().err == "--pack places the words of --query: give both, or neither.\n"
    assert memory(state, "report", str(out), "--pack", "nope", "--query", "keys") == 2
    assert "no model pack 'nope'" in capsys.readouterr().err and not out.exists()


def test_a_picture_goes_into_a_pipe_and_through_a_link(
    state: Path, remembered: list[bytes], tmp_path: Path
) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link.jpg"
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "elsewhere.jpg")
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_bytes)
        assert memory(state, "show", "3", "--out", str(pipe)) == 0
        assert read.result() == remembered[2]
    assert pipe.is_fifo()
    assert memory(state, "show", "3", "--out", str(link)) == 0
    assert link.is_symlink() and (tmp_path / "elsewhere.jpg").read_bytes() == remembered[2]


@pytest.mark.parametrize("name", [DATABASE, CODE, "memory.keeper", "memory.key"])
def test_nothing_is_saved_over_the_memory_itself(
    state: Path, remembered: list[bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    whole = (state / name).read_bytes()
    (tmp_path / "link").symlink_to(state / name)
    for action in (["show", "3", "--out"], ["report"]):
        for out in (state / name, tmp_path / "link"):
            assert memory(state, *action, str(out)) == 2
            assert "this command reads; name another" in capsys.readouterr().err
    assert (state / name).read_bytes() == whole and memory(state, "verify") == 0


def test_export_and_report_hold_the_pictures(
    state: Path, remembered: list[bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert memory(state, "export", str(out)) == 0
    assert "not sealed" in capsys.readouterr().out
    assert [path.read_bytes() for path in sorted(out.glob("*.jpg"))] == remembered
    assert [each["name"] for each in json.loads((out / "views.json").read_text())] == ["", "", "parking"]
    assert memory(state, "export", str(out)) == 2
    assert memory(state, "export", "x" * 300) == 2
    assert memory(state, "report", str(tmp_path / "page.html")) == 0
    page = (tmp_path / "page.html").read_text()
    assert page.count("data:image/jpeg;base64,") == 3 and "kept parking" in page and "http" not in page
    with sqlite3.connect(state / DATABASE) as plain:
        plain.execute("UPDATE pictures SET jpeg = zeroblob(90) WHERE view = 1")
    plain.close()
    assert memory(state, "report", str(tmp_path / "page.html")) == 0
    assert "The picture of view 1 is damaged." in (tmp_path / "page.html").read_text()
    with sqlite3.connect(state / DATABASE) as plain:
        plain.execute("DELETE FROM pictures WHERE view = 2")
    plain.close()
    capsys.readouterr()
    assert memory(state, "export", str(tmp_path / "rest")) == 1
    problems = "The picture of view 1 is damaged.\nView 2 has no picture any more.\n"
    assert capsys.readouterr().err == problems
    assert memory(state, "verify") == 1


def test_an_export_that_is_ended_leaves_what_another_program_saved_there(
    state: Path, remembered: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def interrupted(path: Path, content: bytes, mode: int) -> None:
        if path.name == "000002.jpg":
            (out / "notes.txt").write_text("mine")
            raise KeyboardInterrupt
        write_whole(path, content, mode)

    monkeypatch.setattr("host.cli.memory.unsealed.write_whole", interrupted)
    assert memory(state, "export", str(out)) == 130
    assert [each.name for each in out.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("there", [True, False])
def test_an_export_that_is_ended_leaves_no_unsealed_picture(
    state: Path, remembered: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    def interrupted(path: Path, content: bytes, mode: int) -> None:
        if path.name == "000002.jpg":
            raise KeyboardInterrupt
        write_whole(path, content, mode)

    out = tmp_path / "out"
    if there:
        out.mkdir()
    monkeypatch.setattr("host.cli.memory.unsealed.write_whole", interrupted)
    assert memory(state, "export", str(out)) == 130
    assert out.exists() == there and not list(out.glob("*"))


@pytest.mark.parametrize("action", [["show", "3", "--out"], ["report"], ["export"]])
def test_a_full_disk_is_told_with_the_name_of_what_was_to_be_saved(
    state: Path,
    remembered: list[bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    action: list[str],
) -> None:
    out = tmp_path / "out"

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert memory(state, *action, str(out)) == 1
    said = capsys.readouterr().err
    assert said.startswith(str(out)) and said.endswith(" cannot be used (No space left on device).\n")
    assert said.count("\n") == 1 and not list(tmp_path.glob("out*"))
