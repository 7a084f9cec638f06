"""The result of a run: figures with their intervals, hours, verdicts, the comparison, and the page."""

from __future__ import annotations

import html
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

from host.rig.command import _summary
from power.account.energy_model import MW_S_PER_MWH
from power.report.page import page
from power.report.tables import number
from power.rig.baseline import BaselineError, Instrument, comparable, load_baseline
from power.rig.budgets import load_budgets, outcome
from power.rig.comparison import compare
from power.rig.figures import FigureSource, figure, interval
from power.rig.run import Repeat, evaluate
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
    return evaluate(
        played, repeats, PLANS, MODEL, load_budgets(), {"board": "bench", "pack": "micro", "at": "now"}
    )


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
        comparable(baseline, "standby", Instrument("measured", "joulescope", "bench"), 3)
    with pytest.raises(BaselineError, match="cannot be compared"):
        comparable(baseline, "bench", Instrument("modelled", "twin", "bench"), 3)
    with pytest.raises(BaselineError, match=r"with the joulescope meter, and this run with the ppk2 meter"):
        comparable(baseline, "bench", Instrument("measured", "ppk2", "bench"), 3)
    with pytest.raises(BaselineError, match=r"of the bench board, and this run is of the headband board"):
        comparable(baseline, "bench", Instrument("measured", "joulescope", "headband"), 3)
    with pytest.raises(BaselineError, match=r"3 repeats of either run: the baseline has 3, and .* have 2"):
        comparable(baseline, "bench", Instrument("measured", "joulescope", "bench"), 2)
    unnamed = [{key: each for key, each in entry.items() if key != "label"} for entry in good["figures"]]
    nameless = {key: each for key, each in good["meter"].items() if key != "name"}
    for wrong in ({"figures": unnamed}, {"meter": nameless}, {"conditions": {"board": "bench"}}):
        path.write_text(json.dumps({**good, **wrong}))
        with pytest.raises(BaselineError, match="not the JSON of a rig run"):
            load_baseline(path)
    for text in ("{}", "[]"):
        path.write_text(text)
        with pytest.raises(BaselineError, match="not the JSON of a rig run"):
            load_baseline(path)


def test_what_was_nothing_has_no_change_in_percent(good: dict[str, Any]) -> None:
    figures = [{**each, "value": 0.0, "per_repeat": [0.0] * 3} for each in good["figures"]]
    figures = [each for each in figures if each["id"] == "brick.performance/tts.mw"]
    compared = compare(good["figures"], {"figures": figures}, LIMITS)
    assert [entry["verdict"] for entry in compared] == ["worse"]
    result = {**good, "baseline": {"file": "old.json", "at": "then", "pack": "micro", "figures": compared}}
    assert '<td class="n">from 0</td>' in page(result)
    assert "tts in performance above idle: from 0 against the baseline, worse" in _summary(result, Path())


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


def test_the_page_says_that_intervals_know_nothing_of_the_meters_error(good: dict[str, Any]) -> None:
    told = "without the meter's own error and without what another day changes"
    assert page(good).count(html.escape(told)) == 3


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
            "baseline": {
                "file": "old.json",
                "at": "then",
                "pack": "standard",
                "figures": compare(good["figures"], good, LIMITS),
            },
        }
    )
    read = _Text()
    read.feed(text)
    assert read.addresses == []
    assert not re.search(r"url\(|@import|<script|<link", text)
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "measured: joulescope" in text and "Against old.json of then" in text
    assert "The pack was standard in the baseline and is micro in this run." in text


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
