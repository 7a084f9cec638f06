"""The console's power trace: its samples, its end, and what a slow reader misses."""

from __future__ import annotations

import base64
import struct
from itertools import pairwise
from typing import Any

import pytest

from firmware.pmu import console_json_lines as lines
from firmware.pmu import console_power_trace as power_trace
from firmware.pmu import registers as r
from tests.firmware.console_bench import Bench


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_trace_of_a_silent_sensor_is_refused_and_silent_samples_are_counted_only(bench):
    trace = bench.trace

    def silent(sample, period_ms, resistance_mohm=0):
        if sample is not None:
            raise OSError(5)

    bench.trace = silent
    assert "does not answer" in bench.ask("power-trace", seconds=1)["error"]
    bench.trace = trace
    ring = power_trace.TraceBuffer()
    for voltage_mv in (3850, None, 3850):
        ring.sample(0, voltage_mv, None if voltage_mv is None else -150)
    numbers = [number for number, _, _, _ in struct.iter_unpack(power_trace.LAYOUT, ring.take())]
    assert numbers == [0, 2] and ring.samples == 3


def samples(messages: list[dict[str, Any]]) -> list[tuple[int, int, int, int]]:
    data = b"".join(base64.b64decode(message["trace"]) for message in messages if "trace" in message)
    return list(struct.iter_unpack(power_trace.LAYOUT, data))


def test_a_trace_has_250_samples_a_second_and_an_end(bench: Bench) -> None:
    assert bench.ask("power-trace", seconds=2)["period_ms"] == 4
    bench.live(2_200)
    messages = bench.answers()
    taken = samples(messages)
    assert messages[-1]["end"] and messages[-1]["samples"] >= len(taken) >= 2 * 240
    numbers = [number for number, _, _, _ in taken]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert {(mv, ma) for _, _, mv, ma in taken} == {(3850, -150)}
    assert bench.sampler is None
    rate_hz = (len(taken) - 1) * 1e6 / (taken[-1][1] - taken[0][1])
    assert rate_hz >= 200


def test_a_trace_may_be_the_first_command_long_after_the_start(bench: Bench) -> None:
    bench.live(10_000)
    assert bench.pmu.port is not None and bench.pmu.port.console is None
    assert bench.ask("power-trace", seconds=30)["ok"]
    bench.live(1_000)
    assert bench.sampler is not None and len(samples(bench.answers())) > 200


def test_the_pmu_does_not_doze_during_a_trace(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.pmu.console_port._USED_MS", 2_000)
    bench.ask("set", name="power_request", value=r.REQUEST_SLEEP)
    bench.live(70_000)
    assert bench.pmu.guard.asleep and bench.pmu.doze_ms() > 0
    bench.ask("power-trace", seconds=20)
    for _ in range(18):
        bench.live(1_000)
        bench.answers()
        assert bench.pmu.doze_ms() == 0
    bench.live(15_000)
    assert bench.sampler is None and bench.pmu.doze_ms() > 0


def test_what_a_slow_reader_misses_leaves_a_gap_in_the_numbers(bench: Bench) -> None:
    bench.ask("power-trace", seconds=30)
    bench.takes = 0
    bench.live(3_000)
    bench.takes = 1 << 20
    bench.live(1_000)
    numbers = [number for number, _, _, _ in samples(bench.answers())]
    gaps = [later - number for number, later in pairwise(numbers) if later != number + 1]
    assert len(gaps) == 1 and gaps[0] > 300


def test_a_trace_that_nobody_reads_ends_by_itself(bench: Bench) -> None:
    bench.ask("power-trace", seconds=3_600)
    bench.takes = 0
    bench.live(7_000)
    assert bench.sampler is None
    bench.takes = 1 << 20
    bench.live(100)
    bench.answers()
    assert bench.ask("battery")["ok"]


def test_a_trace_asked_for_again_because_the_answer_was_lost_goes_on(bench: Bench) -> None:
    line = lines.encode({"id": 9, "cmd": "power-trace", "seconds": 1})
    bench.tell(line)
    trace = bench.console.trace
    bench.tell(line)
    assert bench.console.trace is trace
    bench.ask("power-trace", seconds=0)
    assert bench.sampler is None
    assert bench.console.trace is None, "the buffer takes 2.5 KiB"


def test_arguments_outside_their_range_are_refused(bench: Bench) -> None:
    for arguments in (
        {"seconds": -1},
        {"seconds": 1e3},
        {"period_ms": 1},
        {"seconds": True},
        {"seconds": "9"},
    ):
        assert "whole number" in bench.ask("power-trace", **arguments)["error"]
