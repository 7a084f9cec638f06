"""A cell with a published open-circuit curve, its charger and its sensor: the truth for the gauge.

Shares no code and no number with the firmware. Open-circuit voltage with hysteresis, a series resistance and
two pairs of resistor and capacitor (12 s and 420 s), each with its own activation energy, and one thermal
mass. The curves and activation energies are published (`curves`); resistances, hysteresis and the
thermal mass are ranges of an 18650, drawn at random: modelled. Currents are positive while charging.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import numpy as np

from tests.eval.gauge.curves import PUBLISHED, Array, curve_mv

KELVIN = 273.15
_GAS_J = 8.314
_OHMIC_J, _TRANSFER_J = 17_800.0, 35_000.0
"""Activation energies, J/mol, of the electrodes of the LG M50 as PyBaMM's set of Chen 2020 has them: the
smaller one stands for the series resistance, the larger one for both pairs.
"""
_FAST_S, _SLOW_S = 12.0, 420.0
_COOLING_S = 1200.0
_HEAT_J_PER_K = 45.0
HYSTERESIS_MV = {"lco": (2, 6), "nmc": (4, 12), "nca": (4, 12), "lfp": (6, 14)}
"""Half the gap between the branches, by chemistry; it turns over within about a tenth of the charge."""
_HYSTERESIS_RATE = 30.0
_GRID = 400


@dataclass(frozen=True)
class Draw:
    """One cell of a kind."""

    plant: str
    design_mah: float
    capacity_mah: float
    resistance_mohm: float
    """In all, for a lasting load at 25 C, half full."""
    hysteresis_mv: float
    cut_off_mv: float

    @classmethod
    def random(
        cls, rng: random.Random, plant: str, design_mah: float, cut_off_mv: float, health: float
    ) -> Draw:
        """`health`: capacity of an aged cell relative to a new one; its resistance rises by as much again."""
        return cls(
            plant,
            design_mah,
            design_mah * health * rng.uniform(0.95, 1.04),
            rng.uniform(70, 130) * (1 + 2 * (1 - health)),
            rng.uniform(*HYSTERESIS_MV[PUBLISHED[plant].chemistry]),
            cut_off_mv,
        )


class PlantCell:
    """One cell in use."""

    def __init__(self, draw: Draw, percent: float, celsius: float) -> None:
        self.draw = draw
        self.curve_mv: Array = curve_mv(draw.plant, _GRID + 1)
        self._curve = self.curve_mv.tolist()
        self.charge = percent / 100
        """0..1 between the ends of the open-circuit curve."""
        self.celsius = celsius
        self.current_ma = 0.0
        self.full_mv = PUBLISHED[draw.plant].full_v * 1000
        self._fast_mv = self._slow_mv = 0.0
        self._branch = 0.0  # -1 after discharge .. 1 after charge
        self._ohmic = self._transfer = 1.0
        self._warm(0.0, celsius)

    def _warm(self, seconds: float, ambient: float) -> None:
        watts = abs(self.current_ma * (self.open_circuit_mv - self.voltage_mv)) / 1e6
        rise = watts / _HEAT_J_PER_K - (self.celsius - ambient) / _COOLING_S
        self.celsius += rise * seconds
        inverse = (1 / (KELVIN + self.celsius) - 1 / (KELVIN + 25)) / _GAS_J
        self._ohmic, self._transfer = math.exp(_OHMIC_J * inverse), math.exp(_TRANSFER_J * inverse)

    @property
    def open_circuit_mv(self) -> float:
        """After a long rest, hysteresis included."""
        place = min(1.0, max(0.0, self.charge)) * _GRID
        index = min(int(place), _GRID - 1)
        low, high = self._curve[index], self._curve[index + 1]
        beyond = 40_000 * min(0.0, self.charge)
        return low + (high - low) * (place - index) + beyond + self._branch * self.draw.hysteresis_mv

    @property
    def voltage_mv(self) -> float:
        """At the terminals."""
        sag_mv = self.current_ma * self.series_mohm / 1000
        return self.open_circuit_mv + sag_mv + self._fast_mv + self._slow_mv

    @property
    def series_mohm(self) -> float:
        """What acts at once."""
        return 0.55 * self.draw.resistance_mohm * self._ohmic * self._low(self.charge)

    def _low(self, charge: float) -> float:
        return 1 + 0.4 * max(0.0, 1 - charge / 0.15)

    def step(self, seconds: float, current_ma: float, ambient: float) -> None:
        """Let that current flow for some seconds."""
        self.current_ma = current_ma
        moved = current_ma * seconds / 3600 / self.draw.capacity_mah
        self.charge = min(1.02, self.charge + moved)
        self._branch += (math.copysign(1.0, moved) - self._branch) * -math.expm1(
            -_HYSTERESIS_RATE * abs(moved)
        )
        mohm = self.draw.resistance_mohm * self._transfer * self._low(self.charge)
        self._fast_mv += (current_ma * 0.20 * mohm / 1000 - self._fast_mv) * -math.expm1(-seconds / _FAST_S)
        self._slow_mv += (current_ma * 0.25 * mohm / 1000 - self._slow_mv) * -math.expm1(-seconds / _SLOW_S)
        self._warm(seconds, ambient)

    def ends(self, mean_ma: float, peak_ma: float) -> tuple[float, float]:
        """Charge (0..1) at which an exact PMU stops the host at this load and temperature, and at which the
        charger stops. Both currents positive.

        Stopped is: the open-circuit voltage leaves no room for a peak of 1 A above the cut-off (within 2 to
        4 percent of the charge), the lasting load leaves less than 100 mV, or the peak leaves nothing.
        """
        place = np.linspace(0, 1, _GRID + 1)
        low = 1 + 0.4 * np.maximum(0.0, 1 - place / 0.15)
        lasting = self.draw.resistance_mohm * low * (0.55 * self._ohmic + 0.45 * self._transfer)
        short = self.draw.resistance_mohm * low * (0.55 * self._ohmic + 0.15 * self._transfer)
        curve, cut_off_mv = self.curve_mv, self.draw.cut_off_mv
        reserve_mv = np.clip(
            cut_off_mv + 50 + lasting, np.interp(0.02, place, curve), np.interp(0.04, place, curve)
        )
        alive = (
            (curve > reserve_mv)
            & (curve - mean_ma * lasting / 1000 > cut_off_mv + 100)
            & (curve - (mean_ma * lasting + (peak_ma - mean_ma) * short) / 1000 > cut_off_mv)
        )
        empty = float(place[int(np.argmax(alive))])
        taper_mv = 0.05 * self.draw.design_mah * self.draw.resistance_mohm / 1000
        full = float(np.interp(self.full_mv - taper_mv, curve, place))
        return empty, full


@dataclass
class PlantCharger:
    """Constant current, then constant voltage, until less than a twentieth of the design capacity flows."""

    current_ma: float
    design_mah: float
    done: bool = False

    def current_into(self, cell: PlantCell) -> float:
        """mA now."""
        held_mv = cell.voltage_mv - cell.current_ma * cell.series_mohm / 1000
        if self.done and held_mv < cell.full_mv - 150:
            self.done = False
        if self.done:
            return 0.0
        flows_ma = min(self.current_ma, max(0.0, (cell.full_mv - held_mv) / cell.series_mohm * 1000))
        if flows_ma < 0.05 * self.design_mah:
            self.done = True
            return 0.0
        return flows_ma


@dataclass
class PlantSensor:
    """An INA226 that looks for 35 of every 250 ms, in steps of 1 mA and 1.25 mV, with its shunt, and the
    thermometer in the PMU's die.
    """

    rng: random.Random
    gain: float = field(init=False)
    offset_mv: float = field(init=False)
    warm_k: float = field(init=False)

    def __post_init__(self) -> None:
        rng = self.rng
        self.gain = rng.uniform(0.98, 1.02)
        self.offset_mv = rng.uniform(-2.5, 2.5)
        self.warm_k = rng.uniform(0, 6)
        self._swing_ma = rng.uniform(2, 5)
        self._period_s = rng.uniform(12, 60) * 3600
        self._phase = rng.uniform(0, 2 * math.pi)

    def read(self, cell: PlantCell, now_s: float, seconds: float) -> tuple[int, int, int]:
        """mV, mA, 0.1 K for a period of that many seconds. What a load does between the looks is a share of
        it, independent from look to look.
        """
        ripple = 0.15 * math.sqrt(1 - 35 / 250) / math.sqrt(max(1.0, seconds / 0.25))
        offset_ma = self._swing_ma * math.sin(2 * math.pi * now_s / self._period_s + self._phase)
        current_ma = cell.current_ma * (self.gain + self.rng.gauss(0, ripple)) + offset_ma
        volts = (cell.voltage_mv + self.offset_mv + self.rng.gauss(0, 1.5)) / 1.25
        kelvin = KELVIN + cell.celsius + self.warm_k
        return round(round(volts) * 1.25), round(current_ma), round(10 * kelvin)
