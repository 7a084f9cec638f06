"""What holds for the power policy in every state, and over random days."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from hw.supply import BatteryReading
from power.policy.plan import Mode
from power.policy.policy_state import PolicyState
from power.policy.presence import Presence
from tests.power.policy.a_day import POLICY, READINGS, STATES, Wearer, reading


@settings(max_examples=200)
@given(READINGS, STATES, st.sampled_from([None, *Mode]), st.booleans())
def test_every_plan_says_why(
    battery: BatteryReading, state: PolicyState, request: Mode | None, remembering: bool
) -> None:
    plan, _ = POLICY.decide(battery, 1.0, request, state, remembering=remembering)
    assert len(plan.why) == 2 and all(why and why[0].islower() and why[-1] != "." for why in plan.why)
    assert (plan.frames_for is None) == (plan.frame_interval_s is None)
    assert plan.sleep_within_s is None or plan.sleep_within_s <= POLICY.config.sleep_within_s


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32),
    start=st.integers(8, 100),
    hours=st.floats(0.2, 4),
)
def test_noise_of_two_points_never_flaps(seed: int, start: int, hours: float) -> None:
    """While the battery discharges, the mode and alpha never rise, whatever the gauge's noise."""
    rng = random.Random(seed)
    wearer = Wearer()
    alphas = []
    for step in range(800):
        true = start - step * 5 / 3600 / hours * 60
        plan = wearer.feel(reading(min(100, max(0, round(true + rng.uniform(-2, 2))))))
        alphas.append(plan.alpha)
    ranks = [mode.rank for mode in wearer.modes]
    assert ranks == sorted(ranks, reverse=True)
    assert alphas == sorted(alphas, reverse=True)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 100), st.floats(0, 200)), min_size=1, max_size=60))
def test_upward_changes_keep_the_dwell(day: list[tuple[int, float]]) -> None:
    wearer = Wearer()
    changed_s, before = 0.0, None
    for percent, after_s in day:
        mode = wearer.feel(reading(percent), after_s=after_s).mode
        if before is not None and mode.rank > before.rank:
            assert wearer.now_s - changed_s >= 60
        if mode is not before:
            changed_s, before = wearer.now_s, mode


@settings(max_examples=200)
@given(READINGS, STATES, st.sampled_from([None, *Mode]))
def test_an_unworn_headband_looks_seldom_and_sleeps_soon_in_the_same_mode(
    battery: BatteryReading, state: PolicyState, request: Mode | None
) -> None:
    worn, after = POLICY.decide(battery, 1.0, request, state, presence=Presence.PRESENT)
    alone, also_after = POLICY.decide(battery, 1.0, request, state, presence=Presence.AWAY)
    assert after == also_after
    assert (alone.mode, alone.alpha, alone.reason) == (worn.mode, worn.alpha, worn.reason)
    assert alone.sleep_within_s == POLICY.config.away_sleep_s
    if worn.frame_interval_s is not None:
        assert alone.frame_interval_s == POLICY.config.slow_frame_interval_s >= worn.frame_interval_s
    assert POLICY.decide(battery, 1.0, request, state)[0] == worn


@settings(max_examples=300)
@given(READINGS, STATES, st.sampled_from([None, *Mode]), st.one_of(st.none(), st.floats(0, 120)))
def test_the_policy_is_total_and_its_plans_make_sense(
    battery: BatteryReading, state: PolicyState, request: Mode | None, soc_c: float | None
) -> None:
    plan, after = POLICY.decide(battery, 1.0, request, state, soc_temperature_c=soc_c)
    again, _ = POLICY.decide(battery, 1.0, request, state, soc_temperature_c=soc_c)
    assert plan == again
    assert 0 <= plan.alpha <= 1
    assert plan.reason
    assert plan.reason[0].islower()
    assert not plan.reason.endswith(".")
    assert plan.residency == {
        "performance": "resident", "throttled": "budgeted", "cascade": "budgeted", "cutoff": "one_at_a_time"
    }[plan.mode.value]  # fmt: skip
    assert after.mode is not None
    if battery.state != "good":
        assert plan.mode in (Mode.THROTTLED, Mode.CASCADE, state.mode)


@settings(max_examples=300)
@given(
    st.integers(0, 100),
    st.integers(0, 100),
    st.booleans(),
    STATES,
    st.sampled_from([None, Mode.PERFORMANCE, Mode.THROTTLED, Mode.CASCADE]),
)
def test_more_charge_never_means_less(
    one: int, other: int, charging: bool, state: PolicyState, request: Mode | None
) -> None:
    low, high = sorted((one, other))
    less, _ = POLICY.decide(reading(low, charging=charging), 1.0, request, state)
    more, _ = POLICY.decide(reading(high, charging=charging), 1.0, request, state)
    assert more.mode.rank >= less.mode.rank
    if more.mode is less.mode:
        assert more.alpha >= less.alpha
