"""Joulescope and Monsoon, with doubles of their packages."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from power.meters import monsoon_meter
from power.meters.joulescope_meter import JoulescopeMeter
from power.meters.meter import MeterError, MeterRecording, open_meter
from power.meters.monsoon_meter import MonsoonMeter
from tests.power.meters.load import Load, worst_event

LOAD = Load((300.0, 3_000.0, 300.0, 1_200.0), (0.2, 0.002, 0.3, 0.1))


class StreamBuffer:
    """A double of `joulescope.v1.stream_buffer`: samples by number; missing ones are NaN."""

    def __init__(self, rate_hz: int) -> None:
        self.output_sampling_frequency = rate_hz
        self.first = 0
        self.current = np.empty(0, np.float32)
        self.power = np.empty(0, np.float32)
        self.inputs = np.empty(0, np.uint8)

    @property
    def sample_id_range(self) -> tuple[int, int]:
        return self.first, self.first + len(self.current)

    def samples_get(self, start: int, stop: int, fields: list[str] | None = None) -> dict[str, Any]:
        rows = slice(start - self.first, stop - self.first)
        signals = {
            "current": self.current[rows],
            "voltage": np.full(stop - start, 3.85, np.float32),
            "power": self.power[rows],
            "current_lsb": self.inputs[rows] & 1,
            "voltage_lsb": self.inputs[rows] >> 1 & 1,
        }
        return {"signals": {field: {"value": signals[field], "units": ""} for field in fields or signals}}


class Joulescope:
    """A double of `joulescope.v1.device.Device`: streams the load in blocks from a thread of its own."""

    def __init__(self, load: Load, lose: frozenset[int] = frozenset(), fails: bool = False) -> None:
        self._load = load
        self._lose = lose
        self._fails = fails
        self._processors: list[Any] = []
        self._rate_hz = 2_000_000
        self._thread: threading.Thread | None = None
        self.finished = threading.Event()
        self.is_open = False

    def itself(self) -> Joulescope:
        return self

    def open(
        self, event_callback_fn: Any = None, mode: str | None = None, timeout: float | None = None
    ) -> None:
        self.is_open = True

    def close(self, timeout: float | None = None) -> None:
        self.is_open = False

    def parameter_set(self, name: str, value: int) -> None:
        assert name == "sampling_frequency" and self.is_open
        self._rate_hz = value

    def stream_process_register(self, obj: Any) -> None:
        self._processors.append(obj)

    def start(
        self,
        stop_fn: Callable[[int, str], None] | None = None,
        duration: float | None = None,
        contiguous_duration: float | None = None,
    ) -> None:
        self.finished.clear()
        self._thread = threading.Thread(target=self._stream, args=(stop_fn,))
        self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _stream(self, stop_fn: Callable[[int, str], None] | None) -> None:
        buffer = StreamBuffer(self._rate_hz)
        count = round(self._load.duration_s * self._rate_hz)
        time_s = (np.arange(count) + 0.5) / self._rate_hz
        power_w = (self._load.power_mw(time_s) / 1000).astype(np.float32)
        for row in self._lose:
            power_w[row] = np.nan
        buffer.first = 40_000
        for end in range(700, count + 700, 700):
            buffer.power = power_w[:end]
            buffer.current = buffer.power / np.float32(3.85)
            buffer.inputs = np.where(time_s[:end] > 0.2, 3, 1).astype(np.uint8)
            for each in self._processors:
                if each.driver_active:
                    each.stream_notify(buffer)
        if self._fails and stop_fn is not None:
            stop_fn(1, "removed")
        self.finished.set()


async def record_joulescope(meter: JoulescopeMeter, device: Joulescope) -> MeterRecording:
    await meter.start()
    assert await asyncio.to_thread(device.finished.wait, 30)
    recording = await meter.stop()
    await meter.close()
    return recording


def test_a_joulescope_shows_a_known_load_and_what_is_missing() -> None:
    for lose in (frozenset[int](), frozenset({1_000, 1_001, 3_017})):
        device = Joulescope(LOAD, lose)
        recording = asyncio.run(record_joulescope(JoulescopeMeter(device.itself), device))
        assert (recording.lost, recording.expected) == (len(lose), round(LOAD.duration_s * 10_000))
        assert np.mean(recording.power_mw) == pytest.approx(LOAD.mean_mw(), rel=0.01)
        assert recording.voltage_measured and recording.voltage_mv == pytest.approx(3_850)
        assert lose or worst_event(recording, LOAD) < 0.05
        assert recording.marker is not None
        assert set(recording.marker[recording.time_s > 0.21]) == {3}
        assert set(recording.marker[recording.time_s < 0.19]) == {1}
        assert not device.is_open


def test_a_joulescope_that_is_missing_or_pulled_out_is_one_sentence() -> None:
    def nothing() -> Joulescope:
        raise RuntimeError("no devices found")

    with pytest.raises(MeterError, match=r"cannot be used \(no devices found\)"):
        asyncio.run(JoulescopeMeter(nothing).start())
    device = Joulescope(LOAD, fails=True)
    with pytest.raises(MeterError, match=r"stopped by itself \(removed\)"):
        asyncio.run(record_joulescope(JoulescopeMeter(lambda: device), device))


def test_a_joulescope_that_is_gone_is_one_sentence_and_closes() -> None:
    class Gone(Joulescope):
        def stop(self) -> None:
            super().stop()
            raise RuntimeError("device removed")

        def close(self, timeout: float | None = None) -> None:
            raise RuntimeError("device removed")

    device = Gone(LOAD)
    meter = JoulescopeMeter(device.itself)
    with pytest.raises(MeterError, match=r"stopped by itself \(device removed\)"):
        asyncio.run(record_joulescope(meter, device))
    asyncio.run(meter.close())


class Hvpm:
    """A double of `Monsoon.HVPM`: packets that begin with the number of samples dropped so far."""

    def __init__(self) -> None:
        self.volts = 0.0
        self.open = True
        self.stopped = 0

    def setVout(self, value: float) -> None:
        self.volts = value

    def swizzlePacket(self, packet: list[int]) -> list[int]:
        return packet

    def stopSampling(self) -> None:
        self.stopped += 1

    def closeDevice(self) -> None:
        self.open = False


class SampleEngine:
    """A double of `Monsoon.sampleEngine`: samples in batches until the function of the stop trigger is true.
    As in the package, that function is called with each time stamp of a batch.
    """

    def __init__(
        self, monsoon: Hvpm, load: Load, drop: frozenset[int] = frozenset(), fault: str = ""
    ) -> None:
        self.monsoon = monsoon
        self.dropped = 0
        self.finished = threading.Event()
        self._load = load
        self._drop = drop
        self._fault = fault
        self._rows: list[list[float]] = [[], [], [], [], [], []]
        self._start: Any = None
        self._stop: Any = None

    def ConsoleOutput(self, boolValue: bool) -> None:
        assert not boolValue

    def setTriggerChannel(self, triggerChannel: int) -> None:
        assert triggerChannel == 0

    def setStartTrigger(self, triggerStyle: Any, triggerLevel: float) -> None:
        self._start = (np.vectorize(triggerStyle), triggerLevel)

    def setStopTrigger(self, triggerstyle: Any, triggerlevel: float) -> None:
        self._stop = (np.vectorize(triggerstyle), triggerlevel)

    def startSampling(
        self,
        samples: int = 5000,
        granularity: int = 1,
        legacy_timestamp: bool = False,
        calTime: int = 1250,
    ) -> None:
        if self._fault:
            raise Exception((self._fault,))
        number, dropped = 0, 0
        count = round(self._load.duration_s * 5_000)
        while True:
            batch = [number + k for k in range(64) if number + k < count]
            number += len(batch)
            for each in batch:
                dropped += each in self._drop
                self.monsoon.swizzlePacket([dropped, 0, 1])
            batch = [each for each in batch if each not in self._drop]
            stamps = np.array([0.3 + each / 5_000 for each in batch] or [0.3 + number / 5_000])
            power_mw = self._load.power_mw((np.array(batch) + 0.5) / 5_000)
            if np.any(self._start[0](stamps, self._start[1])):
                self._rows[0] += list(stamps[: len(batch)])
                self._rows[1] += list(power_mw / self.monsoon.volts)
                self._rows[4] += [self.monsoon.volts] * len(batch)
            if np.any(self._stop[0](stamps, self._stop[1])):
                self.monsoon.stopSampling()
                return
            if number >= count:
                self.finished.set()
                time.sleep(0.01)

    def getSamples(self) -> list[list[float]]:
        return self._rows


async def record_monsoon(meter: MonsoonMeter, engines: list[SampleEngine]) -> MeterRecording:
    await meter.start()
    assert await asyncio.to_thread(engines[-1].finished.wait, 30)
    recording = await meter.stop()
    await meter.close()
    return recording


@pytest.mark.parametrize("drop", [frozenset[int](), frozenset({900, 901, 2_000})])
def test_a_monsoon_shows_a_known_load_and_what_it_dropped(drop: frozenset[int]) -> None:
    instrument = Hvpm()
    engines: list[SampleEngine] = []

    def engine(monsoon: Hvpm) -> SampleEngine:
        engines.append(SampleEngine(monsoon, LOAD, drop))
        return engines[-1]

    recording = asyncio.run(
        record_monsoon(MonsoonMeter(lambda: instrument, engine, supply_mv=4_000), engines)
    )
    assert instrument.volts == 4.0 and instrument.stopped == 1 and not instrument.open
    assert (recording.lost, recording.expected) == (len(drop), round(LOAD.duration_s * 5_000))
    assert np.mean(recording.power_mw) == pytest.approx(LOAD.mean_mw(), rel=0.01)
    assert drop or worst_event(recording, LOAD) < 0.05
    assert recording.time_s[-1] == pytest.approx(LOAD.duration_s, abs=1e-3)


def test_a_monsoon_that_fails_is_one_sentence() -> None:
    instrument = Hvpm()
    meter = MonsoonMeter(lambda: instrument, lambda monsoon: SampleEngine(monsoon, LOAD, fault="Pipe error"))
    with pytest.raises(MeterError, match=r"cannot sample .*Pipe error"):
        asyncio.run(meter.start())
    assert instrument.stopped == 1

    def gone() -> None:
        raise OSError(19, "No such device")

    instrument.closeDevice = gone  # type: ignore[method-assign]
    asyncio.run(meter.close())

    def nothing() -> Hvpm:
        raise RuntimeError("it is not plugged in")

    with pytest.raises(MeterError, match="not plugged in"):
        asyncio.run(MonsoonMeter(nothing, lambda monsoon: None).start())


def test_a_monsoon_that_says_nothing_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    class Silent(SampleEngine):
        def startSampling(self, *_: Any, **__: Any) -> None:
            released.wait(10.0)

    monkeypatch.setattr(monsoon_meter, "_BEGIN_S", 0.1)
    meter = MonsoonMeter(Hvpm, lambda monsoon: Silent(monsoon, LOAD))
    with pytest.raises(MeterError, match=r"does not begin to sample within 0\.1 s"):
        asyncio.run(asyncio.wait_for(meter.start(), 5.0))
    released.set()


@pytest.mark.parametrize(("spec", "package"), [("joulescope", "joulescope"), ("monsoon", "Monsoon")])
def test_without_its_package_a_meter_says_so(
    spec: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MeterError, match=f"package {package}: .venv/bin/pip install"):
        open_meter(spec)
