"""What the gauge learns about its cell and its sensor."""

from __future__ import annotations

import random

import pytest

from firmware.known_charge import set_percent
from firmware.pmu import gauge_cell as cell
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge
from firmware.pmu.gauge_resistance import Resistance
from tests.firmware.gauge_cell import ROOM_DK, charged_to_the_end, resting, terminal_mv


def test_the_sensors_offset_is_learned_while_a_full_cell_rests() -> None:
    gauge = resting(90, powered=True)
    charged_to_the_end(gauge, 0, offset_ma=3)
    assert gauge.charge.state[2] == pytest.approx(3, abs=0.7)


def corrected(learned: bool, current_ma: int) -> float:
    """The count after forty minutes with a cell that holds 50 percent, counted as 60."""
    gauge = resting(50)
    gauge.charge.learned = learned
    gauge.charge.declare(0.60, 0.028)
    for second in range(1, 2400):
        gauge.sample(second * 1000, terminal_mv(50, current_ma), current_ma, ROOM_DK, False)
        gauge.charge.charge_uah += -current_ma * 1000 // 3600  # the cell's state is constant
    return 100 * gauge.charge.fraction


def test_a_rested_voltage_corrects_the_count_as_far_as_the_curve_is_known() -> None:
    assert corrected(True, -20) < 58
    assert corrected(False, -20) > corrected(True, -20) + 1
    assert corrected(True, -400) > corrected(True, -20)


def test_a_rested_voltage_on_the_flat_part_of_a_curve_is_no_anchor() -> None:
    gauge = Gauge(profile=cell.NAMES.index("lfp"))
    gauge.sample(0, 3300, -20, ROOM_DK, False)
    gauge.charge.declare(0.60, 0.028)
    for minute in range(1, 20 * 60):  # a night at the voltage of 35 percent
        gauge.sample(minute * 60_000, 3288, 0, ROOM_DK, False)
    assert gauge.charge.percent > 57


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


@pytest.mark.parametrize(("profile", "curve"), [("lco", "lfp"), ("lco", "nca"), ("nca", "lco")])
def test_one_discharge_teaches_a_curve_that_is_nothing_like_the_profile(profile: str, curve: str) -> None:
    true_mah, real = 2600, cell.curve(cell.NAMES.index(curve))
    gauge, now_ms = Gauge(2000, profile=cell.NAMES.index(profile)), 0
    for current_ma in (*[900] * 300, *range(800, 50, -10), *[0] * 120):  # a charger that holds the voltage
        now_ms += 10_000
        gauge.sample(now_ms, real[-1] - 10, current_ma, ROOM_DK, True)
    assert gauge.full
    left_mah, mv = 0.995 * true_mah, real[-1]
    while mv > gauge.cut_off_mv + 60 and left_mah > 0.025 * true_mah:
        now_ms += 10_000
        left_mah -= 400 * 10 / 3600
        mv = round(cell.open_circuit_mv_at(100 * left_mah / true_mah, real) - 40)
        gauge.sample(now_ms, mv, -400, ROOM_DK, False)
    while mv > gauge.cut_off_mv - 20:
        now_ms, mv = now_ms + 1000, mv - 10
        gauge.sample(now_ms, mv, -400, ROOM_DK, False)
    assert gauge.charge.learned
    assert gauge.charge.capacity_mah == pytest.approx(true_mah, rel=0.1)
    learned = [cell.open_circuit_mv_at(percent, gauge.charge.curve) for percent in range(30, 95, 5)]
    missed = [abs(mv - cell.open_circuit_mv_at(30 + 5 * n, real)) for n, mv in enumerate(learned)]
    assert max(missed) < 45, "the sag is learned as well"


@pytest.mark.parametrize("profile", ["lco", "nmc", "nca"])
def test_a_burst_of_load_that_ends_a_discharge_early_is_not_taken_for_an_empty_cell(profile: str) -> None:
    """With a wrong profile the cut-off is higher than the cell's, which a burst reaches with a fifth left."""
    true_mah, real = 1500, cell.curve(cell.NAMES.index("lfp"))
    gauge, now_ms = Gauge(2000, profile=cell.NAMES.index(profile)), 0
    for current_ma in (*[700] * 300, *range(600, 50, -10), *[0] * 120):
        now_ms += 10_000
        mv = real[-1] - 10 if current_ma else round(cell.open_circuit_mv_at(99.5, real))
        gauge.sample(now_ms, mv, current_ma, ROOM_DK, True)
    left_mah = 0.995 * true_mah
    while left_mah > 0.2 * true_mah:
        now_ms += 10_000
        left_mah -= 400 * 10 / 3600
        mv = round(cell.open_circuit_mv_at(100 * left_mah / true_mah, real) - 40)
        gauge.sample(now_ms, mv, -400, ROOM_DK, False)
    for _ in range(20):
        now_ms += 500
        gauge.sample(now_ms, 3080, -1400, ROOM_DK, False)
    assert gauge.charge.learned
    assert gauge.charge.capacity_mah == pytest.approx(true_mah, rel=0.05)
    assert gauge.charge.curve == sorted(gauge.charge.curve)


def test_a_charge_is_finished_whose_current_falls_within_seconds() -> None:
    """As that of lithium iron phosphate does; a wrong profile says nothing about its voltage."""
    gauge, now_ms = Gauge(2000, profile=cell.NAMES.index("nca")), 0
    for voltage_mv in range(3300, 3590):
        now_ms += 10_000
        gauge.sample(now_ms, voltage_mv, 700, ROOM_DK, True)
    for current_ma in (700, 480, 330, 230, 150, 90, 60, *[0] * 1200):
        now_ms += 1000
        gauge.sample(now_ms, 3590, current_ma, ROOM_DK, True)
    assert gauge.full and gauge.percent > 95


def test_a_charge_broken_off_is_not_a_finished_one() -> None:
    gauge = resting(60, powered=True)
    now_ms = 0
    for voltage_mv in range(3950, 4080):
        now_ms += 10_000
        gauge.sample(now_ms, voltage_mv, 900, ROOM_DK, True)
    for _ in range(400):  # the charger's power stays, its current does not
        now_ms += 10_000
        gauge.sample(now_ms, 4010, 0, ROOM_DK, True)
    assert not gauge.full and gauge.percent < 99


def test_max_error_widens_when_count_and_curve_disagree() -> None:
    gauge = resting(80)
    gauge.charge.declare(0.8, 0.01)
    before = gauge.max_error
    for second in range(1, 1800):
        gauge.sample(second * 1000, terminal_mv(30, -100), -100, ROOM_DK, False)
        gauge._stepped = 0  # no step of the voltage betrays it
    assert gauge.max_error > before + 10
    assert gauge.max_error > 0.7 * abs(gauge.charge.percent - 30)


def test_no_profile_has_less_charge_or_more_at_a_voltage_than_those_that_are_named_so() -> None:
    for mv in range(2700, 4300, 5):
        by = [cell.percent_at(mv, cell.curve(profile)) for profile in range(len(cell.NAMES))]
        assert by[cell.LEAST] == min(by), mv
        assert by[cell.MOST] == max(by) or mv >= 3600, mv
        assert by[cell.MOST_4V] == max(by[: cell.MOST]), mv


def test_max_error_reaches_the_charge_by_every_profile_until_a_charge_has_told_the_kind_of_cell() -> None:
    gauge, now_ms = resting(8), 0
    mv = terminal_mv(8, 0)
    assert gauge.max_error >= cell.percent_at(mv, cell.curve(cell.MOST_4V)) - gauge.percent > 30
    gauge = Gauge(profile=cell.NAMES.index("lfp"))
    gauge.sample(0, 3290, 0, ROOM_DK, True)
    assert gauge.max_error > 50, "the voltage of lithium iron phosphate says little"
    for current_ma in (*[900] * 300, *range(800, 50, -10), *[0] * 180):
        now_ms += 10_000
        gauge.sample(now_ms, 3590, current_ma, ROOM_DK, True)
    assert gauge.full and gauge.max_error < 30, "a full one is told by its count"


def test_another_cell_is_noticed() -> None:
    gauge = resting(90)
    set_percent(gauge, 90)
    for second in range(1, 1500):
        gauge.sample(second * 1000, terminal_mv(25, -100), -100, ROOM_DK, False)
    assert gauge.percent < 40


def test_another_cell_after_an_empty_one_needs_no_charger() -> None:
    gauge, now_ms = resting(30), 0
    for voltage_mv, current_ma in [(2990, -1400)] * 8 + [(3500, -5)] * 400:
        now_ms += 250
        gauge.sample(now_ms, voltage_mv, current_ma, ROOM_DK, False)
    assert gauge.percent == 0 and gauge.shown.empty
    for voltage_mv in [0] * 20 + [terminal_mv(70, -5)] * 400:
        now_ms += 250
        gauge.sample(now_ms, voltage_mv, -5, ROOM_DK, False)
    assert gauge.percent > 50


@pytest.mark.parametrize(("profile", "real"), [("lco", "lfp"), ("nmc", "lfp"), ("lfp", "nmc")])
def test_the_charger_shows_that_the_cell_is_of_another_kind_than_its_profile(profile: str, real: str) -> None:
    """Full is known by the current that falls at a held voltage, so its voltage names the kind."""
    gauge, curve = Gauge(profile=cell.NAMES.index(profile)), cell.curve(cell.NAMES.index(real))
    now_ms = 0
    for current_ma in (*[900] * 300, *range(800, 50, -10), *[0] * 180):
        now_ms += 10_000
        gauge.sample(now_ms, curve[-1] - 10, current_ma, ROOM_DK, True)
    assert gauge.full and gauge.percent > 95
    assert gauge.charge.capacity_mah == pytest.approx(2000, rel=0.1), "the wrong curve teaches no capacity"
    assert gauge.charge.curve[1:] == curve[1:]
    assert gauge.cut_off_mv == cell.curve(cell.NAMES.index(profile))[0], "what protects the cell stays"


@pytest.mark.parametrize("loaded_mv", [3190, 3195, 3205])
def test_a_cell_inserted_on_its_plateau_is_not_taken_for_nearly_empty_under_load(loaded_mv: int) -> None:
    """Its profile has that voltage at a fifth of the charge, but its sag may be as much as that is lower."""
    gauge = Gauge(1500, profile=cell.NAMES.index("lfp"))
    for second in range(0, 1200, 10):
        gauge.sample(second * 1000, loaded_mv + 50 * (second == 0), -400, ROOM_DK, False)
    assert gauge.percent > 25 and gauge.max_error > 15


def test_another_cell_ends_the_discharge_that_shows_the_capacity() -> None:
    gauge = resting(97, powered=True)
    now_ms = charged_to_the_end(gauge, 0)
    for second in range(1, 7200, 10):
        gauge.sample(now_ms + second * 1000, terminal_mv(80, -400), -400, ROOM_DK, False)
    now_ms += 7_200_000
    for voltage_mv in (*[0] * 20, *[terminal_mv(60, -400)] * 400):
        now_ms += 250
        gauge.sample(now_ms, voltage_mv, -400, ROOM_DK, False)
    for voltage_mv in range(3500, 2950, -5):
        now_ms += 1000
        gauge.sample(now_ms, voltage_mv, -400, ROOM_DK, False)
    assert not gauge.charge.learned, "neither what two cells gave nor one that was taken out is a capacity"


def test_what_was_learned_of_the_sensors_offset_goes_out_of_date() -> None:
    gauge = resting(90, powered=True)
    charged_to_the_end(gauge, 0, offset_ma=3)
    before = gauge.charge.state[2]
    for _ in range(12 * 60):
        gauge.charge.count(60_000, 0)
    assert abs(gauge.charge.state[2]) < 0.3 * abs(before)


def test_the_ripple_of_a_steady_current_is_no_step_of_the_load() -> None:
    """The sensor looks for 35 of 250 ms, so that a steady charge of 1 A seems to vary by 70 mA."""
    rng, resistance = random.Random(1), Resistance()
    resistance.known(120, 20)
    resistance.start(1000)
    for second in range(3600):
        measured_ma = round(1000 * rng.gauss(1, 0.07))
        elapsed_ms = 1000 if second else 0
        resistance.step(elapsed_ms, 3900 + second // 60, measured_ma, ROOM_DK, 60, 3780 + second // 60)
    assert resistance.total_mohm == pytest.approx(120, rel=0.05)
