"""A PMU that has lost its battery sensor, as the host reads it: stale, never a shutdown, and good again."""

from __future__ import annotations

from firmware.pmu import guard_light as light
from tests.hw.pmu.pmu_bench import Bench


def test_a_silent_sensor_makes_the_reading_stale_until_it_answers() -> None:
    bench = Bench()
    bench.clock.jump(5)
    assert bench.client.read().state == "good"
    bench.pmu.sensor_silent = True
    bench.clock.jump(5)
    lost = bench.client.read()
    assert lost.state == "stale" and lost.problem and lost.problem.endswith(".")
    assert not lost.alarms and bench.pmu.lines.rail_on
    assert bench.pmu.firmware.light.pattern == light.ERROR
    bench.pmu.sensor_silent = False
    bench.clock.jump(5)
    assert bench.client.read().state == "good"
