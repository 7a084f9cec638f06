"""Charging is current into the cell: chargers that are weaker than the load, loose, or not there at all. The
cell is a voltage that falls on a straight line, so none that the gauge knows.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.known_charge import set_percent
from firmware.pmu import gauge_cell as cell
from firmware.pmu import gauge_cutoff as cutoff
from firmware.pmu import guard_power_good as power_good
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from firmware.pmu.gauge import Gauge
from tests.firmware.gauge_cell import charged_to_the_end, resting
from tests.firmware.test_wiring import Lines, Rig

ROOM_DK = r.ZERO_CELSIUS_DK + 250


def set_cell(rig: Rig, voltage_mv: int, current_ma: int, powered: bool) -> None:
    rig.board.cell = (voltage_mv, current_ma, ROOM_DK, powered)


def power_events(rig: Rig) -> int:
    return sum(
        what == r.EVENT_KIND_POWER << 8 | detail
        for _, _, what in rig.pmu.log.after(0, 1_000)
        for detail in (0, 1)
    )


def status(rig: Rig) -> int:
    return rig.pmu.target.value(r.BATTERY_STATUS)


def test_a_charger_weaker_than_the_load_is_no_charge_and_the_host_is_asked_before_its_end() -> None:
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 3_600)
    asked_mv = 0
    for voltage_mv in range(3_600, 2_990, -1):
        set_cell(rig, voltage_mv, -80, True)
        rig.run(1)
        if not asked_mv and rig.pmu.target.value(r.PMU_REQUEST) & r.ASK_SHUTDOWN:
            asked_mv = voltage_mv
        if not rig.pmu.guard.rail.on:
            break
        assert status(rig) & r.STATUS_DISCHARGING
    assert asked_mv > cutoff.HARD_MV + 50
    assert rig.board.rail_reason & 3 == rail.EMPTY
    assert rig.board.cell[0] > cutoff.HARD_MV, "saved and stopped, not cut at the hard threshold"


def test_a_charger_that_is_stronger_than_the_load_charges_at_once() -> None:
    rig = Rig()
    rig.run(60)
    set_cell(rig, 3_700, 40, True)
    rig.run(power_good.ON_MS / 1_000 + 1)
    assert not status(rig) & r.STATUS_DISCHARGING
    set_cell(rig, 3_650, -900, True)  # a burst of load
    rig.run(0.5)
    set_cell(rig, 3_700, 40, True)
    rig.run(30)
    assert not status(rig) & r.STATUS_DISCHARGING
    set_cell(rig, 3_650, -200, True)
    rig.run(30)
    assert status(rig) & r.STATUS_DISCHARGING


def test_a_charger_that_comes_and_goes_does_not_hide_an_empty_cell() -> None:
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 3_600)
    set_cell(rig, 3_150, -150, False)
    asked_s = 0
    for second in range(0, 60, 3):
        powered = second % 6 == 3
        set_cell(rig, 3_150 + 40 * powered, 200 if powered else -150, powered)
        rig.run(3)
        if rig.pmu.target.value(r.PMU_REQUEST) & r.ASK_SHUTDOWN:
            asked_s = second + 3
            break
    assert 0 < asked_s <= 60


def test_a_charger_plugged_in_again_when_the_cell_is_empty_keeps_the_host_on() -> None:
    """Minutes after it was unplugged, as the host is asked to save."""
    rig = Rig()
    rig.write(r.HEARTBEAT_DEADLINE, 3_600)
    set_cell(rig, 3_400, 300, True)
    rig.run(10)
    set_cell(rig, 3_400, -300, False)
    rig.run(120)
    set_cell(rig, 3_150, -300, False)
    for _ in range(60):
        rig.run(1)
        if rig.pmu.target.value(r.PMU_REQUEST) & r.ASK_SHUTDOWN:
            break
    else:
        pytest.fail("the host is asked to save")
    rig.run(10)
    set_cell(rig, 3_400, 500, True)
    rig.run(60)
    assert rig.course("rail") == [True]
    assert not rig.pmu.target.value(r.PMU_REQUEST) & r.ASK_SHUTDOWN


def test_a_floating_pin_is_no_charger() -> None:
    rng = random.Random(22)
    rig = Rig()
    for _ in range(2 * 60 * 4):
        set_cell(rig, 3_900, -200, rng.random() < 0.5)
        rig.run(0.25)
    assert power_events(rig) <= 3, "it gave 48 before"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 40_000), st.sampled_from((-100, 0, 100)))))
def test_outside_power_changes_only_after_it_was_steady(course: list[tuple[bool, int, int]]) -> None:
    good, now_ms, since_ms, before = power_good.PowerGood(), 0, 0, False
    on = good.step(0, False, 0)
    for signal, for_ms, current_ma in course:
        if signal is not before:
            since_ms, before = now_ms, signal
        for _ in range(0, for_ms, 250):
            now_ms += 250
            after = good.step(now_ms, signal, current_ma)
            if after != on:
                # One sample stands for up to 250 ms before it.
                assert now_ms - since_ms + 250 >= (power_good.ON_MS if after else power_good.OFF_MS)
                on = after


def test_a_full_cell_on_outside_power_counts_as_charging() -> None:
    rig = Rig(Lines())
    set_cell(rig, 4_190, 200, True)
    rig.run(20)
    set_percent(rig.pmu.gauge, 100)
    set_cell(rig, 4_190, -3, True)
    rig.run(60)
    assert not status(rig) & r.STATUS_DISCHARGING


def drained(gauge: Gauge, percent: float, current_ma: int, hours: float) -> None:
    """Takes that current out of a cell of 2 Ah on its table, from that charge on, with outside power."""
    for second in range(10, round(hours * 3600), 10):
        percent += current_ma / 7200
        voltage_mv = round(cell.open_circuit_mv_at(percent, cell.curve(0))) + current_ma // 10
        gauge.sample(second * 1000 + 2_000_000, voltage_mv, current_ma, ROOM_DK, True)


def test_a_full_cell_that_a_weak_charger_lets_drain_is_full_no_longer() -> None:
    gauge = resting(60, powered=True)
    charged_to_the_end(gauge, 0)
    assert gauge.words(0, 0)[r.BATTERY_STATUS] & r.STATUS_FULLY_CHARGED and gauge.percent > 99
    drained(gauge, 100, -50, 12)
    assert abs(gauge.percent - 70) < 6
    drained_status = gauge.words(0, 0)[r.BATTERY_STATUS]
    assert drained_status & r.STATUS_DISCHARGING and not drained_status & r.STATUS_FULLY_CHARGED


def test_what_is_shown_falls_with_the_charge_on_a_weak_charger() -> None:
    gauge = resting(60, powered=True)
    gauge.sample(2_000_000, 3_865, -50, ROOM_DK, True)
    drained(gauge, 60, -50, 8)
    assert abs(gauge.percent - 40) < 8
