"""How far the hours of a headband that remembers depend on what is not known: other values of every parameter
of the twin and of remembering, each on another day of the kind.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from power.remembering.way import Remembering, ViewCosts, quantities
from power.replay.draws import drawn
from power.twin.day import Day
from power.twin.other_days import HELD_OUT, another_day
from power.twin.parameters import Parameters

INTERVAL = (0.025, 0.975)
"""Quantiles at the ends of an interval over draws."""


@dataclass(frozen=True)
class Figures:
    """Of one way: from full to empty, and of the day."""

    hours: float
    remembering_mwh: float
    views: float


def drawn_costs(costs: ViewCosts, number: int) -> ViewCosts:
    """Every number of remembering drawn from its range: triangular, most likely as published."""
    rng = random.Random(f"remembering {number}")
    values = {
        name: rng.triangular(each.low, each.high, each.value)
        for name, each in quantities().items()
        if each.low < each.high
    }
    return replace(costs, **values)


def intervals(
    day: Day,
    parameters: Parameters,
    ways: Sequence[Remembering],
    figures: Callable[[Day, Parameters, Remembering], Figures],
    *,
    count: int,
    goal_h: float,
    numbers: range = HELD_OUT,
) -> dict[str, Any]:
    """For each way the interval of its figures over the draws, its median hours, in what share of the draws
    it reaches the goal, and in what share the first of `ways` lasts longer. `figures`: simulates one way.
    """
    found: list[list[Figures]] = [[] for _ in ways]
    for number in numbers[:count]:
        other, values = another_day(day, number), drawn(parameters, number)
        for way, told in zip(ways, found, strict=True):
            told.append(figures(other, values, replace(way, costs=drawn_costs(way.costs, number))))
    return {
        "count": len(found[0]),
        "ways": [_summary(way, told, found[0], goal_h) for way, told in zip(ways, found, strict=True)],
    }


def _summary(
    way: Remembering, told: Sequence[Figures], first: Sequence[Figures], goal_h: float
) -> dict[str, Any]:
    count = len(told)
    hours = sorted(each.hours for each in told)
    return {
        "placing": way.placing,
        "after_look": way.after_look,
        "hours": _interval(hours),
        "median_hours": hours[count // 2],
        "remembering_mwh": _interval(sorted(each.remembering_mwh for each in told)),
        "views": _interval(sorted(each.views for each in told)),
        "goal_share": sum(each >= goal_h for each in hours) / count,
        "shorter_share": sum(ours.hours > each.hours for ours, each in zip(first, told, strict=True)) / count,
    }


def _interval(rising: Sequence[float]) -> list[float]:
    last = len(rising) - 1
    return [rising[round(end * last)] for end in INTERVAL]
