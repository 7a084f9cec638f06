"""The console on the USB serial port: its commands, and any garbage whatever between them."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import app, lines, power_trace
from firmware.pmu import console as pmu_console
from firmware.pmu import registers as r


class Session:
    """What the loader gives the firmware."""

    def __init__(self, maintenance: bool = False) -> None:
        self.slot = "slot_a"
        self.trial = True
        self.maintenance = maintenance
        self.watchdog = None

    def confirm(self) -> bool:
        self.trial = False
        return True

    def crash(self) -> str:
        return "slot_b: ValueError"

    def manifest(self, slot: str) -> dict[str, Any] | None:
        return (
            {"commit": "12ab34cd", "serial": 1, "files": {"pmu/app.py": "ab" * 32}}
            if slot == "slot_a"
            else None
        )


class Bench:
    """A PMU with a port: `tell` what comes in, see what goes out in `answers`."""

    def __init__(self, maintenance: bool = False) -> None:
        self.now_ms = 0
        self.incoming = b""
        self.outgoing = b""
        self.takes = 1 << 20
        self.restarts: list[str] = []
        self.sampler: Callable[[int | None, int | None, int | None], None] | None = None
        self.period_ms = 0
        self.session = Session(maintenance)
        self.pmu = app.Pmu(self)
        self.pmu.step()

    @property
    def console(self) -> Any:
        """The console, which something has been said to."""
        assert self.pmu.port is not None and self.pmu.port.console is not None
        return self.pmu.port.console

    def ticks_ms(self) -> int:
        return self.now_ms & 0x3FFFFFFF

    def sense(self) -> tuple[int, int, int, bool]:
        return 3850, -150, 2981, False

    def alert(self, active: bool) -> None:
        pass

    def idle(self, ms: int) -> None:
        self.now_ms += ms

    def console_read(self, limit: int) -> bytes:
        data, self.incoming = self.incoming[:limit], self.incoming[limit:]
        return data

    def console_write(self, data: bytes) -> int:
        taken = min(len(data), self.takes)
        self.outgoing += data[:taken]
        return taken

    def restart(self, how: str) -> None:
        self.restarts.append(how)

    def trace(
        self,
        sample: Callable[[int | None, int | None, int | None], None] | None,
        period_ms: int,
        resistance_mohm: int = 0,
    ) -> None:
        self.sampler, self.period_ms = sample, period_ms

    def live(self, ms: int) -> None:
        """Time passes in the firmware's own rhythm, with the trace's timer beside it."""
        for _ in range(ms // app.TICK_MS):
            for _ in range(app.TICK_MS // (self.period_ms or app.TICK_MS)):
                self.now_ms += self.period_ms or app.TICK_MS
                if self.sampler is not None:
                    self.sampler(self.now_ms * 1000, 3850, -150)
            if self.now_ms % 240 < app.TICK_MS:
                self.pmu.step()
            self.pmu.tick()

    def tell(self, data: bytes) -> list[dict[str, Any]]:
        self.incoming += data
        while self.incoming:
            self.live(app.TICK_MS)
        self.live(2 * app.TICK_MS)
        return self.answers()

    def ask(self, command: str, **arguments: object) -> dict[str, Any]:
        """The one answer to a command, and what follows from it."""
        restarts = len(self.restarts)
        (answer,) = self.tell(lines.encode({"id": 7, "cmd": command, **arguments}))
        assert answer["id"] == 7
        if "ok" in answer and command in ("maintenance", "repl", "restart", "bootloader"):
            assert len(self.restarts) == restarts, "the answer comes first"
            self.live(200)
        return answer

    def answers(self) -> list[dict[str, Any]]:
        whole = self.outgoing.rfind(b"\n") + 1
        out, self.outgoing = self.outgoing[:whole], self.outgoing[whole:]
        messages = [lines.decode(line) for line in lines.Lines(8_192).feed(out)]
        assert None not in messages, out
        return messages


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_the_console_is_there_from_the_first_byte_on(bench):
    bench.live(1_000)
    assert bench.pmu.port.console is None
    line = lines.encode({"id": 1, "cmd": "battery"})
    assert bench.tell(line[:10]) == []
    assert [answer["id"] for answer in bench.tell(line[10:])] == [1]


def test_without_memory_for_the_console_the_rest_goes_on(bench):
    load = bench.pmu.port._load
    bench.pmu.port._load = lambda: None
    assert bench.tell(lines.encode({"id": 1, "cmd": "battery"})) == []
    bench.live(1_000)
    bench.pmu.port._load = load
    assert bench.ask("battery")["ok"]


def test_a_trace_of_a_silent_sensor_is_refused_and_silent_samples_are_counted_only(bench):
    trace = bench.trace

    def silent(sample, period_ms, resistance_mohm=0):
        if sample is not None:
            raise OSError(5)

    bench.trace = silent
    assert "does not answer" in bench.ask("power-trace", seconds=1)["error"]
    bench.trace = trace
    ring = power_trace.PowerTrace()
    for voltage_mv in (3850, None, 3850):
        ring.sample(0, voltage_mv, None if voltage_mv is None else -150)
    numbers = [number for number, _, _, _ in struct.iter_unpack(power_trace.LAYOUT, ring.take())]
    assert numbers == [0, 2] and ring.samples == 3


def test_battery(bench: Bench) -> None:
    answer = bench.ask("battery")
    assert answer["ok"] and answer["known"] and not answer["charging"]
    assert (answer["voltage_mv"], answer["current_ma"], answer["temperature_dk"]) == (3850, -150, 2981)


def test_version_tells_what_the_registers_tell(bench: Bench) -> None:
    answer = bench.ask("version")
    assert answer["map"] == r.MAP_MAGIC | r.MAP_VERSION
    assert answer["commit_words"] == [
        bench.pmu.target.value(r.COMMIT_LOW),
        bench.pmu.target.value(r.COMMIT_HIGH),
    ]
    assert (answer["slot"], answer["trial"], answer["maintenance"]) == ("slot_a", True, False)
    assert bench.ask("confirm")["slot"] == "slot_a"
    assert not bench.ask("version")["trial"]


def test_set_has_the_effect_of_the_host_writing(bench: Bench) -> None:
    assert bench.ask("set", name="heartbeat_deadline", value=30)["ok"]
    assert bench.pmu.target.value(r.HEARTBEAT_DEADLINE) == 30
    for arguments in (
        {"name": "voltage", "value": 1},
        {"name": "light", "value": 65_536},
        {"name": "light"},
        {},
    ):
        assert "error" in bench.ask("set", **arguments)


def test_maintenance_with_a_loader_is_a_restart_after_the_answer(bench: Bench) -> None:
    assert bench.ask("maintenance")["restarting"]
    assert bench.restarts == ["maintenance"]
    other = Bench(maintenance=True)
    assert other.ask("version")["maintenance"]
    assert not other.ask("maintenance")["restarting"]
    assert other.ask("repl")["ok"]
    assert other.restarts == ["prompt"]
    assert not other.ask("maintenance", on=False)["restarting"]
    other.live(500)
    assert not other.ask("version")["maintenance"]


def test_the_prompt_is_refused_while_a_watchdog_may_run(bench: Bench) -> None:
    assert "maintenance" in bench.ask("repl")["error"]
    assert bench.restarts == []


def test_bootloader_and_restart(bench: Bench) -> None:
    assert bench.ask("bootloader")["ok"] and bench.ask("restart")["ok"]
    assert bench.restarts == ["bootloader", "normal"]


def test_a_restart_waits_for_its_answer_to_leave_but_not_for_ever(bench: Bench) -> None:
    bench.takes = 0
    bench.tell(lines.encode({"id": 1, "cmd": "restart"}))
    assert bench.restarts == []
    bench.live(1_000)
    assert bench.restarts == ["normal"]


def test_the_log_holds_events_in_order_and_is_read_in_pieces(bench: Bench) -> None:
    bench.pmu.events.add(r.EVENT_KIND_GUARD, r.GUARD_RESET)
    for index in range(60):
        bench.pmu.log.add(f"line {index}")
    texts: list[str] = []
    start = 0
    while True:
        answer = bench.ask("log", **{"from": start})
        if not answer["lines"]:
            break
        texts += [text for _, _, text in answer["lines"]]
        start = answer["lines"][-1][0] + 1
    assert texts[-3:] == ["line 57", "line 58", "line 59"]
    assert len(texts) == 48
    assert bench.ask("log")["crash"] == "slot_b: ValueError"


def test_an_event_is_said_in_words(bench: Bench) -> None:
    bench.pmu.events.add(r.EVENT_KIND_GUARD, r.GUARD_RESET)
    bench.pmu.events.add(r.EVENT_KIND_POWER, 1)
    bench.pmu.events.add(99, 3)
    assert [text for _, _, text in bench.ask("log")["lines"]][-3:] == [
        "guard: reset the host", "outside power: came", "event 99: 3",
    ]  # fmt: skip


def test_files_of_a_slot(bench: Bench) -> None:
    assert bench.ask("files", slot="slot_a")["files"] == {"pmu/app.py": "ab" * 8}
    assert bench.ask("files", slot="slot_b")["files"] == {}
    assert bench.ask("files", slot=[1])["files"] == {}


@pytest.mark.parametrize("command", ["", "nothing", 5, None, ["battery"], {"cmd": 1}])
def test_an_unknown_command_is_refused_in_one_sentence(bench: Bench, command: object) -> None:
    (answer,) = bench.tell(lines.encode({"id": 3, "cmd": command}))
    assert answer["id"] == 3 and answer["error"].startswith("There is no command")


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


def test_arguments_outside_their_range_are_refused(bench: Bench) -> None:
    for arguments in (
        {"seconds": -1},
        {"seconds": 1e3},
        {"period_ms": 1},
        {"seconds": True},
        {"seconds": "9"},
    ):
        assert "whole number" in bench.ask("power-trace", **arguments)["error"]


framed = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
commands = st.sampled_from(
    [
        "battery",
        "log",
        "power-trace",
        "set",
        "version",
        "maintenance",
        "bootloader",
        "files",
        "repl",
        "confirm",
    ]
)
messages = st.one_of(
    st.binary(max_size=80),
    st.binary(max_size=40).map(lambda data: data + b"\n"),
    st.integers(0, 3_000).map(lambda count: b"x" * count),
    framed.map(lambda value: lines.encode(value)),  # type: ignore[arg-type]
    st.builds(
        lambda command, rest: lines.encode({**rest, "cmd": command}),
        commands,
        st.dictionaries(
            st.sampled_from(["id", "from", "seconds", "period_ms", "name", "value", "on", "slot"]), framed
        ),
    ),
    st.builds(lambda data, at, byte: data[:at] + bytes([byte]) + data[at + 1 :],
              st.just(lines.encode({"id": 1, "cmd": "battery"})), st.integers(0, 30), st.integers(0, 255)),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(messages, st.integers(0, 400)), max_size=12))
def test_no_bytes_at_all_crash_or_wedge_it(garbage: list[tuple[bytes, int]]) -> None:
    bench = Bench()
    for data, takes in garbage:
        bench.takes = takes
        bench.tell(data)
        if data:
            assert len(bench.console._queue) <= pmu_console.QUEUE_LIMIT + 512
            assert len(bench.console._lines._line) <= lines.LIMIT
    bench.takes = 1 << 20
    bench.live(400)
    bench.outgoing = b""
    bench.tell(lines.encode({"id": 1, "cmd": "power-trace", "seconds": 0}))
    bench.live(100)
    bench.outgoing = b""
    assert bench.ask("battery")["voltage_mv"] == 3850


@settings(max_examples=100)
@given(st.binary(max_size=300).filter(lambda data: b"\n" not in data), st.data())
def test_a_line_with_anything_changed_is_no_message(data: bytes, draw: st.DataObject) -> None:
    whole = lines.encode({"id": 1, "text": data.hex()}).strip(b"\n")
    assert lines.decode(whole) == {"id": 1, "text": data.hex()}
    at = draw.draw(st.integers(0, len(whole) - 1))
    byte = draw.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]))
    assert lines.decode(whole[:at] + bytes([byte]) + whole[at + 1 :]) is None


@given(st.lists(st.binary(max_size=30), max_size=20), st.integers(1, 60))
def test_lines_are_cut_the_same_however_the_bytes_arrive(pieces: list[bytes], limit: int) -> None:
    whole, cut = lines.Lines(limit), lines.Lines(limit)
    together = whole.feed(b"".join(pieces))
    assert together == [line for piece in pieces for line in cut.feed(piece)]
    assert all(0 < len(line) <= limit for line in together)


def test_the_checksum_is_the_usual_crc_32() -> None:
    assert lines._crc(b"123456789") == b"*CBF43926"
    assert lines.encode({}) == b"\n{}*A3A6BF43\n"
    assert json.loads(lines.encode({"a": [1, "x"]}).split(b"*")[0]) == {"a": [1, "x"]}
