"""The predicted latency of a configuration, against a queue that is followed in small steps of time."""

from __future__ import annotations

import random

import pytest

from models.sensing.configuration import AT_THE_END, TOGETHER, Configuration, allowed, space
from models.sensing.latency import StepCosts, at_the_end, predicted
from tests.models.sensing.made import COSTS, DEPTHS

SPACE = space(DEPTHS)


def followed(way: Configuration, costs: StepCosts, taken: int) -> float:
    """Latency where speech ends with picture `taken`, by ticks of 0.1 ms."""
    tick_s = 1e-4
    end_s = (taken - 1) * way.interval_s
    waiting: list[int] = []
    at = 0
    busy_until_s, now_s = 0.0, 0.0
    finished = 0
    wanted = list(range(max(0, taken - way.units), taken)) if way.length == AT_THE_END else list(range(taken))
    while finished < len(wanted):
        while at < taken and at * way.interval_s <= now_s + 1e-9:
            if at in wanted:
                waiting.append(at)
            at += 1
        over = now_s >= end_s - 1e-9
        ready = bool(waiting) and (over or len(waiting) >= way.length)
        if ready and now_s >= busy_until_s - 1e-9:
            group = min(way.length, TOGETHER, len(waiting))
            del waiting[:group]
            busy_until_s = now_s + costs.group_s(way.depth, group)
            finished += group
        now_s += tick_s
    return max(0.0, busy_until_s - end_s) + costs.unit_s + costs.answer_s


def test_there_are_81_configurations() -> None:
    assert len(set(SPACE)) == len(SPACE) == 81


def test_a_plan_permits_a_part_of_them() -> None:
    slow = allowed(SPACE, 0.4, on_arrival=True)
    assert {each.interval_s for each in slow} == {0.4, 0.8} and len(slow) == 54
    late = allowed(SPACE, 0.2, on_arrival=False)
    assert {each.length for each in late} == {AT_THE_END} and len(late) == 27


@pytest.mark.parametrize("slower", [0.5, 3.0, 8.0])
def test_the_latency_is_that_of_the_queue(slower: float) -> None:
    rng = random.Random(f"queue {slower}")
    costs = COSTS.scaled(slower)
    for way in rng.sample(SPACE, 12):
        spoken_s = rng.uniform(0.5, 4.0)
        taken = 1 + int(spoken_s / way.interval_s + 1e-9)
        ends = range(max(1, taken - min(way.length, TOGETHER) + 1), taken + 1)
        worst = max(followed(way, costs, each) for each in ends)
        assert predicted(way, costs, spoken_s).latency_s == pytest.approx(worst, abs=2e-3), way


def test_the_last_units_own_encoding_is_in_it() -> None:
    way = Configuration(0.8, 3, 16, 1)
    assert predicted(way, COSTS, 4.0).latency_s >= COSTS.group_s(3, 1)


def test_a_longer_question_waits_longer_only_where_the_encoder_does_not_keep_up() -> None:
    keeps_up, does_not = Configuration(0.2, 12, 16, 1), Configuration(0.2, 12, 16, 1)
    assert predicted(keeps_up, COSTS, 8.0).latency_s == pytest.approx(
        predicted(keeps_up, COSTS, 2.0).latency_s
    )
    slow = COSTS.scaled(4.0)
    assert predicted(does_not, slow, 8.0).latency_s > predicted(does_not, slow, 2.0).latency_s + 0.5


def test_when_speech_has_ended_only_what_waits_is_left() -> None:
    way = Configuration(0.2, 3, 8, 1)
    nothing = at_the_end(way, COSTS, 0)
    assert nothing.latency_s == pytest.approx(COSTS.unit_s + COSTS.answer_s) and nothing.pictures == 0
    assert at_the_end(way, COSTS, 30).pictures == 8
    assert at_the_end(way, COSTS, 6).latency_s == pytest.approx(
        COSTS.group_s(3, 4) + COSTS.group_s(3, 2) + COSTS.unit_s + COSTS.answer_s
    )
