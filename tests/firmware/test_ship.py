"""A headband that is off cuts its PMU's supply where it has a switch for that and no charger is there."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.pmu import guard_rail as rails
from tests.firmware.dozing_board import (
    BUTTON,
    CHIP_NAMES,
    LATCHED,
    MODULES,
    POWER_GOOD,
    RAIL,
    SHIP,
    emulated,
    noisy,
    run,
)  # fmt: skip
from tests.firmware.micropython.board.rig import RIG, Ended


@pytest.fixture(params=CHIP_NAMES)
def bench(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    yield from emulated(request.param, monkeypatch, tmp_path)


def patch_files(monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]) -> None:
    class File:
        def __init__(self, name: str, mode: str) -> None:
            if "r" in mode and name not in files:
                raise OSError(2)
            self.name = name

        def __enter__(self) -> File:
            return self

        def __exit__(self, *_: object) -> None: ...

        def write(self, data: bytes) -> None:
            files[self.name] = bytes(data)

        def read(self, limit: int = -1) -> bytes:
            return files[self.name]

    real, remove = builtins.open, os.remove

    def opened(name: Any, *arguments: Any, **named: Any) -> Any:
        if str(name).endswith(".bin") and arguments:
            return File(str(name), arguments[0])
        return real(name, *arguments, **named)

    def removed(name: Any) -> None:
        if files.pop(str(name), None) is None:
            remove(name)

    listdir = os.listdir

    def listed(*folder: Any) -> list[str]:
        return listdir(*folder) if folder else [*files]

    monkeypatch.setattr(os, "listdir", listed)
    monkeypatch.setattr(builtins, "open", opened)
    monkeypatch.setattr(os, "remove", removed)


def test_off_it_stores_why_and_cuts_its_own_supply(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch is GPIO 3. The button brings the supply back, and starts the host. The room is noisy."""
    files: dict[str, bytes] = {}
    cut_s: list[float] = []
    patch_files(monkeypatch, files)

    def watch_supply() -> None:
        if RIG.levels.get(SHIP) == 0:
            cut_s.append(RIG.now_us / 1e6)
            raise Ended

    steps = [(6.0, lambda: RIG.levels.update({BUTTON: 0})), (17.0, lambda: RIG.levels.update({BUTTON: 1}))]
    run(bench, 60.0, *steps, *noisy(60), *((20 + n / 4, watch_supply) for n in range(160)))
    assert cut_s and 36.5 < cut_s[0] < 40, "20 s after the last stir"
    assert files["off.bin"] == bytes((rails.SHUTDOWN,))

    RIG.now_us, RIG.timers, RIG.target = 0, [], None
    RIG.scratch, RIG.armed, RIG.lit, RIG.open_i2s, RIG.dozing = {}, {}, {}, None, False
    RIG.levels.update({SHIP: 1, LATCHED: 0, BUTTON: 1})
    for module in MODULES:
        sys.modules.pop(module, None)
    run(bench, 3.0)
    assert "off.bin" not in files
    assert RIG.levels[RAIL] == 1, "the button switched it on"


@pytest.mark.parametrize("current_ma", [900, 0], ids=["charging", "full"])
def test_off_at_a_charger_that_was_there_minutes_ago_it_keeps_its_supply(
    bench: Any, monkeypatch: pytest.MonkeyPatch, current_ma: int
) -> None:
    patch_files(monkeypatch, {})
    shone: list[bool] = []
    supplied: list[int] = []

    def plug() -> None:
        RIG.levels[POWER_GOOD] = 1
        RIG.chips[0x40].current_ma = current_ma

    run(
        bench, 70.0,
        (1.0, lambda: RIG.levels.update({POWER_GOOD: 1})),
        (6.0, lambda: RIG.levels.update({POWER_GOOD: 0})),
        (10.0, lambda: RIG.levels.update({BUTTON: 0})),
        (21.0, lambda: RIG.levels.update({BUTTON: 1})),
        (24.0, plug),
        *((24.0 + n / 4, lambda: supplied.append(RIG.levels[SHIP])) for n in range(180)),
        *((26.5 + n / 20, lambda: shone.append(any(RIG.lit.values()))) for n in range(40)),
    )  # fmt: skip
    assert RIG.levels[RAIL] == 0 and all(supplied)
    assert any(shone) == (current_ma > 0), "it shows that it charges"


@pytest.mark.parametrize("latch", [{LATCHED: 0}, {}], ids=["latch", "no latch"])
def test_a_charger_wakes_an_off_headband_and_does_not_start_it(
    bench: Any, monkeypatch: pytest.MonkeyPatch, latch: dict[int, int]
) -> None:
    patch_files(monkeypatch, {"off.bin": bytes((rails.SHUTDOWN,))})
    RIG.levels.update({**latch, POWER_GOOD: 1})
    run(bench, 30.0)
    assert RIG.levels[RAIL] == 0
    assert RIG.dozed_us == 0


def test_off_without_such_a_switch_it_dozes_on(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"off.bin": bytes((rails.SHUTDOWN,))}
    patch_files(monkeypatch, files)
    RIG.levels.update({LATCHED: 0, POWER_GOOD: 1})
    run(bench, 60.0, (5.0, lambda: RIG.levels.update({POWER_GOOD: 0})))
    assert RIG.dozed_us > 25e6
    assert "off.bin" not in files and RIG.levels[SHIP] == 1
