"""A report marks the figures of events that are too short for the meter."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from power.report.page import page
from power.rig.budgets import load_budgets
from power.rig.checks.refusal import Refusal
from power.rig.run import Repeat, evaluate
from power.rig.short_events import too_short
from tests.power.rig.bench import MODEL, PLANS, done, load, recorded, scenario

DID = done((("stt", 0.6, 0.5), ("llm", 2.2, 0.01), ("tts", 4.0, 0.4)))
POWER = load(DID, 938.0, {"stt": 1859.0, "llm": 1859.0, "tts": 1859.0})


def test_short_bricks_are_found_and_long_ones_are_not() -> None:
    assert too_short([DID, DID], 0.0) == []
    (found,) = too_short([DID, DID], 0.027)
    assert found == {"figures": "brick.performance/llm", "seconds": pytest.approx(0.01)}
    names = {each["figures"] for each in too_short([DID], 2.0)}
    assert "question.performance/now" in names
    assert {name.partition(".")[0] for name in names} == {"brick", "question", "state"} and len(names) == 6


def test_a_state_that_holds_too_shortly_for_a_slow_meter_is_not_judged() -> None:
    """At a sample a second its power has that of the bricks around it in it: 999 mW of 938."""
    did = done((("stt", 1.0, 0.4), ("llm", 3.0, 0.8)), marker=False)
    power = load(did, 938.0, {"stt": 900.0, "llm": 1400.0})
    slow = [recorded(power, did, rate_hz=1.0, marker=False, seed=seed) for seed in range(3)]
    verdicts = {}
    for shortest_s in (0.0, 10.0):
        repeats = [Repeat(replace(each, meter="csv", shortest_event_s=shortest_s), did) for each in slow]
        result = evaluate(scenario(2), repeats, PLANS, MODEL, load_budgets(), {})
        verdicts[shortest_s] = {each["id"]: each["verdict"] for each in result["budgets"]}
    assert verdicts[10.0]["state.performance/standby"] == "too short"
    assert verdicts[0.0]["state.performance/standby"] != "too short"


def test_a_recording_of_a_few_samples_has_no_shape() -> None:
    did = done((("stt", 1.0, 0.4), ("llm", 3.0, 0.8)), marker=False)
    slow = recorded(load(did, 938.0, {"stt": 900.0, "llm": 1400.0}), did, rate_hz=0.5, marker=False)
    with pytest.raises(Refusal, match=r"correlation 0\.00"):
        evaluate(scenario(2), [Repeat(slow, did)], PLANS, MODEL, load_budgets(), {})


@pytest.mark.parametrize(("shortest_s", "flagged"), [(0.0, False), (0.027, True)])
def test_the_report_says_so(shortest_s: float, flagged: bool) -> None:
    recordings = [recorded(POWER, DID, seed=seed) for seed in range(3)]
    repeats = [Repeat(replace(each, shortest_event_s=shortest_s), DID) for each in recordings]
    result = evaluate(scenario(3), repeats, PLANS, MODEL, load_budgets(), {"board": "bench"})
    result = json.loads(json.dumps(result))
    assert result["meter"]["shortest_event_s"] == shortest_s
    assert [each["figures"] for each in result["too_short"]] == ["brick.performance/llm"] * flagged
    text = page(result)
    assert ("too short for this meter" in text) is flagged
    assert ("from 27.00 ms on" in text) is flagged
