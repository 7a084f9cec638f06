"""A simulated lithium cell, its charger and its sensor, as the reference for measuring a fuel gauge.

The cell differs from the gauge's model: its open-circuit curve is smooth instead of piecewise linear and off
by some millivolts, and its knee, resistance, capacity and their temperature coefficients are drawn at random.
Equivalent circuit: open-circuit voltage, a series resistance and one resistor-capacitor pair. Every current
is positive while charging.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from firmware.pmu import gauge_cutoff as cutoff
from firmware.pmu import registers as r

_CURVE = (
    (5, 3610), (7, 3645), (10, 3690), (15, 3710), (20, 3730), (27, 3757), (33, 3782), (40, 3801), (47, 3827),
    (53, 3847), (58, 3862), (62, 3883), (68, 3933), (75, 3981), (80, 4021), (85, 4078), (91, 4117),
    (95, 4150), (100, 4200),
)  # fmt: skip
"""(percent, mV) of a typical LiCoO2 cell above its knee, from the published curve."""
_GRID = 200
FULL_MV = 4200
REFERENCE_LOAD = 0.2
"""Load in C at which the remaining charge is defined, as in data sheets."""


@dataclass(frozen=True)
class CellProfile:
    """Parameters of a cell."""

    capacity_mah: float = 2000.0
    """Between 4.2 V and 3.0 V open-circuit at 20 C."""
    resistance_mohm: float = 100.0
    """For lasting loads at 20 C, half full."""
    polarisation_share: float = 0.4
    """Share of the resistance in the resistor-capacitor pair."""
    polarisation_time_constant_s: float = 30.0
    cold_resistance_factor: float = 2.1
    """Resistance at 0 C relative to 20 C."""
    cold_capacity_factor: float = 0.93
    """Capacity at 0 C relative to 20 C."""
    empty_resistance_factor: float = 1.25
    """Resistance when empty relative to half full."""
    knee_exponent: float = 1.2
    """Exponent of the voltage's fall below 5 %: 1 = linear."""
    curve_error_mv: float = 5.0
    """Largest difference of the open-circuit voltage from the published curve."""
    curve_error_waves: tuple[tuple[float, float, float], ...] = ((1.0, 1.0, 0.0),)
    """(waves over the charge range, weight, phase) of that difference."""

    @classmethod
    def random(cls, rng: random.Random, design_mah: float = 2000.0) -> CellProfile:
        """A random cell: capacity -15 to +5 %, 60 to 200 mOhm, up to 8 mV off the published curve."""
        return cls(
            capacity_mah=design_mah * rng.uniform(0.85, 1.05),
            resistance_mohm=rng.uniform(60, 200),
            polarisation_share=rng.uniform(0.25, 0.5),
            polarisation_time_constant_s=rng.uniform(15, 60),
            cold_resistance_factor=rng.uniform(1.8, 2.4),
            cold_capacity_factor=rng.uniform(0.90, 0.96),
            empty_resistance_factor=rng.uniform(1.0, 1.5),
            knee_exponent=rng.uniform(1.0, 1.6),
            curve_error_mv=rng.uniform(3, 8),
            curve_error_waves=tuple(
                (rng.uniform(0.5, 3), rng.random(), rng.uniform(0, 2 * math.pi)) for _ in range(3)
            ),
        )


class Cell:
    """One cell, simulated by `step`."""

    def __init__(self, profile: CellProfile, percent: float = 100.0, temperature_c: float = 20.0) -> None:
        """`percent`: of the range between 3.0 and 4.2 V open-circuit, 0..100."""
        self.profile = profile
        self.temperature_c = temperature_c
        self.current_ma = 0.0
        self._polarisation_mv = 0.0  # across the resistor-capacitor pair
        self._curve_mv = _curve(profile)
        self.discharged_mah = (1 - percent / 100) * self.capacity_mah

    @property
    def capacity_mah(self) -> float:
        """Capacity at the current temperature, mAh."""
        coldness = max(0.0, 20 - self.temperature_c) / 20
        return self.profile.capacity_mah * (1 - (1 - self.profile.cold_capacity_factor) * coldness)

    @property
    def state(self) -> float:
        """Charge as a fraction of the range between 3.0 and 4.2 V open-circuit; below 0 when the capacity at
        a low temperature is less than the charge already taken.
        """
        return 1 - self.discharged_mah / self.capacity_mah

    @property
    def open_circuit_mv(self) -> float:
        """Voltage after a long rest."""
        return self._open_circuit_mv(self.state)

    @property
    def voltage_mv(self) -> float:
        """Terminal voltage now."""
        return self.open_circuit_mv + self.current_ma * self._ohmic_mohm() / 1000 + self._polarisation_mv

    @property
    def percent(self) -> float:
        """The state of charge that a gauge should show: the charge left until a load of 0.2 C brings this
        cell, at its current temperature, to the voltage at which the PMU stops the host, as a share of a full
        charge. 100 = where a charger stops.
        """
        return 100 * min(
            1.0,
            max(
                0.0, (self.state - self._empty_fraction()) / (self._full_fraction() - self._empty_fraction())
            ),
        )

    def step(self, seconds: float, current_ma: float, ambient_c: float | None = None) -> None:
        """Apply a current for some seconds; the cell approaches the ambient temperature with a time constant
        of 20 minutes.
        """
        self.current_ma = current_ma
        if ambient_c is not None:
            self.temperature_c += (ambient_c - self.temperature_c) * -math.expm1(-seconds / 1200)
        self.discharged_mah = max(0.0, self.discharged_mah - current_ma * seconds / 3600)
        goal_mv = current_ma * self.resistance_mohm * self.profile.polarisation_share / 1000
        self._polarisation_mv += (goal_mv - self._polarisation_mv) * -math.expm1(
            -seconds / self.profile.polarisation_time_constant_s
        )

    @property
    def resistance_mohm(self) -> float:
        """For lasting loads at the current charge and temperature."""
        return self._resistance_mohm(self.state)

    def _resistance_mohm(self, state: float) -> float:
        profile = self.profile
        factor = max(0.75, profile.cold_resistance_factor ** ((20 - self.temperature_c) / 20))
        emptiness = max(0.0, 1 - state / 0.15)
        return profile.resistance_mohm * factor * (1 + (profile.empty_resistance_factor - 1) * emptiness)

    def _ohmic_mohm(self) -> float:
        return self.resistance_mohm * (1 - self.profile.polarisation_share)

    def _open_circuit_mv(self, state: float) -> float:
        place = min(1.0, max(0.0, state)) * _GRID
        index = min(int(place), _GRID - 1)
        low, high = self._curve_mv[index], self._curve_mv[index + 1]
        below = 60_000 * min(0.0, state)  # below empty the voltage collapses
        return low + (high - low) * (place - index) + below

    def _state_at(self, open_circuit_mv: float) -> float:
        index = min(max(1, bisect_right(self._curve_mv, open_circuit_mv)), _GRID)
        low, high = self._curve_mv[index - 1], self._curve_mv[index]
        return min(1.0, max(0.0, (index - 1 + (open_circuit_mv - low) / (high - low)) / _GRID))

    def _empty_fraction(self) -> float:
        """State at which an exact PMU would shut the host down under the reference load."""
        mohm = self._resistance_mohm(0.02)
        sag_mv = REFERENCE_LOAD * self.profile.capacity_mah * mohm / 1000
        return self._state_at(max(cutoff.empty_mv(mohm), cutoff.LOW_MV + sag_mv))

    def _full_fraction(self) -> float:
        """State at which a charger stops, at 20 C."""
        sag_mv = 0.05 * self.profile.capacity_mah * self.profile.resistance_mohm / 1000
        return self._state_at(FULL_MV - sag_mv)


@dataclass
class Charger:
    """Constant current, then constant voltage, until the current falls below `taper_ma`; restarts below 4.05
    V.
    """

    current_ma: float = 1000.0
    taper_ma: float = 100.0
    done: bool = False

    def current_into(self, cell: Cell) -> float:
        """Charging current now, mA."""
        held_mv = cell.voltage_mv - cell.current_ma * cell._ohmic_mohm() / 1000
        if self.done and held_mv < 4050:
            self.done = False
        if self.done:
            return 0.0
        flows_ma = min(self.current_ma, max(0.0, (FULL_MV - held_mv) / cell._ohmic_mohm() * 1000))
        if flows_ma < self.taper_ma:
            self.done = True
            return 0.0
        return flows_ma


@dataclass
class Sensor:
    """An INA226 on a 10 mOhm shunt and a thermometer beside the cell: noise, errors, and steps of 1 mA,
    1.25 mV and 0.1 K.
    """

    rng: random.Random
    offset_ma: float = 0.0
    gain: float = 1.0
    noise_ma: float = 1.5
    offset_mv: float = 0.0
    noise_mv: float = 1.5
    offset_c: float = 0.0

    @classmethod
    def random(cls, rng: random.Random) -> Sensor:
        """A random sensor: errors of at most 2 mA, 0.7 %, 2.5 mV and 1.5 K."""
        return cls(
            rng,
            offset_ma=rng.uniform(-2, 2),
            gain=rng.uniform(0.993, 1.007),
            offset_mv=rng.uniform(-2.5, 2.5),
            offset_c=rng.uniform(-1.5, 1.5),
        )

    def read(self, cell: Cell) -> tuple[int, int, int]:
        """Terminal mV, mA and 0.1 K."""
        gauss = self.rng.gauss
        counts = round((cell.voltage_mv + self.offset_mv + gauss(0, self.noise_mv)) / 1.25)
        current_ma = round(cell.current_ma * self.gain + self.offset_ma + gauss(0, self.noise_ma))
        temperature_dk = round(10 * (cell.temperature_c + self.offset_c)) + r.ZERO_CELSIUS_DK
        return max(0, counts * 5 // 4), current_ma, temperature_dk


def _curve(profile: CellProfile) -> list[float]:
    """Open-circuit mV on an even grid of charge, strictly rising."""
    peak = sum(abs(weight) for _, weight, _ in profile.curve_error_waves) or 1.0
    points: list[float] = []
    for index in range(_GRID + 1):
        state = index / _GRID
        if state < 0.05:
            mv = 3610 - 610 * (1 - state / 0.05) ** profile.knee_exponent
        else:
            error = sum(
                w * math.sin(2 * math.pi * n * state + phase) for n, w, phase in profile.curve_error_waves
            )
            mv = _smooth(100 * state) + profile.curve_error_mv * error / peak * min(
                1.0, (state - 0.05) / 0.05
            )
        points.append(max(mv, points[-1] + 0.2) if points else mv)
    return points


def _smooth(percent: float) -> float:
    """The published curve, interpolated by a monotone cubic (Fritsch and Carlson)."""
    index = min(max(0, bisect_right(_CURVE, (percent, 10**6)) - 1), len(_CURVE) - 2)
    (x0, y0), (x1, y1) = _CURVE[index], _CURVE[index + 1]
    start, end = _tangent(_CURVE, index), _tangent(_CURVE, index + 1)
    width = x1 - x0
    t = (percent - x0) / width
    return (
        (1 + 2 * t) * (1 - t) ** 2 * y0
        + t * (1 - t) ** 2 * width * start
        + t**2 * (3 - 2 * t) * y1
        + t**2 * (t - 1) * width * end
    )


def _tangent(points: Sequence[tuple[int, int]], index: int) -> float:
    """Harmonic mean of the slopes on both sides, which keeps the cubic rising."""
    slopes = [
        (points[i + 1][1] - points[i][1]) / (points[i + 1][0] - points[i][0])
        for i in (index - 1, index)
        if 0 <= i < len(points) - 1
    ]
    return 2 / sum(1 / slope for slope in slopes) if len(slopes) == 2 else slopes[0]
