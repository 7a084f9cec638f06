"""What is too old is deleted although nothing more is remembered: when a memory is opened, and every day."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from host.config import MemoryConfig
from host.event_queue import EventQueue
from host.memory.brick import MemoryBrick
from host.memory.key import DATABASE
from host.memory.requests import Access, TimeNow
from host.memory.store import RETAIN_EVERY
from host.turn.intake import RETAIN_EVERY_S, RETAIN_FIRST_S, Intake
from tests.host.memory.bench import KEY, at, store, view
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
        small.clock.jump(RETAIN_EVERY_S)
        await small.clock.advance(RETAIN_FIRST_S)
        await until(lambda: small._store._store is None)
        assert numbers(tmp_path) == [3]
        running.cancel()

    asyncio.run(scene())
