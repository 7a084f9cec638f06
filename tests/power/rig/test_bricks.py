"""What the model says of each brick, and what the rig finds of it in a recording."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from power.account.energy_model import MW_S_PER_MWH
from power.report.power_chart import power_chart
from power.rig.activity import CAPTURE, Stage
from power.rig.attribution import attribute
from power.rig.budgets import load_budgets
from power.rig.checks.refusal import Refusal
from power.rig.drawing_data import overview
from power.rig.measured_trace import ClockMap, MeasuredTrace
from power.rig.modelled import expected_power, on_the_board, record, working
from power.rig.run_checks import Settled
from tests.power.rig.bench import MODEL, PLANS, done, load, recorded

STAGES = (("stt", 0.6, 0.5), ("llm", 2.2, 0.8), ("tts", 4.0, 0.4))


def test_the_twins_recording_holds_the_energy_of_its_stages() -> None:
    """In the modelled trace, which is in the board's time, a brick's energy is that of `EnergyModel`."""
    did = on_the_board(working(done(STAGES)), PLANS, MODEL, 0.35)
    assert did.end_s - did.settle_s > 15
    recording = record(did, expected_power(did, PLANS, MODEL))
    assert (recording.meter, recording.kind) == ("twin", "modelled")
    trace = MeasuredTrace(recording, ClockMap(recording.start_monotonic_s))
    extra = [each.extra_mwh for each in attribute(trace, did, Settled("performance/standby", 0.0)).questions]
    plan = PLANS["performance"]
    floor_mw = MODEL.stage_mw("listen", plan)
    wanted = [
        (MODEL.stage_mw(name, plan) - floor_mw) * MODEL.stage_seconds(name, length_s, plan) / MW_S_PER_MWH
        for name, _, length_s in STAGES
    ]
    assert extra == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize(
    ("brick", "draws"),
    [
        ("vision", "vision"),
        ("motion", "vision"),
        ("recall", "vision"),
        ("text", "vision"),
        ("memory", "remember"),
    ],
)
def test_a_brick_without_a_stage_of_its_own_draws_and_lasts_as_another(brick: str, draws: str) -> None:
    did = on_the_board(working(done(((brick, 0.6, 1.0),))), PLANS, MODEL, 0.35)
    recording = record(did, expected_power(did, PLANS, MODEL))
    trace = MeasuredTrace(recording, ClockMap(recording.start_monotonic_s))
    found = attribute(trace, did, Settled("performance/standby", 0.0)).bricks[f"performance/{brick}"]
    plan = PLANS["performance"]
    wanted_mw = MODEL.stage_mw(draws, plan) - MODEL.stage_mw("listen", plan)
    assert found.mw == pytest.approx(wanted_mw, rel=0.1)
    wanted_mwh = wanted_mw * MODEL.stage_seconds(draws, 1.0, plan) / MW_S_PER_MWH
    assert found.mwh == pytest.approx(wanted_mwh, rel=0.1)
    lane = power_chart(overview(trace, did))
    assert f">{brick}</text>" in lane and f"{brick} execute" in lane


def test_a_brick_that_the_model_does_not_know_is_not_drawn_as_nothing() -> None:
    with pytest.raises(Refusal, match="no stage for the brick 'smell'"):
        expected_power(done((("smell", 0.6, 1.0),)), PLANS, MODEL)


def test_pictures_in_the_background_are_not_booked_to_a_brick() -> None:
    """Standby with pictures draws more than the awake headband, above which the energy of bricks is
    counted.
    """
    did = done(STAGES)
    taken_s = np.arange(did.begin_s, did.end_s - 0.4, 0.5)
    pictures = tuple(Stage(CAPTURE, "execute", at_s, at_s + 0.3) for at_s in taken_s.tolist())
    did = replace(did, stages=(*did.stages, *pictures))
    drawn = {"stt": 1859.0, "llm": 1500.0, "tts": 1200.0, CAPTURE: 280.0}
    trace = MeasuredTrace(recorded(load(did, 735.0, drawn), did), ClockMap(did.settle_s - 0.5))
    energy = attribute(trace, did, Settled("performance/standby", 735.0))
    assert energy.state_mw["performance/standby"] > 850
    assert {name.partition("/")[2]: b.mw for name, b in energy.bricks.items()} == pytest.approx(
        drawn, rel=0.02
    )


def test_what_ran_before_the_measurement_is_no_run_of_it() -> None:
    """Pictures are taken while the headband settles, too."""
    did = done(STAGES)
    taken_s = np.arange(did.settle_s + 0.1, did.end_s - 0.3, 0.5)
    pictures = tuple(Stage(CAPTURE, "execute", at_s, at_s + 0.2) for at_s in taken_s.tolist())
    did = replace(did, stages=(*did.stages, *pictures))
    drawn = {"stt": 1859.0, "llm": 1500.0, "tts": 1200.0, CAPTURE: 280.0}
    trace = MeasuredTrace(recorded(load(did, 735.0, drawn), did), ClockMap(did.settle_s - 0.5))
    found = attribute(trace, did, Settled("performance/standby", 735.0)).bricks[f"performance/{CAPTURE}"]
    assert found.runs == sum(at_s > did.begin_s for at_s in taken_s) < len(taken_s)
    assert found.mwh == pytest.approx(280.0 * 0.2 / MW_S_PER_MWH, rel=0.03)


def test_a_bricks_power_is_what_it_draws_alone_and_its_energy_its_share() -> None:
    """Two bricks at once draw no more than one that uses all four cores. The third never works alone."""
    did = done((("stt", 0.6, 2.0), ("llm", 4.0, 2.0)))
    stt, llm = did.stages
    early = Stage("llm", "execute", stt.start_s + 0.5, stt.end_s)
    eyes = Stage("vision", "execute", llm.start_s + 1.0, llm.end_s)
    did = replace(did, stages=(stt, early, llm, eyes))
    power = expected_power(did, PLANS, MODEL)
    trace = MeasuredTrace(record(did, power), ClockMap(did.settle_s))
    found = attribute(trace, did, Settled("performance/standby", 0.0)).bricks
    assert found["performance/stt"].mw == pytest.approx(1839, rel=0.01)
    assert found["performance/llm"].mw == pytest.approx(1839, rel=0.01)
    assert found["performance/stt"].alone_s == pytest.approx(0.5, abs=0.01)
    assert found["performance/vision"].alone_s == 0
    idle_mw = MODEL.stage_mw("listen", PLANS["performance"])
    above_mwh = trace.energy_mwh(did.begin_s, did.end_s) - idle_mw * (did.end_s - did.begin_s) / MW_S_PER_MWH
    assert sum(each.mwh * each.runs for each in found.values()) == pytest.approx(above_mwh, rel=0.1)


def test_a_load_takes_a_core_from_the_brick_beside_it() -> None:
    """The two draw no more together than four cores do."""
    did = done((("tts", 0.6, 1.0), ("llm", 3.0, 1.0)))
    tts, llm = did.stages
    beside = Stage("vision", "load", tts.start_s + 0.5, tts.end_s + 0.5)
    did = replace(did, stages=(tts, beside, llm, Stage("vision", "load", llm.end_s, llm.end_s + 0.2)))
    trace = MeasuredTrace(record(did, expected_power(did, PLANS, MODEL)), ClockMap(did.settle_s))
    found = attribute(trace, did, Settled("performance/standby", 0.0)).bricks
    assert found["performance/tts"].mw == pytest.approx(1839, rel=0.01)
    assert found["performance/tts"].alone_s == pytest.approx(0.5, abs=0.01)
    assert found["performance/load"].mw == pytest.approx(635, rel=0.01)


def test_the_budget_of_loading_is_of_the_clock_that_the_plan_has_for_it() -> None:
    """A plan limits the clock of what computes, and not that of a load beside which nothing does."""
    did = done((("vision", 0.6, 1.0), ("llm", 2.8, 1.0)))
    vision, llm = did.stages
    did = replace(
        did,
        states=tuple(replace(each, mode="cascade") for each in did.states),
        stages=(replace(vision, kind="load"), llm),
        questions=(),
    )
    trace = MeasuredTrace(record(did, expected_power(did, PLANS, MODEL)), ClockMap(did.settle_s))
    found = attribute(trace, did, Settled("cascade/standby", 0.0)).bricks
    budgets = load_budgets().budgets
    assert found["cascade/load"].mw == pytest.approx(budgets["brick.cascade/load"].mw, rel=0.01)
    assert found["cascade/llm"].mw == pytest.approx(budgets["brick.cascade/llm"].mw, rel=0.01)


def test_a_brick_that_waits_for_the_loudspeaker_does_not_work() -> None:
    did = done((("tts", 0.6, 1.0),))
    (tts,) = did.stages
    spoken = replace(tts, name="speak", start_s=tts.start_s + 0.2, end_s=tts.end_s + 0.3)
    left = [each for each in working(replace(did, stages=(tts, spoken))).stages if each.name == "tts"]
    assert [each.start_s for each in left] == [tts.start_s]
    assert [each.end_s for each in left] == pytest.approx([tts.start_s + 0.2])
