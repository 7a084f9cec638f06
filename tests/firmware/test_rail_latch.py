"""The rail's latch beside the PMU: a flip-flop that takes over its data at a rising edge of its clock, and
keeps its output while the PMU's pins float. `pmu.board` runs as it is, on emulated pins.
"""

from __future__ import annotations

import importlib
import select
import sys
import time
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from firmware.pmu import guard_rail as rail
from tests.firmware.micropython.board import machine
from tests.firmware.micropython.board.rig import RIG

DATA, CLOCK, OUTPUT, SDA, SCL = 10, 22, 26, 4, 5


class Latch:
    """The flip-flop, and everything that happened at the pins."""

    def __init__(self) -> None:
        self._on = True
        self.course: list[tuple[str, int, Any]] = []

    def on(self) -> bool:
        return self._on

    def drive(self, number: int, level: int) -> None:
        rises = number == CLOCK and level and not RIG.levels.get(CLOCK, 0)
        RIG.levels[number] = level
        self.course.append(("level", number, level))
        if rises:
            self._on = bool(RIG.levels.get(DATA, 0))
        RIG.levels[OUTPUT] = int(self._on)


@pytest.fixture
def latch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Latch]:
    RIG.clear()
    RIG.until_us = 1 << 60
    latch = Latch()

    class Pin(machine.Pin):  # type: ignore[misc]
        def __init__(self, number: int, mode: Any = None, pull: Any = None, value: Any = None) -> None:
            super().__init__(number, mode, pull)
            if mode is not None:
                latch.course.append(("pull", number, pull))
            if value is not None:
                self.value(value)

        def value(self, level: Any = None) -> Any:
            if level is None:
                return super().value()
            return latch.drive(self.number, 1 if level else 0)

    poll = SimpleNamespace(register=lambda *_: None, poll=lambda _: [])
    monkeypatch.setattr(machine, "Pin", Pin)
    monkeypatch.setattr(select, "poll", lambda: poll)
    monkeypatch.setattr(time, "sleep_ms", lambda ms: None, raising=False)
    monkeypatch.setattr(time, "sleep_us", lambda us: None, raising=False)
    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setitem(sys.modules, "micropython", ModuleType("micropython"))
    monkeypatch.setitem(sys.modules, "firmware.pmu.sound_loops_viper", None)  # machine code
    monkeypatch.delitem(sys.modules, "firmware.pmu.board", raising=False)
    yield latch
    sys.modules.pop("firmware.pmu.board", None)
    RIG.clear()


def start() -> Any:
    """The PMU starts: its pins floated, and the pull-down held the clock low."""
    RIG.levels[CLOCK] = 0
    RIG.levels.pop(DATA, None)
    board = importlib.import_module("firmware.pmu.board").Board()
    board.serve(bytearray(256), lambda _: None)
    return board


def test_a_rail_that_is_off_stays_off_over_every_reset_of_the_pmu(latch: Latch) -> None:
    board = start()
    assert latch.on()
    board.keep_guard(rail.SHUTDOWN)
    board.rail(False)
    assert not latch.on()
    for scratch in (dict(RIG.scratch), {}):  # kept by the watchdog, lost with the power
        RIG.scratch = scratch
        again = start()
        assert not latch.on(), "no pin of a starting PMU clocks the latch"
        assert again.kept_guard() & 3 in (rail.SHUTDOWN, rail.EMPTY)
        again.rail(False)
        assert not latch.on()
    again.rail(True)
    assert latch.on()


def test_a_rail_that_is_on_stays_on_when_the_pmu_is_reset_with_all_it_knew(latch: Latch) -> None:
    start().rail(True)
    RIG.scratch = {}
    again = start()
    assert latch.on() and again.kept_guard() == rail.NOT_OFF


def test_no_input_floats_where_nothing_drives_it(latch: Latch) -> None:
    """A floating power good was 48 events of outside power in two minutes."""
    start()
    power_good, heartbeat, button, sound, latched = 9, 21, 13, 17, OUTPUT
    pulls = {number: pull for what, number, pull in latch.course if what == "pull"}
    assert {number: pulls[number] for number in (power_good, heartbeat, button, sound, latched)} == {
        power_good: machine.Pin.PULL_DOWN, heartbeat: machine.Pin.PULL_DOWN,
        button: machine.Pin.PULL_UP, sound: machine.Pin.PULL_UP, latched: machine.Pin.PULL_UP,
    }  # fmt: skip


def test_the_bus_lets_go_of_its_pull_ups_before_the_power_goes(latch: Latch) -> None:
    board = start()
    board.bus(True)
    assert RIG.target is not None
    latch.course.clear()
    board.rail(False)
    assert RIG.target is None
    free = max(latch.course.index(("pull", pin, None)) for pin in (SDA, SCL))
    assert free < latch.course.index(("level", DATA, 0)) < latch.course.index(("level", CLOCK, 1))
    latch.course.clear()
    board.rail(True)
    assert RIG.target is None, "the bus opens once the host's own supply is up"
