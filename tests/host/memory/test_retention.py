"""What is too old is deleted although nothing more is remembered: when a memory is opened, and every day."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from host.config import MemoryConfig
from host.event_queue import EventQueue
from host.memory.brick import MemoryBrick
from host.memory.clocks import DOUBTED_S
from host.memory.database import wiped
from host.memory.key import DATABASE
from host.memory.requests import Access, ForgetSince, TimeNow
from host.memory.store import RETAIN_EVERY
from host.memory.values import Moment
from host.turn.intake import RETAIN_AGAIN_S, RETAIN_EVERY_S, RETAIN_FIRST_S, Intake
from models.brick import Activation
from tests.host.memory.bench import KEY, START_S, at, store, view
from tests.host.memory.small_memory import SmallMemory

DAY_S = 86_400.0


def numbers(folder: Path) -> list[int]:
    with closing(sqlite3.connect(folder / DATABASE)) as plain:
        return [number for (number,) in plain.execute("SELECT number FROM views ORDER BY number")]


async def until(so: Callable[[], bool]) -> None:
    """The key is fetched in a thread."""
    async with asyncio.timeout(20):
        while not so():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def test_a_memory_that_is_opened_holds_nothing_that_is_too_old(tmp_path: Path) -> None:
    filled = store(tmp_path)
    for number in range(1, 4):
        filled.add(view(number, kept=number == 2), at(number))
    filled.close()
    access = Access(str(tmp_path / DATABASE), KEY, MemoryConfig(), at(8 * DAY_S))
    list(MemoryBrick().execute(TimeNow(access)))
    assert numbers(tmp_path) == [2]


def test_a_view_is_remembered_although_another_program_reads_while_the_old_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host.memory.database.BUSY_S", 0.01)
    opened = store(tmp_path)
    for number in range(1, RETAIN_EVERY):
        opened.add(view(number), at(number))
    late = at(9 * DAY_S)
    with closing(sqlite3.connect(tmp_path / DATABASE, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM views").fetchone()
        assert opened.add(view(RETAIN_EVERY, late), late) == RETAIN_EVERY
    assert numbers(tmp_path) == [RETAIN_EVERY]


def test_every_day_the_old_goes_although_the_memory_is_off_and_its_process_ends_again(tmp_path: Path) -> None:
    async def scene() -> None:
        small = SmallMemory(tmp_path)
        intake = Intake(
            small.memory, small.places, small.tools.power, small.clock, cast(EventQueue, None),
            small._observe, lambda: True,
        )  # fmt: skip
        running = asyncio.create_task(intake.run())
        await small.clock.advance(RETAIN_FIRST_S)
        assert small.told == [] and not small.asked, "there is no memory"
        for number in (1, 2):
            await small.saw(50, None)
            small.clock.jump(8 * DAY_S)
            await small.clock.advance(RETAIN_FIRST_S)
            await until(lambda: not numbers(tmp_path))
            assert small._store._store is None, f"the process of view {number} ended"
        await small.saw(50, None)
        assert RETAIN_AGAIN_S < RETAIN_EVERY_S
        small.clock.jump(RETAIN_EVERY_S)
        await small.clock.advance(RETAIN_FIRST_S)
        await until(lambda: small._store._store is None)
        assert numbers(tmp_path) == [3]
        running.cancel()

    asyncio.run(scene())


def start(day: int, seconds: float = 30.0, boot: str = "") -> Moment:
    """So long after a start of the headband; by its clock it is that day."""
    return Moment(boot or f"start {day}", seconds, START_S + day * DAY_S + seconds)


def test_a_clock_that_is_wrong_at_a_start_takes_no_view(tmp_path: Path) -> None:
    opened = store(tmp_path)
    for number, day in enumerate((1, -59, 3, 4), 1):
        opened.add(view(number, start(day)), start(day))
    for day in (45, -48):
        wrong = start(day, 60.0, "present")
        opened.add(view(5, wrong), wrong)
        assert opened.retain(wrong) == 0 and len(opened.rows(wrong)) > 4
    assert opened.retain(start(5, DOUBTED_S, "present")) == 0, "the clock was put right"
    assert opened.retain(start(45, DOUBTED_S, "present")) == 4, "it stayed so"


def test_a_clock_that_was_behind_at_a_start_takes_no_view_at_the_next(tmp_path: Path) -> None:
    opened = store(tmp_path)
    for number in range(1, 5):
        opened.add(view(number, start(number)), start(number))
    opened.add(view(5, start(-20)), start(-20))
    assert opened.retain(start(6, DOUBTED_S)) == 0
    times = [(row.time_s - START_S) / DAY_S for row in opened.rows(start(6))]
    assert times == pytest.approx([1, 2, 3, 4, 4], abs=0.01)


def test_a_kept_view_stays_where_the_activations_of_others_take_the_room(tmp_path: Path) -> None:
    opened = store(tmp_path, MemoryConfig(max_bytes=1_000_000))
    rows = np.random.default_rng(1).standard_normal((400, 256)).astype(np.float32)
    for number in range(1, 41):
        kept = number == 1
        begun = None if kept else Activation(3, "e", rows)
        opened.add(replace(view(number, kept=kept, activation=begun), jpeg=os.urandom(8000)), at(number))
    opened.retain(at(50))
    left = [row.number for row in opened.rows(at(50))]
    assert left[0] == 1 and left[1:] == list(range(left[1], 41)) and len(left) > 10
    assert 900_000 < opened.status(at(50)).size_bytes <= 1_000_000


def test_a_start_is_forgotten_with_its_views(tmp_path: Path) -> None:
    opened = store(tmp_path)
    for number in range(1, 31):
        opened.add(view(number, start(number), kept=number == 3), start(number))
        opened.retain(start(number, DOUBTED_S))
    with closing(sqlite3.connect(tmp_path / DATABASE)) as plain:
        starts = [boot for (boot,) in plain.execute("SELECT boot FROM boots ORDER BY number")]
    assert starts == ["start 3", *(f"start {number}" for number in range(24, 31))]
    opened.forget(range(1, 31))
    opened.retain(start(90, DOUBTED_S))
    unset = Moment("later", 10.0, 10.0)
    opened.add(view(31, unset), unset)
    (row,) = opened.rows(unset)
    assert row.time_s == pytest.approx(start(30).wall_s), "after the last start that was known"


def test_what_is_forgotten_needs_little_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = store(tmp_path)
    for number in range(1, 201):
        opened.add(replace(view(number), jpeg=os.urandom(50_000)), at(number))
    log, lengths = tmp_path / f"{DATABASE}-wal", list[int]()

    def looked_at(database: sqlite3.Connection) -> bool:
        lengths.append(log.stat().st_size)
        return wiped(database)

    monkeypatch.setattr("host.memory.deleting.PART_BYTES", 500_000)
    monkeypatch.setattr("host.memory.deleting.wiped", looked_at)
    assert opened.forget_since(0.0, at(300)) == 200
    assert len(lengths) >= 20 and max(lengths[1:]) < 1_000_000 and log.stat().st_size == 0
    assert opened.rows(at(300)) == [] and numbers(tmp_path) == []


def test_who_has_much_forgotten_hears_how_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host.memory.deleting.PART_BYTES", 100_000)
    opened = store(tmp_path)
    for number in range(1, 21):
        opened.add(replace(view(number), jpeg=os.urandom(50_000)), at(number))
    opened.close()
    access = Access(str(tmp_path / DATABASE), KEY, MemoryConfig(), at(30))
    said = list(MemoryBrick().execute(ForgetSince(access, ago_s=3600.0)))
    assert len(said) >= 5 and said == sorted(said) and said[-1] == 20, "so that nobody takes it for stuck"
    assert list(MemoryBrick().execute(ForgetSince(access, ago_s=3600.0))) == [0]


def test_a_memory_full_of_old_views_loses_them_bit_by_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host.memory.deleting.PART_BYTES", 0)
    monkeypatch.setattr("host.memory.store.RETAIN_S", 0.0)

    async def scene() -> None:
        small = SmallMemory(tmp_path)
        for _ in range(6):
            await small.saw(50, None)
        small.clock.jump(8 * DAY_S)
        assert len(await small.memory.rows()) == 6
        intake = Intake(
            small.memory, small.places, small.tools.power, small.clock, cast(EventQueue, None),
            small._observe, lambda: True,
        )  # fmt: skip
        running = asyncio.create_task(intake.run())
        seen = set[int]()
        async with asyncio.timeout(20):
            while left := len(numbers(tmp_path)):
                seen.add(left)
                await small.clock.advance(RETAIN_FIRST_S)
                await asyncio.sleep(0.02)
        assert len(seen) >= 3 and small.clock.monotonic() < 9 * DAY_S
        running.cancel()

    asyncio.run(scene())
