"""The PMU on the virtual board's I2C bus: its firmware with the emulated board's cell, in real time, behind a
USB adapter that the board's kernel drives. The service reads its battery from it, and answers questions about
it.

Outside power is connected while the service runs, so that the board does not go to sleep.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

from firmware.pmu.app import TICK_MS
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.pmu import EmulatedPmu
from hw.linux.system_clock import SystemClock
from tests.virtual import lines, trial
from tests.virtual.attached import JOURNAL, Check, attached, tried
from tests.virtual.i2c_adapter import I2cAdapter
from tests.virtual.machine import Machine, VirtualBoardError
from tests.virtual.wearer import ask, number, spelled

CHARGES = {82: "performance", 41: "throttled", 14: "cascade", 4: "cutoff"}
"""Percent of the battery, and the mode that each asks for."""
FULL, NEARLY_EMPTY = 82, 14
"""Percent at which the wearer speaks to it, and at which a deploy is refused."""
QUESTIONS = 3
PRESSED_S = 25.0
"""Less than the interval of the plan's battery readings, seconds."""


class Wire:
    """The PMU, its I2C bus, and its alert line to the board's GPIO chip."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._alerts: SimpleQueue[bool] = SimpleQueue()
        self.pmu = EmulatedPmu(SystemClock(), self._alerts.put)
        self.bus = EmulatedBus(self.pmu)
        self.adapter = I2cAdapter(self.bus)
        for task in (self._live, self._pull):
            Thread(target=task, daemon=True).start()

    def _live(self) -> None:
        while True:
            self.pmu.catch_up()
            time.sleep(TICK_MS / 1000)

    def _pull(self) -> None:
        while True:
            way = "down" if self._alerts.get() else "up"
            with suppress(VirtualBoardError):  # the board is off, or has no such chip yet
                self._machine.call(lines.pull("PMU_ALERT", way), timeout_s=10.0)

    def charge(self, percent: int) -> None:
        """Sets the cell's charge, and connects outside power."""
        self.pmu.set_battery(percent, charging=True)


def wired(machine: Machine, wire: Wire) -> str:
    """The lines of a board.toml with its bus; connects outside power."""
    wire.charge(FULL)
    name = machine.call(f"grep -l '{I2cAdapter.name}' /sys/class/i2c-dev/i2c-*/name").stdout
    return f'i2c_bus = {name.split("/")[-2].removeprefix("i2c-")}\ngauge = "pmu"\n'


def examine(machine: Machine, wire: Wire) -> Iterator[Check]:
    """Checks the spoken and the printed state of the battery, with a healthy and a broken bus."""
    lines.make(machine)
    with attached(machine, f"{wired(machine, wire)}{lines.TABLE}"):
        trial.listening(machine)
        yield _asked(machine, wire)
        yield tried(lambda: _press(machine, wire))
        machine.call("systemctl stop headband")
        for look in (_doctor, _modes, _refusal):
            yield look(machine, wire)
        for fault in (Fault.NAK, Fault.NEWER_MAP):
            yield _broken(machine, wire, fault)


def _asked(machine: Machine, wire: Wire) -> Check:
    """Asks again if the answer has no number."""
    times, heard = 0, ""
    while not heard and times < QUESTIONS:
        times += 1
        heard = number(ask(machine, "how much battery is left"))
    now = int(wire.pmu.firmware.gauge.percent)
    spoken = [spelled(percent) for percent in range(FULL, now + 2)]  # it charges meanwhile
    says = f"hears {heard or 'no number'}{f', asked {times} times' if times > 1 else ''}"
    return Check("the wearer asks for the battery", heard in spoken, says)


def _press(machine: Machine, wire: Wire) -> Check:
    count = f"grep -c 'the button was pressed' {JOURNAL} || true"
    before = machine.call(count).stdout
    wire.pmu.press()
    begin_s = time.monotonic()
    while machine.call(count).stdout == before and time.monotonic() - begin_s < PRESSED_S:
        time.sleep(0.2)
    took_s = time.monotonic() - begin_s
    return Check("a press of the button", took_s < PRESSED_S, f"it listens {took_s:.1f} s later")


def _doctor(machine: Machine, wire: Wire) -> Check:
    wire.charge(FULL)
    _, parts = trial.doctor(machine)
    says = {each["part"]: each["says"] for each in parts}
    held = f"{FULL} percent" in says["battery"]
    return Check("the PMU at the kernel's I2C bus", held, f"{says['PMU']}; {says['battery']}")


def _modes(machine: Machine, wire: Wire) -> Check:
    modes = {}
    for percent in CHARGES:
        wire.pmu.set_battery(percent)
        modes[percent] = json.loads(machine.call("headband status --json").stdout)["mode"]
    says = ", ".join(f"{percent} %: {mode}" for percent, mode in modes.items())
    return Check("its charge decides the mode", modes == CHARGES, says)


def _refusal(machine: Machine, wire: Wire) -> Check:
    wire.pmu.set_battery(NEARLY_EMPTY)
    with trial.variant(3) as changed:
        refused = trial.deploy(machine, changed)
    said = refused.said.strip().splitlines()[-1]
    held = refused.code == 1 and f"{NEARLY_EMPTY} percent" in said
    return Check(f"a deploy at {NEARLY_EMPTY} percent is refused", held, said)


def _broken(machine: Machine, wire: Wire, fault: Fault) -> Check:
    wire.charge(FULL)
    wire.bus.inject(fault)
    try:
        code, parts = trial.doctor(machine)
    finally:
        wire.bus.inject(None)
    found = next(each for each in parts if each["part"] == "PMU")
    held = code == 1 and found["health"] == "broken"
    return Check(f"a PMU where {fault.value}", held, f"{found['says']} {found['fix']}")
