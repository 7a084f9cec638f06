"""The percentage that the gauge shows, on a simulated cell."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.known_charge import set_percent
from firmware.pmu import gauge_cell as cell
from firmware.pmu import gauge_cutoff as cutoff
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge
from tests.eval.gauge.__main__ import Bench, overnight, simulate
from tests.eval.gauge.load import loads
from tests.eval.gauge.percentiles import p95
from tests.firmware.gauge_cell import LCO, ROOM_DK, charged_to_the_end, resting, terminal_mv


@pytest.mark.parametrize("current_ma", [-20, -650, -1400, 500])
@pytest.mark.parametrize("percent", [8, 35, 60, 90])
def test_the_first_sample_is_corrected_for_the_load(percent: int, current_ma: int) -> None:
    gauge = Gauge()
    gauge.sample(0, terminal_mv(percent, current_ma), current_ma, ROOM_DK, current_ma > 0)
    raw = cell.percent_at(terminal_mv(percent, current_ma), LCO)
    # It is unknown for how long the load has flowed: part of its sag may still follow.
    assert abs(gauge.percent - percent) <= max(5, 0.5 * abs(raw - percent))
    assert gauge.max_error >= abs(gauge.percent - percent) - 1


def test_zero_is_where_the_host_is_stopped_and_hundred_where_the_charger_stops() -> None:
    assert resting(1).percent == 0
    assert resting(cell.percent_at(cutoff.empty_mv(cell.RESISTANCE_MOHM), LCO) + 8).percent > 2
    assert resting(99.5).percent > 99.4


@settings(deadline=None)
@given(st.floats(20, 100), st.lists(st.tuples(st.integers(3000, 4200), st.integers(-1500, -1)), max_size=200))
def test_what_is_shown_only_falls_while_the_cell_is_emptied(
    percent: float, samples: list[tuple[int, int]]
) -> None:
    gauge = resting(50)
    set_percent(gauge, percent)
    now_ms = 0
    for voltage_mv, current_ma in samples:
        before = gauge.percent
        now_ms += 250
        gauge.sample(now_ms, voltage_mv, current_ma, ROOM_DK, False)
        assert gauge.percent <= before
        if not gauge.shown.empty:
            assert before - gauge.percent <= 0.03


def test_a_correction_moves_the_shown_value_by_one_point_in_ten_seconds_at_most() -> None:
    gauge = resting(80)
    gauge.charge.declare(0.4, 0.01)
    shown = []
    for second in range(10, 1200):  # after a gap, in which any load may have come
        gauge.sample(second * 1000, terminal_mv(40, -150), -150, ROOM_DK, False)
        shown.append(gauge.words(0, 0)[r.RELATIVE_STATE_OF_CHARGE])
    assert shown[-1] < 42
    assert max(earlier - later for earlier, later in zip(shown, shown[10:])) == 1  # noqa: B905 - MicroPython


def warming(celsius: list[float]) -> list[float]:
    """What is shown of a cell that rests, nearly empty, while its temperature goes through these."""
    fraction = 1 - 0.9 * cell.capacity_factor(r.ZERO_CELSIUS_DK)  # 10 percent at 0 C
    gauge = Gauge()
    shown = []
    for second, degrees in enumerate(celsius):
        temperature_dk = r.ZERO_CELSIUS_DK + round(10 * degrees)
        percent = 100 * (1 - (1 - fraction) / cell.capacity_factor(temperature_dk))
        gauge.sample(second * 1000, terminal_mv(percent, -20), -20, temperature_dk, False)
        gauge.charge.charge_uah += 20_000 // 3600  # the cell's state is constant
        gauge.shown.unsettled = False  # and is known
        shown.append(gauge.percent)
    return shown


def test_a_cell_that_warms_up_shows_what_the_cold_had_taken_at_the_pace_of_any_correction() -> None:
    shown = warming([0.0] * 60 + [second / 30 for second in range(600)] + [20.0] * 600)
    assert shown[60] < 12 and shown[-1] - shown[60] > 1.5
    assert max(later - earlier for earlier, later in zip(shown, shown[10:])) <= 1  # noqa: B905 - MicroPython


def test_a_little_warmth_raises_nothing() -> None:
    shown = warming([10 + (second % 240) / 60 for second in range(1200)])
    assert all(later <= earlier for earlier, later in pairwise(shown))


def test_a_finished_charge_is_full_and_an_empty_cell_is_zero() -> None:
    gauge = resting(60, powered=True)
    now_ms = charged_to_the_end(gauge, 0)
    assert gauge.percent == pytest.approx(100, abs=0.1)
    words = gauge.words(0, 0)
    assert words[r.BATTERY_STATUS] & r.STATUS_FULLY_CHARGED
    assert not words[r.BATTERY_STATUS] & r.STATUS_DISCHARGING
    assert (words[r.CHARGING_CURRENT], words[r.AVERAGE_TIME_TO_FULL]) == (0, r.NOT_DISCHARGING)
    for _ in range(4):
        now_ms += 250
        gauge.sample(now_ms, 2990, -100, ROOM_DK, False)
    assert gauge.percent == 0
    status = gauge.words(0, 0)[r.BATTERY_STATUS]
    assert status & r.STATUS_TERMINATE_DISCHARGE
    assert not status & r.STATUS_FULLY_CHARGED


def test_zero_stays_zero_until_the_cell_is_charged() -> None:
    gauge, now_ms = resting(30), 0
    for voltage_mv, current_ma in [(2990, -1400)] * 8 + [(3700, -5)] * 5000:
        now_ms += 250
        gauge.sample(now_ms, voltage_mv, current_ma, ROOM_DK, False)
    assert gauge.percent == 0
    for _ in range(400):
        now_ms += 250
        gauge.sample(now_ms, 3800, 500, ROOM_DK, True)
    assert gauge.percent > 1


def test_single_precision_is_enough() -> None:
    bench = Bench(random.Random(4))
    double = Gauge()
    single: Any = Gauge()
    charge, resistance = single.charge, single.resistance
    charge.state = [np.float32(each) for each in charge.state]
    charge.covariance = [[np.float32(each) for each in row] for row in charge.covariance]
    resistance.parts = [np.float32(each) for each in resistance.parts]
    resistance._covariance = [[np.float32(each) for each in row] for row in resistance._covariance]
    single.shown.percent = np.float32(0)
    load, left_s, load_ma = loads(bench.rng), 0.0, 0.0
    for second in range(5 * 3600):
        left_s -= 1
        if left_s <= 0:
            left_s, load_ma = next(load)
        bench.cell.step(1, 700 if second < 3600 else load_ma, 15)
        voltage_mv, current_ma, temperature_dk = bench.sensor.read(bench.cell)
        for gauge in (double, single):
            gauge.sample(second * 1000, voltage_mv, current_ma, temperature_dk, second < 3600)
    assert isinstance(charge.covariance[0][1], np.float32)
    assert isinstance(charge.state[1], np.float32)
    assert single.percent == pytest.approx(double.percent, abs=0.3)
    assert single.estimate == pytest.approx(double.estimate, abs=0.3)


def test_a_worn_day_stays_within_bounds() -> None:
    bench = Bench(random.Random(2))
    overnight(bench)
    day = simulate(bench, ["watchdog"])
    assert p95(day.errors) <= 5
    assert day.largest_jump <= 1
    assert day.shown_after_cut_off == 0
    assert max(day.jumps_at_reset["watchdog"]) <= 1
