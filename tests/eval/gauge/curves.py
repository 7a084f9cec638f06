"""Open-circuit curves of published cells, as plants for the gauge: none of them is in the firmware.

A cell's curve is the potential of its positive electrode minus that of its negative one, along a line of
stoichiometries that the published concentrations, thicknesses and fractions of active material give. The
numbers are those of the papers, as the parameter sets of PyBaMM 25 (github.com/pybamm-team/PyBaMM, BSD-3)
quote them; each `source` names its paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy import exp, tanh
from numpy.typing import NDArray

Array = NDArray[np.float64]
Potential = Callable[[Array], Array]


def _graphite_lg(x: Array) -> Array:
    return np.asarray(
        1.9793 * exp(-39.3631 * x) + 0.2482 - 0.0909 * tanh(29.8538 * (x - 0.1234))
        - 0.04478 * tanh(14.9159 * (x - 0.2769)) - 0.0205 * tanh(30.4444 * (x - 0.6103))
    )  # fmt: skip


def _nmc_lg(x: Array) -> Array:
    return np.asarray(
        4.4875 - 0.8090 * x - 0.0428 * tanh(18.5138 * (x - 0.5542))
        - 17.7326 * tanh(15.7890 * (x - 0.3117)) + 17.5842 * tanh(15.9308 * (x - 0.3120))
    )  # fmt: skip


def _graphite_mohtat(x: Array) -> Array:
    steps = (
        (0.0120, 0.127, 0.016), (0.0118, 0.155, 0.016), (0.0035, 0.220, 0.020), (0.0095, 0.190, 0.013),
        (0.0145, 0.490, 0.020), (0.0800, 1.030, 0.055),
    )  # fmt: skip
    return 0.063 + 0.8 * exp(-75 * (x + 0.001)) - _steps(x, steps)


def _nmc_mohtat(x: Array) -> Array:
    polynomial = np.polynomial.Polynomial([4.3452, -1.6518, 1.6225, -2.0843, 3.5146, -2.2166])
    return np.asarray(polynomial(x) - 0.5623e-4 * exp(109.451 * x - 100.006))


def _graphite_kim(x: Array) -> Array:
    steps = (
        (0.0351, 0.286, 0.083), (0.0045, 0.9, 0.119), (0.035, 0.99, 0.05), (0.0147, 0.5, 0.034),
        (0.102, 0.194, 0.142), (0.022, 0.98, 0.0164), (0.011, 0.124, 0.0226), (-0.0155, 0.105, 0.029),
    )  # fmt: skip
    return 0.124 + 1.5 * exp(-70 * x) - _steps(x, steps)


def _nca_kim(x: Array) -> Array:
    polynomial = np.polynomial.Polynomial([
        11.8058, -66.3691, 264.427, -554.774, 621.3475, -344.566, 81.246, -23.488, 15.056, -2.222, 1.638,
    ])  # fmt: skip
    return np.asarray(polynomial(x) - 0.61386 * exp(5.8201 * x**136.4))


def _lfp_afshar(x: Array) -> Array:
    return np.asarray(3.4077 - 0.020269 * x + 0.5 * exp(-150 * x) - 0.9 * exp(-30 * (1 - x)))


def _carbon_ramadass(x: Array) -> Array:
    return np.asarray(
        0.7222 + 0.1387 * x + 0.029 * x**0.5 - 0.0172 / x + 0.0019 / x**1.5
        + 0.2808 * exp(0.9 - 15 * x) - 0.7984 * exp(0.4465 * x - 0.4108)
    )  # fmt: skip


def _lco_ramadass(x: Array) -> Array:
    squared = (1.13 * x) ** 2
    above = np.polynomial.Polynomial([-4.656, 88.669, -401.119, 342.909, -462.471, 433.434])
    below = np.polynomial.Polynomial([-1, 18.933, -79.532, 37.311, -73.083, 95.96])
    return np.asarray(above(squared) / below(squared))


def _steps(x: Array, steps: tuple[tuple[float, float, float], ...]) -> Array:
    total = np.zeros_like(x)
    for height, middle, width in steps:
        total += height * tanh((x - middle) / width)
    return total


@dataclass(frozen=True)
class Published:
    """A cell of two electrodes."""

    chemistry: str
    """Name of the firmware's profile that is right for it."""
    negative: Potential
    positive: Potential
    negative_charge: float
    """Maximum concentration times active fraction times thickness, mol/m2."""
    positive_charge: float
    balanced: tuple[float, float]
    """Stoichiometries of both electrodes at one state of charge."""
    full_v: float
    empty_v: float
    """Open-circuit voltages between which the charge is counted."""
    source: str


PUBLISHED = {
    "lg-m50": Published(
        "nmc", _graphite_lg, _nmc_lg, 33133 * 0.75 * 85.2e-6, 63104 * 0.665 * 75.6e-6,
        (29866 / 33133, 17038 / 63104), 4.2, 3.0,
        "LG M50, NMC 811 and graphite-SiOx: Chen et al., J. Electrochem. Soc. 167 (2020) 080534",
    ),
    "nmc-532": Published(
        "nmc", _graphite_mohtat, _nmc_mohtat, 28746 * 0.61 * 62e-6, 35380 * 0.445 * 67e-6,
        (48.8682 / 28746, 31513 / 35380), 4.2, 3.0,
        "NMC 532 and graphite: Mohtat et al., J. Electrochem. Soc. 167 (2020) 110561",
    ),
    "nca": Published(
        "nca", _graphite_kim, _nca_kim, 28700 * 0.51 * 70e-6, 49000 * 0.41 * 50e-6,
        (18081 / 28700, 20090 / 49000), 4.2, 3.0,
        "NCA and graphite: Kim et al., J. Electrochem. Soc. 158 (2011) A955",
    ),
    "lco": Published(
        "lco", _carbon_ramadass, _lco_ramadass, 30555 * 0.49 * 88e-6, 51555 * 0.59 * 80e-6,
        (0.74, 0.5), 4.2, 3.0,
        "LiCoO2 and carbon: Ramadass et al., J. Electrochem. Soc. 151 (2004) A196",
    ),
    "lfp": Published(
        "lfp", _graphite_lg, _lfp_afshar, 30555 * 0.58 * 34e-6, 22806 * 0.374 * 80e-6,
        (0.81, 0.0038), 3.6, 2.8,
        "LiFePO4 and graphite: balance of Prada et al., J. Electrochem. Soc. 160 (2013) A616; potentials of"
        " Afshar et al., arXiv 1709.03970 (2017), and of Chen et al. (2020)",
    ),
}  # fmt: skip
DESIGN_MAH = {"lg-m50": 3000, "nmc-532": 2600, "nca": 3200, "lco": 2000, "lfp": 1500}
"""Design capacity of the cells that are drawn, by plant."""
CUT_OFF_MV = {"lco": 3000, "nmc": 3000, "nca": 3000, "lfp": 2800}
"""Where the gauge's curves end, by chemistry."""


def curve_mv(name: str, points: int = 401) -> Array:
    """Open-circuit millivolt at `points` even steps of charge from empty to full, rising."""
    cell = PUBLISHED[name]
    start_negative, start_positive = cell.balanced
    moved = np.linspace(-1.2, 1.2, 240_001) * min(cell.negative_charge, cell.positive_charge)
    negative = start_negative - moved / cell.negative_charge
    positive = start_positive + moved / cell.positive_charge
    possible = (negative > 0) & (negative < 1) & (positive > 0) & (positive < 1)
    moved, negative, positive = moved[possible], negative[possible], positive[possible]
    volts = cell.positive(positive) - cell.negative(negative)
    here = int(np.argmin(abs(moved)))
    first = here - int(np.argmax(volts[here::-1] >= cell.full_v)) if volts[here] < cell.full_v else here
    while volts[first] > cell.full_v:
        first += 1
    last = first + int(np.argmax(volts[first:] <= cell.empty_v))
    charge = (moved[last] - moved[first : last + 1]) / (moved[last] - moved[first])
    found = np.interp(np.linspace(0, 1, points), charge[::-1], volts[first : last + 1][::-1])
    return np.maximum.accumulate(found * 1000)
