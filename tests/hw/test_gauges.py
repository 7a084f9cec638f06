"""Every gauge on the same bench, and what is particular to each."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.pmu import registers as r
from hw.device import Gauge
from hw.emulated import sysfs
from hw.emulated.bus import EmulatedBus, Fault, MemoryTarget
from hw.emulated.chips import EmulatedBq27441, EmulatedMax17048
from hw.emulated.clock import FakeClock
from hw.emulated.pmu import EmulatedPmu
from hw.gauges import bq27441, find_gauge, max17048
from hw.gauges.bq27441 import Bq27441
from hw.gauges.max17048 import Max17048
from hw.gauges.power_supply import PowerSupplyGauge
from hw.pmu import STALE_AFTER_S, PmuGauge
from tests.hw import contracts


class OnBus:
    """What the gauges on the I2C bus share."""

    current = temperature = True
    gauge: Gauge

    def __init__(self) -> None:
        self.clock = FakeClock()

    def pass_time(self, seconds: float) -> None:
        self.clock.jump(seconds)

    def vanish(self, gone: bool) -> None:
        self.bus.inject(Fault.NAK if gone else None)

    bus: EmulatedBus


class PmuBench(OnBus):
    stale_after_s = STALE_AFTER_S

    def __init__(self, _: Path) -> None:
        super().__init__()
        self.pmu = EmulatedPmu(self.clock, lambda active: None)
        self.bus = EmulatedBus(self.pmu)
        self.gauge = PmuGauge(self.bus, self.clock.monotonic, pause=lambda seconds: None)

    def battery(self, percent: int, *, charging: bool = False) -> None:
        self.pmu.set_battery(percent, charging=charging)

    def talk_nonsense(self, kind: str) -> None:
        code, value = {"percent": (r.RELATIVE_STATE_OF_CHARGE, 101), "voltage": (r.VOLTAGE, 12_600)}[kind]
        self.pmu.firmware.target.publish({code: value})

    def freeze(self, frozen: bool) -> None:
        self.pmu.frozen = frozen


class Max17048Bench(OnBus):
    current = temperature = False
    stale_after_s = max17048.STILL_S

    def __init__(self, _: Path) -> None:
        super().__init__()
        self.chip = EmulatedMax17048()
        self.bus = EmulatedBus(self.chip, max17048.ADDRESS)
        self.gauge = Max17048(self.bus, self.clock.monotonic)

    def battery(self, percent: int, *, charging: bool = False) -> None:
        self.chip.frozen = False
        self.chip.set_battery(percent, 500 if charging else -150)

    def talk_nonsense(self, kind: str) -> None:
        register = max17048.SOC if kind == "percent" else max17048.VCELL
        self.chip.frozen = True
        self.chip.memory[register : register + 2] = b"\xf0\0" if kind == "percent" else b"\0\0"

    def freeze(self, frozen: bool) -> None:
        self.chip.frozen = frozen


class Bq27441Bench(OnBus):
    stale_after_s = bq27441.STILL_S

    def __init__(self, _: Path) -> None:
        super().__init__()
        self.chip = EmulatedBq27441()
        self.bus = EmulatedBus(self.chip, bq27441.ADDRESS)
        self.gauge = Bq27441(self.bus, self.clock.monotonic, pause=lambda seconds: None)

    def battery(self, percent: int, *, charging: bool = False) -> None:
        self.chip.frozen = False
        self.chip.set_battery(percent, 500 if charging else -150)

    def talk_nonsense(self, kind: str) -> None:
        self.gauge.read()  # the capacity is settled
        register = bq27441.STATE_OF_CHARGE if kind == "percent" else bq27441.VOLTAGE
        self.chip.frozen = True
        self.chip.memory[register : register + 2] = b"\xf0\0" if kind == "percent" else b"\xff\xff"

    def freeze(self, frozen: bool) -> None:
        self.chip.frozen = frozen


class KernelBench:
    """The kernel's files, as a driver of that name makes them; an `unsigned` one gives amounts only."""

    current = temperature = True
    stale_after_s = 600.0
    gauge: Gauge

    def __init__(self, root: Path, name: str = "rk817-battery", unsigned: bool = False) -> None:
        self.clock = FakeClock()
        self.root = root
        self.folder = root / "class/power_supply" / name
        self.unsigned = unsigned
        self.gauge = PowerSupplyGauge(root, self.clock.monotonic)
        sysfs.write_supply(root, "rk817-charger", type="USB", online=0)
        self.battery(50)

    def battery(self, percent: int, *, charging: bool = False) -> None:
        current_ua = 500_000 if charging else -150_000
        sysfs.write_supply(
            self.root,
            self.folder.name,
            type="Battery",
            present=1,
            status="Charging" if charging else "Discharging",
            capacity=percent,
            voltage_now=3_843_000,
            current_now=abs(current_ua) if self.unsigned else current_ua,
            temp=250,
        )
        sysfs.write_supply(self.root, "rk817-charger", online=int(charging))

    def pass_time(self, seconds: float) -> None:
        self.clock.jump(seconds)

    def vanish(self, gone: bool) -> None:
        away = self.folder.parent.parent / "away"
        source, target = (self.folder, away) if gone else (away, self.folder)
        source.rename(target)

    def talk_nonsense(self, kind: str) -> None:
        name, value = ("capacity", 140) if kind == "percent" else ("voltage_now", 0)
        sysfs.write_supply(self.root, self.folder.name, **{name: value})

    def freeze(self, frozen: bool) -> None:
        """Files stand still by themselves."""


BENCHES: dict[str, Callable[[Path], contracts.GaugeBench]] = {
    "pmu": PmuBench,
    "max17048": Max17048Bench,
    "bq27441": Bq27441Bench,
    "rk817": KernelBench,
    "rockchip's kernel": lambda root: KernelBench(root, "battery", unsigned=True),
    "sbs-battery": lambda root: KernelBench(root, "sbs-1-000b"),
}


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


# MAX17048


def test_max17048_registers_are_big_endian_and_in_their_units() -> None:
    chip = EmulatedMax17048()
    chip.frozen = True
    chip.memory[0x02:0x06] = bytes.fromhex("c030 3a80")  # 49200 * 78.125 uV, 58.5 percent
    chip.memory[0x16:0x18] = bytes.fromhex("ffdd")  # -35 * 0.208 percent per hour
    bus = EmulatedBus(chip, 0x36)
    reading = Max17048(bus).read()
    assert (reading.voltage_mv, reading.percent, reading.charging) == (3844, 58, False)
    assert bus.read_word_data(0x36, 0x02) == 0x30C0  # as smbus2 gives it: low byte first
    chip.memory[0x16:0x18] = bytes.fromhex("0030")
    assert Max17048(bus).read().charging
    assert not Max17048(bus, outside_power=lambda: False).read().charging


def test_a_full_cell_above_100_percent_is_100_and_another_chip_is_told_apart() -> None:
    chip = EmulatedMax17048()
    gauge = Max17048(EmulatedBus(chip, 0x36))
    chip.set_battery(103)
    assert (gauge.read().percent, gauge.read().state) == (100, "good")
    chip.version = 0x0030
    reading = gauge.read()
    assert (reading.state, reading.percent) == ("implausible", None)
    assert "another chip" in str(reading.problem)


# BQ27441


def test_bq27441_registers_are_little_endian_and_signed() -> None:
    chip = EmulatedBq27441()
    chip.lost_settings = False
    chip.measure()
    chip.frozen = True
    chip.memory[0x02:0x08] = bytes.fromhex("a60b 040f 0980")  # 298.2 K, 3844 mV; hot, battery, discharging
    chip.memory[0x10:0x12] = bytes.fromhex("76fd")
    chip.memory[0x1C:0x1E] = bytes.fromhex("3900")
    reading = Bq27441(EmulatedBus(chip, 0x55)).read()
    assert (reading.percent, reading.voltage_mv, reading.current_ma) == (57, 3844, -650)
    assert reading.temperature_c == pytest.approx(25.1)
    assert reading.alarms == ("too hot",)


def test_a_bq27441_that_lost_its_settings_is_told_the_capacity_once() -> None:
    chip = EmulatedBq27441()
    bus = EmulatedBus(chip, 0x55)
    gauge = Bq27441(bus, design_mah=2600, pause=lambda seconds: None)
    assert gauge.read().state == "good"
    assert chip.capacity_mah == 2600
    before = bus.transfers
    gauge.read()
    assert bus.transfers - before == 6
    chip.lost_settings = True
    chip.capacity_mah = 1340
    gauge.read()
    assert chip.capacity_mah == 2600


def test_a_bq27441_that_takes_no_settings_is_stale_and_an_empty_place_absent() -> None:
    chip = EmulatedBq27441()
    waited: list[float] = []
    gauge = Bq27441(EmulatedBus(chip, 0x55), pause=waited.append)
    chip._unsealed = -100
    reading = gauge.read()
    assert (reading.state, reading.percent) == ("stale", None)
    assert sum(waited) <= 2.01
    chip.lost_settings, chip.present = False, False
    reading = gauge.read()
    assert reading.state == "absent"
    assert "no battery in its place" in str(reading.problem)


# The kernel's files


@pytest.mark.parametrize(
    ("status", "current_ua", "online", "charging", "current_ma"),
    [
        ("Discharging", -650_000, 0, False, -650),
        ("Discharging", 650_000, 0, False, -650),  # a driver that breaks the sign rule
        ("Charging", -500_000, 1, True, 500),
        ("Full", 20_000, 1, True, 20),
        ("Not charging", 0, 1, True, 0),
        ("Not charging", 0, 0, False, 0),
        ("Unknown", 300_000, 0, False, -300),
        ("Unknown", 300_000, 1, True, 300),
    ],
)
def test_direction_and_outside_power_come_from_the_status(
    tmp_path: Path, status: str, current_ua: int, online: int, charging: bool, current_ma: int
) -> None:
    bench = KernelBench(tmp_path)
    sysfs.write_supply(tmp_path, "rk817-battery", status=status, current_now=current_ua)
    sysfs.write_supply(tmp_path, "rk817-charger", online=online)
    reading = bench.gauge.read()
    assert (reading.charging, reading.current_ma) == (charging, current_ma)


def test_the_battery_is_found_by_its_type_and_not_by_its_name(tmp_path: Path) -> None:
    sysfs.write_supply(tmp_path, "ac", type="Mains", online=1)
    sysfs.write_supply(tmp_path, "hid-mouse-battery", type="Battery", scope="Device", capacity=3)
    gauge = PowerSupplyGauge(tmp_path)
    assert gauge.read().problem == "The kernel knows no battery."
    sysfs.write_supply(
        tmp_path, "rk817-charger.7.auto", type="Battery", status="Full", capacity=100, voltage_now=4_190_000
    )
    reading = gauge.read()
    assert (reading.percent, reading.charging, reading.current_ma, reading.state) == (100, True, None, "good")
    sysfs.write_supply(tmp_path, "rk817-charger.7.auto", present=0)
    assert gauge.read().state == "absent"


def test_a_driver_without_an_answer_is_absent_and_its_alarms_have_our_names(tmp_path: Path) -> None:
    bench = KernelBench(tmp_path)
    sysfs.write_supply(tmp_path, "rk817-battery", health="Overheat", capacity_level="Low")
    assert bench.gauge.read().alarms == ("too hot", "low charge")
    (bench.folder / "voltage_now").unlink()
    (bench.folder / "voltage_now").mkdir()  # reading it fails, as a driver's EIO does
    reading = bench.gauge.read()
    assert (reading.state, reading.percent) == ("absent", None)
    for text in ("", "many", "12.5", "\udcff".encode("utf-8", "surrogateescape")):
        (bench.folder / "capacity").write_bytes(text if isinstance(text, bytes) else text.encode())
        assert bench.gauge.read().state == "absent"


def test_a_resting_battery_may_stand_still(tmp_path: Path) -> None:
    bench = KernelBench(tmp_path)
    sysfs.write_supply(tmp_path, "rk817-battery", status="Full", current_now=0, capacity=100)
    for _ in range(10):
        bench.pass_time(600)
        assert bench.gauge.read().state == "good"


@given(
    st.dictionaries(
        st.sampled_from(
            "type status capacity voltage_now current_now temp present scope online health".split()
        ),
        st.one_of(st.integers(-(10**9), 10**9).map(str), st.text(max_size=8), st.just("Battery")),
    )
)
def test_whatever_the_kernel_writes_a_reading_comes_out(tmp_path_factory, files: dict[str, str]) -> None:
    root = tmp_path_factory.mktemp("sys")
    sysfs.write_supply(root, "battery", **{"type": "Battery", **files})
    reading = PowerSupplyGauge(root).read()
    assert (reading.problem is None) == (reading.state == "good")
    if reading.state == "good":
        assert reading.percent in range(101)
        assert reading.voltage_mv in range(2000, 5001)


# Which one it is


@dataclass
class ManyChips:
    """A bus with several targets; the calls go to whoever has the address."""

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
        return type(find_gauge(bus, tmp_path, clock.monotonic)).__name__  # type: ignore[arg-type]

    assert found() == "PmuGauge"
    pmu.firmware.target.publish({r.MAP: r.MAP_MAGIC | r.MAP_VERSION - 1})
    assert found() == "PmuGauge"  # to be flashed, not to be replaced
    del chips[0x0B]
    assert found() == "Bq27441"
    del chips[0x55]
    assert found() == "Max17048"
    del chips[0x36]
    assert found() == "PmuGauge"
    sysfs.write_supply(tmp_path, "battery", type="Battery", capacity=50)
    assert found() == "PowerSupplyGauge"
    assert type(find_gauge(bus, tmp_path, kind="max17048")).__name__ == "Max17048"  # type: ignore[arg-type]
