"""The PMU of the emulated board: the real firmware code on an emulated cell, kept up to date by the board's
clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware.pmu import app, cell
from firmware.pmu import registers as r
from hw.device import Clock


@dataclass
class Cell:
    """What the PMU's sensors see."""

    voltage_mv: int
    current_ma: int
    """Positive while charging."""
    temperature_c: float
    powered: bool
    """Outside power is connected."""


class EmulatedPmu:
    """Runs `firmware.pmu` without a thread: before each bus transfer it takes the samples that are due."""

    def __init__(self, clock: Clock, alert: Callable[[bool], None], capacity_mah: int = 2000) -> None:
        self.cell = Cell(cell.NOMINAL_MV, -150, 25.0, powered=False)
        self.frozen = False
        """True: the firmware hangs; its memory is still served, as the I2C hardware would."""
        self._clock = clock
        self._alert = alert
        self.firmware = app.Pmu(self, capacity_mah)

    # The board that `firmware.pmu.app.Pmu` works on.

    def ticks_ms(self) -> int:
        """Milliseconds, wrapping as on the microcontroller."""
        return int(self._clock.monotonic() * 1000) & 0x3FFFFFFF

    def sense(self) -> tuple[int, int, int, bool]:
        """Terminal mV, mA, 0.1 K, outside power?"""
        temperature_dk = round(self.cell.temperature_c * 10) + r.ZERO_CELSIUS_DK
        return self.cell.voltage_mv, self.cell.current_ma, temperature_dk, self.cell.powered

    def alert(self, active: bool) -> None:
        """Drive the alert line."""
        self._alert(active)

    def set_battery(
        self,
        percent: float,
        *,
        charging: bool = False,
        current_ma: int | None = None,
        temperature_c: float | None = None,
    ) -> None:
        """Put a cell of that charge in place: its voltage follows from the charge and the current (mA, + =
        charging).

        Raises `ValueError` outside 0..100.
        """
        if not 0 <= percent <= 100:
            raise ValueError(f"battery must be 0 to 100 percent, not {percent:g}")
        if current_ma is None:
            current_ma = 500 if charging else -150
        sag_mv = current_ma * cell.RESISTANCE_MOHM / 1000
        voltage_mv = round(cell.open_circuit_mv_at(percent) + sag_mv)
        if temperature_c is None:
            temperature_c = self.cell.temperature_c
        self.cell = Cell(voltage_mv, current_ma, temperature_c, charging)
        self.firmware.step()
        self.firmware.gauge.set_percent(percent)
        self.firmware.publish()

    # The target on the bus.

    @property
    def memory(self) -> bytearray:
        """The register memory."""
        return self.firmware.target.memory

    def before_transfer(self) -> None:
        """Take one sample if one is due."""
        if not self.frozen and self._due():
            self.firmware.step()

    def update_now(self) -> None:
        """Take a sample of a cell whose voltage and current have just moved."""
        self.cell.voltage_mv ^= 1
        self.cell.current_ma ^= 1
        self.firmware.step()

    def end_write(self) -> None:
        """The END_WRITE interrupt."""
        self.firmware.target.accept_writes()

    def _due(self) -> bool:
        return (self.ticks_ms() - self.firmware.last_step_ms) & 0x3FFFFFFF >= app.PERIOD_MS
