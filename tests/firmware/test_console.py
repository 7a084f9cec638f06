"""The console on the USB serial port: its commands."""

from __future__ import annotations

import pytest

from firmware.pmu import console_json_lines as lines
from firmware.pmu import gauge_cell
from firmware.pmu import registers as r
from tests.firmware.console_bench import Bench


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


def test_the_cell_is_named_once_and_its_name_survives_a_loss_of_power(bench: Bench) -> None:
    assert bench.ask("cell")["design_mah"] == 2000
    answer = bench.ask("cell", profile=1, design_mah=3000)
    assert (answer["profile"], answer["design_mah"], answer["known"]) == (1, 3000, False)
    bench.pmu.gauge.charge.learned = True
    assert bench.ask("cell", profile=1, design_mah=3000)["known"], "the same again forgets nothing"
    bench.live(1_000)
    assert bench.pmu.target.value(r.DESIGN_CAPACITY) == 3000
    assert bench.pmu.target.value(r.DESIGN_VOLTAGE) == gauge_cell.NOMINAL_MVS[1]
    for arguments in ({"profile": 4}, {"profile": "nmc"}, {"design_mah": 0}):
        assert "error" in bench.ask("cell", **arguments)
    assert bench.ask("cell")["design_mah"] == 3000
