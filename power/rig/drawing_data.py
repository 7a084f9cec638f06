"""Data for the report's charts: power at a page's resolution, with states and stages on the same time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from power.rig.activity import Activity
from power.rig.measured_trace import MeasuredTrace

POINTS = 1200
QUESTION_POINTS = 400
_MARGIN_S = 0.5


def overview(trace: MeasuredTrace, done: Activity) -> dict[str, Any]:
    """One repeat from its first step to its end."""
    return _view(trace, done, done.begin_s, done.end_s, POINTS)


def question_views(repeats: Sequence[tuple[MeasuredTrace, Activity]]) -> list[dict[str, Any]]:
    """For each mode and route the question of median energy, from just before to just after."""
    asked: dict[str, list[tuple[float, MeasuredTrace, Activity, Any]]] = {}
    for trace, done in repeats:
        for question in done.questions:
            energy = trace.energy_mwh(question.start_s, question.end_s)
            asked.setdefault(question.name, []).append((energy, trace, done, question))
    views = []
    for name, entries in asked.items():
        _, trace, done, question = sorted(entries, key=lambda entry: entry[0])[len(entries) // 2]
        start_s = max(done.settle_s, question.start_s - _MARGIN_S)
        end_s = min(done.end_s, question.end_s + _MARGIN_S)
        views.append({"name": name, **_view(trace, done, start_s, end_s, QUESTION_POINTS)})
    return views


def _view(trace: MeasuredTrace, done: Activity, start_s: float, end_s: float, points: int) -> dict[str, Any]:
    """Times in seconds since `start_s`, power in mW: mean, least and most of each column of the picture."""
    edges = np.linspace(start_s, end_s, points + 1)
    mean = trace.means_mw(edges)
    limits = np.searchsorted(trace.time_s, edges)
    sampled = np.diff(limits) > 0
    low, high = mean.copy(), mean.copy()
    if sampled.any():
        inside, starts = trace.power_mw[: limits[-1]], limits[:-1][sampled]
        low[sampled] = np.minimum.reduceat(inside, starts)
        high[sampled] = np.maximum.reduceat(inside, starts)
    return {
        "length_s": round(end_s - start_s, 4),
        "mean_mw": [round(value, 1) for value in mean.tolist()],
        "low_mw": [round(value, 1) for value in low.tolist()],
        "high_mw": [round(value, 1) for value in high.tolist()],
        "states": [
            [span.mode, span.state, *_clipped(span.start_s, span.end_s, start_s, end_s)]
            for span in done.states
            if span.end_s > start_s and span.start_s < end_s
        ],
        "stages": [
            [stage.name, stage.kind, *_clipped(stage.start_s, stage.end_s, start_s, end_s)]
            for stage in done.stages
            if stage.end_s > start_s and stage.start_s < end_s and stage.kind != "release"
        ],
        "questions": [
            [question.name, *_clipped(question.start_s, question.end_s, start_s, end_s)]
            for question in done.questions
            if question.end_s > start_s and question.start_s < end_s
        ],
    }


def _clipped(start_s: float, end_s: float, low_s: float, high_s: float) -> tuple[float, float]:
    return round(max(start_s, low_s) - low_s, 4), round(min(end_s, high_s) - low_s, 4)
