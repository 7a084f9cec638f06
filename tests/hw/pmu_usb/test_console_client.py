"""The console's client, through a pseudo-terminal with the firmware's own code behind it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from firmware.pmu import console_json_lines as lines
from firmware.pmu import registers as r
from hw.pmu_usb.console_client import MAP_VERSION, Console, NoAnswer, Refused
from hw.pmu_usb.serial_link import LinkError, SerialLink
from tests.firmware.console_bench import Bench
from tests.hw.pmu_usb.pseudo_terminal import FirmwareEnd, serial_port


@pytest.fixture(autouse=True)
def patient_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """A delay of a busy computer must not count as a fault of the port."""
    monkeypatch.setattr("hw.pmu_usb.serial_link.WRITE_S", 10.0)


@pytest.fixture
def end() -> FirmwareEnd:
    return FirmwareEnd()


@pytest.fixture
def console(end: FirmwareEnd) -> Iterator[Console]:
    with serial_port(end) as path:
        client = Console(SerialLink(path), answer_s=0.3)
        yield client
        client.close()


def test_battery_and_version(console: Console) -> None:
    battery = console.battery()
    assert (battery.voltage_mv, battery.current_ma, battery.temperature_c) == (3850, -150, 25.0)
    assert battery.known and not battery.charging and battery.alarms == ()
    version = console.version()
    assert version.map_version == MAP_VERSION
    assert (version.slot, version.trial, version.maintenance) == ("slot_a", True, False)


def test_set_reaches_the_register_and_a_refusal_is_a_sentence(console: Console, end: FirmwareEnd) -> None:
    console.set("heartbeat_deadline", 45)
    assert end.bench.pmu.target.value(r.HEARTBEAT_DEADLINE) == 45
    with pytest.raises(Refused, match=r"The PMU refuses: What can be set: .*light"):
        console.set("voltage", 1)


def test_the_whole_log_comes_in_order(console: Console, end: FirmwareEnd) -> None:
    for index in range(30):
        end.bench.pmu.log.add(f"line {index}")
    log, crash = console.log()
    assert [line.text for line in log][-30:] == [f"line {index}" for index in range(30)]
    assert crash == "slot_b: ValueError"


def test_a_lost_answer_is_asked_for_again(console: Console, end: FirmwareEnd) -> None:
    end.lose_next = 2
    assert console.battery().voltage_mv == 3850


def test_noise_between_the_lines_is_passed_over(console: Console, end: FirmwareEnd) -> None:
    end.noise = bytes(range(256)) + b'{"id": 1, "ok": true}*00000000\nstarted\r\n>>> '
    assert console.version().map_version == MAP_VERSION
    end.bench.incoming += bytes(range(256))
    assert console.battery().known


def test_a_mute_pmu_is_no_answer_after_a_bounded_time(console: Console, end: FirmwareEnd) -> None:
    end.mute = True
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="does not answer"):
        console.version()
    assert time.monotonic() - began < 10


def test_the_trace_loses_nothing_over_a_port(console: Console) -> None:
    samples = list(console.power_trace(2))
    assert len(samples) >= 2 * 240
    assert console.samples_lost == 0 and all(sample.lost == 0 for sample in samples)
    assert samples[-1].time_s == pytest.approx((len(samples) - 1) * 0.004)
    assert (samples[5].voltage_mv, samples[5].current_ma) == (3850, -150)


def test_lost_trace_lines_are_counted(console: Console, end: FirmwareEnd) -> None:
    end.lose_after, end.lose_next = 20, 1
    trace = console.power_trace(2)
    first = next(trace)
    rest = list(trace)
    missing = sum(sample.lost for sample in rest)
    assert first.lost == 0
    assert missing == console.samples_lost > 0
    assert len(rest) + 1 + missing >= 2 * 240


def test_who_stops_reading_a_trace_stops_it(console: Console, end: FirmwareEnd) -> None:
    trace = console.power_trace(60)
    next(trace)
    trace.close()  # type: ignore[attr-defined]
    assert end.bench.sampler is None
    assert console.battery().known


def test_an_answer_of_another_release_is_a_sentence() -> None:
    def serve(data: bytes) -> bytes:
        messages = [lines.decode(line) for line in lines.Lines().feed(data)]
        return b"".join(lines.encode({"id": message["id"], "ok": True}) for message in messages)

    with serial_port(serve) as path:
        console = Console(SerialLink(path), answer_s=0.3)
        for call in (console.battery, console.version, console.log, lambda: list(console.power_trace(1))):
            with pytest.raises(LinkError, match="another release"):
                call()
        console.close()


class BenchLink:
    """A port to the firmware without a delay, in the firmware's time."""

    def __init__(self) -> None:
        self.bench = Bench()

    def monotonic(self) -> float:
        return self.bench.now_ms / 1000

    def read(self, timeout_s: float) -> bytes:
        until_s = self.monotonic() + timeout_s
        while not self.bench.outgoing and self.monotonic() < until_s:
            self.bench.live(20)
        data, self.bench.outgoing = self.bench.outgoing, b""
        return data

    def write(self, data: bytes) -> None:
        self.bench.incoming += data

    def close(self) -> None: ...


def test_a_slow_trace_is_waited_for_and_one_that_stops_is_not() -> None:
    link = BenchLink()
    console = Console(link, link.monotonic)
    assert len(list(console.power_trace(70, 1_000))) == pytest.approx(70, abs=2)
    trace = console.power_trace(3_600, 1_000)
    next(trace)
    link.bench.sampler, stopped_s = None, link.monotonic()
    with pytest.raises(NoAnswer, match="in the middle of the power trace"):
        list(trace)
    assert link.monotonic() - stopped_s < 40
