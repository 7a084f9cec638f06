"""The firmware as it is on an emulated RP2040 or RP2350, whose clocks rest while it dozes."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from firmware.pmu import registers as r
from firmware.pmu import sleep_state
from tests.firmware.micropython.board import machine
from tests.firmware.micropython.board.rig import CHIPS, RIG, Ended

CHIP_NAMES = tuple(CHIPS)
SOUND, BUTTON, POWER_GOOD, SHIP, LATCHED, RAIL = 17, 13, 9, 3, 26, 10
MODULES = tuple(f"firmware.pmu.board{part}" for part in ("", "_sleep", "_ship"))


def emulated(chip: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """The bench of a microcontroller with battery, button and sound detector, for a test."""
    monkeypatch.chdir(tmp_path)  # the flash: what one test stores is nothing to the next
    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setitem(sys.modules, "micropython", ModuleType("micropython"))
    monkeypatch.setitem(sys.modules, "firmware.pmu.sound_loops_viper", None)  # machine code
    bench = importlib.import_module("tests.firmware.micropython.board.bench")
    RIG.clear()
    RIG.chip = chip
    RIG.hz = CHIPS[chip][0]
    RIG.levels.update({SOUND: 0, BUTTON: 1, POWER_GOOD: 0})
    RIG.chips[0x40] = bench.Ina226(3850, -21)
    monkeypatch.setattr(sleep_state, "START_MS", 5_000)
    for module in MODULES:
        monkeypatch.delitem(sys.modules, module, raising=False)
    yield bench
    for module in MODULES:
        sys.modules.pop(module, None)
    RIG.clear()


def target() -> Any:
    return RIG.target


def write(code: int, value: int) -> None:
    low, high = value & 0xFF, value >> 8
    target().host_write(bytes((code * 4, low, high, r.write_pec(code * 4, low, high))))


def read(code: int) -> int:
    target().host_write(bytes((code * 4,)))
    low, high, _ = target().host_read(3)
    return low | high << 8


def run(bench: Any, until_s: float, *steps: tuple[float, Callable[[], Any]]) -> None:
    """Run the board's firmware up to that time of the rig; each step at its time."""
    due = sorted(steps, key=lambda step: step[0])

    def watch() -> None:
        while due and RIG.now_us >= due[0][0] * 1e6:
            due.pop(0)[1]()

    RIG.watch, RIG.until_us = watch, int(until_s * 1e6)
    real = {name: sys.modules[name] for name in ("sys", "select", "time")}
    bench.install()
    try:
        board = importlib.import_module("firmware.pmu.board")
        board._work(board.Board(None))
    except Ended:
        pass
    finally:
        sys.modules.update(real)
    assert RIG.faults == []


def sleep_host(gate: int = r.GATE_LISTEN) -> list[tuple[float, Callable[[], None]]]:
    return [
        (1.0, lambda: write(r.HEARTBEAT_DEADLINE, 30)),
        (1.5, lambda: write(r.SOUND_GATE, gate)),
        (2.0, lambda: write(r.POWER_REQUEST, r.REQUEST_SLEEP)),
    ]


def noisy(until_s: float) -> list[tuple[float, Callable[[], None]]]:
    """Steps of a room in which there is a sound every two seconds."""
    begins_s = range(7, int(until_s), 2)
    return [
        *((at_s, lambda: RIG.levels.update({SOUND: 1})) for at_s in begins_s),
        *((at_s + 0.1, lambda: RIG.levels.update({SOUND: 0})) for at_s in begins_s),
    ]
