"""The bound that the gauge's figures name: the best that one rested voltage can tell."""

from __future__ import annotations

import random

import numpy as np
import pytest

from firmware.pmu import gauge_cell
from tests.eval.gauge import oracle
from tests.eval.gauge.curves import PUBLISHED, curve_mv
from tests.eval.gauge.plant import HYSTERESIS_MV


@pytest.fixture
def off_mv(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[float, float]]:
    """Hysteresis by chemistry, to be set; the sensor is exact."""
    found: dict[str, tuple[float, float]] = {**HYSTERESIS_MV}
    monkeypatch.setattr(oracle, "HYSTERESIS_MV", found)
    monkeypatch.setattr(oracle, "SENSOR_MV", 0.0)
    monkeypatch.setattr(oracle, "DRAWS", 300)
    return found


def test_an_exact_voltage_tells_the_charge(off_mv: dict[str, tuple[float, float]]) -> None:
    off_mv["nmc"] = (0.0, 0.0)
    assert oracle.error_points("lg-m50", random.Random(1)) < 0.5


def test_a_voltage_that_says_nothing_leaves_the_middle(off_mv: dict[str, tuple[float, float]]) -> None:
    off_mv["nmc"] = (5000.0, 5000.0)
    low, high = oracle.INSERTED
    away = 100 * max(0.5 - low, high - 0.5)
    assert 0.7 * away < oracle.error_points("lg-m50", random.Random(1)) < 1.3 * away


def test_more_hysteresis_leaves_more_unknown(off_mv: dict[str, tuple[float, float]]) -> None:
    found = []
    for most in (1.0, 5.0, 20.0):
        off_mv["nmc"] = (most, most)
        found.append(oracle.error_points("nmc-532", random.Random(1)))
    assert found == sorted(found)


@pytest.mark.parametrize("plant", PUBLISHED)
def test_reading_the_voltage_on_the_cells_own_curve_is_no_better(plant: str) -> None:
    """The strongest simple estimator that knows as much."""
    rng = random.Random(1)
    curve, charges = curve_mv(plant, 401), np.linspace(0, 1, 401)
    least, most = HYSTERESIS_MV[PUBLISHED[plant].chemistry]
    errors = []
    for _ in range(500):
        charge = rng.uniform(*oracle.INSERTED)
        seen_mv = float(np.interp(charge, charges, curve)) + rng.uniform(-1, 1) * rng.uniform(least, most)
        errors.append(100 * abs(float(np.interp(seen_mv, curve, charges)) - charge))
    by_reading = float(np.percentile(errors, 95))
    assert oracle.error_points(plant, random.Random(2)) < by_reading + 0.3


@pytest.mark.parametrize("health", oracle.HEALTHS)
def test_with_the_right_curve_count_and_voltage_tell_everything(
    health: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def profile_mv(_: str, points: int) -> np.ndarray:
        profile = gauge_cell.curve(gauge_cell.NAMES.index("nmc"))
        return np.interp(np.linspace(0, 1, points), np.linspace(0, 1, len(profile)), profile)

    monkeypatch.setattr(oracle, "curve_mv", profile_mv)
    assert oracle.first_cycle_points("lg-m50", health) < 3
    monkeypatch.undo()
    assert oracle.first_cycle_points("lg-m50", health) > 3, "what another curve costs"


@pytest.mark.parametrize("plant", PUBLISHED)
def test_an_aged_cell_shows_its_capacity_to_all_that_know_its_curve_unless_it_is_flat(plant: str) -> None:
    known = oracle.first_cycle_points(plant, 0.7, own=True)
    assert (known > 5) == (PUBLISHED[plant].chemistry == "lfp")
    assert oracle.first_cycle_points(plant, 0.7) > max(5, 2 * known), "the curve is what is missing"
