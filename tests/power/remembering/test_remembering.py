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
from host.turn.intake import exits_for
from hw.supply import BatteryReading
from power.placement.site import modelled_site
from power.policy.config import PowerConfig
from power.policy.plan import PowerPlan
from power.remembering.compare import GOAL_H, costs_at, memory_at, remembering
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
from power.twin.board_power import TwinBoard
from power.twin.day import Day, DaySpan, load_day
from power.twin.governors import OurPolicy
from power.twin.parameters import TwinError, load_parameters, of_memory
from power.twin.simulate import Twin
from power.twin.turn.turns import TwinBricks, TwinQuestion, take_turn

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
    assert "views placed by an eye that only the memory has, 0.7 s each" in text
    assert "goal 24 h: MISSED" in text


PUBLIC = ["standard", "fast"]
"""Packs of public weights, whose memory has an eye and a text encoder of its own."""


def planned(percent: int, config: PowerConfig | None = None) -> PowerPlan:
    reading = BatteryReading(percent, 3800, -200, 25.0, False, "good")
    return OurPolicy(config, remembering=True).decide(reading, 0.0, True, 30.0)


@pytest.mark.parametrize("pack", PUBLIC)
def test_an_eye_for_the_memory_alone_places_fully_or_only_stores(pack: str) -> None:
    """As `host.turn.intake.exits_for` says of an eye whose only exit is the last."""
    costs, how = replace(PARAMETERS, remembering=True).pack(pack), Remembering(COSTS)
    for percent, exits in ((90, (12,)), (35, (12,)), (10, ())):
        plan = planned(percent)
        assert exits_for(plan, (12,)) == exits
        assert how.place(costs, plan) == (costs.recall if exits else None)
        assert how.shallow(costs, plan) is not bool(exits)
    assert how.deepening(costs) == costs.recall


@pytest.mark.parametrize("pack", PUBLIC)
def test_the_bricks_of_the_memory_are_in_memory_only_while_it_remembers(pack: str) -> None:
    assert {"recall", "text"} & {*PARAMETERS.pack(pack).bricks} == set()
    assert {"recall", "text"} <= {*replace(PARAMETERS, remembering=True).pack(pack).bricks}
    on, off = (
        twin.run(DAY).by_stage
        for twin in (
            RememberingTwin(
                PARAMETERS, OurPolicy(remembering=True), StateMachine(), Remembering(COSTS), pack=pack
            ),
            Twin(PARAMETERS, OurPolicy(), StateMachine(), pack=pack),
        )
    )
    assert on["load"] > off["load"]


def test_a_question_to_the_memory_has_its_phrase_placed_only_while_it_remembers() -> None:
    question = TwinQuestion("memory", 2.5, 0, wake_word=True, camera=True)
    plan, waits = planned(35), []
    for parameters in (PARAMETERS, replace(PARAMETERS, remembering=True)):
        board = TwinBoard(parameters, parameters.pack("standard"))
        bricks = TwinBricks(dict(board.pack.memory_mib))
        first, second = (take_turn(question, plan, board, bricks, False).waited_for() for _ in range(2))
        waits.append(
            (first.get("text", 0.0), second.get("text", 0.0), first["load"] - second.get("load", 0.0))
        )
    assert waits[0][:2] == (0.0, 0.0)
    assert waits[1][0] == waits[1][1] > 0 and waits[1][2] > waits[0][2], "loaded for the first"


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(["micro", *PUBLIC]),
    st.sampled_from(PLACINGS),
    st.sampled_from(get_args(AfterLook)),
    st.floats(8, 100),
)
def test_memory_on_never_costs_less_than_off(
    pack: str, placing: Placing, after_look: AfterLook, percent: float
) -> None:
    on = lived(DAY, placing, after_look=after_look, pack=pack, percent=percent)
    assert on.account.battery_mwh >= without(pack=pack, percent=percent)


@pytest.mark.parametrize("dearest", [None, True, False])
def test_a_normal_day_with_the_standard_pack_lasts_a_day_with_the_memory_on(dearest: bool | None) -> None:
    costs, parameters = COSTS, PARAMETERS
    if dearest is not None:
        costs = costs_at(COSTS, dearest=dearest)
        parameters = memory_at(PARAMETERS, "standard", dearest=dearest)
    governor = OurPolicy(None, modelled_site("standard"), remembering=True)
    twin = RememberingTwin(parameters, governor, StateMachine(), Remembering(costs), pack="standard")
    run = twin.run(load_day("normal"), 3, charger=False, until_empty=True)
    assert run.emptied_s is None or run.emptied_s >= GOAL_H * 3600


def test_with_too_little_memory_the_eye_is_loaded_again_after_questions_and_that_costs() -> None:
    taken = []
    for mib in (700, 1500):
        config = PowerConfig(throttled_memory_mib=mib, lean_memory_mib=mib)
        governor = OurPolicy(config, remembering=True)
        twin = RememberingTwin(
            PARAMETERS, governor, StateMachine(), Remembering(COSTS), pack="standard", percent=35.0, held=True
        )
        taken.append(twin.run(DAY).by_stage["load"])
    assert taken[0] > 2 * taken[1] > 0


def test_a_pack_whose_eye_is_one_graph_and_that_has_no_other_cannot_remember() -> None:
    cannot = {name: each for name, each in PARAMETERS.quantities.items() if not of_memory(name)}
    with pytest.raises(TwinError, match="The pack fast cannot remember"):
        remembering(DAY, replace(PARAMETERS, quantities=cannot), StateMachine, pack="fast")
