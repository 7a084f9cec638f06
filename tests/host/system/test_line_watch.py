"""A line that is lost in use is told of once, tried again every few seconds, and told of when it is back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from host.observe.journal import Journal
from host.system.device_faults import PAUSES_S, SETTLED_S, DeviceHealth
from host.system.line_watch import LOOK_S, LineWatch
from hw.emulated.board import emulated_board
from hw.linux.wiring import LinesWiring, Wiring
from tests.hw.fake_headband import FakeHeadband
from tests.hw.linux.sound_programs import programs
from tests.hw.test_boards import opened

__all__ = ["programs"]


@pytest.fixture
def headband(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHeadband:
    return FakeHeadband(tmp_path, programs, monkeypatch)


class Scene:
    """A board with a switch, watched on a clock that jumps."""

    def __init__(self, headband: FakeHeadband) -> None:
        wiring = Wiring(lines=LinesWiring(recording_off="input:headband-keys 248"))
        self.board = replace(opened(headband, "rk3566", wiring), clock=headband.clock)
        self.told: list[tuple[object, object]] = []
        journal = Journal(None, headband.clock)

        def note(_: str, fields: dict[str, object]) -> None:
            self.told.append((fields["device"], fields["problem"]))

        self.watch = LineWatch(
            self.board, lambda name: DeviceHealth(name, headband.clock, journal, note, SETTLED_S)
        )

    async def passes(self, seconds: float) -> None:
        """That long on the board's clock."""
        end_s = self.board.clock.monotonic() + seconds
        for _ in range(10_000):
            await asyncio.sleep(0)
            if self.board.clock.monotonic() >= end_s:
                return
        raise AssertionError("nobody lets time pass")


def test_lost_lines_are_told_of_once_and_used_again_when_they_are_back(headband: FakeHeadband) -> None:
    async def scene() -> None:
        b = Scene(headband)
        running = asyncio.create_task(b.watch.run())
        await b.passes(5.0)
        assert b.told == []
        headband.keys.unplug()
        await b.passes(60.0)
        assert sorted(b.told) == [
            (name, f"The {line} line (headband-keys {code}) can't be read any more.")
            for name, line, code in (
                ("alert", "alert", 149), ("button", "button", 148), ("switch", "recording_off", 248),
                ("wake", "wake", 143),
            )
        ]  # fmt: skip
        b.told.clear()
        headband.keys.plug_in()
        await b.passes(PAUSES_S[-1] + SETTLED_S + 4 * LOOK_S)
        assert sorted(b.told) == [(name, None) for name in ("alert", "button", "switch", "wake")]
        switch = b.board.recording_off
        assert switch is not None
        levels = [switch.active]
        headband.keys.set(248, pressed=True)
        assert [*levels, switch.active, b.board.wake.active] == [False, True, False]
        running.cancel()
        await b.board.close()

    asyncio.run(scene())


def test_a_board_without_such_lines_has_nothing_to_watch() -> None:
    board = emulated_board(sound_card=False)
    journal = Journal(None, board.clock)
    watch = LineWatch(
        board, lambda name: DeviceHealth(name, board.clock, journal, lambda event, fields: None)
    )
    asyncio.run(asyncio.wait_for(watch.run(), 1))
