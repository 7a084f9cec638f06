"""The PMU's trace as a recording: the real firmware's console behind a pseudo-terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest

from hw.pmu_usb.console_client import Console
from hw.pmu_usb.serial_link import LinkError, SerialLink
from power.meters.meter import MeterError, MeterRecording, open_meter
from power.meters.pmu_meter import PmuMeter
from tests.hw.pmu_usb.pseudo_terminal import FirmwareEnd, serial_port
from tests.power.meters.load import Load, worst_event
from tests.power.meters.traced_chip import CELL_MV, Sample, TracedChip

LOAD = Load((400.0, 2_900.0) * 12 + (310.0, 1_600.0, 800.0), (0.031, 0.002) * 12 + (0.6, 0.2, 0.4))
"""Twelve bursts of 2 ms, which is shorter than a sample, then steps of many samples."""


LEARNING_MS = 300
"""Time after which the PMU has learnt its sensor's timing."""


class LoadedEnd(FirmwareEnd):
    """The firmware's console, with a sensor that measures a known load from `LEARNING_MS` after the start of
    the trace.
    """

    def __init__(self, load: Load) -> None:
        super().__init__()
        self.begin_ms: int | None = None
        self.first_us: int | None = None
        trace = self.bench.trace

        def loaded(sample: Sample | None, period_ms: int, resistance_mohm: int = 0) -> None:
            if sample is None:
                trace(None, 0)
                return
            begin_ms = self.begin_ms = self.bench.now_ms if self.begin_ms is None else self.begin_ms
            chip = TracedChip(load, period_ms, self.bench.now_ms * 1000.0, (begin_ms + LEARNING_MS) * 1000.0)

            def noted(time_us: int | None, voltage_mv: int | None, current_ma: int | None) -> None:
                self.first_us = time_us if self.first_us is None else self.first_us
                sample(time_us, voltage_mv, current_ma)

            trace(lambda time_us, _mv, _ma: chip.step(time_us or 0, noted), chip.poll_ms)

        self.bench.trace = loaded  # type: ignore[method-assign]

    def monotonic(self) -> float:
        """The host's clock, in the simulated time of the firmware."""
        return self.bench.now_ms / 1000

    async def passes(self, seconds: float) -> None:
        begin_s = self.monotonic()
        async with asyncio.timeout(120):
            while self.monotonic() < begin_s + seconds:  # noqa: ASYNC110  # the firmware's world says nothing
                await asyncio.sleep(0.01)


@pytest.fixture
def end() -> LoadedEnd:
    return LoadedEnd(LOAD)


@pytest.fixture(autouse=True)
def patient_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """A delay of a busy computer must not count as a fault of the port."""
    monkeypatch.setattr("hw.pmu_usb.serial_link.WRITE_S", 10.0)


@pytest.fixture
def meter(end: LoadedEnd) -> Iterator[PmuMeter]:
    with serial_port(end) as path:
        meter = PmuMeter(lambda: Console(SerialLink(path), answer_s=2.0), monotonic=end.monotonic)
        yield meter
        asyncio.run(meter.close())


async def record(meter: PmuMeter, end: LoadedEnd, seconds: float) -> MeterRecording:
    await meter.start()
    await end.passes(seconds)
    return await meter.stop()


def test_a_known_load_through_the_firmwares_console(meter: PmuMeter, end: LoadedEnd) -> None:
    recording = asyncio.run(record(meter, end, LOAD.duration_s + 0.6))
    assert (recording.meter, recording.kind, recording.lost) == ("pmu", "measured", 0)
    assert recording.voltage_measured and set(recording.voltage_mv) == {CELL_MV}
    assert recording.shortest_event_s == meter.shortest_event_s == pytest.approx(0.0014, abs=1e-4)
    assert recording.marker is None and meter.sample_rate_hz == pytest.approx(306.4, abs=0.1)
    assert recording.expected == len(recording.time_s)
    assert end.begin_ms is not None and end.first_us is not None
    first_s = end.first_us / 1e6 + 0.5 / recording.sample_rate_hz
    begin_s = (end.begin_ms + LEARNING_MS) / 1000 - first_s
    assert 0 < begin_s < 0.1, "nothing is missed of the load"
    seen = (recording.time_s > begin_s) & (recording.time_s < begin_s + LOAD.duration_s)
    assert np.mean(recording.power_mw[seen]) == pytest.approx(LOAD.mean_mw(), rel=0.01)
    long = Load(LOAD.levels_mw[-3:-1], LOAD.seconds[-3:-1])
    assert worst_event(recording, long, begin_s + float(LOAD.corners_s[-4])) < 0.05
    assert recording.start_monotonic_s == pytest.approx(first_s, abs=0.25)
    assert end.bench.sampler is None, "the trace was ended"


def test_lost_lines_are_counted(meter: PmuMeter, end: LoadedEnd) -> None:
    async def losing() -> MeterRecording:
        await meter.start()
        end.lose_next = 2
        await end.passes(1.0)
        return await meter.stop()

    recording = asyncio.run(losing())
    assert recording.lost > 0
    assert recording.expected == len(recording.time_s) + recording.lost
    steps = np.diff(recording.time_s) * recording.sample_rate_hz
    gaps = float(np.sum(steps - 1))
    assert gaps == pytest.approx(recording.lost, abs=1), "the gaps are as long as the lost samples"


def test_two_recordings_one_after_the_other(meter: PmuMeter, end: LoadedEnd) -> None:
    first = asyncio.run(record(meter, end, 0.2))
    second = asyncio.run(record(meter, end, 0.2))
    assert first.time_s[0] == second.time_s[0] == 0
    assert second.start_monotonic_s > first.start_monotonic_s + 0.2


def test_a_recording_may_be_longer_than_one_trace(
    meter: PmuMeter, end: LoadedEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("power.meters.pmu_meter._TRACE_S", 1)
    recording = asyncio.run(record(meter, end, 2.4))
    steps_s = np.diff(recording.time_s)
    assert (steps_s > 0.0032).all()
    now_s = end.monotonic() - recording.start_monotonic_s
    assert 1.9 < recording.time_s[-1] <= now_s, "all traces count from the start of the first"
    assert round(float(np.sum(steps_s)) * recording.sample_rate_hz) + 1 == pytest.approx(
        recording.expected, abs=3
    )
    assert 0 <= recording.lost_share < 0.5, "what passes between two traces counts as lost"


def test_a_pmu_that_is_missing_is_one_sentence(meter: PmuMeter) -> None:
    def unplugged() -> Console:
        raise LinkError("The PMU was unplugged.")

    with pytest.raises(MeterError, match="There is no port /dev/nothing"):
        asyncio.run(open_meter("pmu:/dev/nothing").start())
    with pytest.raises(MeterError, match="not started"):
        asyncio.run(meter.stop())
    with pytest.raises(MeterError, match="unplugged"):
        asyncio.run(PmuMeter(unplugged).start())


def test_a_pmu_that_falls_silent_is_one_sentence(end: LoadedEnd) -> None:
    async def falls_silent(meter: PmuMeter) -> None:
        await meter.start()
        end.mute = True
        await asyncio.sleep(0.2)
        await meter.stop()

    steps_s = count(0.0, 0.1)

    def monotonic() -> float:
        """Stands while the PMU talks, so that a busy computer is no silence."""
        return next(steps_s) if end.mute else 0.0

    with serial_port(end) as path:
        link = SerialLink(path)
        meter = PmuMeter(lambda: Console(link, attempts=2, answer_s=0.2, monotonic=monotonic))
        with pytest.raises(MeterError, match="stopped in the middle"):
            asyncio.run(falls_silent(meter))


@pytest.mark.parametrize("period_ms", ["0.5", "2", "4.5", "1001", "20000"])
def test_a_period_that_the_sensor_has_not_is_refused_in_a_sentence(period_ms: str) -> None:
    with pytest.raises(MeterError, match="must be a whole number from 3 to 1000") as caught:
        open_meter(f"pmu:/dev/ttyACM0,period_ms={period_ms}")
    assert str(caught.value).startswith(f"period_ms is {period_ms}; ")


def test_the_sensors_least_and_longest_periods_are_taken() -> None:
    meters = [open_meter(f"pmu:/dev/ttyACM0,period_ms={period_ms}") for period_ms in (3, 1000)]
    assert [round(meter.sample_rate_hz) for meter in meters] == [306, 1]
