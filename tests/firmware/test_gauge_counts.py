"""What the gauge counts: charge, energy, cycles; and the curve it counts on."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import gauge_cell as cell
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge
from firmware.pmu.gauge_coulombs import Charge
from firmware.pmu.gauge_energy import Energy
from tests.firmware.gauge_cell import LCO, ROOM_DK, resting


@settings(deadline=None)
@given(st.floats(0, 100))
def test_the_cell_curve_and_its_inverse_agree(percent: float) -> None:
    assert cell.percent_at(cell.open_circuit_mv_at(percent, LCO), LCO) == pytest.approx(percent, abs=0.01)


def test_the_cell_curve_rises_and_ends_hold() -> None:
    for profile in range(len(cell.NAMES)):
        curve = cell.curve(profile)
        assert all(low < high for low, high in pairwise(curve))
        assert cell.percent_at(2500, curve) == 0
        assert cell.percent_at(4300, curve) == 100
        assert cell.open_circuit_mv_at(-5, curve) == curve[0]
        assert cell.open_circuit_mv_at(120, curve) == curve[-1]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 20_000), st.integers(-2000, 2000)), max_size=60))
def test_charge_is_conserved_to_the_last_microampere_hour(flows: list[tuple[int, int]]) -> None:
    charge = Charge(2000)
    charge.declare(0.5, 0.01)
    counted = sum(charge.count(elapsed_ms, current_ma) for elapsed_ms, current_ma in flows)
    total = sum(elapsed_ms * current_ma for elapsed_ms, current_ma in flows) / 3600
    assert charge.charge_uah - 1_000_000 == counted
    assert abs(counted - total) <= 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 20_000), st.integers(-2000, 2000)), max_size=60))
def test_the_energy_counters_are_the_integral_of_what_was_taken_out(flows: list[tuple[int, int]]) -> None:
    energy = Energy()
    out, since_mark = 0, 0
    for index, (elapsed_ms, current_ma) in enumerate(flows):
        if index == 20:
            energy.mark()
            since_mark = 0
        energy.count(elapsed_ms, 3700, current_ma)
        taken = 3700 * max(0, -current_ma) * elapsed_ms
        out, since_mark = out + taken, since_mark + taken
    assert energy.total == out // 36_000_000
    assert abs(energy.marked - since_mark / 36_000_000) <= 1


def test_the_count_goes_on_across_the_wrap_of_the_ticks() -> None:
    charges = []
    for start_ms in (0, 0x3FFFFFFF - 30_000):
        gauge = Gauge()
        for second in range(60):
            gauge.sample((start_ms + second * 1000) & 0x3FFFFFFF, 3900, -900, ROOM_DK, False)
        charges.append((gauge.charge.charge_uah, gauge.energy.total))
    assert charges[0] == charges[1]


def test_a_cycle_is_one_design_capacity_taken_out() -> None:
    gauge, now_ms = resting(90), 0
    for _ in range(5):
        now_ms += 3_600_000
        gauge.sample(now_ms, 3900, -1000, ROOM_DK, False)
    assert gauge.words(0, 0)[r.CYCLE_COUNT] == 2
