"""The host's I2C bus recovers itself: nine clocks, a device opened anew, and at last a reset of the PMU."""

from __future__ import annotations

import errno
import os

import pytest

from hw.absent import AbsentOutput
from hw.device import DeviceError
from hw.i2c_faults import FAULTS
from hw.linux import i2c
from hw.linux.i2c import BusLines, RecoveringBus


class Wire:
    """A line that records what it was set to."""

    def __init__(self) -> None:
        self.set_to: list[bool] = []

    def set(self, active: bool) -> None:
        self.set_to.append(active)


class Adapter:
    """A kernel's adapter whose data line a chip holds low until it has got nine clocks, or for ever."""

    def __init__(self, clock: Wire) -> None:
        self.clock = clock
        self.now_s = 0.0
        self.opened = self.closed = 0
        self.error: int | None = None
        self.freed_by_clocks = self.freed_by_opening = False
        self.gone = False

    def open(self) -> Adapter:
        if self.gone:
            raise DeviceError("There is no I2C bus 1.")
        self.opened += 1
        if self.freed_by_opening:
            self.error = None
        return self

    def close(self) -> None:
        self.closed += 1

    def read_i2c_block_data(self, address: int, register: int, length: int) -> list[int]:
        if self.freed_by_clocks and self.clock.set_to.count(True) >= 9:
            self.error = None
        if self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        return [0] * length


class Bench:
    def __init__(self, lines: BusLines | None = None) -> None:
        self.clock, self.reset = Wire(), Wire()
        self.adapter = Adapter(self.clock)
        self.bus = RecoveringBus(
            self.adapter.open,  # type: ignore[arg-type]
            lines or BusLines(self.clock, self.reset),
            lambda: self.adapter.now_s,
            lambda seconds: None,
        )

    def look(self) -> bool:
        self.adapter.now_s += 0.2
        try:
            return len(self.bus.read_i2c_block_data(0x0B, 0, 4)) == 4
        except OSError:
            return False


@pytest.mark.parametrize("number", [number for number, fault in FAULTS.items() if fault.recover])
@pytest.mark.parametrize("cure", ["clocks", "opening"])
def test_a_held_bus_works_at_the_next_try(number: int, cure: str) -> None:
    bench = Bench()
    bench.adapter.error = number
    bench.adapter.freed_by_clocks, bench.adapter.freed_by_opening = cure == "clocks", cure == "opening"
    assert [bench.look(), bench.look()] == [False, True]
    assert bench.clock.set_to == [True, False] * 9 and bench.adapter.opened == 2
    assert bench.reset.set_to == []


def test_an_adapter_that_is_away_for_a_while_is_opened_when_it_is_back() -> None:
    bench = Bench()
    bench.adapter.error, bench.adapter.gone = errno.ENODEV, True
    assert not any(bench.look() for _ in range(30))
    bench.adapter.error, bench.adapter.gone = None, False
    assert any(bench.look() for _ in range(6))
    bench.bus.close()
    bench.bus.close()


@pytest.mark.parametrize(("number", "after_s"), [(errno.ETIMEDOUT, i2c.HELD_S), (errno.ENXIO, i2c.SILENT_S)])
def test_a_pmu_that_stays_away_is_reset_a_few_times_and_no_more(number: int, after_s: float) -> None:
    bench = Bench()
    bench.adapter.error = number
    while bench.adapter.now_s < after_s - 1:
        bench.look()
    assert bench.reset.set_to == []
    while bench.adapter.now_s < 3_000:
        bench.look()
    assert bench.reset.set_to[:2] == [True, False]
    assert 1 <= bench.reset.set_to.count(True) <= i2c.RESETS and not bench.reset.set_to[-1]


def test_lines_that_do_not_work_cost_the_recovery_nothing() -> None:
    """A misspelt name in board.toml is told at the start; the bus is opened anew all the same."""
    broken = AbsentOutput("The bus_clock line does not exist.")
    bench = Bench(BusLines(broken, broken))
    bench.adapter.error = errno.ETIMEDOUT
    while bench.adapter.now_s < 2 * i2c.HELD_S:
        assert not bench.look()
    bench.adapter.error = None
    assert bench.look() and bench.adapter.opened > i2c.HELD_S


def test_a_refusal_recovers_nothing() -> None:
    bench = Bench()
    bench.adapter.error = errno.EACCES
    for _ in range(1_000):
        bench.look()
    assert bench.adapter.opened == 1 and bench.reset.set_to == bench.clock.set_to == []
