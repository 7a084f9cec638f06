"""The result of a run: figures with their intervals, hours, verdicts, the comparison, and the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from power.account.energy_model import MW_S_PER_MWH
from power.report.page import page
from power.report.power_chart import power_chart
from power.report.tables import number
from power.rig.activity import CAPTURE, Stage
from power.rig.attribution import attribute
from power.rig.baseline import BaselineError, comparable, load_baseline
from power.rig.budgets import load_budgets, outcome
from power.rig.checks.refusal import Refusal
from power.rig.comparison import compare
from power.rig.drawing_data import overview
from power.rig.figures import FigureSource, figure, interval
from power.rig.measured_trace import ClockMap, MeasuredTrace
from power.rig.modelled import expected_power, on_the_board, record, working
from power.rig.run import Repeat, evaluate
from power.rig.run_checks import Settled
from tests.power.rig.bench import MODEL, PLANS, done, load, recorded, scenario

STAGES = (("stt", 0.6, 0.5), ("llm", 2.2, 0.8), ("tts", 4.0, 0.4))
FLOOR_MW = 938.0
LIMITS = load_budgets().change
FORMS = (
    "{:.6g}".format,
    "{:.3g}".format,
    "{:.2f}".format,
    lambda v: f"{v:.1%}"[:-1],
    lambda v: f"{v * 1000:.2f}",
)
"""The page's formats of other numbers than figures: declared numbers, checks, clocks, shares."""


def result(floors: tuple[float, ...] = (930.0, 938.0, 946.0), **changes: Any) -> dict[str, Any]:
    did = done(STAGES)
    repeats = [
        Repeat(recorded(load(did, mw, dict.fromkeys(("stt", "llm", "tts"), 1859.0)), did, seed=seed), did)
        for seed, mw in enumerate(floors)
    ]
    played = scenario(3, **changes)
    return evaluate(played, repeats, PLANS, MODEL, load_budgets(), {"board": "bench", "at": "now"})


@pytest.fixture(scope="module")
def good() -> dict[str, Any]:
    return result()


def test_figures(good: dict[str, Any]) -> None:
    figures = {entry["id"]: entry for entry in good["figures"]}
    standby = figures["state.performance/standby.mw"]
    assert standby["value"] == pytest.approx(FLOOR_MW, rel=0.002)
    reach = 4.5569 * np.std([930, 938, 946], ddof=1) / 3**0.5
    assert standby["ci95"] == pytest.approx([938 - reach, 938 + reach], abs=1)
    extra = figures["question.performance/now.extra_mwh"]
    wanted = [1859 * length_s / MW_S_PER_MWH for _, _, length_s in STAGES]
    assert extra["n"] == 9 and extra["value"] == pytest.approx(np.mean(wanted), rel=0.01)
    assert extra["p50"] == pytest.approx(wanted[0], rel=0.02) and extra["p95"] > extra["p50"]
    assert figures["brick.performance/llm.mw"]["value"] == pytest.approx(1859, rel=0.01)
    assert {entry["kind"] for entry in good["figures"]} == {"measured"}
    assert {entry["meter"] for entry in good["figures"]} == {"joulescope"}


def test_hours_are_the_sum_of_their_terms(good: dict[str, Any]) -> None:
    (entry,) = good["hours"]
    terms = {term["symbol"]: term["value"] for term in entry["terms"]}
    mean_mw = terms["P_idle"] + terms["rate_now"] * terms["E_now"]
    by_hand = terms["V"] * terms["Ah"] * terms["usable"] * 1000 / mean_mw
    assert entry["hours"]["value"] == pytest.approx(by_hand, rel=1e-3)
    assert entry["hours"]["kind"] == entry["mean_mw"]["kind"] == "modelled", "as pack and rates are"
    assert entry["mean_mw"]["value"] == pytest.approx(mean_mw, rel=1e-4)
    assert entry["not_measured"] == ["device", "memory", "frames", "open"]
    assert all(term["kind"] in ("measured", "modelled") and term["source"] for term in entry["terms"])


def test_budgets_fail_above_and_below() -> None:
    for floor_mw, verdict in ((990.0, "pass"), (1090.0, "over"), (890.0, "under")):
        judged = {b["id"]: b for b in result((floor_mw,) * 4)["budgets"]}
        assert judged["state.performance/standby"]["verdict"] == verdict
    wanted = result((990.0,) * 4, budgets=("state.cascade/standby",))
    assert not wanted["passed"] and wanted["outcome"] == "not judged"
    assert '<span class="badge open">not judged</span>' in page(wanted)
    assert [b["verdict"] for b in wanted["budgets"] if b["id"] == "state.cascade/standby"] == ["not measured"]


def test_a_state_of_a_moment_is_not_judged() -> None:
    """Standby lasts less than ten seconds in the two repeats, which is an error only where the scenario
    requires more.
    """
    for required, said in (((), "passed"), (("state.performance/standby",), "not judged")):
        short = result((2000.0,) * 2, budgets=required)
        (standby,) = [b for b in short["budgets"] if b["id"] == "state.performance/standby"]
        assert standby["verdict"] == "too short" and standby["value_mw"] > 1900
        assert outcome([standby], required) == said


def test_against_a_baseline(tmp_path: Path, good: dict[str, Any]) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(good))
    baseline = load_baseline(path)
    same = compare(good["figures"], baseline, LIMITS)
    assert {entry["verdict"] for entry in same} <= {"same"}
    more = compare(result((1040.0, 1050.0, 1045.0))["figures"], baseline, LIMITS)
    standby = next(entry for entry in more if entry["id"] == "state.performance/standby.mw")
    assert standby["verdict"] == "worse" and standby["change"] == pytest.approx(107 / 938, abs=0.01)
    for few in ((1040.0,), (1040.0, 1045.0)):
        compared = compare(result(few)["figures"], baseline, LIMITS)
        assert {entry["verdict"] for entry in compared} == {"too few repeats"}
    with pytest.raises(BaselineError, match="scenario bench"):
        comparable(baseline, "standby", "measured", 3)
    with pytest.raises(BaselineError, match="cannot be compared"):
        comparable(baseline, "bench", "modelled", 3)
    with pytest.raises(BaselineError, match=r"3 repeats of either run: the baseline has 3, and .* have 2"):
        comparable(baseline, "bench", "measured", 2)
    unnamed = [{key: each for key, each in entry.items() if key != "label"} for entry in good["figures"]]
    for text in ("{}", json.dumps({**good, "figures": unnamed})):
        path.write_text(text)
        with pytest.raises(BaselineError, match="not the JSON of a rig run"):
            load_baseline(path)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.addresses: list[str] = []
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_cell = tag == "td"
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.cells.append(data)


def test_every_number_of_the_page_is_in_the_json(good: dict[str, Any]) -> None:
    read = _Text()
    read.feed(page(good))
    said = set(re.findall(r"\d+\.\d+", " ".join(read.cells)))
    values = [abs(value) for value in _numbers(json.loads(json.dumps(good)))]
    known = {number(value) for value in values}
    known |= {form(value) for value in values for form in FORMS}
    assert said and said <= known


def test_the_page_needs_nothing_else(good: dict[str, Any]) -> None:
    text = page(
        {
            **good,
            "baseline": {"file": "old.json", "at": "then", "figures": compare(good["figures"], good, LIMITS)},
        }
    )
    read = _Text()
    read.feed(text)
    assert read.addresses == []
    assert not re.search(r"url\(|@import|<script|<link", text)
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "measured: joulescope" in text and "Against old.json of then" in text


def _numbers(value: Any) -> list[float]:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return []
    if isinstance(value, int | float):
        return [float(value)]
    children = value.values() if isinstance(value, dict) else value
    return [each for child in children for each in _numbers(child)]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(1.0, 2000.0), min_size=1, max_size=8))
def test_the_interval_is_of_repeats_and_holds_their_mean(means: list[float]) -> None:
    found = interval(means)
    if len(means) == 1:
        assert found is None
        return
    assert found is not None
    low, high = found
    assert (low + high) / 2 == pytest.approx(np.mean(means))
    wider = interval([*means, *means])
    assert wider is not None and wider[1] - wider[0] <= high - low + 1e-6, "more repeats tell more"
    many = figure(FigureSource("measured", "ppk2"), "x", "x", "mW", [[mean] * 50 for mean in means])
    assert many.ci95 == pytest.approx(found), "fifty samples of one repeat tell no more than their mean"


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


def test_a_brick_that_never_worked_alone_is_not_judged() -> None:
    did = done(STAGES)
    llm = did.stages[1]
    did = replace(did, stages=(*did.stages, replace(llm, name="vision")))
    repeat = Repeat(
        recorded(load(did, FLOOR_MW, dict.fromkeys(("stt", "llm", "tts", "vision"), 1859.0)), did), did
    )
    judged = evaluate(scenario(3), [repeat], PLANS, MODEL, load_budgets(), {})["budgets"]
    verdicts = {entry["id"]: entry["verdict"] for entry in judged}
    assert verdicts["brick.performance/stt"] == verdicts["brick.performance/tts"] == "pass"
    assert verdicts["brick.performance/llm"] == verdicts["brick.performance/vision"] == "too short"


def test_a_brick_that_waits_for_the_loudspeaker_does_not_work() -> None:
    did = done((("tts", 0.6, 1.0),))
    (tts,) = did.stages
    spoken = replace(tts, name="speak", start_s=tts.start_s + 0.2, end_s=tts.end_s + 0.3)
    left = [each for each in working(replace(did, stages=(tts, spoken))).stages if each.name == "tts"]
    assert [each.start_s for each in left] == [tts.start_s]
    assert [each.end_s for each in left] == pytest.approx([tts.start_s + 0.2])
