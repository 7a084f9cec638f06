"""The gauge's registers, and the application around the gauge."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.known_charge import set_percent
from firmware.pmu import registers as r
from firmware.pmu.app import Pmu
from firmware.pmu.gauge import Gauge
from tests.firmware.gauge_cell import ROOM_DK


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


def test_nothing_is_claimed_before_the_first_sample() -> None:
    words = Gauge().words(200, 10)
    assert not words[r.BATTERY_STATUS] & r.STATUS_INITIALIZED
    assert words[r.MAX_ERROR] == 100


def test_times_are_in_minutes() -> None:
    gauge = Gauge(2000)
    gauge.sample(0, 3800, -500, ROOM_DK, False)
    set_percent(gauge, 50)
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
    ("celsius", "limits"),
    [(-3, (0, 0)), (5, (400, 4200)), (20, (1000, 4200)), (50, (400, 4100)), (61, (0, 0))],
)
def test_the_charging_limits_follow_the_temperature(celsius: int, limits: tuple[int, int]) -> None:
    gauge = Gauge()
    gauge.sample(0, 3800, -100, r.ZERO_CELSIUS_DK + 10 * celsius, False)
    words = gauge.words(0, 0)
    assert (words[r.CHARGING_CURRENT], words[r.CHARGING_VOLTAGE]) == limits


def test_a_voltage_beyond_full_while_charging_is_an_alarm() -> None:
    gauge = Gauge()
    gauge.sample(0, 4290, 300, ROOM_DK, True)
    assert gauge.words(0, 0)[r.BATTERY_STATUS] & r.STATUS_OVER_CHARGED


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
    set_percent(pmu.gauge, 9)
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
