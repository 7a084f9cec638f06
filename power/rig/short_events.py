"""Events that are too short for the meter, which the report marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Any

from power.rig.activity import CHANGING, Activity

_DRAWS = ("execute", "load")


def too_short(done: Iterable[Activity], shortest_s: float) -> list[dict[str, Any]]:
    """Questions and bricks whose events last less than `shortest_s` (median), and states that mostly hold for
    less at a time: the beginning of their figures' ids, and the seconds they last.
    """
    lengths: dict[str, list[float]] = defaultdict(list)
    states: dict[str, list[float]] = defaultdict(list)
    for each in done:
        for name, length_s in _events(each):
            lengths[name].append(length_s)
        for span in each.states:
            held_s = span.end_s - max(span.start_s, each.begin_s)
            if held_s > 0 and span.state != CHANGING:
                states[f"state.{span.name}"].append(held_s)
    found = {name: median(seconds) for name, seconds in lengths.items()}
    # A state's power is a mean over time: the mean length of the span that a moment of it lies in.
    found |= {name: sum(s * s for s in seconds) / sum(seconds) for name, seconds in states.items()}
    return [{"figures": name, "seconds": s} for name, s in sorted(found.items()) if s < shortest_s]


def _events(done: Activity) -> Iterator[tuple[str, float]]:
    for question in done.questions:
        yield f"question.{question.name}", question.end_s - question.start_s
    for stage in done.stages:
        if stage.kind in _DRAWS and stage.start_s >= done.begin_s:
            mode = next((s.mode for s in done.states if s.start_s <= stage.start_s < s.end_s), "")
            brick = "load" if stage.kind == "load" else stage.name
            yield f"brick.{mode}/{brick}", stage.end_s - stage.start_s
