"""On a full disk, or one that can't be written, a person can still look, save and forget; and nothing that
may be larger than the computer's memory is held in it.
"""

from __future__ import annotations

import os
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from host.cli.memory.unsealed import save
from host.config import MemoryConfig
from host.memory.brick import MemoryBrick
from host.memory.database import VERSION
from host.memory.report import html_report
from host.memory.requests import Access, ForgetSince, TimeNow
from host.memory.store import LEAST_LEFT_BYTES, MemoryStore
from host.memory.values import MemoryProblem, NewView, NoRoom
from models.brick import BrickError
from tests.host.memory.bench import KEY, at, direction, store, view

VIEWS, PICTURE_BYTES = 40, 1_000_000
LEAST_BYTES = 16_384
"""Less than the file that SQLite's processes share."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    opened = store(tmp_path)
    for number in range(1, 4):
        opened.add(view(number), at(number))
    opened.close()
    return tmp_path / "memory.db"


def share_nothing(path: Path) -> None:
    """SQLite can't make the file that its processes share."""
    path.with_name("memory.db-shm").symlink_to("/nowhere/shm")


def alone(path: Path) -> MemoryStore:
    """As `headband memory` opens it."""
    return MemoryStore(path, KEY, MemoryConfig(), create=False, alone=True)


@contextmanager
def no_longer_file(most_bytes: int) -> Iterator[None]:
    """No file may become longer, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_on_a_full_disk_a_headband_says_so_and_a_person_can_look(path: Path) -> None:
    with no_longer_file(LEAST_BYTES):
        with pytest.raises(NoRoom, match="The disk is full"):
            store(path.parent)
        opened = alone(path)
        assert opened.status(at(9)).views == 3 and opened.picture(2) == view(2).jpeg
        opened.close()
    assert [row.number for row in store(path.parent).rows(at(9))] == [1, 2, 3]


def test_where_processes_can_share_no_file_one_forgets_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host.memory.database.BUSY_S", 0.01)
    share_nothing(path)
    with pytest.raises(MemoryProblem, match="can't be used"):
        store(path.parent)
    opened = alone(path)
    assert opened.forget([2]) == 1
    with pytest.raises(MemoryProblem, match="Another program"):
        alone(path)
    opened.close()
    assert [row.number for row in alone(path).rows(at(9))] == [1, 3]


@pytest.mark.parametrize("form", [1, 2, VERSION])
def test_a_memory_on_a_disk_that_cannot_be_written_is_read_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch, form: int
) -> None:
    with sqlite3.connect(path) as plain:
        for table in ("things", "activations")[: VERSION - form]:
            plain.execute(f"DROP TABLE {table}")
        plain.execute(f"PRAGMA user_version = {form}")
        plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    plain.close()
    share_nothing(path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    opened = alone(path)
    assert opened.status(at(9)).views == 3 and opened.picture(2) == view(2).jpeg
    assert opened.search(direction(2), "e", 1, at(9), thing="keys")[0].row.number == 2
    assert opened.activation(2, "e") is None and opened.things(2) is None
    with pytest.raises(NoRoom, match="The disk can't be written"):
        opened.forget([2])
    opened.close()
    assert path.read_bytes() == before


def test_a_memory_leaves_so_much_room_that_something_can_be_forgotten(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, opened = [LEAST_LEFT_BYTES], store(path.parent)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=left[0] // 4096, f_frsize=4096))
    assert opened.add(view(4), at(4)) == 4
    left[0] -= 4096
    with pytest.raises(NoRoom, match="The disk is full, so nothing more is remembered"):
        opened.add(view(5), at(5))
    assert opened.forget([1, 2, 3]) == 3
    opened.rebuild()
    with pytest.raises(NoRoom):
        opened.add(view(5), at(5))
    assert [row.number for row in opened.rows(at(9))] == [4]


def test_who_has_something_forgotten_on_a_full_disk_hears_that_it_is_not(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    access, brick = Access(str(path), KEY, MemoryConfig(), at(9)), MemoryBrick()
    list(brick.execute(TimeNow(access)))

    @contextmanager
    def without_room(_: sqlite3.Connection) -> Iterator[None]:
        yield
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("host.memory.store.transaction", without_room)
    with pytest.raises(BrickError, match=r"could not be forgotten.* disk is full"):
        list(brick.execute(ForgetSince(access, ago_s=3600.0)))


def grown_bytes(work: Callable[[], object]) -> int:
    """By so much more of the computer's memory the process has at most while it works."""

    def status(field: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith(field)).split()[1])

    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    work()
    return status("VmHWM") - before


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="the peak can't be measured")
def test_a_report_and_a_rebuild_do_not_hold_the_pictures(tmp_path: Path) -> None:
    large = store(tmp_path)
    for number in range(1, VIEWS + 1):
        large.add(NewView(at(number), os.urandom(PICTURE_BYTES)), at(number))
    rows, out = large.rows(at(99)), tmp_path / "page.html"
    pages = (piece.encode() for piece in html_report(rows, large.picture))
    assert grown_bytes(lambda: save(out, pages)) < VIEWS * PICTURE_BYTES / 3
    assert out.stat().st_size > VIEWS * PICTURE_BYTES * 4 / 3 and out.stat().st_mode & 0o077 == 0
    large.forget(range(1, VIEWS // 4))
    assert grown_bytes(large.rebuild) < VIEWS * PICTURE_BYTES / 3
    assert (tmp_path / "memory.db").stat().st_size < VIEWS * PICTURE_BYTES
    assert {each.name.partition("-")[0] for each in tmp_path.iterdir()} == {"memory.db", "page.html"}
