"""The wearer's settings on a disk that fails for a while, and a write that is cancelled."""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from host.config import AnswerConfig
from host.observe.journal import Journal
from host.session import actions, events
from host.session.values import WearerSettings
from host.wearer import settings_store
from host.wearer.saved_settings import saved_recording
from host.wearer.settings_store import RETRY_S, SettingsStore
from hw.emulated.clock import FakeClock
from models.atomic_file import write_whole
from tests.host.session.doubles import NotingQueue, perform

OFF = WearerSettings(recording=False)


class Kept:
    """A store of settings, of which all are on the disk."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.path = FakeClock(), folder / "kept.json"
        self.queue = NotingQueue(self.clock)
        self.journal = Journal(None, self.clock)
        self.store = SettingsStore(
            self.queue, self.clock, self.journal, self.path, AnswerConfig(), lambda: "boot"
        )

    async def write(self, number: int, settings: WearerSettings) -> list[events.Event]:
        """Writes settings, as the session asks for it; returns what it is told."""
        perform(self.store, actions.WriteSettings(number, settings))
        await self.written()
        return self.queue.taken()

    async def written(self) -> None:
        """Returns when no write is under way."""
        while self.queue._tasks:
            await asyncio.wait(self.queue._tasks)

    @property
    def problems(self) -> list[object]:
        """What the journal says of the disk."""
        return [line["problem"] for line in self.journal.recent if line["event"] == "kept"]


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_a_full_disk_did_not_take_is_written_when_it_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        kept = Kept(tmp_path)
        await kept.write(1, WearerSettings(volume_percent=60))
        with monkeypatch.context() as patch:
            patch.setattr(settings_store, "write_whole", full)
            lost = events.SettingsWritten(2, kept=False, failed=True, off_lost=True)
            assert await kept.write(2, OFF) == [lost]
            for _ in range(3):
                kept.clock.jump(RETRY_S)
                kept.store.poll()
                await kept.written()
        assert saved_recording(kept.path) == "on" and len(kept.problems) == 1
        kept.store.poll()
        await kept.written()
        assert saved_recording(kept.path) == "on", "not yet"
        kept.clock.jump(RETRY_S)
        kept.store.poll()
        await kept.written()
        assert saved_recording(kept.path) == "off" and kept.queue.taken() == [events.SettingsWritten(0)]
        assert [bool(problem) for problem in kept.problems] == [True, False], "once, and its end"
        monkeypatch.setattr(settings_store, "write_whole", full)
        louder = replace(OFF, volume_percent=90)
        assert await kept.write(3, louder) == [events.SettingsWritten(3, kept=False, failed=True)], (
            "it is off"
        )

    asyncio.run(scene())


def test_settings_that_are_as_before_a_write_that_failed_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        kept = Kept(tmp_path)
        await kept.write(1, WearerSettings(volume_percent=60))
        monkeypatch.setattr(settings_store, "write_whole", full)
        assert (await kept.write(2, WearerSettings(volume_percent=70)))[0] == events.SettingsWritten(
            2, kept=False, failed=True
        )
        assert await kept.write(3, WearerSettings(volume_percent=60)) == [events.SettingsWritten(3)]
        assert kept.store.problem is None

    asyncio.run(scene())


def test_what_could_not_be_written_is_tried_once_more_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        kept = Kept(tmp_path)
        await kept.write(1, WearerSettings(volume_percent=60))
        with monkeypatch.context() as patch:
            patch.setattr(settings_store, "write_whole", full)
            await kept.write(2, OFF)
        await kept.store.save()
        assert saved_recording(kept.path) == "off"

    asyncio.run(scene())


def test_a_write_that_is_cancelled_ends_before_the_next_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    at_once: list[int] = []
    running = 0

    def slow(*what: object) -> None:
        nonlocal running
        running += 1
        at_once.append(running)
        begun.set()
        may_end.wait(10)
        writes: Callable[..., None] = write_whole
        writes(*what)
        running -= 1

    async def scene() -> None:
        kept = Kept(tmp_path)
        monkeypatch.setattr(settings_store, "write_whole", slow)
        perform(kept.store, actions.WriteSettings(1, OFF))
        await asyncio.to_thread(begun.wait, 10)
        closing = asyncio.create_task(kept.queue.close())
        await asyncio.sleep(0)
        saving = asyncio.create_task(kept.store.save())
        for _ in range(5):
            await asyncio.sleep(0.01)
        may_end.set()
        await asyncio.gather(closing, saving)
        assert max(at_once) == 1 and saved_recording(kept.path) == "off"

    asyncio.run(scene())
    assert [each.name for each in tmp_path.iterdir()] == ["kept.json"]
