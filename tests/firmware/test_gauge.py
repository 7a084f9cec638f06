"""The gauge on a simulated cell, and the application around it."""

from __future__ import annotations

import importlib
import random
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.pmu import cell
from firmware.pmu import registers as r
from firmware.pmu.app import Pmu
from firmware.pmu.gauge import Gauge

ROOM_DK = r.ZERO_CELSIUS_DK + 220


@given(st.floats(0, 100))
def test_the_cell_curve_and_its_inverse_agree(percent: float) -> None:
    assert cell.percent_at(cell.open_circuit_mv_at(percent)) == pytest.approx(percent, abs=0.01)


def test_the_cell_curve_rises_and_ends_hold() -> None:
    assert all(low < high for low, high in zip(cell.OPEN_CIRCUIT_MV, cell.OPEN_CIRCUIT_MV[1:], strict=False))
    assert cell.percent_at(2500) == 0
    assert cell.percent_at(4300) == 100
    assert cell.open_circuit_mv_at(-5) == 3000
    assert cell.open_circuit_mv_at(120) == 4200


def terminal_mv(percent: float, current_ma: int) -> int:
    return round(cell.open_circuit_mv_at(percent) + current_ma * cell.RESISTANCE_MOHM / 1000)


@pytest.mark.parametrize("current_ma", [-20, -650, -1400, 500])
@pytest.mark.parametrize("percent", [8, 35, 60, 90])
def test_the_first_sample_is_corrected_for_the_load(percent: int, current_ma: int) -> None:
    gauge = Gauge()
    gauge.sample(0, terminal_mv(percent, current_ma), current_ma, ROOM_DK, current_ma > 0)
    assert gauge.percent == pytest.approx(percent, abs=1)


def test_a_day_of_load_steps_stays_within_three_points() -> None:
    rng = random.Random(7)
    true_mah, now_ms, current_ma = 1900.0, 0, -100
    gauge = Gauge(2000)
    worst = 0.0
    while true_mah > 60:
        if rng.random() < 0.02:
            current_ma = -rng.choice((20, 150, 400, 650, 1400))
        noisy_ma = current_ma + rng.randint(-5, 5)
        gauge.sample(
            now_ms, terminal_mv(true_mah / 20, current_ma) + rng.randint(-4, 4), noisy_ma, ROOM_DK, False
        )
        worst = max(worst, abs(gauge.percent - true_mah / 20))
        now_ms = (now_ms + 5000) & 0x3FFFFFFF
        true_mah += current_ma * 5 / 3600
    assert worst <= 3


def test_full_and_empty_are_anchored() -> None:
    gauge = Gauge()
    gauge.sample(0, 3950, -100, ROOM_DK, False)
    gauge.sample(1000, 4195, 60, ROOM_DK, True)
    assert gauge.percent == 100
    status = gauge.words(0, 0)[r.BATTERY_STATUS]
    assert status & r.STATUS_FULLY_CHARGED
    assert not status & r.STATUS_DISCHARGING
    gauge.sample(2000, 2990, -100, ROOM_DK, False)
    assert gauge.percent == 0
    assert gauge.words(0, 0)[r.BATTERY_STATUS] & r.STATUS_TERMINATE_DISCHARGE


def test_nothing_is_claimed_before_the_first_sample() -> None:
    assert not Gauge().words(200, 10)[r.BATTERY_STATUS] & r.STATUS_INITIALIZED


def test_time_to_empty_is_in_minutes() -> None:
    gauge = Gauge(2000)
    gauge.sample(0, 3800, -500, ROOM_DK, False)
    gauge.set_percent(50)
    words = gauge.words(0, 0)
    assert words[r.RUN_TIME_TO_EMPTY] == 120
    assert words[r.AVERAGE_TIME_TO_EMPTY] == 120
    gauge.sample(1000, 3900, 500, ROOM_DK, True)
    assert gauge.words(0, 0)[r.RUN_TIME_TO_EMPTY] == r.NOT_DISCHARGING


class FakePmuBoard:
    """Hardware for `Pmu`: a cell to set and a record of the alert line."""

    def __init__(self) -> None:
        self.now_ms = 0x3FFFFF00  # the tick counter wraps soon
        self.sensed = (3800, -200, ROOM_DK, False)
        self.alerts: list[bool] = []

    def ticks_ms(self) -> int:
        return self.now_ms & 0x3FFFFFFF

    def sense(self) -> tuple[int, int, int, bool]:
        return self.sensed

    def alert(self, active: bool) -> None:
        self.alerts.append(active)


def test_uptime_counts_across_the_tick_wrap() -> None:
    board = FakePmuBoard()
    pmu = Pmu(board)
    for _ in range(40):
        board.now_ms += 250
        pmu.step()
    assert pmu.target.value(r.UPTIME_LOW) == 10


def test_the_alert_line_tells_new_alarms_once() -> None:
    board = FakePmuBoard()
    pmu = Pmu(board)
    pmu.step()
    assert board.alerts == []
    pmu.gauge.set_percent(9)
    pmu.publish()
    pmu.publish()
    assert board.alerts == [False, True]
    pmu.events.acknowledge(1)
    assert board.alerts[-1] is False


def test_main_starts_the_pmu_on_a_board_with_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """`main.py` on the microcontroller's import path: its package is called `pmu`, its pins come from
    `machine`.
    """
    targets = []

    class Stopped(Exception):
        pass

    class Pin:
        OPEN_DRAIN, IN, OUT, PULL_UP = 1, 0, 3, 1

        def __init__(self, number: int, mode: int = 0, pull: int = -1, value: int = 0) -> None:
            self.level = value

        def value(self, level: int | None = None) -> int:
            self.level = self.level if level is None else level
            return self.level

    class Ina226:
        def __init__(self, *_: object, **__: object) -> None:
            self.registers = {0x02: 3040, 0x04: 0x10000 - 650, 0x05: 512}

        def readfrom_mem(self, address: int, register: int, count: int) -> bytes:
            return self.registers[register].to_bytes(count, "big")

        def writeto_mem(self, address: int, register: int, data: bytes) -> None:
            self.registers[register] = int.from_bytes(data, "big")

    class Adc:
        CORE_TEMP = 4

        def __init__(self, _: int) -> None: ...

        def read_u16(self) -> int:
            return int(0.706 / 3.3 * 65535)

    class Pwm:
        def __init__(self, pin: Pin, *, freq: int, duty_u16: int) -> None: ...

        def duty_u16(self, duty: int) -> None: ...

    class I2CTarget:
        IRQ_END_WRITE = 32

        def __init__(self, number: int, address: int, *, mem: bytearray, **_: object) -> None:
            assert address == 0x0B
            targets.append(mem)

        def irq(self, handler: object, trigger: int) -> None: ...

    def sleep_ms(ms: int) -> None:
        raise Stopped

    machine = types.ModuleType("machine")
    vars(machine).update(Pin=Pin, PWM=Pwm, WDT=object, I2C=Ina226, ADC=Adc, I2CTarget=I2CTarget)
    import time

    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setattr(time, "ticks_ms", lambda: 0, raising=False)
    monkeypatch.setattr(time, "sleep_ms", sleep_ms, raising=False)
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "firmware"))
    try:
        with pytest.raises(Stopped):
            importlib.import_module("main")
    finally:
        for name in [name for name in sys.modules if name in ("main", "pmu") or name.startswith("pmu.")]:
            del sys.modules[name]
    (memory,) = targets
    words = {code: memory[4 * code] | memory[4 * code + 1] << 8 for code in range(r.REGISTER_COUNT)}
    assert words[r.VOLTAGE] == 3800
    assert r.signed(words[r.CURRENT]) == -650
    assert abs(words[r.TEMPERATURE] - (r.ZERO_CELSIUS_DK + 270)) <= 2
    assert words[r.MAP] == r.MAP_MAGIC | r.MAP_VERSION
