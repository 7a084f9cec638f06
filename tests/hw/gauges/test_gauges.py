"""The contract of every gauge, and the choice of the gauge."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware.pmu import registers as r
from hw.emulated.bus import EmulatedBus, Fault, MemoryTarget
from hw.emulated.clock import FakeClock
from hw.emulated.pmu import EmulatedPmu
from hw.gauges import find_gauge
from tests.hw import contracts
from tests.hw.gauges.emulated_chips import EmulatedBq27441, EmulatedMax17048
from tests.hw.gauges.gauge_benches import BENCHES, OnBus
from tests.hw.sysfs_files import write_supply


@pytest.mark.parametrize("name", BENCHES)
def test_every_gauge_does_what_all_must(name: str, tmp_path: Path) -> None:
    contracts.check_gauge_on_bench(BENCHES[name](tmp_path))


@pytest.mark.parametrize("name", ["max17048", "bq27441"])
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault.NAK, "does not answer"),
        (Fault.STALL, "time out"),
        (Fault.STUCK_SDA, "fail on the bus"),
        (Fault.BUSY, "A kernel driver owns the"),
        (Fault.ALL_ONES, "only ones"),
    ],
)
def test_a_fault_of_the_bus_leaves_a_chip_absent_with_a_sentence(
    name: str, fault: Fault, says: str, tmp_path: Path
) -> None:
    bench = BENCHES[name](tmp_path)
    assert isinstance(bench, OnBus)
    assert bench.gauge.read().state == "good"
    bench.bus.inject(fault)
    reading = bench.gauge.read()
    assert reading.state == "absent"
    assert says in str(reading.problem)
    bench.bus.inject(Fault.NAK, times=2)
    assert bench.gauge.read().state == "good"


@dataclass
class ManyChips:
    """A bus with several targets, by address."""

    chips: dict[int, MemoryTarget]

    def __getattr__(self, name: str) -> Callable[..., object]:
        def call(i2c_addr: int, *arguments: object) -> object:
            if i2c_addr not in self.chips:
                raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
            return getattr(EmulatedBus(self.chips[i2c_addr], i2c_addr), name)(i2c_addr, *arguments)

        return call


def test_the_first_that_answers_is_the_gauge(tmp_path: Path) -> None:
    clock = FakeClock()
    pmu = EmulatedPmu(clock, lambda active: None)
    pmu.set_battery(57)
    chips: dict[int, MemoryTarget] = {0x0B: pmu, 0x55: EmulatedBq27441(), 0x36: EmulatedMax17048()}
    bus = ManyChips(chips)

    def found() -> str:
        gauge = find_gauge(bus, tmp_path, clock.monotonic, pause=clock.jump)  # type: ignore[arg-type]
        return type(gauge).__name__

    assert found() == "PmuGauge"
    pmu.firmware.target.publish({r.MAP: r.MAP_MAGIC | r.MAP_VERSION - 1})
    assert found() == "PmuGauge"  # to be flashed, not to be replaced
    del chips[0x0B]
    assert found() == "Bq27441"
    del chips[0x55]
    assert found() == "Max17048"
    del chips[0x36]
    assert found() == "PmuGauge"
    write_supply(tmp_path, "battery", type="Battery", capacity=50)
    assert found() == "PowerSupplyGauge"
    assert type(find_gauge(bus, tmp_path, kind="max17048")).__name__ == "Max17048"  # type: ignore[arg-type]


def test_a_pmu_that_restarts_just_then_is_waited_for(tmp_path: Path) -> None:
    """Without it there is no guard, and one that is armed still would reset the computer."""
    clock = FakeClock()
    pmu = EmulatedPmu(clock, lambda active: None)
    pmu.set_battery(57)
    bus = EmulatedBus(pmu)
    write_supply(tmp_path, "battery", type="Battery", capacity=50)

    def found(restarts_s: float) -> str:
        bus.inject(Fault.NAK)
        began_s = clock.monotonic()

        def pause(seconds: float) -> None:
            clock.jump(seconds)
            if clock.monotonic() - began_s >= restarts_s:
                bus.inject(None)

        return type(find_gauge(bus, tmp_path, clock.monotonic, pause=pause)).__name__

    assert found(2.0) == "PmuGauge"
    assert found(60.0) == "PowerSupplyGauge"
    assert clock.monotonic() - FakeClock().monotonic() < 10
