"""A report marks the figures of events that are too short for the meter."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from power.report.page import page
from power.rig.budgets import load_budgets
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
    assert "question.performance/now" in names and len(names) == 4


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
