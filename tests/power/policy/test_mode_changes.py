"""What the mode does when charger and gauge flicker: few changes, and an empty cell is found all the same."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.supply import BatteryReading
from power.policy.plan import MODES, Mode
from power.policy.policy_state import PolicyState
from tests.power.policy.a_day import GONE, POLICY, READINGS, STATES, Wearer, reading

MOST_CHANGES = 6
"""In any hour, whatever happens."""
WEAK = replace(reading(3), current_ma=-80)
"""Outside power, but less than the load takes: the cell goes on emptying."""


@pytest.mark.parametrize("minutes", [1, 28 * 60])
@pytest.mark.parametrize(
    "course",
    [
        (reading(3), GONE),
        (GONE, GONE, GONE, reading(3)),
        (reading(3), reading(3, charging=True)),
        (reading(3), replace(reading(3), state="stale"), reading(3, charging=True), GONE),
        (WEAK,),
    ],
)
def test_an_empty_cell_is_cut_off_within_a_minute_however_its_gauge_and_charger_flicker(
    course: tuple[BatteryReading, ...], minutes: int
) -> None:
    """The courses come every 5 s, or every 3 s as a worn plug gave them."""
    for every_s in (3.0, 5.0):
        wearer = Wearer()
        wearer.feel(reading(12))
        for battery in itertools.islice(itertools.cycle(course), int(60 / every_s)):
            wearer.feel(battery, after_s=every_s)
        assert Mode.CUTOFF in wearer.modes
        for battery in itertools.islice(itertools.cycle(course), minutes * 3):
            assert wearer.feel(battery, after_s=20).mode in (Mode.CUTOFF, Mode.THROTTLED)


EVIDENCE = (reading(3), WEAK)
FLICKER = (GONE, replace(reading(3), state="stale"), reading(3, charging=True))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from((*EVIDENCE, *EVIDENCE, *FLICKER)), min_size=12, max_size=12),
    st.sampled_from([3.0, 5.0]),
)
def test_two_readings_of_an_empty_cell_within_a_minute_suffice_whatever_comes_between(
    minute: list[BatteryReading], every_s: float
) -> None:
    wearer = Wearer()
    wearer.feel(reading(12))
    for number, battery in enumerate(minute, 1):
        wearer.feel(battery, after_s=every_s)
        seen = sum(each in EVIDENCE for each in minute[:number])
        assert (Mode.CUTOFF in wearer.modes) is (seen >= 2)


def test_a_charger_or_a_gauge_that_flickers_all_day_is_not_followed() -> None:
    for course in (
        (reading(40, charging=True), reading(40)),
        (reading(60), GONE),
        (reading(12), GONE, reading(12, charging=True)),
    ):
        wearer = Wearer()
        for battery in itertools.islice(itertools.cycle(course), 1_200):
            wearer.feel(battery, after_s=3)
        assert len(wearer.modes) - 1 <= MOST_CHANGES


INPUTS = st.tuples(
    st.one_of(READINGS, st.sampled_from([reading(3), reading(40), reading(90), GONE])),
    st.floats(0, 1_200) | st.sampled_from([0.0, 3.0, 3_599.0, 3_600.0]),
    st.floats(20, 90),
    st.sampled_from([None, None, None, *MODES]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(INPUTS, min_size=5, max_size=80), STATES)
def test_no_input_changes_the_mode_more_than_six_times_an_hour(
    course: list[tuple[BatteryReading, float, float, str | None]], state: PolicyState
) -> None:
    """Changes with a new request are the wearer's own."""
    now_s, before, asked = 0.0, None, None
    changes_s: list[float] = []
    for battery, after_s, soc_c, wish in course:
        now_s += after_s
        request = Mode(wish) if wish else asked
        plan, state = POLICY.decide(battery, now_s, request, state, soc_temperature_c=soc_c)
        if before is not None and plan.mode is not before and request is asked:
            changes_s.append(now_s)
        before, asked = plan.mode, request
    for first_s in changes_s:
        assert sum(first_s <= each < first_s + 3_600 for each in changes_s) <= MOST_CHANGES
