"""What is remembered is found again, forgotten when asked, and readable with its key only."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from host.config import MemoryConfig
from host.memory.clocks import DOUBTED_S
from host.memory.files import files, removed
from host.memory.store import RETAIN_EVERY, MemoryStore
from host.memory.values import Damaged, KeyWrong, MemoryProblem, Moment, Verified
from tests.host.memory.bench import KEY, START_S, at, direction, store, view

_EMPTIES = """
import fcntl, sys, time
with open(sys.argv[1], "r+b") as shared:
    fcntl.lockf(shared, fcntl.LOCK_EX, 1, 121)
    print("begun", flush=True)
    time.sleep(0.5)
"""
"""Holds the lock of who empties SQLite's log."""


def test_the_view_that_was_meant_is_found_first(tmp_path: Path) -> None:
    with_views = store(tmp_path)
    for number in range(1, 40):
        assert with_views.add(view(number), at(number)) == number
    best = with_views.search(direction(17), "e", 3, at(40))
    assert best[0].row.number == 17 and best[0].score > 0.99 > best[1].score
    assert best[0].row.time_s == pytest.approx(START_S + 17)
    assert with_views.picture(17) == view(17).jpeg and with_views.picture(99) is None
    assert with_views.search(direction(17), "another pack", 3, at(40)) == []
    with pytest.raises(MemoryProblem, match="another encoder"):
        with_views.search(direction(1, width=9), "e", 3, at(40))


def test_a_store_that_is_opened_again_knows_everything(tmp_path: Path) -> None:
    first = store(tmp_path)
    for number in range(1, 6):
        first.add(view(number, name="parking" if number == 2 else "", kept=number == 2), at(number))
    first.close()
    again = store(tmp_path)
    assert again.search(direction(4), "e", 1, at(9))[0].row.number == 4
    row = again.row(2, at(9))
    assert row is not None and (row.name, row.kept) == ("parking", True)
    assert again.keep(3, "my desk") and not again.keep(77)
    assert [row.name for row in again.rows(at(9)) if row.kept] == ["parking", "my desk"]


def test_a_search_can_be_limited_to_a_time_over_boots(tmp_path: Path) -> None:
    both = store(tmp_path)
    for number in range(1, 6):
        both.add(view(number), at(number))
    for number in range(6, 11):
        both.add(view(number, at(number, "b2")), at(number, "b2"))
    midnight_s = START_S + 86_400
    found = both.search(direction(3), "e", 20, at(20, "b2"), midnight_s)
    assert sorted(match.row.number for match in found) == [6, 7, 8, 9, 10]
    found = both.search(direction(3), "e", 20, at(20, "b2"), None, midnight_s)
    assert sorted(match.row.number for match in found) == [1, 2, 3, 4, 5]
    assert both.search(direction(3), "e", 20, at(20, "b2"), midnight_s + 1000) == []


def test_the_last_hour_is_the_last_hour_although_the_clock_begins_in_1970(tmp_path: Path) -> None:
    jumps = store(tmp_path)
    jumps.add(view(1, at(10.0)), at(10.0))
    jumps.add(view(2, at(9_000.0)), at(9_000.0))
    unset = Moment("b3", 60.0, 60.0)
    jumps.add(view(3, unset), unset)
    assert [row.number for row in jumps.rows(unset)] == [1, 2, 3]
    times = [row.time_s for row in jumps.rows(unset)]
    assert times == sorted(times) and times[0] > START_S
    assert jumps.forget_since(jumps.time_of(unset) - 3600, unset) == 2
    assert [row.number for row in jumps.rows(unset)] == [1]


def test_views_of_a_first_boot_in_1970_are_of_the_last_hour_and_not_56_years_old(tmp_path: Path) -> None:
    first = store(tmp_path)
    for number in range(1, 4):
        unset = Moment("b1", 100.0 + number, 100.0 + number)
        first.add(view(number, unset), unset)
    now = at(20.0, "b2")
    assert first.retain(now) == 0
    first.add(view(4, now), now)
    assert [now.wall_s - row.time_s for row in first.rows(now)] == pytest.approx([2.0, 1.0, 0.0, 0.0])
    assert first.forget_since(first.time_of(now) - 3600, now) == 4


def test_a_view_that_waits_while_another_process_forgets_is_not_stored(tmp_path: Path) -> None:
    headband, person = store(tmp_path), store(tmp_path)
    headband.add(view(1), at(1))
    assert person.forget_since(person.time_of(at(10)) - 3600, at(10)) == 1
    assert headband.add(view(2), at(12)) == 0, "taken before"
    assert headband.add(view(3, at(9), kept=True), at(12)) == 2, "the wearer asked for it since"
    assert headband.add(view(11), at(12)) == 3 and headband.add(view(5, at(1, "b2")), at(2, "b2")) == 4
    headband.forget([2])
    assert [row.number for row in person.rows(at(3, "b2"))] == [3, 4]
    headband.close()
    assert store(tmp_path).add(view(4), at(12)) == 0, "it is known after a restart"
    assert person.verify() == Verified([], [], [])


def test_what_is_forgotten_leaves_no_trace_in_the_files(tmp_path: Path) -> None:
    forgets = store(tmp_path)
    for number in range(1, 30):
        forgets.add(view(number), at(number))
    sealed = forgets._one("SELECT jpeg FROM pictures WHERE view = 7")[0]
    assert any(sealed[50:150] in path.read_bytes() for path in files(forgets.path))
    assert forgets.forget([7, 8, 1000]) == 2
    assert not any(sealed[50:150] in path.read_bytes() for path in files(forgets.path))
    assert forgets.picture(7) is None
    assert 7 not in [match.row.number for match in forgets.search(direction(7), "e", 30, at(30))]
    assert forgets.add(view(50), at(50)) == 30, "numbers are not used again"


def test_forgetting_waits_for_another_program_that_empties_the_log(tmp_path: Path) -> None:
    forgets = store(tmp_path)
    forgets.add(view(1), at(1))
    with subprocess.Popen(
        [sys.executable, "-c", _EMPTIES, f"{forgets.path}-shm"], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == b"begun\n"
        assert forgets.forget([1]) == 1
    assert (tmp_path / "memory.db-wal").stat().st_size == 0


def test_nothing_that_was_seen_can_be_read_in_the_files(tmp_path: Path) -> None:
    sealed = store(tmp_path)
    sealed.add(view(1, name="a secret place"), at(1))
    sealed.close()
    content = b"".join(path.read_bytes() for path in files(sealed.path))
    assert b"jpeg of view" not in content and b"secret" not in content
    assert all(path.stat().st_mode & 0o077 == 0 for path in files(sealed.path))


def test_another_process_that_forgets_or_adds_is_noticed(tmp_path: Path) -> None:
    one, other = store(tmp_path), store(tmp_path)
    for number in range(1, 5):
        one.add(view(number), at(number))
    assert other.search(direction(2), "e", 1, at(9))[0].row.number == 2
    one.forget([2])
    one.add(view(9), at(9))
    numbers = [match.row.number for match in other.search(direction(2), "e", 9, at(9))]
    assert 2 not in numbers and sorted(numbers) == [1, 3, 4, 5]


def test_a_view_gets_its_place_later(tmp_path: Path) -> None:
    late = store(tmp_path)
    late.add(view(1, vector=None, encoder="", depth=0), at(1))
    late.add(view(2), at(2))
    assert late.status(at(3)).unembedded == 1
    assert [match.row.number for match in late.search(direction(1), "e", 5, at(3))] == [2]
    assert late.place(1, direction(1), 6, "e") and not late.place(44, direction(1), 6, "e")
    best = late.search(direction(1), "e", 5, at(3))[0]
    assert (best.row.number, best.row.depth) == (1, 6)


def test_retention_takes_the_oldest_first_and_kept_ones_last(tmp_path: Path) -> None:
    short = MemoryConfig(retention_days=1.0, max_bytes=1_000_000)
    old = store(tmp_path, short)
    old.add(view(1, kept=True), at(1))
    for number in range(2, 6):
        old.add(view(number), at(number))
    later = at(DOUBTED_S, "b2")
    assert old.retain(later) == 4
    assert [row.number for row in old.rows(later)] == [1]
    for number in range(6, 46):
        old.add(replace(view(number, at(number, "b2")), jpeg=os.urandom(40_000)), at(number, "b2"))
    assert old.retain(at(50.0, "b2")) > 10
    left = [row.number for row in old.rows(at(50.0, "b2"))]
    assert left[0] == 1 and left[1:] == list(range(left[1], 46))
    assert old.status(at(50.0, "b2")).size_bytes < 1_100_000


def test_retention_comes_although_the_store_is_opened_for_every_view(tmp_path: Path) -> None:
    for number in range(1, RETAIN_EVERY + 1):
        opened = store(tmp_path, MemoryConfig(retention_days=0.04))
        opened.add(view(number, at(number * 3600.0)), at(number * 3600.0))
        left = len(opened.rows(at(number * 3600.0)))
        opened.close()
    assert left == 1


def test_a_damaged_row_is_skipped_and_counted(tmp_path: Path) -> None:
    damaged = store(tmp_path)
    for number in range(1, 6):
        damaged.add(view(number), at(number))
    damaged.close()
    with sqlite3.connect(tmp_path / "memory.db") as plain:
        plain.execute("UPDATE views SET vector = zeroblob(52) WHERE number = 2")
        plain.execute("UPDATE pictures SET jpeg = (SELECT jpeg FROM pictures WHERE view = 4) WHERE view = 3")
    plain.close()
    again = store(tmp_path)
    found = again.search(direction(2), "e", 9, at(9))
    assert sorted(match.row.number for match in found) == [1, 3, 4, 5]
    assert again.status(at(9)).damaged == 1
    with pytest.raises(MemoryProblem, match="picture of view 3 is damaged"):
        again.picture(3)
    assert again.verify() == Verified([2, 3], [], [])
    assert again.rebuild() == 4


def test_another_key_opens_nothing_and_changes_nothing(tmp_path: Path) -> None:
    store(tmp_path).add(view(1), at(1))
    with pytest.raises(KeyWrong):
        store(tmp_path, key=bytes(32))
    assert store(tmp_path).picture(1) == view(1).jpeg


def test_an_empty_file_is_one_that_lost_everything_and_its_log_is_left(tmp_path: Path) -> None:
    path, log = tmp_path / "memory.db", tmp_path / "memory.db-wal"
    writing = store(tmp_path)
    writing.add(view(1), at(1))
    logged = log.read_bytes()
    assert logged
    writing.close()
    path.write_bytes(b"")
    for content in (None, logged):
        if content is not None:
            log.write_bytes(content)
        for create in (True, False):
            with pytest.raises(Damaged, match="it is empty"):
                MemoryStore(path, KEY, MemoryConfig(), create=create)
    path.unlink()
    with pytest.raises(Damaged, match="only its log is there"):
        store(tmp_path)
    assert log.read_bytes() == logged
    log.unlink()
    assert store(tmp_path).rows(at(2)) == []


def test_a_memory_that_a_link_puts_on_another_disk_is_deleted_there(tmp_path: Path) -> None:
    far, near = tmp_path / "far", tmp_path / "near"
    far.mkdir()
    near.mkdir()
    (near / "memory.db").symlink_to(far / "memory.db")
    for _ in range(2):
        opened = store(near)
        assert opened.add(view(1), at(1)) == 1
        assert {each.parent for each in files(near / "memory.db")} == {far}
        assert {each.name for each in far.iterdir()} > {"memory.db", "memory.db-wal"}
        assert opened.rebuild() == 1
        removed(near / "memory.db")
        opened.close()
        assert list(far.iterdir()) == [] and (near / "memory.db").is_symlink()


def test_a_memory_that_an_earlier_version_began_to_make_is_made(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "memory.db") as plain:
        plain.execute("PRAGMA journal_mode = WAL")
    plain.close()
    assert (tmp_path / "memory.db").stat().st_size
    assert store(tmp_path).add(view(1), at(1)) == 1


def test_foreign_future_and_broken_files_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store(tmp_path).add(view(1), at(1))
    with sqlite3.connect(path) as plain:
        plain.execute("PRAGMA user_version = 9")
    with pytest.raises(MemoryProblem, match="has form 9 and this program knows 3"):
        store(tmp_path)
    removed(path)
    with sqlite3.connect(path) as plain:
        plain.execute("CREATE TABLE t(x)")
    with pytest.raises(MemoryProblem, match="another program"):
        store(tmp_path)
    path.write_bytes(b"no database at all, although it is long enough" * 100)
    with pytest.raises(MemoryProblem, match=r"is damaged \(file is not a database\), .+ --all`\.$"):
        store(tmp_path)
    with pytest.raises(MemoryProblem, match="Nothing is remembered yet"):
        MemoryStore(tmp_path / "none.db", KEY, MemoryConfig(), create=False)
    (tmp_path / "file").touch()
    with pytest.raises(MemoryProblem, match="can't be opened"):
        MemoryStore(tmp_path / "file" / "memory.db", KEY, MemoryConfig())


def test_a_search_within_a_time_gives_no_view_of_another_that_was_stored_among_them(tmp_path: Path) -> None:
    opened = store(tmp_path)
    for number, taken_s in ((1, 100.0), (2, 90.0), (3, 150.0), (4, 95.0)):
        opened.add(view(number, at(taken_s)), at(200))
    found = opened.search(direction(3), "e", 10, at(200), START_S + 89, START_S + 101)
    assert sorted(match.row.number for match in found) == [1, 2, 4]


def test_the_views_that_have_a_name_are_told_with_their_times(tmp_path: Path) -> None:
    opened = store(tmp_path)
    for number in range(1, 5):
        opened.add(view(number, name="" if number == 2 else f"name {number}", vector=None), at(number))
    assert [row.name for row in opened.named(at(9))] == ["name 1", "name 3", "name 4"]
    assert [row.number for row in opened.named(at(9), START_S + 2, START_S + 3)] == [3]


def test_a_view_that_waits_is_forgotten_with_its_own_time_alone(tmp_path: Path) -> None:
    opened = store(tmp_path)
    assert opened.add(view(1, at(10)), at(10)) == 1
    assert list(opened.forgetting_since(START_S, at(20), START_S + 5))[-1] == 0
    assert opened.add(view(2, at(12)), at(20)), "it was seen later than what was forgotten"
    assert not opened.add(view(3, at(4)), at(20))
    opened.forget_since(START_S + 15, at(21))
    assert not opened.add(view(4, at(16)), at(22))
    list(opened.forgetting_since(START_S, at(23), START_S + 5))
    assert not opened.add(view(5, at(16)), at(24)), "what was forgotten before stays so"


def test_time_passes_in_a_boot_whose_clock_was_never_set_before_its_first_view(tmp_path: Path) -> None:
    opened = store(tmp_path)
    opened.add(view(1, at(10)), at(10))

    def unset(seconds: float) -> Moment:
        return Moment("b2", seconds, seconds)

    for seconds in (60.0, 7200.0):
        assert opened.time_of(unset(seconds)) == START_S + 10 + seconds
    assert opened.forget_since(opened.time_of(unset(7200.0)) - 3600, unset(7200.0)) == 0, "the last hour"
    opened.add(view(2, unset(7300.0)), unset(7300.0))
    assert [row.time_s - START_S for row in opened.rows(unset(7400.0))] == [10, 7310]
