"""Whether the ranking holds with other parameters on other days, and what the training days choose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.states import StateMachine
from power.policy.config import PowerConfig
from power.replay.compare import policies
from power.replay.draws import drawn, draws
from power.replay.page_tables import draws_sheet
from power.replay.ranking import longest_end, on_front
from power.twin.break_even import break_even
from power.twin.day import load_day
from power.twin.hours import hours, usable
from power.twin.other_days import HELD_OUT, TRAINING, another_day
from power.twin.parameters import load_parameters
from power.twin.simulate import Twin
from tests.eval.power.policy import chosen, clocks, quiet_s

PARAMETERS = load_parameters()


def run(hours: float, wait_s: float, given: int, questions: int = 10) -> dict[str, dict[str, float]]:
    lived = {"hours": hours, "wait_s": wait_s, "given": given, "questions": questions}
    return {"charge": lived, "end": lived}


def test_the_front_and_the_end() -> None:
    ours = run(10.0, 5.0, 10)
    assert on_front(ours, [run(9.9, 4.0, 10), run(11.0, 5.1, 10), ours])
    assert not on_front(ours, [run(10.0, 4.9, 10), ours])
    assert longest_end(ours, [run(9.9, 4.0, 10)]) and not longest_end(ours, [run(10.0, 4.0, 10)])
    assert not longest_end(ours, [run(9.9997, 4.0, 10)]), "a second of ten hours is no lead"
    assert not longest_end(run(12.0, 5.0, 9), [run(9.9, 4.0, 10)]), "fewer whole answers are not equal"


def test_another_day_is_of_the_same_kind_and_nobody_chose_on_a_held_out_one() -> None:
    day = load_day("normal")
    assert not set(TRAINING) & set(HELD_OUT) and day.seed not in (*TRAINING, *HELD_OUT)
    one, other = another_day(day, HELD_OUT[0]), another_day(day, HELD_OUT[1])
    assert one == another_day(day, HELD_OUT[0]) != other
    for each in (one, other):
        assert each.spans[0].start_s == 0.0 and each.spans[-1].end_s == day.spans[-1].end_s
        assert all(a.end_s == b.start_s < b.end_s for a, b in zip(each.spans, each.spans[1:], strict=False))
        asked = sum(rate for kind, rate in each.rates().items() if kind != "conversations")
        assert 20 < asked < 200
    assert another_day(replace(day, recorded=()), 7).recorded == ()


def test_every_draw_lies_in_its_range() -> None:
    values = drawn(PARAMETERS, 1)
    assert values.quantities != drawn(PARAMETERS, 2).quantities
    for name, quantity in values.quantities.items():
        assert quantity.low <= quantity.value <= quantity.high, name


def test_our_policy_leads_whatever_the_parameters_are() -> None:
    day, makers = load_day("light"), policies(None)[2:]
    found = draws(day, PARAMETERS, StateMachine, makers, pack="standard", count=2)
    assert found["both"] == 1.0 and found["goal_met"]
    assert 0 < found["end_margin"]["p10"] <= found["end_margin"]["median"]
    assert "2 times" in draws_sheet(found) and draws_sheet(None) == ""
    assert "on another day of this kind each" in draws_sheet(found)


def test_settings_that_cut_off_before_the_end_begins_leave_nothing_to_compare_there() -> None:
    early = PowerConfig(cutoff_percent=21, cutoff_left_percent=22, low_percent=25, high_percent=60)
    makers = policies(early)[-2:]
    found = draws(
        replace(load_day("light"), recorded=()), PARAMETERS, StateMachine, makers, pack="micro", count=1
    )
    assert found["longest_end"] == 0.0 and found["end_margin"] == {"median": 0.0, "p10": 0.0}
    assert "with the same events each time" in draws_sheet(found), "a recorded day has no other of its kind"


def test_the_training_days_choose_the_policys_clock_and_quiet_time() -> None:
    found = clocks(1)
    assert chosen(found) == PowerConfig().cpu_steps_khz[0]
    quiet = quiet_s(20)
    assert quiet[1] < PowerConfig().sleep_within_s < quiet[-2]


def test_models_are_kept_because_loading_them_again_costs_more() -> None:
    for pack in ("micro", "standard"):
        assert break_even(PARAMETERS, pack)["keep_from_questions_per_hour"] == 0
        worst = PARAMETERS.changed({"memory.keep_mw_per_gib": 5.0})
        assert break_even(worst, pack)["keep_from_questions_per_hour"] < 3
        assert break_even(PARAMETERS, pack)["sleep_after_s"] == pytest.approx(3.0, abs=0.5)


def test_twin_and_rig_have_one_efficiency() -> None:
    from power.rig.budgets import load_budgets

    twin = Twin(PARAMETERS, policies(None)[-1](), StateMachine())
    twin.run(load_day("normal"), 10, charger=False, until_empty=True)
    assert usable(PARAMETERS) == pytest.approx(hours(twin.account, twin.cell, PARAMETERS).eta, abs=0.01)
    assert load_budgets().day.usable.value == usable(PARAMETERS)
