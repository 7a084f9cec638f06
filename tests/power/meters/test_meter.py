"""Names, settings and recordings, which all meters have; and the twin's meter."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from power.meters.available import available
from power.meters.meter import NAMES, MeterError, MeterRecording, open_meter
from power.meters.options import INSTALL_METERS, place_and_numbers
from power.meters.twin_meter import TwinMeter
from tests.power.meters.load import Load, loads, worst_event


def flat(power_mw: float, seconds: float, rate_hz: float = 100.0) -> MeterRecording:
    count = round(seconds * rate_hz) + 1
    return MeterRecording(
        "csv", "measured", rate_hz, np.arange(count) / rate_hz, np.full(count, power_mw),
        np.full(count, 3_700.0), True, None, count, 0, 5.0,
    )  # fmt: skip


def test_a_recording_knows_its_units() -> None:
    recording = flat(1_850.0, 36.0)
    assert recording.duration_s == pytest.approx(36.0)
    assert recording.energy_mwh == pytest.approx(18.5)
    assert recording.current_ma == pytest.approx(np.full(3_601, 500.0))
    assert replace(recording, expected=4_000, lost=399).lost_share == pytest.approx(0.09975)
    assert set(replace(recording, voltage_mv=np.zeros(3_601)).current_ma) == {0}


def test_arrays_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one row per sample"):
        replace(flat(1.0, 1.0), power_mw=np.zeros(3))
    with pytest.raises(ValueError, match="cannot lose more"):
        replace(flat(1.0, 1.0), lost=200)


def test_an_unknown_meter_and_an_unknown_setting_are_one_sentence() -> None:
    with pytest.raises(MeterError, match=r"no meter 'ppk3'; there are csv, .*twin"):
        open_meter("ppk3")
    with pytest.raises(MeterError, match="no setting 'vm'"):
        open_meter("csv:day.csv,vm=3800")
    with pytest.raises(MeterError, match="not a number"):
        open_meter("csv:day.csv,mv=much")
    for number in ("0", "nan", "inf"):
        with pytest.raises(MeterError, match="it must be above 0"):
            open_meter(f"csv:day.csv,mv={number}")
    with pytest.raises(MeterError, match="needs a running model"):
        open_meter("twin")


def test_a_place_may_hold_commas_and_signs() -> None:
    assert place_and_numbers("/a,b=c/d.csv,mv=3800", "mv") == ("/a,b=c/d.csv", {"mv": 3800.0})
    assert place_and_numbers("", "mv") == ("", {})


def test_every_meter_is_listed_with_what_it_lacks() -> None:
    listed = {meter.name: meter for meter in available()}
    assert set(listed) == set(NAMES)
    assert all(listed[name].ok for name in ("csv", "pmu", "twin"))
    assert all(meter.ok or INSTALL_METERS in meter.missing for meter in available())
    assert {name for name, meter in listed.items() if meter.kind == "modelled"} == {"twin"}


class World:
    """A clock, and a model with a known load from 50 s of the clock on."""

    def __init__(self, load: Load) -> None:
        self.now_s = 50.0
        self._load = load

    def source(self, begin_s: float, end_s: float) -> tuple[np.ndarray, np.ndarray]:
        assert (begin_s, end_s) == (50.0, self.now_s)
        return self._load.corners_s[:-1], np.array(self._load.levels_mw)


async def twin_recording(load: Load, rate_hz: float) -> MeterRecording:
    world = World(load)
    meter = TwinMeter(world.source, monotonic=lambda: world.now_s, sample_rate_hz=rate_hz)
    await meter.start()
    world.now_s += load.duration_s
    recording = await meter.stop()
    await meter.close()
    return recording


@settings(max_examples=25, deadline=None)
@given(loads(0.002, 10.0), st.sampled_from([1_000.0, 4_000.0]))
def test_the_twin_loses_no_energy_between_two_samples(load: Load, rate_hz: float) -> None:
    recording = asyncio.run(twin_recording(load, rate_hz))
    assert (recording.kind, recording.lost, recording.voltage_measured) == ("modelled", 0, False)
    covered_s = recording.expected / rate_hz
    levels = np.array(load.levels_mw)
    shares = np.diff(np.minimum(load.corners_s, covered_s))
    assert np.sum(recording.power_mw) / rate_hz == pytest.approx(float(levels @ shares))


def test_the_twin_shows_events_of_two_milliseconds() -> None:
    load = Load((80.0, 3_000.0, 80.0, 900.0), (0.1, 0.002, 10.0, 0.7))
    assert worst_event(asyncio.run(twin_recording(load, 10_000.0)), load) < 0.05


def test_a_twin_that_models_nothing_is_refused() -> None:
    meter = TwinMeter(lambda begin_s, end_s: (np.empty(0), np.empty(0)), monotonic=lambda: 1.0)
    with pytest.raises(MeterError, match="not started"):
        asyncio.run(meter.stop())
    asyncio.run(meter.start())
    with pytest.raises(MeterError, match="modelled nothing"):
        asyncio.run(meter.stop())
