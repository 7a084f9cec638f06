"""A cell is swapped while the PMU is on, or while it is off, and an aged cell is put in."""

from __future__ import annotations

import random

import pytest

from firmware.known_charge import set_percent
from firmware.pmu import gauge_cell as cell
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge
from firmware.pmu.gauge_saved_state import Store
from tests.eval.gauge.swaps import case
from tests.firmware.fake_flash import FakeFlash
from tests.firmware.gauge_cell import ROOM_DK, charged_to_the_end, resting, terminal_mv

LFP = cell.NAMES.index("lfp")


def rested(mv: int, percent: float, powered: bool) -> Gauge:
    """A gauge that has known that LiFePO4 cell for a minute."""
    gauge = Gauge(1500, profile=LFP)
    gauge.sample(0, mv, 0, ROOM_DK, powered)
    set_percent(gauge, percent)
    sampled(gauge, 0, [(mv, 0)] * 60, powered)
    return gauge


def sampled(gauge: Gauge, from_s: int, samples: list[tuple[int, int]], powered: bool) -> None:
    rng = random.Random(1)
    for second, (mv, ma) in enumerate(samples):
        noisy_mv = mv + round(rng.gauss(0, 1.5))
        gauge.sample((from_s + second + 1) * 1000, noisy_mv, ma, ROOM_DK, powered)


def test_a_swap_on_the_charger_that_hardly_moves_the_voltage_is_noticed() -> None:
    gauge = rested(3325, 95, True)
    sampled(gauge, 60, [(3285, 0)] * 60, True)
    assert gauge.percent < 70 and gauge.max_error > 30, "what a flat curve does not tell is told as unknown"


def test_without_outside_power_the_same_step_is_no_swap() -> None:
    gauge = rested(3325, 95, False)
    sampled(gauge, 60, [(3285, 0)] * 60, False)
    assert gauge.percent > 90


def test_single_samples_that_are_off_are_no_swap() -> None:
    gauge = rested(3325, 95, True)
    sampled(gauge, 60, ([(3325, 0)] * 5 + [(3285, 0)] * 3) * 20, True)
    assert gauge.percent > 90


@pytest.mark.parametrize("mohm", [60, 100, 160])
def test_a_load_on_a_weak_charger_is_no_swap(mohm: int) -> None:
    gauge = rested(3325, 95, True)
    loaded_ma = [0] * 40 + [-1000] * 30 + [-200] * 60 + [600] * 60 + [0] * 60
    before_mah = gauge.charge.charge_uah / 1000
    counted_mah = sum(loaded_ma) / 3600
    sampled(gauge, 60, [(3325 + ma * mohm // 1000, ma) for ma in loaded_ma], True)
    assert gauge.charge.charge_uah / 1000 - before_mah == pytest.approx(counted_mah, abs=8)


def test_another_cell_while_off_is_noticed_where_the_curve_is_known() -> None:
    board, gauge = FakeFlash(), resting(60)
    set_percent(gauge, 60)
    gauge.charge.learned = True
    Store(board).save(gauge)
    after = Gauge()
    Store(board).restore(after)
    after.sample(0, terminal_mv(42, 0), 0, ROOM_DK, False)
    assert abs(terminal_mv(42, 0) - terminal_mv(60, 0)) < 80
    assert after.percent == pytest.approx(42, abs=4)


def test_a_named_cell_has_nothing_of_the_one_before() -> None:
    gauge = resting(60)
    gauge.resistance.known(320, 6)
    gauge.cycles, gauge.discharged_uah = 480, 512_000
    gauge.fit(1, 3000)
    gauge.sample(60_000, 3700, -20, ROOM_DK, False)
    words, new = gauge.words(0, 0), resting(60)
    assert (words[r.RESISTANCE], words[r.CYCLE_COUNT]) == (new.words(0, 0)[r.RESISTANCE], 0)
    assert gauge.resistance.spread_mohm == pytest.approx(new.resistance.spread_mohm, rel=0.01)
    gauge.sample(120_000, 3700, -600, ROOM_DK, False)
    assert gauge.discharged_uah < 20_000


def test_an_aged_cells_capacity_is_learned_by_its_first_full_charge() -> None:
    true_mah, percent = 1400, 45.0
    gauge, now_ms = resting(percent), 0
    while percent < 99:
        now_ms += 10_000
        percent += 100 * 700 * 10 / 3600 / true_mah
        gauge.sample(now_ms, min(4195, terminal_mv(percent, 700)), 700, ROOM_DK, True)
    charged_to_the_end(gauge, now_ms)
    assert gauge.full
    learned_mah = gauge.words(0, 0)[r.FULL_CHARGE_CAPACITY]
    assert learned_mah == pytest.approx(true_mah, rel=0.12)
    deviation = gauge.charge.covariance[1][1] ** 0.5 / gauge.charge.state[1]
    assert abs(learned_mah - true_mah) < 2 * deviation * learned_mah


def test_a_new_cells_capacity_stays_that_of_its_design() -> None:
    true_mah, percent = 1960, 45.0
    gauge, now_ms = resting(percent), 0
    while percent < 99:
        now_ms += 10_000
        percent += 100 * 700 * 10 / 3600 / true_mah
        gauge.sample(now_ms, min(4195, terminal_mv(percent, 700)), 700, ROOM_DK, True)
    charged_to_the_end(gauge, now_ms)
    assert gauge.words(0, 0)[r.FULL_CHARGE_CAPACITY] == pytest.approx(true_mah, rel=0.06)


@pytest.mark.parametrize("swapped", [True, False])
def test_the_evaluation_tells_swaps_from_none(swapped: bool) -> None:
    found = [case("lg-m50", random.Random(n), swapped) for n in range(2)]
    assert all(each.noticed is swapped for each in found)
    assert all((each.points > 0) is swapped for each in found)
