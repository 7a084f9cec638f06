"""Doubles of the programs for recording and playback, in a folder that is the whole search path."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from models.process.rss import children


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


async def ends(before: set[int]) -> bool:
    """Whether all programs end that were started meanwhile."""
    for _ in range(500):
        if not set(children(os.getpid())) - before:
            return True
        await asyncio.sleep(0.02)
    return False
