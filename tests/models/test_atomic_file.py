"""A small file is complete, whatever happens while it is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from models.atomic_file import write_whole


def test_a_file_is_replaced_and_its_folder_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "energy.json"
    write_whole(path, "old")
    write_whole(path, "é")
    assert path.read_text(encoding="utf-8") == "é" and list(path.parent.iterdir()) == [path]


def test_a_crash_while_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "energy.json"
    write_whole(path, "old")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new" * 1000)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_ctrl_c_while_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "energy.json"
    write_whole(path, "old")

    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "new" * 1000)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
