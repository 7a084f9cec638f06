"""Test benches of all gauges, with one interface."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firmware.pmu import registers as r
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.clock import FakeClock
from hw.emulated.pmu import EmulatedPmu
from hw.gauges import bq27441, max17048
from hw.gauges.bq27441 import Bq27441
from hw.gauges.max17048 import Max17048
from hw.gauges.power_supply import PowerSupplyGauge
from hw.pmu.gauge import STALE_AFTER_S, PmuGauge
from hw.supply import Gauge
from tests.hw import contracts
from tests.hw.gauges.emulated_chips import EmulatedBq27441, EmulatedMax17048
from tests.hw.sysfs_files import write_supply


class OnBus:
    """The common part of the benches of I2C gauges."""

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
    stale_after_s = max17048.STALE_AFTER_S

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
    stale_after_s = bq27441.STALE_AFTER_S

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
    """The kernel's files of a driver of that name. `unsigned`: the current has no sign."""

    current = temperature = True
    stale_after_s = 600.0
    gauge: Gauge

    def __init__(self, root: Path, name: str = "rk817-battery", unsigned: bool = False) -> None:
        self.clock = FakeClock()
        self.root = root
        self.folder = root / "class/power_supply" / name
        self.unsigned = unsigned
        self.gauge = PowerSupplyGauge(root, self.clock.monotonic)
        write_supply(root, "rk817-charger", type="USB", online=0)
        self.battery(50)

    def battery(self, percent: int, *, charging: bool = False) -> None:
        current_ua = 500_000 if charging else -150_000
        write_supply(
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
        write_supply(self.root, "rk817-charger", online=int(charging))

    def pass_time(self, seconds: float) -> None:
        self.clock.jump(seconds)

    def vanish(self, gone: bool) -> None:
        away = self.folder.parent.parent / "away"
        source, target = (self.folder, away) if gone else (away, self.folder)
        source.rename(target)

    def talk_nonsense(self, kind: str) -> None:
        name, value = ("capacity", 140) if kind == "percent" else ("voltage_now", 0)
        write_supply(self.root, self.folder.name, **{name: value})

    def freeze(self, frozen: bool) -> None:
        """Has no effect: files do not change by themselves."""


BENCHES: dict[str, Callable[[Path], contracts.GaugeBench]] = {
    "pmu": PmuBench,
    "max17048": Max17048Bench,
    "bq27441": Bq27441Bench,
    "rk817": KernelBench,
    "rockchip's kernel": lambda root: KernelBench(root, "battery", unsigned=True),
    "sbs-battery": lambda root: KernelBench(root, "sbs-1-000b"),
}
