"""What the voltage of a cell that was just put in can say about its charge at best, by kind of cell.

    python -m tests.eval.gauge_oracle

The best estimator knows the cell's own published curve, how its hysteresis and the sensor's offset are
distributed, and that every charge is equally likely; it sees one rested voltage and answers with the mean of
what is left possible. The cells are those of `gauge_plants`, at the charges at which they are put in there.
Of all that see one voltage, none has a smaller mean square error; a wrong curve adds to it.
"""

from __future__ import annotations

import random

import numpy as np

from tests.eval.gauge_curves import PUBLISHED, curve_mv
from tests.eval.gauge_plant import HYSTERESIS_MV

DRAWS = 2000
INSERTED = (0.25, 0.65)
SENSOR_MV = 2.5
"""Largest offset of the voltage, as `gauge_plant.PlantSensor` draws it."""
_GRID = 401


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


def _off_mv(rng: random.Random, least: float, most: float) -> float:
    return rng.uniform(-1, 1) * rng.uniform(least, most) + rng.uniform(-SENSOR_MV, SENSOR_MV)


def main() -> None:
    print("error at the insertion of an estimator that knows the cell's own curve, 95th percentile, points")
    for plant in PUBLISHED:
        print(f"  {plant:<9} {error_points(plant, random.Random(plant)):5.1f}")


if __name__ == "__main__":
    main()
