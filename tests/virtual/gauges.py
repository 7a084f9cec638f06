"""Gauge chips on the kernel's `i2c-stub`: the board's own Python reads prepared registers through
`/dev/i2c-N` and the kernel's SMBus. Only the chips' registers are simulated, not their behaviour.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hw.gauges import GaugeKind, bq27441, max17048
from tests.virtual.attached import Check
from tests.virtual.machine import Machine

ELSEWHERE = 0x20
"""An address that no supported gauge uses."""
_READS = """\
import json, sys
from dataclasses import asdict
from pathlib import Path
from hw.device import DeviceError
from hw.gauges import find_gauge
from hw.linux.i2c import open_bus
try:
    reading = find_gauge(open_bus(int(sys.argv[1])), Path("/sys"), kind=sys.argv[2]).read()
    print(json.dumps(asdict(reading)))
except DeviceError as error:
    print(json.dumps({"state": "no bus", "problem": str(error)}))
"""
_FILLS = """\
import json, smbus2, sys
with smbus2.SMBus(int(sys.argv[1])) as bus:
    for register, word in json.loads(sys.argv[3]):
        bus.write_word_data(int(sys.argv[2]), register, word)
"""
_HERE = "cd /opt/headband/current && PYTHONPATH=$PWD setpriv --reuid=headband --regid=headband --clear-groups"


@dataclass(frozen=True)
class Point:
    """A cell's state, and what the chip's registers hold in it."""

    kind: GaugeKind
    address: int
    percent: int
    voltage_mv: int
    registers: tuple[tuple[int, int], ...]
    """Register -> word in SMBus byte order, least significant byte first."""


def max17048_point(percent: float, voltage_mv: float, percent_per_hour: float) -> Point:
    """Registers by the datasheet: 1/256 percent, 78.125 uV and 0.208 percent per hour, high byte first."""
    words = {
        max17048.VERSION: 0x0012,
        max17048.SOC: round(percent * 256),
        max17048.VCELL: round(voltage_mv / 0.078125),
        max17048.CRATE: round(percent_per_hour / 0.208),
    }
    registers = tuple((register, _swapped(word & 0xFFFF)) for register, word in words.items())
    return Point("max17048", max17048.ADDRESS, round(percent), round(voltage_mv), registers)


def bq27441_point(percent: int, voltage_mv: int, current_ma: int, temperature_c: float) -> Point:
    """Registers by the datasheet: percent, mV, signed mA and 0.1 K, low byte first."""
    words = {
        bq27441.FLAGS: bq27441.FLAG_BATTERY | (bq27441.FLAG_DISCHARGING if current_ma < 0 else 0),
        bq27441.STATE_OF_CHARGE: percent,
        bq27441.VOLTAGE: voltage_mv,
        bq27441.AVERAGE_CURRENT: current_ma & 0xFFFF,
        bq27441.TEMPERATURE: round(temperature_c * 10 + 2731),
        bq27441.REMAINING_CAPACITY: percent * 20,
    }
    return Point("bq27441", bq27441.ADDRESS, percent, voltage_mv, tuple(words.items()))


def _swapped(word: int) -> int:
    return (word & 0xFF) << 8 | word >> 8


POINTS = (
    max17048_point(81, 4005, 0),
    max17048_point(12.25, 3610, -9),
    bq27441_point(63, 3852, -310, 25.0),
    bq27441_point(97, 4150, 420, 31.5),
)


def make(machine: Machine, *options: str, addresses: tuple[int, ...] = ()) -> int:
    """Creates a bus with chips at these addresses (default: all gauges) and returns its number."""
    at = ",".join(hex(address) for address in addresses or sorted({point.address for point in POINTS}))
    load = f"modprobe i2c-dev && modprobe i2c-stub chip_addr={at} {' '.join(options)}"
    machine.call(f"modprobe -r i2c-stub; {load} && udevadm settle")
    name = machine.call("grep -l 'SMBus stub' /sys/class/i2c-dev/i2c-*/name").stdout
    return int(name.split("/")[-2].removeprefix("i2c-"))


def fill(machine: Machine, bus: int, point: Point) -> None:
    """Writes a state into a chip's registers."""
    _python(machine, _FILLS, bus, point.address, json.dumps(point.registers))


def read(machine: Machine, bus: int, kind: GaugeKind) -> dict[str, Any]:
    """The fields of `hw.supply.BatteryReading` as the board's own Python reads them."""
    reading: dict[str, Any] = json.loads(_python(machine, _READS, bus, kind))
    return reading


def examine(machine: Machine) -> Iterator[Check]:
    """Checks the reading at each state, then the sentences for a missing chip and a missing bus."""
    bus = make(machine)
    for point in POINTS:
        fill(machine, bus, point)
        reading = read(machine, bus, point.kind)
        state, percent, voltage_mv = (reading[name] for name in ("state", "percent", "voltage_mv"))
        held = (state, percent, voltage_mv) == ("good", point.percent, point.voltage_mv)
        says = f"{percent} percent, {voltage_mv} mV, {reading['current_ma']} mA ({state})"
        yield Check(f"{point.kind} with {point.percent} percent", held, says)
    for gone, state in (("chip", "absent"), ("bus", "no bus")):
        if gone == "chip":
            bus = make(machine, addresses=(ELSEWHERE,))
        else:
            machine.call("modprobe -r i2c-stub")
        reading = read(machine, bus, POINTS[0].kind)
        yield Check(f"a gauge without its {gone}", reading["state"] == state, reading["problem"])


def _python(machine: Machine, program: str, *words: object) -> str:
    quoted = " ".join(shlex.quote(str(word)) for word in words)
    return machine.call(f"{_HERE} venv/bin/python -P -B - {quoted} <<'END'\n{program}END\n").stdout
