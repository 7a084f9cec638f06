"""The shortest event that the PMU's trace measures: the firmware with the emulated sensor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firmware.pmu.console_power_trace import AVERAGES, CONVERSION_US, setting
from hw.pmu.trace_timing import EVENT_ERROR, VOLTAGE_MEASUREMENT_S, result_s, shortest_event_s
from power.meters.meter import MeterRecording
from power.rig.attribution import extra_mwh
from power.rig.measured_trace import ClockMap, MeasuredTrace
from tests.power.meters.load import Load
from tests.power.meters.traced_chip import CELL_MV, TracedChip, traced

REST_MW, QUIET_S = 720.0, 0.15
PHASES, PACES = st.floats(0.0, 1.0), st.floats(0.9, 1.1)
STEP_MW = CELL_MV / 1000
"""The power of one count of the current register."""


def with_events(*events: tuple[float, float]) -> Load:
    """A load with these events (mW above idle, seconds), and idle time around each."""
    levels, seconds = [REST_MW], [QUIET_S]
    for above_mw, length_s in events:
        levels += [REST_MW + above_mw, REST_MW]
        seconds += [length_s, QUIET_S]
    return Load(tuple(levels), tuple(seconds))


def found_mws(recording: MeterRecording, load: Load) -> list[float]:
    """Energy of each event above the power before and after it, as the rig computes it."""
    trace = MeasuredTrace(recording, ClockMap(0.0))
    corners = load.corners_s.tolist()
    return [
        extra_mwh(trace, corners[number], corners[number + 1]) * 3600
        for number in range(1, len(load.levels_mw), 2)
    ]


def unseen_s(load: Load, unmeasured: list[tuple[float, float]]) -> list[float]:
    """The share of each event that coincides with conversions of the voltage."""
    corners = load.corners_s.tolist()
    return [
        sum(max(0.0, min(end_s, over_s) - max(begin_s, from_s)) for from_s, over_s in unmeasured)
        for begin_s, end_s in zip(corners[1:-1:2], corners[2::2], strict=True)
    ]


lengths = st.floats(np.log(0.002), np.log(1.0)).map(lambda x: round(float(np.exp(x)), 5))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(400, 2_800), lengths), min_size=1, max_size=8), PHASES, PACES)
def test_events_from_2_ms_on_are_told_within_five_percent(
    events: list[tuple[float, float]], phase: float, pace: float
) -> None:
    load = with_events(*events)
    unmeasured: list[tuple[float, float]] = []
    recording = traced(load, phase=phase, pace=pace, unmeasured=unmeasured)
    assert recording.lost == 0
    unseen = unseen_s(load, unmeasured)
    for (above_mw, length_s), found, away_s in zip(events, found_mws(recording, load), unseen, strict=True):
        assert away_s <= VOLTAGE_MEASUREMENT_S
        allowed = EVENT_ERROR * length_s + away_s
        assert found == pytest.approx(above_mw * length_s, abs=above_mw * allowed)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([3, 5, 10]), PHASES, PACES)
def test_other_periods_tell_events_as_well(period_ms: int, phase: float, pace: float) -> None:
    load = Load((REST_MW, REST_MW + 2_000.0, REST_MW), (0.5, shortest_event_s(period_ms), 0.5))
    unmeasured: list[tuple[float, float]] = []
    recording = traced(load, period_ms=period_ms, phase=phase, pace=pace, unmeasured=unmeasured)
    (found,), (away_s,) = found_mws(recording, load), unseen_s(load, unmeasured)
    rounding = STEP_MW * 2 * result_s(period_ms)
    allowed = 2_000 * (EVENT_ERROR * load.seconds[1] + away_s) + rounding
    assert recording.lost == 0
    assert found == pytest.approx(2_000 * load.seconds[1], abs=allowed)


@pytest.mark.parametrize("pace", [0.9, 0.92, 0.98, 1.0, 1.03, 1.1])
def test_steps_of_2_ms_to_10_s(pace: float) -> None:
    """Errors of less than 1 percent for the mean and 5 percent for each event; the cell's voltage sags by its
    resistance.
    """
    events = [
        (1_700.0, 0.002), (2_800.0, 10.0), (900.0, 0.1), (1_100.0, 0.03), (2_000.0, 0.002), (600.0, 1.0),
    ]  # fmt: skip
    load = with_events(*events)
    for phase, known_mohm in ((0.1, 120), (0.43, 80), (0.76, 160)):
        recording = traced(load, phase=phase, pace=pace, cell_mohm=120.0, known_mohm=known_mohm)
        trace = MeasuredTrace(recording, ClockMap(0.0))
        assert recording.lost == 0
        assert trace.mean_mw(0.0, load.duration_s) == pytest.approx(load.mean_mw(), rel=0.01)
        for (above_mw, length_s), found in zip(events, found_mws(recording, load), strict=True):
            assert found == pytest.approx(above_mw * length_s, rel=EVENT_ERROR)


def test_the_voltage_follows_a_cell_that_gives_way() -> None:
    load = Load((400.0, 3_000.0, 400.0), (0.7, 0.05, 0.3))
    followed = traced(load, cell_mohm=150.0, known_mohm=150).voltage_mv
    assert followed.max() - followed.min() == pytest.approx(150 * (3_000 - 400) / 3_750, rel=0.06)


def test_many_bursts_of_2_ms_have_the_right_mean() -> None:
    seconds = tuple(length_s for number in range(150) for length_s in (0.0311 + number * 1e-5, 0.002))
    load = Load((400.0, 2_900.0) * 150, seconds)
    mean_mw = MeasuredTrace(traced(load), ClockMap(0.0)).mean_mw(0.0, load.duration_s)
    assert mean_mw == pytest.approx(load.mean_mw(), rel=0.005)


@settings(max_examples=10, deadline=None)
@given(PHASES, PACES)
@example(phase=0.0, pace=0.9341509377496907)
@example(phase=0.02, pace=0.9163715994154484)
def test_the_current_is_unmeasured_only_during_voltage_conversions(phase: float, pace: float) -> None:
    load = Load((REST_MW,), (6.0,))
    unmeasured: list[tuple[float, float]] = []
    recording = traced(load, phase=phase, pace=pace, unmeasured=unmeasured)
    assert recording.lost == 0
    assert len(unmeasured) <= recording.duration_s + 2
    assert max(end_s - begin_s for begin_s, end_s in unmeasured[1:]) <= VOLTAGE_MEASUREMENT_S
    steps_s = np.diff(recording.time_s)
    assert steps_s == pytest.approx(np.full(len(steps_s), pace * result_s(4)), rel=0.015)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.0, 1.0), st.floats(0.008, 0.4), st.booleans(), PACES)
def test_results_that_are_missed_are_counted(at_s: float, length_s: float, silent: bool, pace: float) -> None:
    """The program was busy, or the sensor did not answer."""
    chip = TracedChip(Load((REST_MW,), (5.0,)), 4, 0.0, pace=pace)
    told: list[bool] = []
    for time_us in range(0, 3_000_000, 1_000):
        chip.silent = silent and 1 + at_s <= time_us / 1e6 < 1 + at_s + length_s
        if silent or not 1 + at_s <= time_us / 1e6 < 1 + at_s + length_s:
            chip.step(time_us, lambda begin_us, _mv, _ma: told.append(begin_us is not None))
    results_s = pace * result_s(4)
    assert told.count(False) == pytest.approx(length_s / results_s, abs=4)
    begun_s = 64 * results_s
    assert len(told) == pytest.approx((3.0 - begun_s) / results_s, abs=6)


@pytest.mark.parametrize("period_ms", [*range(3, 60), 100, 999, 1000])
def test_a_result_is_about_a_period_long_and_leaves_nothing_out(period_ms: int) -> None:
    word, result_us = setting(period_ms)
    assert result_us == AVERAGES[word >> 9 & 7] * CONVERSION_US[word >> 3 & 7]
    assert 0.75 <= result_us / (period_ms * 1000) <= 1.334
    assert word >> 12 == 4, "bits that are always so, and no reset"
    assert word & 7 == 5, "the current alone, on and on"
    assert setting(4)[0] == 0x440D | 0 and setting(4)[1] == 16 * 204
