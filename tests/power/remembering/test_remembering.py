"""The twin of a headband that remembers: energy is conserved, and remembering takes the difference."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.cli.power_remember import lines
from host.states import StateMachine
from power.remembering.compare import remembering
from power.remembering.twin import CAUSE, RememberingTwin, StaysAwake
from power.remembering.way import (
    PLACINGS,
    STAYS_AWAKE,
    AfterLook,
    Placing,
    Remembering,
    load_costs,
    quantities,
)
from power.twin.day import Day, DaySpan, load_day
from power.twin.governors import OurPolicy
from power.twin.parameters import load_parameters
from power.twin.simulate import Twin

PARAMETERS, COSTS = load_parameters(), load_costs()
WORN = DaySpan(0.0, 7200.0, True, False, 22.0, True, "household", {"now": 4.0, "device": 2.0}, 0.5)
DAY = replace(load_day("normal"), spans=(WORN,), length_s=7200.0)


def lived(
    day: Day = DAY,
    placing: Placing = "plan",
    look_every_s: float | None = None,
    *,
    after_look: AfterLook = "sleeps",
    pack: str = "micro",
    percent: float = 90.0,
    held: bool = True,
) -> RememberingTwin:
    how = Remembering(COSTS, placing, look_every_s, after_look)
    governor = (StaysAwake if look_every_s == STAYS_AWAKE else OurPolicy)(remembering=True)
    twin = RememberingTwin(PARAMETERS, governor, StateMachine(), how, pack=pack, percent=percent, held=held)
    twin.run(day)
    return twin


def without(day: Day = DAY, *, pack: str = "micro", percent: float = 90.0) -> float:
    twin = Twin(PARAMETERS, OurPolicy(), StateMachine(), pack=pack, percent=percent, held=True)
    return twin.run(day).battery_mwh


def test_every_number_has_a_range_and_a_source() -> None:
    for name, each in quantities().items():
        assert each.low <= each.value <= each.high and each.source, name


@given(st.floats(0, 1e5), st.floats(0, 1e5))
def test_the_longer_ago_the_last_look_the_likelier_a_new_view(one_s: float, other_s: float) -> None:
    sooner, later = sorted((one_s, other_s))
    assert 0 <= COSTS.new_share(sooner) <= COSTS.new_share(later) <= 1


@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from(PLACINGS),
    st.sampled_from([None, 20.0, STAYS_AWAKE]),
    st.sampled_from(["micro", "standard"]),
    st.floats(10, 100),
)
def test_energy_out_of_the_cell_is_the_sum_over_stages(
    placing: Placing, look_every_s: float | None, pack: str, percent: float
) -> None:
    twin = lived(DAY, placing, look_every_s, pack=pack, percent=percent, held=False)
    account, told = twin.account, twin.remembered
    assert sum(account.by_stage.values()) == pytest.approx(twin.cell.delivered_mwh, rel=1e-6)
    assert account.seconds == pytest.approx(sum(account.mode_s.values()))
    assert 0 < told.mwh < account.battery_mwh
    most = told.looks if placing == "every look" else told.new
    assert told.views + told.dropped <= most + 1e-6 <= told.views + told.dropped + COSTS.waiting_views + 1e-3
    assert told.new <= told.looks


@pytest.mark.parametrize("pack", ["micro", "standard"])
@pytest.mark.parametrize("percent", [90.0, 35.0])
@pytest.mark.parametrize(
    ("look_every_s", "after_look"),
    [(None, "sleeps"), (None, "stays if new"), (None, "stays"), (60.0, "sleeps"), (STAYS_AWAKE, "sleeps")],
)
def test_what_remembering_takes_is_the_difference_to_the_day_without_it(
    look_every_s: float | None, after_look: AfterLook, percent: float, pack: str
) -> None:
    twin = lived(DAY, "plan", look_every_s, after_look=after_look, pack=pack, percent=percent)
    more_mwh = twin.account.battery_mwh - without(pack=pack, percent=percent)
    assert twin.remembered.mwh == pytest.approx(more_mwh, rel=0.06)


def test_the_ways_rank_as_they_must() -> None:
    """Below half charge a place after the first blocks is cheaper; more looks are dearer and see more."""
    plan, whole = (lived(DAY, placing, percent=35.0).remembered for placing in ("plan", "whole"))
    assert plan.mwh < whole.mwh and plan.looks == whole.looks
    headband, if_new, stays = (lived(after_look=each).remembered for each in get_args(AfterLook))
    awake = lived(DAY, "plan", STAYS_AWAKE).remembered
    assert headband.mwh < if_new.mwh < stays.mwh < awake.mwh
    assert headband.views < if_new.views < stays.views < awake.views and headband.looks < awake.looks


def test_a_sleep_ends_for_a_look_and_in_cascade_only_a_question_has_one() -> None:
    asked = len(lived().account.asked)
    cascade = lived(percent=10.0).remembered
    assert cascade.looks == asked and cascade.views <= asked
    silent = replace(
        DAY, spans=(replace(WORN, questions_per_hour={}, conversations_per_hour=0.0, surroundings="quiet"),)
    )
    wakes = lived(silent).account.by_cause[CAUSE].count
    assert wakes == pytest.approx(silent.length_s / 62.3, rel=0.01), "60 s asleep, then a look"
    rarer = lived(silent, percent=35.0).account.by_cause[CAUSE].count
    assert 0 < rarer < wakes / 2
    assert lived(replace(DAY, spans=(replace(WORN, worn=False),))).remembered.looks == 0
    assert lived(replace(DAY, spans=(replace(WORN, camera=False),))).remembered.looks == 0


def test_what_stopped_early_is_deepened_while_it_charges_and_from_outside() -> None:
    night = replace(WORN, start_s=7200.0, end_s=10800.0, worn=False, camera=False, charging=True)
    day = replace(
        DAY, spans=(WORN, replace(night, questions_per_hour={}, conversations_per_hour=0.0)), length_s=10800.0
    )
    told = lived(day, percent=35.0, held=False).remembered
    assert told.deepened == pytest.approx(told.views) and told.outside_mwh > 0
    assert lived(day, "whole", percent=35.0, held=False).remembered.deepened == 0


def test_the_comparison_has_every_way_and_reads_as_a_table() -> None:
    small = PARAMETERS.changed({"cell.capacity_mah": 150.0})
    found = remembering(
        DAY, small, StateMachine, pack="standard", every_s=(60.0,), shortest=True, draw_count=2
    )
    assert json.loads(json.dumps(found)) == found and found["kind"] == "modelled"
    assert [way["look_every_s"] for way in found["ways"][::3]] == [None, 60.0, STAYS_AWAKE]
    assert {way["placing"] for way in found["ways"]} == set(PLACINGS)
    hours = found["ways"][0]["hours"]
    assert found["ways"][-1]["hours"] < hours < found["off"]["hours"] and not found["goal_met"]
    low, high = found["range"]["hours"]
    assert low <= hours <= high and found["shortest"] is None, "no look is so rare that so small a pack lasts"
    text = "\n".join(lines(found))
    assert [way["after_look"] for way in found["staying"]] == ["stays if new", "stays"]
    draws = found["draws"]
    assert draws["count"] == 2 and draws["ways"][0]["shorter_share"] == 0
    assert all(low <= way["median_hours"] <= high for way in draws["ways"] for low, high in [way["hours"]])
    assert "2 draws of all parameters" in text and "stays awake after every look" in text
    assert "it cannot remember today" in text and "goal 24 h: MISSED" in text
