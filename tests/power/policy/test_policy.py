"""The power policy in typical situations."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from hw.gauges.power_supply import MAINS
from hw.supply import BatteryReading, ReadingState
from power.account.energy_model import load_energy_model
from power.policy.config import PowerConfig
from power.policy.plan import MODES, Mode
from power.policy.policy import Policy
from power.policy.policy_state import PolicyState
from power.policy.presence import Presence
from power.report.mode_colours import MODE_COLOURS
from power.twin.parameters import load_parameters
from tests.power.account.cheapest_clock import cheapest_khz
from tests.power.policy.a_day import GONE, POLICY, Wearer, reading


@pytest.mark.parametrize(
    ("percent", "mode", "alpha"),
    [
        (100, Mode.PERFORMANCE, 1.0),
        (51, Mode.PERFORMANCE, 1.0),
        (50, Mode.THROTTLED, 1.0),
        (35, Mode.THROTTLED, 0.5),
        (20, Mode.THROTTLED, 0.0),
        (18, Mode.CASCADE, 0.0),
        (6, Mode.CASCADE, 0.0),
        (5, Mode.CUTOFF, 0.0),
        (0, Mode.CUTOFF, 0.0),
    ],
)
def test_charge_chooses_the_mode(percent: int, mode: Mode, alpha: float) -> None:
    plan, _ = POLICY.decide(reading(percent), 0.0)
    assert plan.mode is mode
    assert plan.alpha == pytest.approx(alpha)
    assert plan.reason == f"the battery is at {percent} percent"


def test_residency_is_what_a_mode_changes_about_models() -> None:
    plans = {
        mode: POLICY.decide(reading(80), 0.0, mode)[0]
        for mode in (Mode.PERFORMANCE, Mode.THROTTLED, Mode.CASCADE)
    }
    assert [plan.residency for plan in plans.values()] == ["resident", "budgeted", "budgeted"]
    assert plans[Mode.PERFORMANCE].memory_ceiling_mib is None
    assert plans[Mode.CASCADE].frame_interval_s is None


def test_a_low_battery_keeps_its_models_unless_the_memory_is_too_small_for_them() -> None:
    kept, _ = POLICY.decide(reading(12), 0.0)
    assert (kept.mode, kept.residency, kept.memory_ceiling_mib) == (Mode.CASCADE, "budgeted", None)
    assert kept.second_picture and kept.answer_max_tokens >= 40
    asked, _ = POLICY.decide(reading(80), 0.0, Mode.CASCADE)
    assert asked.residency == "budgeted", "who asks to save power gets what saves it"
    small, _ = Policy(PowerConfig(cascade_memory_mib=600)).decide(reading(12), 0.0)
    assert (small.residency, small.memory_ceiling_mib) == ("one_at_a_time", 600)
    assert all("loading again costs more" in plan.why[0] for plan in (kept, POLICY.decide(reading(35), 0)[0]))


def test_the_camera_looks_between_questions_only_for_something() -> None:
    for percent in (90, 35, 12):
        assert POLICY.decide(reading(percent), 0.0)[0].frame_interval_s is None
    remembering, _ = POLICY.decide(reading(35), 0.0, remembering=True)
    assert remembering.frames_for == "memory" and remembering.frame_interval_s is not None
    assert POLICY.decide(reading(12), 0.0, remembering=True)[0].frames_for is None
    charging, _ = POLICY.decide(reading(35, charging=True), 0.0)
    assert charging.frames_for == "questions" and charging.frame_interval_s is not None
    eager, _ = Policy(PowerConfig(frames_between_questions=True)).decide(reading(90), 0.0)
    assert eager.frames_for == "questions"


def test_what_is_to_be_remembered_ends_a_sleep_the_rarer_the_less_charge_there_is() -> None:
    for percent in (90, 35, 12):
        assert POLICY.decide(reading(percent), 0.0)[0].longest_sleep_s is None
    sleeps_s = [POLICY.decide(reading(p), 0.0, remembering=True)[0].longest_sleep_s for p in (90, 50, 40, 25)]
    assert sleeps_s[0] == PowerConfig().memory_wake_s
    assert sleeps_s == sorted(sleeps_s, key=lambda each: each or 0.0) and len(set(sleeps_s)) >= 3
    assert POLICY.decide(reading(12), 0.0, remembering=True)[0].longest_sleep_s is None
    unworn, _ = POLICY.decide(reading(90), 0.0, remembering=True, presence=Presence.AWAY)
    assert unworn.longest_sleep_s == 10 * PowerConfig().memory_wake_s


def test_the_names_of_the_modes_are_those_of_the_enumeration() -> None:
    assert (*MODES, Mode.CUTOFF.value) == tuple(mode.value for mode in Mode) == tuple(MODE_COLOURS)


def test_every_mode_has_one_latency_target() -> None:
    config = PowerConfig()
    seen: dict[Mode, set[float]] = {}
    for percent in range(0, 101):
        plan = POLICY.decide(reading(percent), 0.0)[0]
        seen.setdefault(plan.mode, set()).add(plan.latency_target_s)
    assert seen == {
        Mode.PERFORMANCE: {config.fast_answer_s},
        Mode.THROTTLED: {config.slow_answer_s},
        Mode.CASCADE: {config.cascade_answer_s},
        Mode.CUTOFF: {config.cascade_answer_s},
    }


def test_closed_questions_get_as_much_more_than_the_pack_asks_as_there_is_power() -> None:
    config = PowerConfig()
    budgets = {percent: POLICY.decide(reading(percent), 0.0)[0].reflex for percent in (80, 35, 20, 10)}
    assert (budgets[80].certainty, budgets[80].keep) == (config.reflex_certainty, config.reflex_keep)
    assert budgets[35].certainty == pytest.approx(config.reflex_certainty / 2)
    assert all((budgets[low].certainty, budgets[low].keep) == (0.0, 0.0) for low in (20, 10))


def test_throttling_is_proportional() -> None:
    plans = [POLICY.decide(reading(percent), 0.0, remembering=True)[0] for percent in (50, 40, 30, 21)]
    for fuller, emptier in itertools.pairwise(plans):
        assert emptier.frame_interval_s is not None
        assert fuller.frame_interval_s is not None
        assert emptier.frame_interval_s > fuller.frame_interval_s
        assert emptier.answer_max_tokens < fuller.answer_max_tokens
        assert (emptier.memory_ceiling_mib or 0) <= (fuller.memory_ceiling_mib or 0)
        assert (emptier.cpu_max_khz or 0) <= (fuller.cpu_max_khz or 0)


def test_the_clock_is_lowered_only_where_it_saves_energy_per_piece_of_work() -> None:
    config = PowerConfig()
    for pack in ("micro", "standard", "fast"):
        costs = load_parameters().pack(pack)
        question = costs.stt + costs.prefill + costs.token * 12 + costs.tts_per_s * 4
        memory = 1 - question.core_s / question.full_clock_s
        assert min(config.cpu_steps_khz) == cheapest_khz(load_energy_model(), config.cores, memory)


def test_a_mode_is_left_downwards_at_once_and_upwards_late() -> None:
    wearer = Wearer()
    assert wearer.feel(reading(51)).mode is Mode.PERFORMANCE
    assert wearer.feel(reading(50)).mode is Mode.THROTTLED
    waiting = wearer.feel(reading(54), after_s=600)
    assert waiting.mode is Mode.THROTTLED
    assert waiting.reason == "the battery is at 54 percent and was lower a moment ago"
    assert wearer.feel(reading(55)).mode is Mode.PERFORMANCE
    wearer.feel(reading(19))
    assert wearer.feel(reading(70), after_s=59).mode is Mode.CASCADE
    assert wearer.feel(reading(70), after_s=1).mode is Mode.PERFORMANCE


def test_charging_lifts_at_once() -> None:
    wearer = Wearer()
    wearer.feel(reading(12))
    plan = wearer.feel(reading(12, charging=True), after_s=1)
    assert plan.mode is Mode.PERFORMANCE
    assert plan.reason == "it is charging, and the battery is at 12 percent"
    assert wearer.feel(reading(12), after_s=1).mode is Mode.CASCADE


def test_a_computer_without_a_battery_is_not_said_to_charge_one() -> None:
    plan = Wearer().feel(MAINS)
    assert (plan.mode, plan.reason) == (Mode.PERFORMANCE, "it runs from the mains")


def test_charging_ends_the_cutoff_gently() -> None:
    wearer = Wearer()
    assert wearer.feel(reading(3)).mode is Mode.CUTOFF
    assert wearer.feel(reading(3, charging=True)).mode is Mode.THROTTLED
    assert wearer.feel(reading(6, charging=True)).mode is Mode.PERFORMANCE


def test_one_empty_reading_does_not_stop_a_running_headband() -> None:
    wearer = Wearer()
    wearer.feel(reading(40))
    assert wearer.feel(reading(0)).mode is Mode.CASCADE
    wearer.feel(reading(40), after_s=120)
    assert wearer.feel(reading(4)).mode is Mode.CASCADE
    assert wearer.feel(reading(4)).mode is Mode.CUTOFF
    assert Mode.CUTOFF not in wearer.modes[:-1]


def test_it_does_not_sleep_before_an_empty_reading_is_confirmed() -> None:
    wearer = Wearer()
    assert wearer.feel(reading(14)).suspend_between_events
    first = wearer.feel(reading(4), after_s=120)
    assert first.mode is Mode.CASCADE
    assert not first.suspend_between_events
    assert wearer.feel(reading(4)).mode is Mode.CUTOFF
    assert wearer.feel(reading(14, charging=True)).mode is not Mode.CUTOFF


@pytest.mark.parametrize("state", ["absent", "stale", "implausible"])
@pytest.mark.parametrize("before", [None, 90, 30, 12, 3])
def test_a_reading_that_cannot_be_believed_holds_the_last_and_then_means_throttled(
    state: ReadingState, before: int | None
) -> None:
    wearer = Wearer()
    expected = Mode.THROTTLED
    if before is not None:
        held = wearer.feel(reading(before))
        plan = wearer.feel(replace(GONE, state=state), after_s=POLICY.config.hold_reading_s - 1)
        assert (plan.mode, plan.reason) == (held.mode, held.reason), "the last good reading holds for a while"
        assert plan.battery_poll_s == POLICY.config.fast_poll_s
        expected = min(held.mode, expected, key=lambda mode: mode.rank)
    plan = wearer.feel(replace(GONE, state=state))
    assert plan.mode is expected
    assert plan.alpha == 0
    assert plan.reason == "the battery gauge does not answer on the bus"
    if expected is Mode.CUTOFF:
        return
    assert wearer.feel(replace(GONE, state=state), request=Mode.PERFORMANCE).mode is expected
    assert wearer.feel(replace(GONE, state=state), request=Mode.CASCADE).mode is Mode.CASCADE


def test_the_battery_is_asked_for_seldom_when_little_is_drawn_and_often_when_it_cannot_be_believed() -> None:
    def poll_s(battery: BatteryReading, state: PolicyState | None = None) -> float:
        return POLICY.decide(battery, 0.0, None, state)[0].battery_poll_s

    assert poll_s(reading(80)) == POLICY.config.fast_poll_s
    assert poll_s(reading(35)) == pytest.approx((POLICY.config.fast_poll_s + POLICY.config.slow_poll_s) / 2)
    assert poll_s(reading(15)) == POLICY.config.slow_poll_s
    assert poll_s(GONE) == POLICY.config.fast_poll_s
    assert poll_s(reading(4), PolicyState(Mode.CASCADE)) == POLICY.config.fast_poll_s  # soon confirmed or not


def test_a_stale_zero_never_stops_the_headband() -> None:
    wearer = Wearer()
    for _ in range(10):
        assert (
            wearer.feel(replace(reading(0), state="stale", problem="It stands still.")).mode is Mode.THROTTLED
        )


def test_a_request_is_granted_but_not_against_an_empty_battery() -> None:
    wearer = Wearer()
    plan = wearer.feel(reading(12), request=Mode.PERFORMANCE)
    assert plan.mode is Mode.PERFORMANCE
    assert plan.reason == "you asked for performance mode"
    assert wearer.feel(reading(90), after_s=100, request=Mode.CASCADE).mode is Mode.CASCADE
    assert wearer.feel(reading(90)).mode is Mode.PERFORMANCE
    assert Wearer().feel(reading(4), request=Mode.PERFORMANCE).mode is Mode.CUTOFF


def test_heat_withholds_performance_until_it_is_cool() -> None:
    wearer = Wearer()
    plan = wearer.feel(reading(90, celsius=46), request=Mode.PERFORMANCE)
    assert plan.mode is Mode.THROTTLED
    assert plan.reason == "the battery is at 46 degrees"
    assert plan.cpu_max_khz == 1_104_000
    assert wearer.feel(reading(90, celsius=43)).mode is Mode.THROTTLED
    assert wearer.feel(reading(90, celsius=41)).mode is Mode.PERFORMANCE
    hot, _ = POLICY.decide(reading(90), 0.0, soc_temperature_c=75.0)
    assert hot.reason == "the processor is at 75 degrees"
    assert hot.load_cpu_max_khz == hot.cpu_max_khz, "not even for a load"


def test_deep_cascade_gives_up_the_fork_server() -> None:
    assert POLICY.decide(reading(15), 0.0)[0].keep_fork_server
    assert not POLICY.decide(reading(9), 0.0)[0].keep_fork_server


@pytest.mark.parametrize("wrong", [{"low_percent": 60.0}, {"cutoff_percent": 30.0}, {"npu_steps_hz": ()}])
def test_thresholds_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        PowerConfig(**wrong)  # type: ignore[arg-type]


def test_a_sleeper_is_woken_where_the_plan_changes() -> None:
    steps = [100]
    while steps[-1]:
        steps.append(POLICY.next_step_percent(reading(steps[-1])))
    assert steps == [100, 50, 19, 10, 5, 0]
    for before, step in itertools.pairwise(steps[:-1]):
        above, below = (POLICY.decide(reading(percent), 0.0)[0] for percent in (before, step))
        assert (above.mode, above.keep_fork_server) != (below.mode, below.keep_fork_server)


@pytest.mark.parametrize("low_percent", [20.0, 20.01, 20.5, 20.99])
def test_a_sleeper_is_woken_at_the_first_charge_below_a_threshold_between_two(low_percent: float) -> None:
    policy = Policy(PowerConfig(low_percent=low_percent))
    step = policy.next_step_percent(reading(40))
    modes = [policy.decide(reading(percent), 0.0)[0].mode for percent in (step + 1, step)]
    assert modes == [Mode.THROTTLED, Mode.CASCADE]
