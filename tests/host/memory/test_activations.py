"""What views that stopped early are taken on from: stored small and sealed, bounded, and gone in time."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from host.config import MemoryConfig
from host.memory.files import files
from host.memory.requests import Begun
from host.memory.store import RETAIN_EVERY
from host.memory.values import Verified
from host.turn.recalling.deepening import recalled
from models.brick import Activation, Encode, Resume
from tests.host.memory.bench import at, begun, direction, store, view
from tests.host.memory.small_memory import ENCODER, WHOLE, SmallMemory, early_place


def rows_of(found: Activation | None) -> np.ndarray:
    assert found is not None and found.rows is not None
    return found.rows


def test_an_activation_is_there_until_its_view_is_at_full_depth(tmp_path: Path) -> None:
    first = store(tmp_path)
    for number in range(1, 4):
        first.add(view(number, activation=begun(number)), at(number))
    first.close()
    again = store(tmp_path)
    assert np.array_equal(rows_of(again.activation(2, "e")), rows_of(begun(2)))
    assert again.activation(2, "another") is None, "of another encoder"
    status = again.status(at(9))
    assert status.activations == 3 and 3 * 48 < status.activation_bytes < 3 * 200
    assert again.place(2, direction(2), 12, "e") and again.activation(2, "e") is None
    assert again.forget([3]) == 1 and again.activation(3, "e") is None
    assert again.status(at(9)).activations == 1


def test_a_forgotten_activation_leaves_no_trace_and_none_is_stored_in_the_clear(tmp_path: Path) -> None:
    forgets = store(tmp_path)
    rows = np.tile(np.array([7, -3, 5, 1, 7, 2, -6, 4], np.float32), (64, 16))
    forgets.add(view(1, activation=Activation(3, "e", rows)), at(1))
    (sealed,) = forgets._one("SELECT data FROM activations WHERE view = 1")
    content = b"".join(path.read_bytes() for path in files(forgets.path))
    assert sealed[50:150] in content and b"HBAC" not in content
    assert forgets.forget([1]) == 1
    assert not any(sealed[50:150] in path.read_bytes() for path in files(forgets.path))


def test_the_oldest_go_first_when_there_are_too_many(tmp_path: Path) -> None:
    small = store(tmp_path, MemoryConfig(activation_bytes=1000))
    for number in range(1, RETAIN_EVERY + 1):
        small.add(view(number, activation=begun(number)), at(number))
    status = small.status(at(99))
    assert 800 < status.activation_bytes <= 1000 and status.views == RETAIN_EVERY
    there = [n for n in range(1, RETAIN_EVERY + 1) if small.activation(n, "e") is not None]
    assert there == list(range(RETAIN_EVERY - status.activations + 1, RETAIN_EVERY + 1))
    small.close()
    none = store(tmp_path, MemoryConfig(activation_bytes=0))
    number = none.add(view(1, activation=begun(1)), at(100))
    assert none.activation(number, "e") is None
    assert none.retain(at(101)) == 0 and none.status(at(101)).activations == 0


def test_that_of_a_view_that_is_kept_for_good_goes_by_age(tmp_path: Path) -> None:
    old = store(tmp_path, MemoryConfig(retention_days=0.5))
    old.add(view(1, kept=True, activation=begun(1)), at(1))
    old.add(view(2, at(80_000), activation=begun(2)), at(80_000))
    assert old.retain(at(86_000)) == 0
    assert old.activation(1, "e") is None and old.activation(2, "e") is not None


def test_a_damaged_one_is_counted_and_the_picture_serves(tmp_path: Path) -> None:
    damaged = store(tmp_path)
    for number in range(1, 4):
        damaged.add(view(number, activation=begun(number)), at(number))
    damaged.close()
    with sqlite3.connect(tmp_path / "memory.db") as plain:
        plain.execute("UPDATE activations SET data = zeroblob(90) WHERE view = 1")
        moved = "(SELECT data FROM activations WHERE view = 3)"
        plain.execute(f"UPDATE activations SET data = {moved} WHERE view = 2")
    plain.close()
    again = store(tmp_path)
    assert again.verify() == Verified([], [1, 2], [])
    assert [again.activation(n, "e") is None for n in (1, 2, 3)] == [True, True, False]
    assert again.picture(1) == view(1).jpeg


def test_what_cannot_be_coded_is_not_stored_and_the_view_is(tmp_path: Path) -> None:
    bad = store(tmp_path)
    strange = Activation(3, "e", np.full((4, 8), np.nan, np.float32))
    assert bad.add(view(1, activation=strange), at(1)) == 1
    assert bad.activation(1, "e") is None and bad.picture(1) == view(1).jpeg


@pytest.mark.parametrize("two", [False, True])
def test_a_store_of_the_form_before_is_brought_up_and_goes_on(tmp_path: Path, two: bool) -> None:
    before = store(tmp_path)
    before.add(view(1), at(1))
    before.close()
    path = tmp_path / "memory.db"
    with sqlite3.connect(path) as plain:
        plain.execute("DROP TABLE activations")
        plain.execute("DROP TABLE things")
        plain.execute("PRAGMA user_version = 1")
    plain.close()
    again = store(tmp_path)
    other = store(tmp_path) if two else again
    assert other.add(view(2, activation=begun(2)), at(2)) == 2
    assert [row.number for row in again.rows(at(3))] == [1, 2]
    assert again.activation(1, "e") is None and again.activation(2, "e") is not None
    assert again.verify() == Verified([], [], [])


def test_a_question_goes_on_from_the_activation_where_there_is_one(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        for level in (60, 30):
            await small.saw(level, early_place(level), begun=level == 60)
        await recalled("my keys", None, None, small.tools)
        assert await small.depths() == [WHOLE, WHOLE] and not small.held
        resumed = [request for _, request in small.asked if isinstance(request, Resume)]
        encoded = [request for _, request in small.asked if isinstance(request, Encode)]
        assert len(resumed) == len(encoded) == 1
        assert resumed[0].activations[0].rows is not None
        assert np.allclose(resumed[0].activations[0].rows, 60, rtol=0.01)
        asked = [request for _, request in small.asked if isinstance(request, Begun)]
        assert sorted(number for each in asked for number in each.numbers) == [1, 2]
        again = await small.memory.begun((1, 2, 3), ENCODER)
        assert [(number, isinstance(each, np.ndarray)) for number, each in again.items()] == [
            (1, True), (2, True),
        ], "what was stored is used, and the pictures are there"  # fmt: skip

    asyncio.run(scene())
