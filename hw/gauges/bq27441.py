"""BQ27441: a fuel gauge with a current sense resistor. After a power loss its design capacity has to be
written again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from hw.gauges.reading import absent_reading, checked_reading
from hw.gauges.words import ChipRegisters, WordBus
from hw.plausible import UnchangedTimer
from hw.pmu.cell_curve import DESIGN_MAH
from hw.pmu.register_bus import GaugeError
from hw.supply import BatteryReading

ADDRESS = 0x55
CONTROL = 0x00
TEMPERATURE = 0x02  # 0.1 K
VOLTAGE = 0x04  # mV
FLAGS = 0x06
REMAINING_CAPACITY = 0x0C  # mAh
AVERAGE_CURRENT = 0x10  # mA, signed, positive while charging
STATE_OF_CHARGE = 0x1C  # percent
DESIGN_CAPACITY = 0x3C  # mAh

FLAG_DISCHARGING = 0x0001
FLAG_EMPTY = 0x0002  # SOCF
FLAG_LOW = 0x0004  # SOC1
FLAG_BATTERY = 0x0008  # BAT_DET
FLAG_CONFIG = 0x0010  # CFGUPMODE: takes new settings
FLAG_RESET = 0x0020  # ITPOR: its settings are the factory's
FLAG_FULL = 0x0200  # FC
FLAG_HOT = 0x8000  # OT
_ALARMS = ((FLAG_HOT, "too hot"), (FLAG_EMPTY, "empty"), (FLAG_LOW, "low charge"))

DEVICE_TYPE = 0x0421
_ASK_DEVICE_TYPE, _ENTER_CONFIG, _SOFT_RESET, _SEAL, _UNSEAL = 0x0001, 0x0013, 0x0042, 0x0020, 0x8000
_BLOCK_CLASS, _BLOCK_DATA, _BLOCK_CHECKSUM, _BLOCK_CONTROL = 0x3E, 0x40, 0x60, 0x61
_STATE_CLASS, _CAPACITY_OFFSET = 82, 10  # where the capacity lies in the chip's settings, high byte first
_CONFIG_WAITS = 20  # of 0.1 s each; the chip enters and leaves its configuration within 1 s

STALE_AFTER_S = 600.0
"""At 50 mA or more some register changes within this time."""
MOVING_MA = 50


class Bq27441:
    """`hw.supply.Gauge` over the chip's registers (low byte first)."""

    def __init__(
        self,
        bus: WordBus,
        monotonic: Callable[[], float] = time.monotonic,
        outside_power: Callable[[], bool | None] = lambda: None,
        *,
        design_mah: int = DESIGN_MAH,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`outside_power` returns whether a charger is connected, None for unknown: then the current decides.
        `design_mah` is the pack's capacity. `pause` waits seconds for the chip, in the caller's thread.
        """
        self._chip = ChipRegisters(bus, ADDRESS, "The BQ27441", big_endian=False)
        self._outside_power = outside_power
        self._design_mah = design_mah
        self._pause = pause
        self._unchanged = UnchangedTimer(monotonic)

    def read(self) -> BatteryReading:
        """One reading; every fault of chip or bus is in its state. A chip that lost its settings is
        configured first, which takes up to 2 s.
        """
        try:
            flags = self._chip.read(FLAGS)
            if flags != 0xFFFF and flags & FLAG_RESET:
                self.configure()
                flags = self._chip.read(FLAGS)
            temperature_dk, voltage_mv, charge_mah, average, percent = (
                self._chip.read(register)
                for register in (TEMPERATURE, VOLTAGE, REMAINING_CAPACITY, AVERAGE_CURRENT, STATE_OF_CHARGE)
            )
        except GaugeError as problem:
            return absent_reading(str(problem), problem.state)
        if flags == voltage_mv == temperature_dk == 0xFFFF:
            return absent_reading("The bus reads only ones: the BQ27441 is unpowered or not connected.")
        if not flags & FLAG_BATTERY:
            return absent_reading("The BQ27441 finds no battery in its place.")
        current_ma = average - 0x10000 if average & 0x8000 else average
        powered = self._outside_power()
        return checked_reading(
            percent=percent,
            voltage_mv=voltage_mv,
            current_ma=current_ma,
            temperature_c=(temperature_dk - 2731) / 10,
            charging=powered is not False
            and (current_ma > 0 or bool(powered and flags & FLAG_FULL and not flags & FLAG_DISCHARGING)),
            alarms=tuple(name for bit, name in _ALARMS if flags & bit),
            unchanged_s=self._unchanged.seconds(
                (temperature_dk, voltage_mv, charge_mah, average, percent), must_move=current_ma <= -MOVING_MA
            ),
            stale_after_s=STALE_AFTER_S,
        )

    def answers(self) -> bool:
        """Does a BQ27441 answer at the address?"""
        try:
            self._chip.write(CONTROL, _ASK_DEVICE_TYPE)
            return self._chip.read(CONTROL) == DEVICE_TYPE
        except GaugeError:
            return False

    def configure(self) -> None:
        """Write the pack's capacity to the chip. Raises `GaugeError`."""
        chip = self._chip
        for _ in range(2):
            chip.write(CONTROL, _UNSEAL)
        chip.write(CONTROL, _ENTER_CONFIG)
        self._await_config(entered=True)
        chip.write_bytes(_BLOCK_CONTROL, [0])
        chip.write_bytes(_BLOCK_CLASS, [_STATE_CLASS, 0])
        block = chip.read_bytes(_BLOCK_DATA, 32)
        capacity = [self._design_mah >> 8, self._design_mah & 0xFF]
        block[_CAPACITY_OFFSET : _CAPACITY_OFFSET + 2] = capacity
        chip.write_bytes(_BLOCK_DATA + _CAPACITY_OFFSET, capacity)
        chip.write_bytes(_BLOCK_CHECKSUM, [0xFF - sum(block) & 0xFF])
        chip.write(CONTROL, _SOFT_RESET)
        self._await_config(entered=False)
        chip.write(CONTROL, _SEAL)
        if chip.read(DESIGN_CAPACITY) != self._design_mah:
            raise GaugeError("implausible", f"The BQ27441 did not take a capacity of {self._design_mah} mAh.")

    def _await_config(self, *, entered: bool) -> None:
        for _ in range(_CONFIG_WAITS):
            if bool(self._chip.read(FLAGS) & FLAG_CONFIG) is entered:
                return
            self._pause(0.1)
        raise GaugeError("stale", "The BQ27441 lost its settings and does not take them again.")
