"""The twin's lithium cell: open-circuit voltage, series resistance and temperature.

The load draws constant power, so the current is the smaller root of P = (U - R I) I. In every step the
chemical energy is either delivered or lost as heat in the resistance.
"""

from __future__ import annotations

import math

import numpy as np

from hw.pmu.cell_curve import FULL_MV, OPEN_CIRCUIT_MV, STEP_PERCENT, TAPER_MA
from power.twin.parameters import Parameters, TwinError

_GRID = 2000
_CURVE_MV: tuple[float, ...] = tuple(
    np.interp(
        np.linspace(0, 100, _GRID + 1), np.arange(0, 100 + STEP_PERCENT, STEP_PERCENT), OPEN_CIRCUIT_MV
    ).tolist()
)
"""Open-circuit mV on an even grid of charge."""
_COLD_C = 20.0


class TwinCell:
    """One cell; `discharge` and `charge` advance its state. Energies since its creation in mWh."""

    def __init__(self, parameters: Parameters, percent: float = 100.0, temperature_c: float = 25.0) -> None:
        """`percent`: as the fuel gauge shows it, 0 at the voltage where the PMU stops the host."""
        self._nominal_mah = parameters["cell.capacity_mah"]
        self._resistance_ohm = parameters["cell.resistance_mohm"] / 1000
        self._cold_resistance = parameters["cell.cold_resistance"]
        self._cold_loss = 1 - parameters["cell.cold_capacity"]
        self._charge_ma = parameters["cell.charge_ma"]
        self._empty = float(np.interp(parameters["cell.empty_mv"], _CURVE_MV, np.linspace(0, 1, _GRID + 1)))
        self.temperature_c = temperature_c
        self.current_ma = 0.0
        """Positive while charging."""
        self.state = self._empty + (1 - self._empty) * percent / 100
        """Charge as a share of what it holds between 3.0 and 4.2 V open-circuit."""
        self.chemical_mwh = 0.0
        """Chemical energy taken on discharge."""
        self.delivered_mwh = 0.0
        self.heat_mwh = 0.0
        """Lost in the resistance on discharge."""
        self.drawn_mah = 0.0
        """Charge taken on discharge."""

    @property
    def percent(self) -> float:
        """Charge until the PMU stops the host, 0..100."""
        percent = 100 * (self.state - self._empty) / (1 - self._empty)
        return 0.0 if percent <= 0 else min(100.0, percent)

    @property
    def open_circuit_mv(self) -> float:
        """Voltage without load."""
        state = self.state
        place = (0.0 if state < 0 else 1.0 if state > 1 else state) * _GRID
        index = min(int(place), _GRID - 1)
        low = _CURVE_MV[index]
        return low + (_CURVE_MV[index + 1] - low) * (place - index)

    @property
    def resistance_ohm(self) -> float:
        """At the present temperature; at least three quarters of that at 20 C."""
        warm: float = self._cold_resistance ** ((_COLD_C - self.temperature_c) / _COLD_C)
        return self._resistance_ohm * max(0.75, warm)

    @property
    def capacity_mah(self) -> float:
        """At the present temperature."""
        cold = max(0.0, _COLD_C - self.temperature_c) / _COLD_C
        return self._nominal_mah * (1 - self._cold_loss * cold)

    @property
    def voltage_mv(self) -> float:
        """At the terminals now."""
        return self.open_circuit_mv + self.current_ma * self.resistance_ohm

    def discharge(self, seconds: float, power_mw: float) -> None:
        """Deliver that power. Raises `TwinError` when the cell cannot."""
        volt, ohm = self.open_circuit_mv / 1000, self.resistance_ohm
        watt = power_mw / 1000
        square = volt * volt - 4 * ohm * watt
        if square < 0:
            raise TwinError(
                f"A cell of {ohm * 1000:.0f} milliohm cannot deliver {watt:.2f} W at {volt:.2f} V."
            )
        ampere = 2 * watt / (volt + math.sqrt(square))
        hours = seconds / 3600
        self.current_ma = -ampere * 1000
        self.state -= ampere * 1000 * hours / self.capacity_mah
        self.drawn_mah += ampere * 1000 * hours
        self.chemical_mwh += volt * ampere * 1000 * hours
        self.heat_mwh += ampere * ampere * ohm * 1000 * hours
        self.delivered_mwh += power_mw * hours

    def charge(self, seconds: float) -> None:
        """Charge: constant current, then constant voltage, until `TAPER_MA`; the load takes none of it."""
        headroom_mv = FULL_MV - self.open_circuit_mv
        current_ma = min(self._charge_ma, max(0.0, headroom_mv / self.resistance_ohm))
        if current_ma < TAPER_MA:
            current_ma = 0.0
        self.current_ma = current_ma
        self.state = min(1.0, self.state + current_ma * seconds / 3600 / self.capacity_mah)

    def refill(self) -> None:
        """Replace it by a full pack."""
        self.state = 1.0

    def exchange(self, percent: float) -> None:
        """Replace it by a pack of that charge, as the fuel gauge shows it."""
        self.state = self._empty + (1 - self._empty) * percent / 100
