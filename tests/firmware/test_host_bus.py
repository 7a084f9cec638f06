"""The host's bus as the PMU sees it: held lines, writes that do not end, and a host without power."""

from __future__ import annotations

import pytest

from firmware.pmu import guard_bus as bus
from firmware.pmu import guard_heartbeat as heartbeat
from firmware.pmu import registers as r
from tests.firmware.test_wiring import Lines, Rig

DEADLINE_S = 30


class Bus(Lines):
    """A board that sees its host's bus."""

    def __init__(self) -> None:
        super().__init__()
        self.held = self.level = False
        self.opened: list[tuple[int, bool]] = []

    def bus(self, is_open: bool) -> None:
        self.opened.append((self.now_ms, is_open))

    def bus_held(self) -> bool:
        return self.held

    def heartbeat_line(self) -> bool:
        return self.level


class Wire:
    """A PMU on that board, and a host with or without a heartbeat line."""

    def __init__(self, wired: bool = True) -> None:
        self.board = Bus()
        self.rig = Rig(self.board)
        self.wired = wired
        self.rig.run(1)
        self.rig.write(r.HEARTBEAT_DEADLINE, DEADLINE_S)

    def run(self, seconds: int, *, alive: bool = True, bus_works: bool = True) -> None:
        for second in range(seconds):
            if alive and second % 10 == 0:
                self.board.level = self.board.level != self.wired
                if bus_works:
                    self.rig.write(r.HEARTBEAT, second + 1)
            self.rig.run(1)

    def resets(self) -> int:
        return self.rig.course("reset").count(True)

    @property
    def renewed(self) -> int:
        return sum(is_open for _, is_open in self.board.opened) - 1


def test_a_bus_that_works_is_left_alone() -> None:
    wire = Wire()
    wire.run(600)
    assert wire.renewed == 0 and not wire.resets()


def test_a_live_host_behind_a_dead_bus_is_not_touched() -> None:
    wire = Wire()
    wire.run(3_600, bus_works=False)
    assert not wire.resets() and wire.rig.course("rail") == [True]
    assert wire.renewed > 100, "the target is set up anew while the line beats and nothing is written"
    wire.run(60)
    assert wire.rig.pmu.target.value(r.GUARD) == r.GUARD_ARMED


@pytest.mark.parametrize("held", [True, False])
def test_a_host_whose_both_ways_are_silent_is_restarted_in_time(held: bool) -> None:
    wire = Wire()
    wire.run(60)
    wire.board.held = held
    wire.run(DEADLINE_S + heartbeat.WARN_MS // 1_000 + 2, alive=False, bus_works=False)
    assert wire.resets() == 1


def test_a_held_line_is_recovered_first_and_excuses_a_host_without_the_line_for_some_minutes() -> None:
    wire = Wire(wired=False)
    wire.run(60)
    wire.board.held = True
    wire.rig.run(bus.HELD_MS / 1_000 + 0.5)
    assert wire.renewed == 1
    wire.run(bus.EXCUSED_MS // 1_000 - 5, bus_works=False)
    assert not wire.resets() and wire.renewed > 40
    wire.run(DEADLINE_S + 20, bus_works=False)
    assert wire.resets() == 1


def test_a_line_that_is_held_for_a_transfer_only_is_nothing() -> None:
    wire = Wire()
    for step in range(2_000):
        wire.board.held = step % 3 != 0
        wire.rig.run(0.25)
        wire.rig.write(r.HEARTBEAT, step % 7)
    assert wire.renewed == 0


def test_the_bus_is_closed_while_the_host_has_no_power_and_opens_after_its_supply() -> None:
    wire = Wire()
    wire.rig.write(r.POWER_REQUEST, r.REQUEST_SAVED)
    wire.rig.run(30)
    assert wire.board.opened[-1][1] is False and wire.rig.course("rail")[-1] is False
    rails = len(wire.board.driven)
    wire.rig.press()
    wire.rig.run(3)
    came = next(name for name, _ in wire.board.driven[rails:] if name == "rail")
    assert came and wire.board.opened[-1][1] is True


def test_a_toggle_of_the_line_does_not_end_sleep() -> None:
    wire = Wire()
    wire.rig.write(r.POWER_REQUEST, r.REQUEST_SLEEP)
    wire.rig.run(1)
    wire.run(100, bus_works=False)
    assert wire.rig.pmu.target.value(r.GUARD) == r.GUARD_ASLEEP
