"""The error budget of the PMU's sensor (`tests.eval.power.sensor`) is that of what the firmware does, and the
rig's budgets hold it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import firmware.pmu
from power.rig.budgets import load_budgets
from tests.eval.power import sensor
from tests.eval.power.sensor import Errors
from tests.power.meters.emulated_ina226 import AVERAGES, CONVERSION_US

BOARD = (Path(firmware.pmu.__file__).parent / "board.py").read_text()


def averaged_s(setting: int) -> float:
    """How long a look lasts, by the tables of the data sheet."""
    return (
        AVERAGES[setting >> 9 & 7] * (CONVERSION_US[setting >> 3 & 7] + CONVERSION_US[setting >> 6 & 7]) / 1e6
    )


@pytest.mark.parametrize(("name", "look"), [("_STEADY", sensor.AWAKE), ("_AVERAGED", sensor.ASLEEP)])
def test_the_looks_are_those_of_the_firmware(name: str, look: tuple[int, float]) -> None:
    found = re.search(rf"^{name} = (\S+)", BOARD, re.MULTILINE)
    assert found is not None and int.from_bytes(ast.literal_eval(found[1]), "big") == look[0]
    assert averaged_s(look[0]) == pytest.approx({"_STEADY": 0.035, "_AVERAGED": 1.13}[name], rel=0.01)


def test_a_sensor_without_errors_counts_what_was_drawn() -> None:
    for _, make, schedule in sensor.LOADS:
        assert sensor.off_95(make, schedule, 3, Errors()) < 1e-6


def test_each_error_is_in_the_budget_and_the_meter_of_the_rig_allows_for_all_that_lasts() -> None:
    for name, make, schedule in sensor.LOADS:
        alone = {label: sensor.off_95(make, schedule, 20, errors) for label, errors in sensor.ROWS}
        assert all(share > 0.0005 for label, share in alone.items() if "looked at" not in label)
        assert alone["shunt 1 %, gain 0.1 %"] <= sensor.GAIN
        assert (alone["35 of 250 ms are looked at"] > 0.02) is (name != "asleep")
    meter = load_budgets().meters["pmu"]
    assert meter.rtol >= sensor.GAIN and meter.offset_ma >= sensor.OFFSET_MA + 0.5


def test_a_die_that_is_warmer_than_the_cell_shows_more_in_the_cold() -> None:
    assert 0.3 < sensor.by_temperature(0) < 1.5 and sensor.by_temperature(0, off_k=0.0) < 0.01
