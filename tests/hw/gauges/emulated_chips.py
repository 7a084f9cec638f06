"""Gauge chips for `EmulatedBus`, with the registers of their data sheets."""

from __future__ import annotations

from abc import ABC, abstractmethod

from firmware.pmu import gauge_cell as cell
from hw.gauges import bq27441, max17048
from hw.pmu.cell_curve import OPEN_CIRCUIT_MV


class _Chip(ABC):
    """256 bytes of registers with the values of a battery."""

    def __init__(self) -> None:
        self.memory = bytearray(256)
        self.frozen = False
        """True: the values do not change."""
        self.percent, self.current_ma, self.temperature_c = 57.0, -150, 25.0
        self.before_transfer()

    def set_battery(self, percent: float, current_ma: int = -150, temperature_c: float = 25.0) -> None:
        """Set the battery; mA, positive while charging."""
        self.percent, self.current_ma, self.temperature_c = percent, current_ma, temperature_c
        self.before_transfer()

    @property
    def voltage_mv(self) -> int:
        """Voltage at the terminals."""
        return round(
            cell.open_circuit_mv_at(self.percent, OPEN_CIRCUIT_MV)
            + self.current_ma * cell.RESISTANCE_MOHM / 1000
        )

    def before_transfer(self) -> None:
        """Measure."""
        if not self.frozen:
            self.measure()

    @abstractmethod
    def measure(self) -> None:
        """Bring the registers up to date."""

    def update_now(self) -> None:
        """A new measurement in the middle of a transfer."""
        self.percent = max(0.0, self.percent - 0.1)
        self.measure()

    def end_write(self) -> None:  # noqa: B027  # most chips need not act on it
        """Called after a write by the host."""


class EmulatedMax17048(_Chip):
    """High byte first; the registers of `hw.gauges.max17048`."""

    version = 0x0012
    """Version register, which identifies the chip."""

    def measure(self) -> None:
        """Bring the registers up to date."""
        percent_per_hour = self.current_ma / 2000 * 100
        self._put(max17048.VCELL, round(self.voltage_mv / 0.078125))
        self._put(max17048.SOC, round(self.percent * 256))
        self._put(max17048.VERSION, self.version)
        self._put(max17048.CRATE, round(percent_per_hour / 0.208))

    def _put(self, register: int, value: int) -> None:
        self.memory[register : register + 2] = (value & 0xFFFF).to_bytes(2, "big")


class EmulatedBq27441(_Chip):
    """Low byte first; the registers of `hw.gauges.bq27441`, with its configuration mode."""

    def __init__(self, capacity_mah: int = 2000) -> None:
        self.present = True
        """A battery is connected."""
        self.lost_settings = True
        """Power was lost: the capacity is the factory's until it is configured again."""
        self.capacity_mah = 1340
        self._true_mah = capacity_mah
        self._configuring = False
        self._unsealed = 0
        self._settings = bytearray(32)
        super().__init__()

    def measure(self) -> None:
        """Bring the registers up to date."""
        flags = bq27441.FLAG_DISCHARGING if self.current_ma < 0 else 0
        flags |= bq27441.FLAG_BATTERY if self.present else 0
        flags |= bq27441.FLAG_RESET if self.lost_settings else 0
        flags |= bq27441.FLAG_CONFIG if self._configuring else 0
        flags |= bq27441.FLAG_LOW if self.percent <= 10 else 0
        flags |= bq27441.FLAG_HOT if self.temperature_c > 55 else 0
        self._put(bq27441.TEMPERATURE, round(self.temperature_c * 10) + 2731)
        self._put(bq27441.VOLTAGE, self.voltage_mv)
        self._put(bq27441.FLAGS, flags)
        self._put(bq27441.REMAINING_CAPACITY, round(self._true_mah * self.percent / 100))
        self._put(bq27441.AVERAGE_CURRENT, self.current_ma)
        self._put(bq27441.STATE_OF_CHARGE, round(self.percent))
        self._put(bq27441.DESIGN_CAPACITY, self.capacity_mah)

    def end_write(self) -> None:
        """A command in the control register, or settings in the block registers."""
        command = int.from_bytes(self.memory[0:2], "little")
        self.memory[0:2] = b"\0\0"
        if command == 0x8000:
            self._unsealed += 1
        elif command == 0x0001:
            self.memory[0:2] = bq27441.DEVICE_TYPE.to_bytes(2, "little")
        elif command == 0x0013 and self._unsealed >= 2:
            self._configuring = True
            self._settings[10:12] = self.capacity_mah.to_bytes(2, "big")
            self.memory[0x40:0x60] = self._settings
            self.memory[0x60] = 0
        elif command == 0x0042 and self._configuring:
            self._configuring = self.lost_settings = False
        elif command == 0x0020:
            self._unsealed = 0
        elif self._configuring and self.memory[0x60]:
            block = self.memory[0x40:0x60]
            if self.memory[0x3E] == 82 and self.memory[0x60] == 0xFF - sum(block) & 0xFF:
                self._settings[:] = block
                self.capacity_mah = int.from_bytes(block[10:12], "big")
            self.memory[0x60] = 0
        self.measure()

    def _put(self, register: int, value: int) -> None:
        self.memory[register : register + 2] = (value & 0xFFFF).to_bytes(2, "little")
