"""Console lines with arbitrary garbage between them."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import console as pmu_console
from firmware.pmu import console_json_lines as lines
from tests.firmware.console_bench import Bench

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
