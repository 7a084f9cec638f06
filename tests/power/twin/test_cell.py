"""The twin's cell: chemical energy is delivered or becomes heat."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from power.twin.cell import TwinCell
from power.twin.parameters import TwinError, load_parameters

PARAMETERS = load_parameters()
LOADS = st.lists(
    st.tuples(st.floats(0.01, 600.0), st.floats(0.0, 5000.0), st.floats(0.0, 45.0)), min_size=1, max_size=40
)


@settings(deadline=None)
@given(LOADS, st.floats(20.0, 100.0))
def test_energy_is_conserved(loads: list[tuple[float, float, float]], percent: float) -> None:
    cell = TwinCell(PARAMETERS, percent)
    asked_mwh = 0.0
    for seconds, power_mw, celsius in loads:
        cell.temperature_c = celsius
        cell.discharge(seconds, power_mw)
        asked_mwh += seconds * power_mw / 3600
    assert cell.delivered_mwh == pytest.approx(asked_mwh)
    assert cell.chemical_mwh == pytest.approx(cell.delivered_mwh + cell.heat_mwh, rel=1e-9, abs=1e-9)
    assert cell.heat_mwh >= 0


def test_the_chemistry_gives_the_area_under_the_voltage_curve() -> None:
    small, large = TwinCell(PARAMETERS), TwinCell(PARAMETERS)
    for cell, step_s in ((small, 10.0), (large, 60.0)):
        for _ in range(int(3 * 3600 / step_s)):
            cell.discharge(step_s, 1500.0)
    assert large.chemical_mwh == pytest.approx(small.chemical_mwh, rel=2e-3)
    assert large.percent == pytest.approx(small.percent, abs=0.2)


def test_a_full_pack_holds_what_its_label_says() -> None:
    cell = TwinCell(PARAMETERS)
    while cell.percent > 0:
        cell.discharge(60.0, 400.0)
    assert 7000 < cell.delivered_mwh < 7800
    assert cell.drawn_mah == pytest.approx(2000 * 0.975, rel=0.01)


def test_cold_costs_charge_and_voltage() -> None:
    warm, cold = TwinCell(PARAMETERS, 50, 20.0), TwinCell(PARAMETERS, 50, 0.0)
    for cell in (warm, cold):
        cell.discharge(1.0, 2000.0)
    assert cold.voltage_mv < warm.voltage_mv
    assert cold.resistance_ohm == pytest.approx(2.1 * warm.resistance_ohm)
    assert cold.capacity_mah == pytest.approx(0.93 * warm.capacity_mah)


def test_a_load_beyond_the_cell_is_told() -> None:
    with pytest.raises(TwinError, match="cannot deliver"):
        TwinCell(PARAMETERS, 5.0).discharge(1.0, 60_000.0)


def test_a_charger_fills_it_and_then_rests() -> None:
    cell = TwinCell(PARAMETERS, 20.0)
    for _ in range(6 * 60):
        cell.charge(60.0)
    assert cell.percent > 98
    assert cell.current_ma == 0
    assert cell.voltage_mv <= 4200
