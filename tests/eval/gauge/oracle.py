"""What voltage and counted charge can say at best about the charge of a cell that is new to the gauge.

    python -m tests.eval.gauge.oracle [--seed N]

The best estimator knows the cell's own published curve, how its hysteresis and the sensor's offset are
distributed, and that every charge is equally likely; it sees one rested voltage and answers with the mean of
what is left possible. The cells are those of `uses`, at the charges at which they are put in there.
Of all that see one voltage, none has a smaller mean square error; a wrong curve adds to it.

The second figure is for the whole first cycle, from the insertion to full and to empty: charge and capacity
that fit best, by least squares, to all rested voltages so far and to an exact count, with full known exactly
once it is reached, but with the firmware's curve for that kind of cell instead of the cell's own. It has no
hysteresis, no sag and no sensor, so what is left is the curve. The last figure shows that: the same with the
cell's own curve, and with hysteresis.
"""

from __future__ import annotations

import argparse
import random

import numpy as np

from firmware.pmu import gauge_cell
from tests.eval.arguments import counted
from tests.eval.gauge.curves import PUBLISHED, Array, curve_mv
from tests.eval.gauge.plant import HYSTERESIS_MV

DRAWS = 2000
INSERTED = (0.25, 0.65)
SENSOR_MV = 2.5
"""Largest offset of the voltage, as `plant.PlantSensor` draws it."""
_GRID = 2001
HEALTHS = (1.0, 0.7)
"""Capacities over that of the design: of a new cell, and of the aged one of `uses`."""
_CAPACITIES = np.linspace(0.6, 1.05, 46)
_STEP = 0.02
_CHARGED_C, _DRAWN_C = 0.4, 0.2
"""Currents over the design capacity, which say how long charging and discharging last."""


def error_points(plant: str, rng: random.Random) -> float:
    """95th percentile of the best estimator's error, points of charge."""
    curve = curve_mv(plant, _GRID)
    charges = np.linspace(0, 1, _GRID)
    least, most = HYSTERESIS_MV[PUBLISHED[plant].chemistry]
    # What lies between voltage and curve: both branches and all between, and the sensor.
    off_mv = np.array([_off_mv(rng, least, most) for _ in range(DRAWS)])
    width_mv = 1.0
    bins = np.arange(-most - SENSOR_MV - width_mv, most + SENSOR_MV + 2 * width_mv, width_mv)
    chance, _ = np.histogram(off_mv, bins)
    errors = []
    for _ in range(DRAWS):
        charge = rng.uniform(*INSERTED)
        seen_mv = float(np.interp(charge, charges, curve)) + _off_mv(rng, least, most)
        place = np.clip(((seen_mv - curve - bins[0]) / width_mv).astype(int), 0, len(chance) - 1)
        weights = np.where((seen_mv - curve >= bins[0]) & (seen_mv - curve < bins[-1]), chance[place], 0)
        errors.append(100 * abs(float(np.average(charges, weights=weights + 1e-9)) - charge))
    return float(np.percentile(errors, 95))


def first_cycle_points(plant: str, health: float, own: bool = False) -> float:
    """95th percentile over the time of the first cycle of the error by least squares, points of charge.

    `own`: with the cell's own curve, so that charge, capacity and the branch of the hysteresis, in its middle
    and at once, are all that is not known.
    """
    curve, charges = curve_mv(plant, _GRID), np.linspace(0, 1, _GRID)
    profile = gauge_cell.curve(gauge_cell.NAMES.index(PUBLISHED[plant].chemistry))

    def profile_mv(charge: Array) -> Array:
        if own:
            return np.interp(charge, charges, curve)
        return np.interp(charge, np.linspace(0, 1, len(profile)), profile)

    starts = np.linspace(0, 1, 101)
    branch_mv = sum(HYSTERESIS_MV[PUBLISHED[plant].chemistry]) / 2 if own else 0.0
    errors, hours = list[float](), list[float]()
    for start in np.arange(*INSERTED, 0.05):
        missed = np.zeros((len(_CAPACITIES), len(starts)))
        for charge in np.arange(start, 1, _STEP):
            found = starts + (charge - start) * health / _CAPACITIES[:, None]
            missed += (profile_mv(found) - np.interp(charge, charges, curve) - branch_mv) ** 2
            missed[found > 1.001] = np.inf
            errors.append(abs(found.ravel()[np.argmin(missed)] - charge))
            hours.append(_STEP * health / _CHARGED_C)
        # Full: for each capacity there is one charge at the start.
        began = np.abs(starts - (1 - (1 - start) * health / _CAPACITIES[:, None])).argmin(axis=1)
        left = missed[np.arange(len(_CAPACITIES)), began]
        for charge in np.arange(1, 0, -_STEP):
            found = 1 - (1 - charge) * health / _CAPACITIES
            left = left + (profile_mv(found) - np.interp(charge, charges, curve) + branch_mv) ** 2
            errors.append(abs(found[np.argmin(left)] - charge))
            hours.append(_STEP * health / _DRAWN_C)
    order = np.argsort(errors)
    passed = np.cumsum(np.array(hours)[order]) / np.sum(hours)
    return 100 * float(np.array(errors)[order][np.searchsorted(passed, 0.95)])


def _off_mv(rng: random.Random, least: float, most: float) -> float:
    return rng.uniform(-1, 1) * rng.uniform(least, most) + rng.uniform(-SENSOR_MV, SENSOR_MV)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=counted, help="of other draws (default: those of the figures)")
    seed = parser.parse_args().seed
    print("error in points, 95th percentile, of the best estimator")
    print("            at the insertion, that knows    in the first cycle, new and aged, that")
    print("            the cell's own curve            has only the profile's   knows its own curve")
    for plant in PUBLISHED:
        rng = random.Random(plant if seed is None else f"{plant} {seed}")
        new, aged = (first_cycle_points(plant, health) for health in HEALTHS)
        own = ", ".join(f"{first_cycle_points(plant, health, own=True):4.1f}" for health in HEALTHS)
        print(f"  {plant:<9} {error_points(plant, rng):9.1f} {new:29.1f}, {aged:4.1f} {own:>25}")


if __name__ == "__main__":
    main()
