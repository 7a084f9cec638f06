"""Events that are too short for the meter, which the report marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Any

from power.rig.activity import Activity

_DRAWS = ("execute", "load")


def too_short(done: Iterable[Activity], shortest_s: float) -> list[dict[str, Any]]:
    """Questions and bricks whose events last less than `shortest_s` (median): the beginning of their figures'
    ids, and the seconds they last.
    """
    lengths: dict[str, list[float]] = defaultdict(list)
    for each in done:
        for name, length_s in _events(each):
            lengths[name].append(length_s)
    found = {name: median(seconds) for name, seconds in sorted(lengths.items())}
    return [{"figures": name, "seconds": s} for name, s in found.items() if s < shortest_s]


def _events(done: Activity) -> Iterator[tuple[str, float]]:
    for question in done.questions:
        yield f"question.{question.name}", question.end_s - question.start_s
    for stage in done.stages:
        if stage.kind in _DRAWS and stage.start_s >= done.begin_s:
            mode = next((s.mode for s in done.states if s.start_s <= stage.start_s < s.end_s), "")
            brick = "load" if stage.kind == "load" else stage.name
            yield f"brick.{mode}/{brick}", stage.end_s - stage.start_s
