"""What a disk has changed within a row is damage or a text that reads otherwise: never a fault of the
program, and never without an end.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from host.memory.sealing import Seal
from host.memory.store import MemoryStore
from host.memory.values import Damaged, Verified
from tests.host.memory.bench import at, begun, direction, store, view

PAGE = 4096


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """The file of a memory with eight views of the boot "b1", and one of "b2"."""
    opened = store(tmp_path)
    for number in range(1, 9):
        opened.add(view(number, activation=begun(number)), at(number))
    opened.add(view(9, at(1, "b2")), at(1, "b2"))
    opened.close()
    return tmp_path / "memory.db"


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as plain, plain:
        plain.execute(statement)


def renumber(path: Path, number: int, changed: int) -> None:
    """Changes the number of a view within SQLite's page, where all stay in their places."""
    with closing(sqlite3.connect(path)) as plain:
        (root,) = plain.execute("SELECT rootpage FROM sqlite_master WHERE name = 'views'").fetchone()
    raw, page = bytearray(path.read_bytes()), (root - 1) * PAGE
    cell = page + int.from_bytes(raw[page + 6 + 2 * number : page + 8 + 2 * number])
    place = cell + (1 if raw[cell] < 128 else 2)
    assert raw[place] == number
    raw[place] = changed
    path.write_bytes(raw)


def test_numbers_that_do_not_rise_are_damage_and_no_search_without_an_end(filled: Path) -> None:
    renumber(filled, 8, 0)
    ended: list[bool] = []

    def searched() -> None:
        opened = store(filled.parent)
        for ask in (lambda: opened.status(at(9)), lambda: opened.search(direction(3), "e", 3, at(9))):
            with pytest.raises(Damaged, match="makes no sense"):
                ask()
            ended.append(True)

    thread = threading.Thread(target=searched, daemon=True)  # a test that fails ends as well
    thread.start()
    thread.join(20)
    assert ended == [True, True]
    found = store(filled.parent).verify()
    assert found.views and found.problems


def test_a_text_that_is_none_any_more_is_read_as_far_as_it_goes(filled: Path) -> None:
    change(filled, "UPDATE views SET reason = CAST(x'6ee577' AS TEXT) WHERE number = 5")
    change(filled, "UPDATE views SET encoder = CAST(x'e5' AS TEXT) WHERE number = 6")
    opened, now = store(filled.parent), at(2, "b2")
    assert [row.reason for row in opened.rows(now)][3:6] == ["new", "n�w", "new"]
    assert opened.status(now).views == 9 and opened.verify() == Verified([], [], [])
    assert opened.forget_since(0.0, now) == 9


@pytest.mark.parametrize(
    "damage", ["reason = x'6e'", "encoder = x'65'", "depth = 'a'", "kept = 0.5", "monotonic_s = x'00'"]
)
def test_a_value_of_another_type_is_damage_of_its_row(filled: Path, damage: str) -> None:
    change(filled, f"UPDATE views SET {damage} WHERE number = 5")
    opened, now = store(filled.parent), at(2, "b2")
    with pytest.raises(Damaged, match="the row of view 5 makes no sense"):
        opened.rows(now)
    assert opened.verify() == Verified([5], [], [])
    left = opened.salvaged(now)
    assert [number for number, row in left.items() if row is None] == [5] and len(left) == 9


@pytest.mark.parametrize("damage", ["first_s = 'a'", "last_s = x'00'", "offset_s = 9e300", "first_s = -9e99"])
def test_views_of_a_boot_whose_row_is_damaged_are_damaged_and_others_are_not(
    filled: Path, damage: str
) -> None:
    change(filled, f"UPDATE boots SET {damage} WHERE boot = 'b1'")
    opened, now = store(filled.parent), at(2, "b2")
    ask: tuple[Callable[[MemoryStore], object], ...] = (
        lambda opened: opened.status(now), lambda opened: opened.rows(now), lambda opened: opened.row(3, now),
        lambda opened: opened.forget_since(opened.time_of(now) - 3600, now),
    )  # fmt: skip
    for each in ask:
        with pytest.raises(Damaged, match="makes no sense"):
            each(opened)
    assert opened.verify() == Verified(list(range(1, 9)), [], [])
    assert [number for number, row in opened.salvaged(now).items() if row is not None] == [9]
    assert opened.add(view(10, now), now) == 10 and opened.row(10, now) is not None


def test_the_row_of_the_present_boot_is_made_anew(filled: Path) -> None:
    change(filled, "UPDATE boots SET offset_s = 'a' WHERE boot = 'b2'")
    opened, now = store(filled.parent), at(5, "b2")
    assert opened.time_of(now) == now.wall_s and len(opened.rows(now)) == 9
    assert opened.add(view(10, now), now) == 10
    assert opened.verify() == Verified([], [], [])
    assert opened.rows(at(6, "b2"))[-1].time_s == now.wall_s


def test_a_view_that_goes_while_everything_is_checked_is_not_damaged(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, other, real = store(filled.parent), store(filled.parent), Seal.open
    going = {"picture": [7], "activation": [5]}

    def slow(seal: Seal, sealed: object, column: str, number: int) -> bytes:
        if number == 3 and going.get(column):
            other.forget([going[column].pop()])
        return real(seal, sealed, column, number)

    monkeypatch.setattr(Seal, "open", slow)
    assert opened.verify() == Verified([], [], [])
    assert going == {"picture": [], "activation": []}


def test_places_are_not_made_without_an_end_where_numbers_do_not_fall(filled: Path) -> None:
    renumber(filled, 4, 12)
    opened, before, most = store(filled.parent), 1 << 62, 20
    with suppress(Damaged):
        while most and (found := opened.shallow("e", 12, before, 1)):
            before, most = found[0], most - 1
    assert most


def test_a_table_whose_name_is_no_text_is_damage(filled: Path) -> None:
    raw = filled.read_bytes()
    assert raw.count(b"CREATE TABLE about") == 1
    filled.write_bytes(raw.replace(b"CREATE TABLE about", b"CREATE TAB\xb8E about"))
    with pytest.raises(Damaged, match=r"memory\.db is damaged .*headband memory forget --all"):
        store(filled.parent)


@pytest.mark.parametrize("seq", ["9", "12"])
def test_what_is_left_is_read_with_an_end_though_a_number_is_beyond_all_that_were_given(
    filled: Path, seq: str
) -> None:
    change(filled, "UPDATE views SET number = 1099511627776 WHERE number = 9")
    change(filled, f"UPDATE sqlite_sequence SET seq = {seq} WHERE name = 'views'")
    opened = store(filled.parent)
    found = dict[int, object]()
    reading = threading.Thread(target=lambda: found.update(opened.salvaged(at(9, "b2"))), daemon=True)
    reading.start()
    reading.join(10)
    assert not reading.is_alive() and set(range(1, 9)) <= set(found)
    opened.close()


def test_a_reading_that_damage_breaks_off_holds_up_no_forgetting(filled: Path) -> None:
    change(filled, "UPDATE views SET bytes = 'many' WHERE number = 5")
    opened = store(filled.parent)
    with pytest.raises(Damaged) as told:  # which is held until the end, with all that it broke off
        opened.rows(at(9, "b2"))
    assert opened.forget([5]) == 1 and told
    assert len(opened.rows(at(9, "b2"))) == 8


@pytest.mark.parametrize("damage", ["'9'", "x'00'", "1 << 62", "9223372036854775807", "0", "NULL"])
def test_views_are_added_although_the_last_number_is_damaged(filled: Path, damage: str) -> None:
    change(filled, f"UPDATE sqlite_sequence SET seq = {damage} WHERE name = 'views'")
    opened, now = store(filled.parent), at(3, "b2")
    assert [opened.add(view(number, now), now) for number in (10, 11)] == [10, 11]
    assert opened.verify() == Verified([], [], []) and len(opened.rows(now)) == 11
