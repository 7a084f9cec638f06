"""A training of the recogniser by steps and by time: its learning rate, its clips and its end."""

from __future__ import annotations

import pytest

from models.train.recogniser.schedule import FROM_WEIGHTS, ROUNDS, Schedule


def test_by_steps_the_rate_falls_in_each_round_and_shards_are_added() -> None:
    schedule = Schedule(ROUNDS, ROUNDS[-1].ends_at)
    rates = [schedule.factor(step, 0.0) for step in range(100, ROUNDS[0].ends_at, 500)]
    assert rates == sorted(rates, reverse=True) and rates[0] > 0.9
    shards = [schedule.least_shards(step) for step in range(0, ROUNDS[-1].ends_at, 500)]
    assert shards == sorted(shards) and shards[-1] <= ROUNDS[-1].shards
    assert not schedule.ended(ROUNDS[-1].ends_at - 1, 1e9) and schedule.ended(ROUNDS[-1].ends_at, 0.0)


def test_by_time_the_rate_falls_with_the_time_and_no_shard_is_waited_for() -> None:
    schedule = Schedule((FROM_WEIGHTS,), 10**9, minutes=10.0)
    rates = [schedule.factor(5000, 60.0 * minute) for minute in range(11)]
    assert rates == sorted(rates, reverse=True) and rates[0] == pytest.approx(FROM_WEIGHTS.rate)
    assert rates[-1] == 0.0 and schedule.factor(0, 0.0) < 0.1 * rates[0]
    assert schedule.least_shards(10**6) == schedule.least_shards(0)
    assert schedule.ended(1, 600.0) and not schedule.ended(10**6, 599.0)
