"""What the gauge learns about its cell and its sensor."""

from __future__ import annotations

import pytest

from firmware.pmu import gauge_cell as cell
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge
from tests.firmware.gauge_cell import ROOM_DK, charged_to_the_end, resting, terminal_mv


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
            gauge.charge.charge_uah += -current_ma * 1000 // 3600  # the cell's state is constant
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


def test_another_cell_is_noticed() -> None:
    gauge = resting(90)
    gauge.set_percent(90)
    for second in range(1, 1500):
        gauge.sample(second * 1000, terminal_mv(25, -100), -100, ROOM_DK, False)
    assert gauge.percent < 40
