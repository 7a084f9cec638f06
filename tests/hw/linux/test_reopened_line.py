"""A line that came unplugged is opened anew; until then it has the safe level."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from hw.absent import unread
from hw.linux.gpio import GpioLine
from hw.linux.key_line import KeyLine
from hw.linux.reopened_line import ReopenedLine
from tests.hw import contracts
from tests.hw.fake_headband import FakeKeys

SWITCH = 248


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKeys:
    (tmp_path / "dev").mkdir()
    return FakeKeys(tmp_path / "sys", tmp_path / "dev", monkeypatch)


@pytest.fixture
def line(keys: FakeKeys, tmp_path: Path) -> Iterator[ReopenedLine]:
    def opened() -> KeyLine:
        return KeyLine(
            FakeKeys.NAME, SWITCH, name="recording_off", lost_active=True, sysfs_root=tmp_path / "sys",
            dev_root=tmp_path / "dev",
        )  # fmt: skip

    with closing(ReopenedLine("The recording_off line", opened, lost_active=True)) as made:
        yield made
    made.reopen()
    assert made.active and unread(made)


def test_it_is_a_line(line: ReopenedLine) -> None:
    asyncio.run(contracts.check_line(line))


def test_it_is_read_again_when_it_is_back(keys: FakeKeys, line: ReopenedLine) -> None:
    levels = [(line.active, unread(line))]
    keys.unplug()
    levels.append((line.active, unread(line)))
    line.reopen()
    levels.append((line.active, unread(line)))
    keys.plug_in()
    line.reopen()
    levels.append((line.active, unread(line)))
    keys.set(SWITCH, pressed=True)
    assert [*levels, (line.active, unread(line))] == [
        (False, False), (True, True), (True, True), (False, False), (True, False),
    ]  # fmt: skip


@pytest.mark.parametrize("pressed", [False, True])
def test_a_wait_goes_on_with_the_line_that_is_back(keys: FakeKeys, line: ReopenedLine, pressed: bool) -> None:
    """pressed: meanwhile, so that its edge is missed."""

    async def scene() -> None:
        waiting = asyncio.create_task(line.wait())
        await asyncio.sleep(0.01)
        keys.unplug()
        line.reopen()
        await asyncio.sleep(0.01)
        keys.plug_in()
        if pressed:
            keys.set(SWITCH, pressed=True)
        line.reopen()
        await asyncio.sleep(0.01)
        assert waiting.done() is pressed
        keys.set(SWITCH, pressed=True)
        await asyncio.wait_for(waiting, 1)

    asyncio.run(scene())


@pytest.mark.parametrize("may", ["enabled", "disabled"])
def test_what_woke_the_computer_has_to_be_able_to_again(keys: FakeKeys, line: ReopenedLine, may: str) -> None:
    assert line.wakes
    keys.unplug()
    keys.plug_in()
    keys.may_wake(may)
    line.reopen()
    assert unread(line) is (may == "disabled") and line.active is (may == "disabled")


class GoneRequest:
    """A double of gpiod's request whose chip is gone: its file stays readable."""

    def __init__(self) -> None:
        self.fd, self._end = os.pipe()
        os.close(self._end)

    def wait_edge_events(self, timeout: timedelta) -> bool:
        return True

    def read_edge_events(self) -> list[bytes]:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    def release(self) -> None:
        os.close(self.fd)


def test_a_chip_that_is_gone_ends_no_wait_and_keeps_no_core_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpiod.request_lines", lambda *_, **__: GoneRequest())
    problems: list[object] = []

    async def scene() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: problems.append(told))
        gone = GpioLine("/dev/gpiochip0", 3, name="alert")
        waiting = asyncio.create_task(gone.wait())
        before_s = time.process_time()
        await asyncio.sleep(0.3)
        assert time.process_time() - before_s < 0.1 and not waiting.done() and not problems
        waiting.cancel()
        await asyncio.wait([waiting])
        gone.close()

    asyncio.run(scene())
