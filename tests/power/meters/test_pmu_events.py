"""How short an event the PMU's trace can tell: the firmware's asking, the chip as its data sheet has it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu.power_trace import setting
from hw.emulated.ina226 import AVERAGES, CONVERSION_US, Ina226
from hw.trace_timing import EVENT_ERROR, shortest_event_s, unseen_s
from power.meters.meter import Recording
from power.rig.attribute import extra_mwh
from power.rig.trace import ClockMap, PowerTrace
from tests.power.meters.load import Load
from tests.power.meters.traced_chip import CELL_MV, traced

REST_MW, QUIET_S = 720.0, 0.15
PHASES, PACES = st.floats(0.0, 1.0), st.floats(0.9, 1.1)
STEP_MW = CELL_MV / 1000
"""One count of the current register."""


def with_events(*events: tuple[float, float]) -> Load:
    """Events of (mW above rest, seconds), quiet around each."""
    levels, seconds = [REST_MW], [QUIET_S]
    for above_mw, length_s in events:
        levels += [REST_MW + above_mw, REST_MW]
        seconds += [length_s, QUIET_S]
    return Load(tuple(levels), tuple(seconds))


def found_mws(recording: Recording, load: Load) -> list[float]:
    """Energy of each event above what surrounds it, as the rig takes it."""
    trace = PowerTrace(recording, ClockMap(0.0))
    corners = load.corners_s.tolist()
    return [
        extra_mwh(trace, corners[number], corners[number + 1]) * 3600
        for number in range(1, len(load.levels_mw), 2)
    ]


lengths = st.floats(np.log(shortest_event_s(4)), np.log(1.0)).map(lambda x: round(float(np.exp(x)), 5))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(400, 2_800), lengths), min_size=1, max_size=3), PHASES, PACES)
def test_events_that_are_long_enough_are_told_within_five_percent(
    events: list[tuple[float, float]], phase: float, pace: float
) -> None:
    load = with_events(*events)
    recording = traced(load, phase=phase, pace=pace)
    assert recording.lost == 0
    for (above_mw, length_s), found in zip(events, found_mws(recording, load), strict=True):
        rounding = STEP_MW * (length_s + 24 * 0.004)
        assert found == pytest.approx(above_mw * length_s, abs=EVENT_ERROR * above_mw * length_s + rounding)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.002, 0.05), st.sampled_from([3, 4, 5, 10]), PHASES, PACES)
def test_no_event_is_off_by_more_than_what_is_unseen(
    length_s: float, period_ms: int, phase: float, pace: float
) -> None:
    load = Load((REST_MW, REST_MW + 2_000.0, REST_MW), (0.5, length_s, 0.5))
    recording = traced(load, period_ms=period_ms, phase=phase, pace=pace)
    (found,) = found_mws(recording, load)
    late_s = 2 * 150e-6
    rounding = STEP_MW * (length_s + 24 * period_ms / 1000)
    assert abs(found - 2_000 * length_s) <= 2_000 * (unseen_s(period_ms) + late_s) + rounding


def test_steps_of_2_ms_to_10_s() -> None:
    """A mean within 1 percent, and 5 percent for each event that can be told."""
    events = [
        (1_700.0, 0.002),
        (2_800.0, 10.0),
        (900.0, 0.1),
        (1_100.0, 0.03),
        (2_000.0, 0.002),
        (600.0, 1.0),
    ]
    load = with_events(*events)
    for phase in (0.0, 0.3, 0.7):
        recording = traced(load, phase=phase)
        trace = PowerTrace(recording, ClockMap(0.0))
        assert trace.mean_mw(0.0, load.duration_s) == pytest.approx(load.mean_mw(), rel=0.01)
        for (above_mw, length_s), found in zip(events, found_mws(recording, load), strict=True):
            if length_s >= shortest_event_s(4):
                assert found == pytest.approx(above_mw * length_s, rel=EVENT_ERROR)


def test_many_bursts_of_2_ms_have_the_right_mean() -> None:
    """None of them can be told for itself; their moments have nothing to do with the meter's."""
    seconds = tuple(length_s for number in range(150) for length_s in (0.0311 + number * 1e-5, 0.002))
    load = Load((400.0, 2_900.0) * 150, seconds)
    recording = traced(load)
    mean_mw = PowerTrace(recording, ClockMap(0.0)).mean_mw(0.0, load.duration_s)
    assert mean_mw == pytest.approx(load.mean_mw(), rel=0.01)


@pytest.mark.parametrize("period_ms", [3, 4, 5, 10, 50, 1000])
def test_a_measurement_fills_its_period_and_fits_into_it(period_ms: int) -> None:
    word, shunt_us, all_us = setting(period_ms)
    times = AVERAGES[word >> 9 & 7]
    assert shunt_us == times * CONVERSION_US[word >> 3 & 7]
    assert all_us == shunt_us + times * CONVERSION_US[word >> 6 & 7]
    assert word >> 12 == 4, "bits that are always so, and no reset"
    assert word & 7 == 3, "both inputs, once"
    assert all_us / (period_ms * 1000) > 0.7 and 1.1 * all_us + 400 <= period_ms * 1000


def test_a_chip_in_a_rhythm_of_its_own_loses_events_that_a_commanded_one_tells() -> None:
    """Averaging alone is not enough: 0x429F fills 3.68 of 4 ms, but skips a measurement in twelve."""
    length_s = 0.03
    load = Load((REST_MW, REST_MW + 2_000.0, REST_MW), (1.0, length_s, 1.0))

    def mean_ma(start_us: float, end_us: float) -> float:
        return -load.mean_between_mw(start_us / 1e6, end_us / 1e6) * 1000 / CELL_MV

    errors, now_us = [], [0.0]
    for tenth in range(40):
        now_us[0] = -tenth * 1_000.0
        chip = Ina226(lambda: now_us[0], mean_ma, lambda _begin, _end: CELL_MV)
        chip.writeto_mem(0x40, 0x00, b"\x42\x9f")
        chip.writeto_mem(0x40, 0x05, b"\x02\x00")
        times, power = [], []
        for number in range(500):
            now_us[0] = number * 4_000.0 + 10.0
            word = int.from_bytes(chip.readfrom_mem(0x40, 0x04, 2), "big")
            times.append(now_us[0] / 1e6 - 0.00368)
            power.append((0x10000 - word if word & 0x8000 else 0) * CELL_MV / 1000)
        recording = Recording(
            "pmu", "measured", 250.0, np.array(times), np.array(power), np.full(500, 3_850.0), True, None,
            500, 0, 0.0,
        )  # fmt: skip
        found = extra_mwh(PowerTrace(recording, ClockMap(0.0)), 1.0, 1.0 + length_s) * 3600
        errors.append(abs(found / (2_000 * length_s) - 1))
    assert max(errors) > 1.5 * EVENT_ERROR
