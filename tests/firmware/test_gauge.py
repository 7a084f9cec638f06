"""The gauge on a simulated cell, and the application around it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import cell, cutoff
from firmware.pmu import registers as r
from firmware.pmu.app import Pmu
from firmware.pmu.charge import Charge
from firmware.pmu.energy import Energy
from firmware.pmu.gauge import Gauge
from tests.eval.gauge import Bench, loads, overnight, p95, simulate

ROOM_DK = r.ZERO_CELSIUS_DK + 220


@settings(deadline=None)
@given(st.floats(0, 100))
def test_the_cell_curve_and_its_inverse_agree(percent: float) -> None:
    assert cell.percent_at(cell.open_circuit_mv_at(percent)) == pytest.approx(percent, abs=0.01)


def test_the_cell_curve_rises_and_ends_hold() -> None:
    assert all(low < high for low, high in zip(cell.OPEN_CIRCUIT_MV, cell.OPEN_CIRCUIT_MV[1:], strict=False))
    assert cell.percent_at(2500) == 0
    assert cell.percent_at(4300) == 100
    assert cell.open_circuit_mv_at(-5) == 3000
    assert cell.open_circuit_mv_at(120) == 4200


def terminal_mv(percent: float, current_ma: int) -> int:
    return round(cell.open_circuit_mv_at(percent) + current_ma * cell.RESISTANCE_MOHM / 1000)


def resting(percent: float, powered: bool = False) -> Gauge:
    """A gauge on a rested cell that it has just met."""
    gauge = Gauge()
    gauge.sample(0, terminal_mv(percent, 0), 0, ROOM_DK, powered)
    return gauge


@pytest.mark.parametrize("current_ma", [-20, -650, -1400, 500])
@pytest.mark.parametrize("percent", [8, 35, 60, 90])
def test_the_first_sample_is_corrected_for_the_load(percent: int, current_ma: int) -> None:
    gauge = Gauge()
    gauge.sample(0, terminal_mv(percent, current_ma), current_ma, ROOM_DK, current_ma > 0)
    raw = cell.percent_at(terminal_mv(percent, current_ma))
    # Nobody knows how long the load has flowed: part of its sag may be still to come.
    assert abs(gauge.percent - percent) <= max(5, 0.5 * abs(raw - percent))
    assert gauge.max_error >= abs(gauge.percent - percent) - 1


def test_zero_is_where_the_host_is_stopped_and_hundred_where_the_charger_stops() -> None:
    assert resting(1).percent == 0
    assert resting(cell.percent_at(cutoff.SOFT_MV) + 8).percent > 2
    assert resting(99.5).percent == 100


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


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 2000),
            st.integers(2900, 4300),
            st.integers(-1500, 1200),
            st.integers(-100, 450),
            st.booleans(),
        ),
        max_size=80,
    )
)
def test_whatever_the_sensor_says_every_word_stays_in_its_range(
    samples: list[tuple[int, int, int, int, bool]],
) -> None:
    gauge, now_ms = Gauge(), 0x3FFFFF00
    for elapsed_ms, voltage_mv, current_ma, tenths_c, powered in samples:
        now_ms = (now_ms + elapsed_ms) & 0x3FFFFFFF
        gauge.sample(now_ms, voltage_mv, current_ma, r.ZERO_CELSIUS_DK + tenths_c, powered)
        words = gauge.words(200, 10)
        assert 0 <= words[r.RELATIVE_STATE_OF_CHARGE] <= 100
        assert 0 <= words[r.REMAINING_CAPACITY] <= words[r.FULL_CHARGE_CAPACITY] <= 2400
        assert 0 <= words[r.MAX_ERROR] <= 100
        for code, value in words.items():
            assert (-0x8000 if code in r.SIGNED else 0) <= value <= 0xFFFF


@settings(deadline=None)
@given(st.floats(20, 100), st.lists(st.tuples(st.integers(3000, 4200), st.integers(-1500, -1)), max_size=200))
def test_what_is_shown_only_falls_while_the_cell_is_emptied(
    percent: float, samples: list[tuple[int, int]]
) -> None:
    gauge = resting(50)
    gauge.set_percent(percent)
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
    for second in range(1, 1200):
        gauge.sample(second * 1000, terminal_mv(40, -150), -150, ROOM_DK, False)
        shown.append(gauge.words(0, 0)[r.RELATIVE_STATE_OF_CHARGE])
    assert shown[-1] < 42
    assert max(earlier - later for earlier, later in zip(shown, shown[10:])) == 1  # noqa: B905 - MicroPython


def test_the_count_goes_on_across_the_wrap_of_the_ticks() -> None:
    charges = []
    for start_ms in (0, 0x3FFFFFFF - 30_000):
        gauge = Gauge()
        for second in range(60):
            gauge.sample((start_ms + second * 1000) & 0x3FFFFFFF, 3900, -900, ROOM_DK, False)
        charges.append((gauge.charge.charge_uah, gauge.energy.total))
    assert charges[0] == charges[1]


def charged_to_the_end(gauge: Gauge, now_ms: int, offset_ma: int = 0) -> int:
    """Constant voltage, falling current, then none; the time when that is over."""
    for current_ma in (400, 200, 120, 90, 80, *[0] * 1200):
        now_ms += 1000
        gauge.sample(now_ms, 4195, current_ma + offset_ma, ROOM_DK, True)
    return now_ms


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


def test_the_sensors_offset_is_learned_while_a_full_cell_rests() -> None:
    gauge = resting(90, powered=True)
    charged_to_the_end(gauge, 0, offset_ma=3)
    assert gauge.charge.offset_ma == pytest.approx(3, abs=0.7)


def test_a_rested_cell_corrects_the_count_and_a_loaded_one_on_the_plateau_does_not() -> None:
    corrected = []
    for current_ma in (-20, -400):
        gauge = resting(50)
        gauge.charge.declare(0.60, 0.028)
        for second in range(1, 2400):
            gauge.sample(second * 1000, terminal_mv(50, current_ma), current_ma, ROOM_DK, False)
            gauge.charge.charge_uah += -current_ma * 1000 // 3600  # the cell holds still
        corrected.append(100 * gauge.charge.fraction)
    assert corrected[0] < 56
    assert corrected[1] > 57


def test_the_full_capacity_is_learned_between_two_anchors() -> None:
    true_mah = 1700
    gauge = resting(97, powered=True)
    now_ms = charged_to_the_end(gauge, 0)
    left_mah = 0.99 * true_mah
    while left_mah > 0.05 * true_mah:
        now_ms += 5000
        left_mah -= 400 * 5 / 3600
        gauge.sample(now_ms, terminal_mv(100 * left_mah / true_mah, -400), -400, ROOM_DK, False)
    assert gauge.words(0, 0)[r.FULL_CHARGE_CAPACITY] == pytest.approx(true_mah, rel=0.03)


@pytest.mark.parametrize("celsius", [0, 20, 40])
def test_the_resistance_is_learned_from_steps_of_the_load_at_any_temperature(celsius: int) -> None:
    temperature_dk = r.ZERO_CELSIUS_DK + 10 * celsius
    ohm = 0.160 * cell.resistance_factor(temperature_dk)
    gauge = Gauge()
    settled_ma = 0.0
    for second in range(2400):
        current_ma = -1000 if second // 60 % 2 else -150
        settled_ma += (current_ma - settled_ma) / 31
        voltage_mv = round(3840 + ohm * (0.6 * current_ma + 0.4 * settled_ma))
        gauge.sample(second * 1000, voltage_mv, current_ma, temperature_dk, False)
        gauge.charge.charge_uah = 1_000_000
    assert gauge.words(0, 0)[r.RESISTANCE] == pytest.approx(160, abs=24)


def test_a_cycle_is_one_design_capacity_taken_out() -> None:
    gauge, now_ms = resting(90), 0
    for _ in range(5):
        now_ms += 3_600_000
        gauge.sample(now_ms, 3900, -1000, ROOM_DK, False)
    assert gauge.words(0, 0)[r.CYCLE_COUNT] == 2


def test_nothing_is_claimed_before_the_first_sample() -> None:
    words = Gauge().words(200, 10)
    assert not words[r.BATTERY_STATUS] & r.STATUS_INITIALIZED
    assert words[r.MAX_ERROR] == 100


def test_times_are_in_minutes() -> None:
    gauge = Gauge(2000)
    gauge.sample(0, 3800, -500, ROOM_DK, False)
    gauge.set_percent(50)
    words = gauge.words(0, 0)
    assert words[r.RUN_TIME_TO_EMPTY] == 120
    assert words[r.AVERAGE_TIME_TO_EMPTY] == 120
    assert words[r.AVERAGE_TIME_TO_FULL] == r.NOT_DISCHARGING
    assert words[r.ABSOLUTE_STATE_OF_CHARGE] == 50
    for second in range(1, 400):
        gauge.sample(second * 1000, 3900, 500, ROOM_DK, True)
    words = gauge.words(0, 0)
    assert words[r.RUN_TIME_TO_EMPTY] == r.NOT_DISCHARGING
    assert 110 <= words[r.AVERAGE_TIME_TO_FULL] <= 180


@pytest.mark.parametrize(
    ("celsius", "wishes"),
    [(-3, (0, 0)), (5, (400, 4200)), (20, (1000, 4200)), (50, (400, 4100)), (61, (0, 0))],
)
def test_the_cell_wishes_to_be_charged_as_its_temperature_allows(
    celsius: int, wishes: tuple[int, int]
) -> None:
    gauge = Gauge()
    gauge.sample(0, 3800, -100, r.ZERO_CELSIUS_DK + 10 * celsius, False)
    words = gauge.words(0, 0)
    assert (words[r.CHARGING_CURRENT], words[r.CHARGING_VOLTAGE]) == wishes


def test_a_voltage_beyond_full_while_charging_is_an_alarm() -> None:
    gauge = Gauge()
    gauge.sample(0, 4290, 300, ROOM_DK, True)
    assert gauge.words(0, 0)[r.BATTERY_STATUS] & r.STATUS_OVER_CHARGED


def test_another_cell_is_noticed() -> None:
    gauge = resting(90)
    gauge.set_percent(90)
    for second in range(1, 1500):
        gauge.sample(second * 1000, terminal_mv(25, -100), -100, ROOM_DK, False)
    assert gauge.percent < 40


def test_single_precision_is_enough() -> None:
    bench = Bench(random.Random(4))
    double = Gauge()
    single: Any = Gauge()
    charge, resistance = single.charge, single.resistance
    charge.capacity_mah = np.float32(charge.capacity_mah)
    charge.offset_ma = np.float32(charge.offset_ma)
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
    assert isinstance(charge.capacity_mah, np.float32)
    assert single.percent == pytest.approx(double.percent, abs=0.3)
    assert single.estimate == pytest.approx(double.estimate, abs=0.3)


def test_a_worn_day_stays_within_bounds() -> None:
    bench = Bench(random.Random(2))
    overnight(bench)
    day = simulate(bench, ["watchdog"])
    assert p95(day.errors) <= 4
    assert day.largest_jump <= 1
    assert day.shown_after_cut_off == 0
    assert max(day.jumps_at_reset["watchdog"]) <= 1


class FakePmuBoard:
    """Hardware for `Pmu`: a cell to set and a record of the alert line."""

    def __init__(self) -> None:
        self.now_ms = 0x3FFFFF00  # the tick counter wraps soon
        self.sensed = (3800, -200, ROOM_DK, False)
        self.alerts: list[bool] = []

    def ticks_ms(self) -> int:
        return self.now_ms & 0x3FFFFFFF

    def sense(self) -> tuple[int, int, int, bool]:
        return self.sensed

    def alert(self, active: bool) -> None:
        self.alerts.append(active)


def test_uptime_counts_across_the_tick_wrap() -> None:
    board = FakePmuBoard()
    pmu = Pmu(board)
    for _ in range(40):
        board.now_ms += 250
        pmu.step()
    assert pmu.target.value(r.UPTIME_LOW) == 10


def test_the_alert_line_tells_new_alarms_once() -> None:
    board = FakePmuBoard()
    pmu = Pmu(board)
    pmu.step()
    assert board.alerts == []
    pmu.gauge.set_percent(9)
    pmu.publish()
    pmu.publish()
    assert board.alerts == [False, True]
    pmu.events.acknowledge(1)
    assert board.alerts[-1] is False


def test_energy_is_counted_since_the_host_wrote_the_mark_and_since_the_start() -> None:
    board = FakePmuBoard()
    pmu = Pmu(board)
    for _ in range(40):
        board.now_ms += 9000
        pmu.step()
    energy = 3800 * 200 / 1e6 * 39 * 9 / 3600 * 1e5  # in 0.01 mWh, since the first sample
    assert pmu.target.value(r.ENERGY_LOW) == pytest.approx(energy, abs=1)
    start = r.MARK * r.CELL_BYTES
    pmu.target.memory[start : start + 3] = bytes((7, 0, r.write_pec(start, 7, 0)))
    pmu.target.accept_writes()
    assert pmu.target.value(r.MARKED_ENERGY_LOW) == 0
    board.now_ms += 9000
    pmu.step()
    assert pmu.target.value(r.MARKED_ENERGY_LOW) == pytest.approx(energy / 39, abs=1)
    assert pmu.target.value(r.ENERGY_LOW) == pytest.approx(energy * 40 / 39, abs=1)
