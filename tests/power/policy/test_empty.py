"""When the battery counts as empty: a charge that is surely low, and not one that may be wrong."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hw.supply import BatteryReading
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from power.policy.policy import Policy

POLICY = Policy()
LEAST = PowerConfig()


def shown(percent: int, error_percent: int | None, temperature_c: float = 25.0) -> BatteryReading:
    return BatteryReading(percent, 3600, -200, temperature_c, False, "good", error_percent=error_percent)


def settled(percent: int, error_percent: int | None, temperature_c: float = 25.0) -> Mode:
    """The mode after a minute of such readings."""
    reading = shown(percent, error_percent, temperature_c)
    plan, state = POLICY.decide(replace(reading, percent=30), 0.0)
    for second in range(0, 60, 5):
        plan, state = POLICY.decide(reading, 10.0 + second, state=state)
    return plan.mode


def test_a_cell_that_is_new_to_the_gauge_is_used_to_its_own_end() -> None:
    assert settled(3, 24) is settled(0, 24) is Mode.CASCADE, "up to 24 percent may be left"
    assert settled(5, None) is Mode.CUTOFF, "a gauge that knows no error is believed"
    assert settled(1, 7) is Mode.CASCADE and settled(0, 7) is Mode.CUTOFF, "at most 7 percent are left"
    assert settled(5, 2) is Mode.CUTOFF and settled(6, 0) is Mode.CASCADE


def test_a_cold_cell_is_left_before_its_voltage_gives_way() -> None:
    assert settled(1, 24, temperature_c=0.0) is Mode.CASCADE
    assert settled(0, 24, temperature_c=0.0) is Mode.CUTOFF


def test_a_start_with_a_doubtful_gauge_is_no_farewell() -> None:
    reading = shown(2, 22)
    assert POLICY.decide(reading, 0.0)[0].mode is Mode.CASCADE
    assert POLICY.decide(replace(reading, error_percent=3), 0.0)[0].mode is Mode.CUTOFF


@given(st.integers(0, 100), st.one_of(st.none(), st.integers(0, 100)))
def test_it_never_stops_with_more_left_than_it_may(percent: int, error_percent: int | None) -> None:
    most = LEAST.cutoff_percent if error_percent is None else LEAST.cutoff_left_percent
    if settled(percent, error_percent) is Mode.CUTOFF:
        assert percent <= LEAST.cutoff_percent and percent + (error_percent or 0) <= most
    if error_percent is not None and percent + error_percent > most:
        assert settled(percent, error_percent) is not Mode.CUTOFF


@given(st.integers(0, 100), st.one_of(st.none(), st.integers(0, 100)))
def test_a_sleeping_computer_is_woken_at_the_charge_at_which_it_stops(
    percent: int, error_percent: int | None
) -> None:
    step = POLICY.next_step_percent(shown(percent, error_percent))
    assert 0 <= step < max(percent, 1)
    last = [each for each in range(1, percent) if settled(each, error_percent) is Mode.CUTOFF]
    if last and settled(percent, error_percent) is not Mode.CUTOFF:
        assert step >= max(last)


def test_no_wish_gives_an_empty_battery_more_than_it_has() -> None:
    weakly = BatteryReading(3, 3400, 20, 25.0, True, "good")
    plan, state = POLICY.decide(weakly, 0.0, Mode.PERFORMANCE)
    for minute in range(1, 11):
        plan, state = POLICY.decide(weakly, 60.0 * minute, Mode.PERFORMANCE, state)
    assert plan.mode is Mode.THROTTLED, "charged by less than performance takes"
    _, state = POLICY.decide(shown(30, None), 0.0, Mode.PERFORMANCE)
    plan, _ = POLICY.decide(shown(4, None), 10.0, Mode.PERFORMANCE, state)
    assert plan.mode is Mode.CASCADE, "until a further reading confirms it"
    plan, _ = POLICY.decide(weakly, 0.0, Mode.CASCADE)
    assert plan.mode is Mode.CASCADE, "less may be asked for"
