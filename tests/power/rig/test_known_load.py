"""The rig recovers a known load with errors of at most 1 % of the mean and 5 % of every event of 2 ms to
10 s.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.pmu_usb.console_client import Console
from hw.pmu_usb.serial_link import SerialLink
from power.account.energy_model import MW_S_PER_MWH
from power.meters.meter import MeterRecording, open_meter
from power.meters.pmu_meter import PmuMeter
from power.rig.activity import Activity
from power.rig.attribution import attribute, extra_mwh
from power.rig.clock_alignment import align
from power.rig.measured_trace import MeasuredTrace
from power.rig.modelled import Steps, expected_power
from power.rig.run_checks import Settled
from tests.hw.pmu_usb.pseudo_terminal import serial_port as console_port
from tests.power.meters.csv_writer import write_csv
from tests.power.meters.emulated_ppk2 import EmulatedPpk2
from tests.power.meters.load import Load
from tests.power.meters.test_pmu_meter import LoadedEnd
from tests.power.meters.test_ppk2 import meter_on
from tests.power.rig.bench import MODEL, PLANS, done, load, recorded

FLOOR_MW = 720.0
POWER = {"stt": 1700.0, "llm": 1900.0, "tts": 1100.0, "vision": 900.0}
LEAD_S = 0.5


def recovered(
    recording: MeterRecording, did: Activity, power: Steps, *, shortest_s: float = 0.0
) -> MeasuredTrace:
    """Aligns, then compares the mean and every event of at least this length with the true load."""
    found = align(recording, did, expected_power(did, PLANS, MODEL))
    trace = MeasuredTrace(recording, found.clock)
    truth_mw = float(power.means_mw([did.settle_s, did.end_s])[0])
    assert trace.mean_mw(did.settle_s, did.end_s) == pytest.approx(truth_mw, rel=0.01)
    for stage in did.stages:
        if stage.end_s - stage.start_s >= shortest_s:
            true_mwh = POWER[stage.name] * (stage.end_s - stage.start_s) / MW_S_PER_MWH
            assert extra_mwh(trace, stage.start_s, stage.end_s) == pytest.approx(true_mwh, rel=0.05), stage
    return trace


def since_start(power: Steps, did: Activity) -> Load:
    """The load for a meter that starts `LEAD_S` before the repeat."""
    corners = np.append(power.time_s, power.end_s + LEAD_S)
    corners[0] -= LEAD_S
    return Load(tuple(power.mw.tolist()), tuple(np.diff(corners).tolist()))


def test_ppk2(tmp_path: Path) -> None:
    did = done([("stt", 0.6, 0.002), ("llm", 1.6, 0.03), ("tts", 2.7, 0.25)])
    power = load(did, FLOOR_MW, POWER)
    seen = since_start(power, did)
    changes = np.array([when_s - did.settle_s + LEAD_S for when_s, _ in sorted(did.marker)])

    def inputs(time_s: np.ndarray) -> np.ndarray:
        return (np.searchsorted(changes, time_s, side="right") % 2).astype(np.uint8)

    instrument = EmulatedPpk2(seen.power_mw, inputs, limit_s=seen.duration_s)

    async def record() -> MeterRecording:
        await meter.start()
        assert await asyncio.to_thread(instrument.finished.wait, 120)
        return await meter.stop()

    with meter_on(instrument) as meter:
        recording = asyncio.run(record())
    trace = recovered(recording, did, power)
    energy = attribute(trace, did, Settled("performance/standby", FLOOR_MW))
    assert energy.state_mw["performance/standby"] == pytest.approx(FLOOR_MW, rel=0.01)
    extra = [each.extra_mwh * MW_S_PER_MWH for each in energy.questions]
    assert extra == pytest.approx([1700 * 0.002, 1900 * 0.03, 1100 * 0.25], rel=0.05)
    assert energy.bricks["performance/tts"].mw == pytest.approx(1100, rel=0.05)


def patient(path: str) -> SerialLink:
    """A link on which a busy computer may cause delays."""
    link = SerialLink(path)
    link._serial.write_timeout = 30.0
    return link


def test_the_pmus_own_trace() -> None:
    """It has no marker, and states the shortest event that it measures with an error of 5 %."""
    did = done(
        [("stt", 0.6, 0.4), ("llm", 2.2, 0.9), ("tts", 4.5, 0.2), ("vision", 5.3, 0.002)], marker=False
    )
    power = load(did, FLOOR_MW, POWER)
    seen = since_start(power, did)
    end = LoadedEnd(seen)

    async def record(path: str) -> MeterRecording:
        meter = PmuMeter(lambda: Console(patient(path), answer_s=2.0), monotonic=end.monotonic)
        await meter.start()
        await end.passes(seen.duration_s)
        recording = await meter.stop()
        await meter.close()
        return recording

    with console_port(end) as path:
        recording = asyncio.run(record(path))
    recovered(recording, did, power, shortest_s=recording.shortest_event_s)


def test_a_csv_file_of_long_and_short_steps(tmp_path: Path) -> None:
    did = done([("stt", 0.6, 10.0), ("llm", 12.0, 0.002), ("tts", 13.0, 0.1)])
    power = load(did, FLOOR_MW, POWER)
    write_csv(
        recorded(power, did, rate_hz=5000.0, offset_s=3.0, drift=50e-6, noise_mw=10.0), tmp_path / "a.csv"
    )

    async def read() -> MeterRecording:
        meter = open_meter(f"csv:{tmp_path / 'a.csv'}")
        await meter.start()
        return await meter.stop()

    recovered(asyncio.run(read()), did, power)


lengths = st.floats(np.log(0.002), np.log(10.0)).map(lambda x: round(float(np.exp(x)), 4))


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(POWER)), lengths), min_size=1, max_size=4),
    st.floats(-4.0, 4.0),
    st.floats(-200e-6, 200e-6),
)
def test_any_load_with_a_marker(events: list[tuple[str, float]], offset_s: float, drift: float) -> None:
    at_s, stages = 0.6, []
    for name, length_s in events:
        stages.append((name, at_s, length_s))
        at_s += length_s + 1.0
    did = done(stages)
    power = load(did, FLOOR_MW, POWER)
    recovered(recorded(power, did, rate_hz=5000.0, offset_s=offset_s, drift=drift), did, power)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(0.1, 1.5), min_size=2, max_size=4), st.floats(-2.0, 2.0))
def test_any_load_without_a_marker(seconds: list[float], offset_s: float) -> None:
    """The power of the stages differs from the model's; their times are sufficient for the alignment."""
    at_s, stages = 0.6, []
    for number, length_s in enumerate(seconds):
        stages.append((sorted(POWER)[number % 4], at_s, length_s))
        at_s += length_s + 0.8 + 0.1 * number
    did = done(stages, marker=False)
    power = load(did, FLOOR_MW, POWER)
    recording = recorded(power, did, marker=False, offset_s=offset_s, noise_mw=25.0)
    found = align(recording, did, expected_power(did, PLANS, MODEL))
    assert found.method == "correlation"
    truth_s = did.settle_s - 0.5
    assert found.clock.offset_s == pytest.approx(truth_s, abs=0.003)
    recovered(recording, did, power, shortest_s=0.1)


@pytest.mark.parametrize("drift", [-100e-6, 20e-6, 50e-6, 200e-6])
def test_half_an_hour_without_a_marker_by_another_crystal(drift: float) -> None:
    """At its ends the clocks are by up to 180 ms apart, about as long as a run of the recogniser."""
    stages = [(sorted(POWER)[number % 4], 1.0 + 150.0 * number, 0.3) for number in range(12)]
    did = done(stages, marker=False)
    power = load(did, FLOOR_MW, POWER)
    recording = recorded(power, did, rate_hz=250.0, marker=False, drift=drift, noise_mw=10.0)
    found = align(recording, did, expected_power(did, PLANS, MODEL))
    assert found.clock.drift == pytest.approx(drift, abs=3e-6) and found.residual_s < 0.005
    bricks = attribute(
        MeasuredTrace(recording, found.clock), did, Settled("performance/standby", FLOOR_MW)
    ).bricks
    for name, mw in POWER.items():
        assert bricks[f"performance/{name}"].mw == pytest.approx(mw, rel=0.02)


@pytest.mark.parametrize("lead_s", [3.0, 20.0, 300.0])
def test_a_recording_that_began_long_before_the_repeat_is_aligned_by_its_own_word(lead_s: float) -> None:
    """As of a logger that was started first; the same work was done in it before."""
    did = done([("stt", 1.0, 0.4), ("llm", 3.0, 0.8)], marker=False)
    seen = recorded(load(did, FLOOR_MW, POWER), did, marker=False)
    before = round(lead_s * seen.sample_rate_hz)
    idle_mw = np.random.default_rng(5).normal(FLOOR_MW, 2.0, before)
    earlier = seen.power_mw[: min(before, len(seen.power_mw))]
    idle_mw[: len(earlier)] = earlier
    longer = replace(
        seen,
        time_s=np.concatenate(
            [np.arange(before) / seen.sample_rate_hz + seen.time_s[0], seen.time_s + lead_s]
        ),
        power_mw=np.concatenate([idle_mw, seen.power_mw]),
        voltage_mv=np.full(before + len(seen.time_s), 3_800.0),
        expected=seen.expected + before,
        start_monotonic_s=seen.start_monotonic_s - lead_s,
    )
    found = align(longer, did, expected_power(did, PLANS, MODEL))
    assert found.clock.offset_s == pytest.approx(longer.start_monotonic_s, abs=0.003)


def test_standby_alone_needs_neither_marker_nor_shape() -> None:
    did = done([], marker=False)
    recording = recorded(load(did, FLOOR_MW, {}), did, marker=False, noise_mw=5.0)
    found = align(recording, did, expected_power(did, PLANS, MODEL))
    assert found.method == "start"
    trace = MeasuredTrace(recording, found.clock)
    assert attribute(trace, did, Settled("performance/standby", 0.0)).state_mw[
        "performance/standby"
    ] == pytest.approx(FLOOR_MW, rel=0.01)
