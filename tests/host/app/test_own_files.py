"""The files of the release that runs are read in the background."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from host.app.headband import Headband
from host.app.own_files import EVERY_S, FIRST_S, OwnFiles, damaged_files, own_files
from host.app.probation import FOLDER
from host.session.events import Event, ProgramDamaged
from host.ship.whole import write_manifest
from tests.host.ship.test_whole import altered
from tests.host.simulated import loop_clock, simulate


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release as a deploy leaves it."""
    venv, root = tmp_path / "venvs/v", tmp_path / "releases/r"
    for folder, name in ((venv, "lib/a.so"), (root, "models/weights.bin")):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(name)
    (root / "venv").symlink_to("../../venvs/v")
    write_manifest(venv)
    write_manifest(root)
    return root


@pytest.mark.parametrize("name", ["", "models/weights.bin", "venv/lib/a.so", "manifest.json"])
def test_a_process_of_its_own_reads_every_file(release: Path, name: str) -> None:
    if name:
        altered(release / name)
    assert asyncio.run(damaged_files(release)) == ([name] if name else [])


def lived(files: OwnFiles, for_s: float) -> tuple[list[dict[str, Any]], list[Event]]:
    """What the journal and the session are told within so many seconds."""
    written: list[dict[str, Any]] = []
    posted: list[Event] = []
    journal = SimpleNamespace(write=lambda event, **fields: written.append({"event": event, **fields}))
    queue = SimpleNamespace(post=posted.append)

    async def run() -> None:
        board = SimpleNamespace(clock=loop_clock())
        headband = cast(Headband, SimpleNamespace(board=board, journal=journal, queue=queue))
        async with files.watched(headband):
            await loop_clock().sleep(for_s)

    simulate(run())
    return written, posted


def test_damage_is_told_once_at_the_reading_after_it(tmp_path: Path) -> None:
    read: list[float] = []

    async def find(release: Path) -> list[str]:
        read.append(loop_clock().monotonic())
        return ["models/weights.bin"] if len(read) == 3 else []

    written, posted = lived(OwnFiles(tmp_path, find), FIRST_S + 9 * EVERY_S)
    assert [after - before for before, after in pairwise(read)] == pytest.approx([EVERY_S] * 2)
    assert written == [{"event": "program_damaged", "files": ["models/weights.bin"]}]
    assert posted == [ProgramDamaged()]


def test_a_start_of_half_an_hour_and_a_laptop_read_nothing(tmp_path: Path) -> None:
    async def find(release: Path) -> list[str]:
        raise AssertionError(release)

    assert lived(OwnFiles(tmp_path, find), FIRST_S - 1) == ([], [])
    assert lived(OwnFiles(None, find), 9 * EVERY_S) == ([], [])


def test_it_is_the_release_that_the_unit_starts(release: Path) -> None:
    current = release.parents[1] / "current"
    current.symlink_to("releases/r")
    altered(release / "models/weights.bin")
    told: list[Path] = []

    async def find(folder: Path) -> list[str]:
        told.append(folder)
        return ["x"]

    files = own_files({FOLDER: str(current)})
    files._find = find
    lived(files, FIRST_S + 1)
    assert told == [release.resolve()] and own_files({})._release is None
