"""Which battery gauge this board has: the PMU, a gauge chip on the bus, or the kernel's own battery."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from hw.gauges.bq27441 import Bq27441
from hw.gauges.max17048 import Max17048
from hw.gauges.power_supply import PowerSupplyGauge, battery_folder, outside_power
from hw.gauges.words import WordBus
from hw.pmu.cell_curve import DESIGN_MAH
from hw.pmu.gauge import PmuGauge
from hw.pmu.register_bus import I2cBus
from hw.supply import Gauge

GaugeKind = Literal["auto", "pmu", "kernel", "max17048", "bq27441"]

RESTART_S = 3.0
"""A PMU that restarts answers within this time; its first values are there within 1 s."""
_AGAIN_S = 0.25


class GaugeBus(WordBus, I2cBus, Protocol):
    """The calls of `smbus2.SMBus` that all gauges together need."""


def find_gauge(
    bus: GaugeBus,
    sysfs_root: Path,
    monotonic: Callable[[], float] = time.monotonic,
    kind: GaugeKind = "auto",
    *,
    design_mah: int = DESIGN_MAH,
    since_boot: Callable[[], float] | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Gauge:
    """The gauge of that kind. "auto": the first that answers of PMU, BQ27441 and MAX17048, else the kernel's
    battery, else the PMU, which then says that it is absent until it answers. Before the kernel's battery is
    taken, the PMU, which may be restarting, is asked for `RESTART_S` more; `pause` waits seconds meanwhile.

    A PMU that answers with a fault, such as an older register map, is chosen too: its sentence says what to
    do. since_boot: as of `PmuGauge`.
    """
    pmu = PmuGauge(bus, monotonic, since_boot=since_boot)
    power = partial(outside_power, sysfs_root)
    bq27441 = Bq27441(bus, monotonic, power, design_mah=design_mah)
    max17048 = Max17048(bus, monotonic, power)
    kernel = PowerSupplyGauge(sysfs_root, monotonic)
    chosen: dict[GaugeKind, Gauge] = {
        "pmu": pmu, "bq27441": bq27441, "max17048": max17048, "kernel": kernel,
    }  # fmt: skip
    if kind != "auto":
        return chosen[kind]
    if pmu.read().state != "absent":
        return pmu
    for chip in (bq27441, max17048):
        if chip.answers():
            return chip
    if battery_folder(sysfs_root) is None:
        return pmu
    for _ in range(round(RESTART_S / _AGAIN_S)):
        pause(_AGAIN_S)
        if pmu.read().state != "absent":
            return pmu
    return kernel
