"""A headband that sleeps between questions: its states, their figures, and the hours on the pack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.rig.command import _summary
from power.report.page import page
from power.rig.activity import (
    ASLEEP,
    CAPTURE,
    CHANGING,
    DOZING,
    Activity,
    Dozing,
    JournalLine,
    Stage,
    activity,
)
from power.rig.attribution import attribute
from power.rig.budgets import load_budgets
from power.rig.measured_trace import ClockMap, MeasuredTrace
from power.rig.modelled import expected_power, on_the_board, record, working
from power.rig.run import Repeat, evaluate
from power.rig.run_checks import Settled
from tests.power.rig.bench import MODEL, PLANS, scenario

ASLEEP_MW = MODEL.suspend_mw + MODEL.pmu_asleep_mw
AWAKE_MW = MODEL.stage_mw("listen", PLANS["performance"])
DOZES = Dozing(0.7, 1.0)


def line(at_s: float, event: str, **fields: Any) -> JournalLine:
    return {"mono_s": at_s, "event": event, **fields}


def step(at_s: float, source: str, target: str) -> JournalLine:
    return line(at_s, "transition", region="interaction", **{"from": source, "to": target})


LINES = (
    line(0.0, "start"),
    line(0.1, "plan", mode="performance"),
    line(10.0, "asleep", after_quiet_s=10.0),
    line(40.0, "awake", slept_s=30.0, took_s=0.5),
    step(41.0, "standby", "listening"),
    line(42.0, "brick", brick="stt", kind="execute", start_s=41.5, end_s=42.0),
    line(43.0, "turn", route="now", mode="performance", failure=None),
    step(43.1, "speaking", "standby"),
    line(53.0, "asleep", after_quiet_s=10.0),
)


def slept(lines: tuple[JournalLine, ...] = LINES, **changes: Any) -> Activity:
    return activity(lines, 5.0, 20.0, 80.0, dozing=DOZES, **changes)


def states(done: Activity) -> list[tuple[str, float, float]]:
    return [(s.state, round(s.start_s, 3), round(s.end_s, 3)) for s in done.states]


def test_between_two_lines_it_was_asleep_but_for_the_ways_in_and_out() -> None:
    assert states(slept()) == [
        ("standby", 5.0, 10.0), (DOZING, 10.0, 10.7), (ASLEEP, 10.7, 38.5), (DOZING, 38.5, 40.0),
        ("standby", 40.0, 41.0), ("listening", 41.0, 43.1), ("standby", 43.1, 53.0), (DOZING, 53.0, 53.7),
        (ASLEEP, 53.7, 80.0),
    ]  # fmt: skip


def test_a_sleep_that_did_not_begin_is_none() -> None:
    could_not = (line(0.1, "plan", mode="performance"), line(10.0, "asleep", problem="no microphone"))
    assert states(slept(could_not)) == [("standby", 5.0, 80.0)]
    refused = (LINES[1], LINES[2], line(10.2, "awake", problem="the kernel cannot"))
    assert states(slept(refused)) == [("standby", 5.0, 80.0)]


def test_what_the_rig_does_counts_for_no_state() -> None:
    done = slept(changing=((39.0, 40.5), (60.0, 61.0)))
    assert (CHANGING, 39.0, 40.0) in states(done) and (CHANGING, 40.0, 40.5) in states(done)
    assert sum(span.end_s - span.start_s for span in done.states) == pytest.approx(75.0)
    trace = MeasuredTrace(record(done, expected_power(done, PLANS, MODEL)), ClockMap(5.0))
    energy = attribute(trace, done, Settled("performance/asleep", ASLEEP_MW))
    assert not [name for name in energy.state_mw if name.endswith(CHANGING)]
    besides_mwh = trace.energy_mwh(39.0, 40.5) + trace.energy_mwh(60.0, 61.0)
    assert energy.total_mwh == pytest.approx(trace.energy_mwh(20.0, 80.0) - besides_mwh)


def test_the_model_draws_sleep_as_sleep() -> None:
    done = slept()
    power = expected_power(done, PLANS, MODEL)
    asleep, resuming, standby = power.means_mw([12.0, 38.0, 38.5, 39.9, 40.1, 40.9])[[0, 2, 4]]
    assert asleep == pytest.approx(ASLEEP_MW) and standby == pytest.approx(AWAKE_MW)
    assert resuming > standby + 200, "a core is busy while devices resume"


def test_standby_and_sleep_are_two_figures_and_hours_count_the_way_there() -> None:
    done = slept()
    repeat = Repeat(record(done, expected_power(done, PLANS, MODEL)), done)
    result = evaluate(scenario(1), [repeat] * 2, PLANS, MODEL, load_budgets(), {})
    figures = {entry["id"]: entry["value"] for entry in result["figures"]}
    assert figures["state.performance/asleep.mw"] == pytest.approx(ASLEEP_MW, rel=0.001)
    assert figures["state.performance/standby.mw"] == pytest.approx(AWAKE_MW, rel=0.001)
    assert [b["verdict"] for b in result["budgets"] if b["id"].endswith("asleep")] == ["pass"]
    trace = MeasuredTrace(repeat.recording, ClockMap(5.0))
    awake_s = (41.0 - 38.5) + (53.7 - 43.0)  # from the end of sleep to the question, and after it to sleep
    around = trace.energy_mwh(38.5, 41.0) + trace.energy_mwh(43.0, 53.7) - ASLEEP_MW * awake_s / 3600
    assert figures["around.performance.mwh"] == pytest.approx(around, rel=1e-4)
    (entry,) = result["hours"]
    terms = {term["symbol"]: term["value"] for term in entry["terms"]}
    assert terms["P_idle"] == pytest.approx(ASLEEP_MW, rel=0.001)
    assert terms["rate_awake"] == terms["rate_now"]
    by_hand = terms["P_idle"] + terms["rate_now"] * (terms["E_now"] + terms["E_awake"])
    assert entry["mean_mw"]["value"] == pytest.approx(by_hand, rel=1e-4)


@pytest.mark.parametrize("awake_at", [0, 1, 2])
def test_hours_are_the_sum_of_terms_of_the_same_repeats(awake_at: int) -> None:
    """One of three repeats does not sleep: no term is taken from another repeat than the others."""
    asleep, awake = slept(), activity(LINES[:2] + LINES[4:8], 5.0, 20.0, 80.0, dozing=DOZES)
    played = [asleep, asleep]
    played.insert(awake_at, awake)
    repeats = [Repeat(record(each, expected_power(each, PLANS, MODEL)), each) for each in played]
    result = evaluate(scenario(1), repeats, PLANS, MODEL, load_budgets(), {})
    (entry,) = result["hours"]
    terms = {term["symbol"]: term["value"] for term in entry["terms"]}
    by_hand = terms["P_idle"] + terms["rate_now"] * (terms["E_now"] + terms["E_awake"])
    assert entry["mean_mw"]["value"] == pytest.approx(by_hand, rel=1e-4)
    slept_alone = evaluate(scenario(1), [repeats[(awake_at + 1) % 3]], PLANS, MODEL, load_budgets(), {})
    assert entry["hours"]["value"] == pytest.approx(slept_alone["hours"][0]["hours"]["value"], rel=1e-4)


def metered(shift_mw: float, *, meter: str, voltage_mv: float) -> dict[str, Any]:
    """The result of two repeats of a headband that draws as planned, by a meter that shows so much more."""
    done = slept()
    modelled = record(done, expected_power(done, PLANS, MODEL))
    noise = [np.random.default_rng(seed).normal(0, 1, len(modelled.power_mw)) for seed in (1, 2)]
    repeats = [
        Repeat(
            replace(
                modelled, meter=meter, kind="measured", power_mw=modelled.power_mw + shift_mw + each,
                voltage_mv=np.full(len(each), voltage_mv),
            ),
            done,
        )
        for each in noise
    ]  # fmt: skip
    return evaluate(scenario(1), repeats, PLANS, MODEL, load_budgets(), {})


def test_a_meter_whose_offset_hides_the_sleep_tells_no_hours() -> None:
    result = metered(-100.0, meter="joulescope", voltage_mv=3_800.0)
    assert result["hours"] == []
    assert [b["verdict"] for b in result["budgets"] if b["id"].endswith("asleep")] == ["under"]
    assert "on the pack" not in page(result)


def test_an_unknown_meter_is_too_coarse_for_sleep_also_where_its_file_has_no_voltage() -> None:
    for voltage_mv in (3_800.0, 0.0):
        result = metered(0.0, meter="csv", voltage_mv=voltage_mv)
        verdicts = {b["id"]: b["verdict"] for b in result["budgets"]}
        assert verdicts["state.performance/asleep"] == "meter too coarse"
    assert "<td>supply</td><td>not known</td>" in page(result)


def test_a_meter_that_keeps_the_pmu_awake_judges_no_sleep_and_tells_no_hours() -> None:
    """A headband asleep draws more by some 44 mW then: no fault of it."""
    result = metered(44.0, meter="pmu", voltage_mv=3_800.0)
    verdicts = {b["id"]: b["verdict"] for b in result["budgets"]}
    assert verdicts["state.performance/asleep"] == "kept awake"
    assert result["hours"] == []
    (label,) = [e["label"] for e in result["figures"] if e["id"] == "state.performance/asleep.mw"]
    assert label == "asleep in performance, PMU awake"
    why = "keeps the PMU awake"
    assert why in page(result) and why in _summary(result, Path())
    other = metered(0.0, meter="joulescope", voltage_mv=3_800.0)
    assert other["hours"] and why not in page(other) and why not in _summary(other, Path())


def test_work_slows_the_board_and_sleep_does_not() -> None:
    done = slept()
    board = on_the_board(working(done), PLANS, MODEL, 0.35)
    longer_s = 0.5 * (MODEL.longer["stt"] - 1)
    asleep = [span.end_s - span.start_s for span in board.states if span.state == ASLEEP]
    assert asleep == pytest.approx([27.8, 26.3])
    assert board.end_s - board.settle_s == pytest.approx(75.0 + longer_s, rel=1e-3)


def test_repeats_may_settle_awake_or_asleep() -> None:
    """Each state is compared with the budget of the same state."""
    asleep = slept()
    awake = activity(LINES[:2] + LINES[4:], 5.0, 20.0, 80.0, dozing=DOZES)
    repeats = [Repeat(record(each, expected_power(each, PLANS, MODEL)), each) for each in (asleep, awake)]
    result = evaluate(scenario(1), repeats, PLANS, MODEL, load_budgets(), {})
    (warm,) = [check for check in result["checks"] if check["name"] == "warm-up"]
    assert warm["found"] < 0.01
    assert [c["found"] < 1e-6 for c in result["checks"] if c["name"] == "settling"] == [True, True]


def test_pictures_in_a_row_are_one_time_of_the_camera() -> None:
    """At most a second apart its sensor streams on between them."""
    pictures = tuple(Stage(CAPTURE, "execute", at_s, at_s) for at_s in (50.0, 50.5, 51.4, 53.0))
    did = replace(slept(), stages=pictures)
    board = on_the_board(did, PLANS, MODEL, 0.35, 1.0)
    lasting = [stage.end_s - stage.start_s for stage in board.stages]
    assert lasting == pytest.approx([0.5, 0.9, 0.35, 0.35])
    each = on_the_board(did, PLANS, MODEL, 0.35)
    assert [stage.end_s - stage.start_s for stage in each.stages] == pytest.approx([0.35] * 4)
