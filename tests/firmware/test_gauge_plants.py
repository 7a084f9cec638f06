"""The cells with published curves that the gauge is measured on."""

from __future__ import annotations

import random

import numpy as np
import pytest

from firmware.pmu import gauge_cell
from tests.eval.gauge.curves import CUT_OFF_MV, PUBLISHED, curve_mv
from tests.eval.gauge.plant import Draw, PlantCell, PlantCharger
from tests.eval.gauge.plants import Figures
from tests.eval.gauge.uses import Bench, Cycle, run


@pytest.mark.parametrize("plant", PUBLISHED)
def test_a_plant_is_not_the_profile_it_judges(plant: str) -> None:
    cell, found = PUBLISHED[plant], curve_mv(plant, 21)
    assert np.all(np.diff(found) >= 0)
    assert found[0] == pytest.approx(1000 * cell.empty_v, abs=1)
    assert found[-1] == pytest.approx(1000 * cell.full_v, abs=1)
    profile = gauge_cell.curve(gauge_cell.NAMES.index(cell.chemistry))
    assert profile[0] == CUT_OFF_MV[cell.chemistry]
    assert np.max(np.abs(found - profile)[2:-1]) > 15


def test_a_charge_ends_full_and_a_discharge_at_the_cut_off() -> None:
    draw = Draw.random(random.Random(1), "lg-m50", 3000, 3000, 1.0)
    cell, charger = PlantCell(draw, 40, 20), PlantCharger(1200, 3000)
    while not charger.done:
        cell.step(20, charger.current_into(cell), 20)
    empty, full = cell.ends(600, 1000)
    assert cell.charge == pytest.approx(full, abs=0.02)
    while cell.charge > empty:
        cell.step(20, -600, 20)
    assert 3000 < cell.voltage_mv < 3300
    assert 0.02 <= empty < 0.06


def test_the_figures_keep_the_first_cycle_apart() -> None:
    first = Cycle([50.0] * 4, [60.0] * 4, [5] * 4, 9.0, 0.0, [57.0] * 4)
    second = Cycle([50.0] * 4, [52.0] * 4, [5] * 4, counted=[50.0] * 4)
    found = Figures.of([first, second], 1)
    assert (found.first, found.counting, found.later, found.covered) == (10, 7, 2, 0.5)
    assert (found.left_first, found.left) == (9, 0)


@pytest.mark.parametrize("profile", ["lco", "nca"])
@pytest.mark.parametrize("draw", [2, 6])
def test_the_end_of_a_charge_is_noticed_with_a_wrong_profile(profile: str, draw: int) -> None:
    """The charge of lithium iron phosphate ends within a minute, and the current shows it in few samples."""
    bench = Bench("lfp", "day", profile, draw)
    bench.charge()
    assert bench.gauge.full and bench.gauge.percent > 90


@pytest.mark.parametrize(("plant", "profile"), [("nca", "lco"), ("lfp", "nmc")])
def test_the_truth_is_within_max_error_with_a_wrong_profile(plant: str, profile: str) -> None:
    """In a draw on which nothing was chosen; it was 77 and 94 % of the minutes."""
    assert Figures.of(run(plant, "day", profile, 5), 1).covered >= 0.95


@pytest.mark.parametrize(("plant", "draw"), [("lfp", 105), ("lfp", 101)])
def test_the_truth_is_within_max_error_after_a_cell_with_a_flat_curve_was_swapped(
    plant: str, draw: int
) -> None:
    """It was 81 and 93 % of the minutes."""
    assert Figures.of(run(plant, "swap", "lfp", draw), 1).covered >= 0.95
