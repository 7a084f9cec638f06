"""Doubles of the programs for recording and playback, in a folder that is the whole search path."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole search path, so that only the programs a test puts there exist."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, source: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable} -IS\nimport os, sys, time\n{source}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
