"""The PMU at the other end of the virtual board's I2C bus: its firmware itself, on the emulated board's cell,
in this computer's time, behind an adapter that the kernel there drives.

Outside power is connected while the service runs, or the board would go to sleep out of reach.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from hw.clock import SystemClock
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.pmu import EmulatedPmu
from tests.virtual import trial
from tests.virtual.i2c_adapter import I2cAdapter
from tests.virtual.machine import Machine

CHARGES = {82: "performance", 41: "throttled", 14: "cascade", 4: "cutoff"}
"""Percent of the battery, and the mode that each asks for."""
FULL, NEARLY_EMPTY = 82, 14
"""Percent at which the wearer speaks to it, and at which a deploy is refused."""


@dataclass(frozen=True)
class Held:
    """One thing that was asked of it."""

    name: str
    holds: bool
    says: str


class Wire:
    """The PMU and the way to it."""

    def __init__(self) -> None:
        self.pmu = EmulatedPmu(SystemClock(), lambda active: None)
        self.bus = EmulatedBus(self.pmu)
        self.adapter = I2cAdapter(self.bus)
        self.pmu.set_battery(FULL, charging=True)


def examine(machine: Machine, wire: Wire) -> list[Held]:
    """While the service is stopped: what the command line there knows of the PMU, healthy and broken."""
    found = []
    _, parts = trial.doctor(machine)
    says = {each["part"]: each["says"] for each in parts}
    found.append(Held("the PMU at the kernel's I2C bus", f"{FULL} percent" in says["battery"],
                      f"{says['PMU']}; {says['battery']}"))  # fmt: skip
    modes = {}
    for percent in CHARGES:
        wire.pmu.set_battery(percent)
        modes[percent] = json.loads(machine.call("headband status --json").stdout)["mode"]
    found.append(Held("its charge decides the mode", modes == CHARGES,
                      ", ".join(f"{percent} %: {mode}" for percent, mode in modes.items())))  # fmt: skip
    wire.pmu.set_battery(NEARLY_EMPTY)
    with trial.variant(3) as changed:
        refused = trial.deploy(machine, changed)
    said = refused.said.strip().splitlines()[-1]
    found.append(Held(f"a deploy at {NEARLY_EMPTY} percent is refused", refused.code == 1, said))
    wire.pmu.set_battery(FULL, charging=True)
    for fault in (Fault.NAK, Fault.NEWER_MAP):
        wire.bus.inject(fault)
        code, parts = trial.doctor(machine)
        wire.bus.inject(None)
        broken = {each["part"]: each["says"] for each in parts if each["health"] == "broken"}
        found.append(Held(f"a PMU with a fault ({fault.name})", code == 1 and "PMU" in broken, str(broken)))
    return found
