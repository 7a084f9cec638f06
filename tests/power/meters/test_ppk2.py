"""The PPK2 through a pseudo-terminal: the emulated instrument at one end, the meter at the other, with the
package in a process between them.
"""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from power.meters.meter import MeterError, MeterRecording, open_meter
from power.meters.ppk2_meter import Ppk2Meter
from power.meters.ppk2_samples import Calibration, Decoded, Ppk2Decoder
from tests.hw.pmu_usb.pseudo_terminal import serial_port
from tests.power.meters.emulated_ppk2 import CALIBRATION, RATE_HZ, EmulatedPpk2
from tests.power.meters.load import Load, loads, worst_event

DOUBLES = Path(__file__).parent / "doubles"
ENVIRONMENT = {} if importlib.util.find_spec("ppk2_api") else {"PYTHONPATH": str(DOUBLES)}
"""With the real package where it is installed, else with its double."""
STEPS = Load((400.0, 2_900.0, 120.0, 700.0, 1_500.0), (0.03, 0.002, 0.1, 0.02, 0.05))


@contextmanager
def meter_on(instrument: EmulatedPpk2, **settings: float) -> Iterator[Ppk2Meter]:
    with serial_port(instrument) as port:
        meter = Ppk2Meter(
            port,
            monotonic=instrument.monotonic,
            environment=ENVIRONMENT,
            **settings,  # type: ignore[arg-type]
        )
        try:
            yield meter
        finally:
            asyncio.run(meter.close())


async def record(meter: Ppk2Meter, instrument: EmulatedPpk2) -> MeterRecording:
    instrument.finished.clear()
    await meter.start()
    assert await asyncio.to_thread(instrument.finished.wait, 60)
    return await meter.stop()


def test_a_known_load_through_the_port() -> None:
    def inputs(time_s: np.ndarray) -> np.ndarray:
        return np.where((time_s > 0.03) & (time_s < 0.032), 0b101, 0b100).astype(np.uint8)

    instrument = EmulatedPpk2(STEPS.power_mw, inputs, limit_s=STEPS.duration_s)
    with meter_on(instrument, supply_mv=3_700) as meter:
        recording = asyncio.run(record(meter, instrument))
    assert (instrument.supply_mv, instrument.source_mode, instrument.powered) == (3_700, True, True)
    assert instrument.garbled == 0 and not instrument.averaging
    assert (recording.meter, recording.kind, recording.voltage_measured) == ("ppk2", "measured", False)
    assert set(recording.voltage_mv) == {3_700}
    assert (recording.lost, recording.expected) == (0, round(STEPS.duration_s * RATE_HZ))
    assert np.mean(recording.power_mw) == pytest.approx(STEPS.mean_mw(), rel=0.01)
    assert worst_event(recording, STEPS) < 0.05
    assert recording.marker is not None
    high_s = recording.time_s[recording.marker & 1 > 0]
    assert (high_s[0], high_s[-1]) == pytest.approx((0.03, 0.032), abs=2e-4)
    assert set(recording.marker) == {0b101, 0b100}


def test_a_second_recording_begins_anew_and_losses_are_counted_exactly() -> None:
    lose = {1_000: 5, 10_017: 63, 15_000: 640 + 7}
    instrument = EmulatedPpk2(STEPS.power_mw, lose=lose, limit_s=STEPS.duration_s)
    with meter_on(instrument) as meter:
        for _ in range(2):
            recording = asyncio.run(record(meter, instrument))
            # the counter has six bits: of 647 missing in a row it shows 7
            assert recording.lost == 5 + 63 + 7
            assert recording.expected == round(STEPS.duration_s * RATE_HZ) - 640
            assert recording.start_monotonic_s == pytest.approx(100.0, abs=0.2)


def test_a_port_without_a_ppk2_is_one_sentence() -> None:
    with serial_port(lambda _: b"") as port:
        meter = Ppk2Meter(port, environment=ENVIRONMENT)
        with pytest.raises(MeterError, match="does not answer as a PPK2"):
            asyncio.run(meter.start())
    with pytest.raises(MeterError, match=r"/dev/nothing cannot be opened \(No such file or directory\)\.$"):
        asyncio.run(Ppk2Meter("/dev/nothing", environment=ENVIRONMENT).start())
    with pytest.raises(MeterError, match=r"^No PPK2 is plugged in"):
        asyncio.run(Ppk2Meter(environment=ENVIRONMENT).start())


def test_without_the_package_the_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MeterError, match="ppk2-api"):
        open_meter("ppk2:/dev/ttyACM0")


# Decoding alone


def decoder() -> Ppk2Decoder:
    tables = {name: {str(k): value for k, value in enumerate(row)} for name, row in CALIBRATION.items()}
    return Ppk2Decoder(Calibration.of(tables), 3_800, 10)


def started(instrument: EmulatedPpk2) -> EmulatedPpk2:
    for command in (b"\x11\x02", bytes((0x0D, 3 + 3032 // 256, 3032 % 256)), b"\x0c\x01"):
        instrument(command)
    instrument.averaging = True
    assert instrument.supply_mv == 3_800
    return instrument


def decoded(instrument: EmulatedPpk2, piece: int) -> Decoded:
    decode = decoder()
    stream = b""
    while stream or not instrument.done():
        if not instrument.done():
            stream += instrument(b"")
        if len(stream) >= piece or instrument.done():
            decode.feed(stream[:piece], instrument.monotonic())
            stream = stream[piece:]
    return decode.result()


def as_recording(seen: Decoded) -> MeterRecording:
    return MeterRecording(
        "ppk2", "measured", 10_000, seen.time_s, seen.current_ma * 3.8, np.full(len(seen.time_s), 3_800.0),
        False, seen.inputs, seen.expected, seen.lost, seen.begin_monotonic_s,
    )  # fmt: skip


@settings(max_examples=8, deadline=None)
@given(loads(0.002, 0.05, events=2), st.data())
def test_any_load_is_recovered_and_any_loss_counted(load: Load, data: st.DataObject) -> None:
    load = load.in_whole_samples(RATE_HZ)
    total = round(load.duration_s * RATE_HZ)
    places = data.draw(st.lists(st.integers(1, max(1, total // 100 - 2)), max_size=5, unique=True))
    lose = {place * 100: data.draw(st.integers(1, 63)) for place in places}
    lose = {first: count for first, count in lose.items() if first + count < total - 1}
    instrument = started(EmulatedPpk2(load.power_mw, lose=lose, limit_s=load.duration_s))
    seen = decoded(instrument, data.draw(st.sampled_from([1_001, 4_099, 65_536])))
    assert (seen.lost, seen.expected) == (sum(lose.values()), instrument.sent)
    recording = as_recording(seen)
    if not lose:
        assert np.mean(recording.power_mw) == pytest.approx(load.mean_mw(), rel=0.01)
        assert worst_event(recording, load) < 0.05


def test_steps_from_two_milliseconds_to_ten_seconds() -> None:
    load = Load((300.0, 3_000.0, 300.0, 90.0, 1_200.0), (0.5, 0.002, 0.1, 10.0, 0.02))
    recording = as_recording(decoded(started(EmulatedPpk2(load.power_mw, limit_s=load.duration_s)), 40_000))
    assert np.mean(recording.power_mw) == pytest.approx(load.mean_mw(), rel=0.01)
    assert worst_event(recording, load) < 0.05


def test_bytes_in_any_pieces_decode_alike() -> None:
    stream = started(EmulatedPpk2(lambda time_s: 50 + 1e5 * time_s, limit_s=0.01))(b"")
    results = []
    for size in (1, 3, 7, len(stream)):
        decode = decoder()
        for start in range(0, len(stream), size):
            decode.feed(stream[start : start + size], 0.0)
        results.append(decode.result().current_ma)
    for result in results:
        assert result == pytest.approx(results[-1])


def test_what_the_counter_hides_shows_in_the_clock() -> None:
    lose = {30_000: 64 * 100}
    instrument = started(EmulatedPpk2(STEPS.power_mw, lose=lose, limit_s=0.5))
    decode = decoder()
    while not instrument.done():
        decode.feed(instrument(b""), instrument.monotonic())
    assert decode.result().lost == 64 * 100


def test_a_second_decodes_in_much_less_than_one() -> None:
    instrument = started(EmulatedPpk2(STEPS.power_mw, limit_s=0.5))
    stream = b""
    while not instrument.done():
        stream += instrument(b"")
    decode = decoder()
    began_s = time.process_time()
    for start in range(0, len(stream), 20_000):
        decode.feed(stream[start : start + 20_000], 0.0)
    assert time.process_time() - began_s < 0.5
