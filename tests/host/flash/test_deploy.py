"""A successful deploy to an emulated board: into the other slot, and only files that changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware.pmu.guard_heartbeat import MAINTENANCE_MS
from firmware.pmu.registers import MAP_VERSION
from host.flash.board_access import BoardSession
from host.flash.image import firmware_image
from tests.firmware.flash import Flash
from tests.host.flash.deploy_bench import COMPILED, NEW, OLD, Bench, flashed

BUILD_3 = b'COMMIT = "3e32e32e"\n'
NEWEST = firmware_image(commit="3e32e32e")


@pytest.fixture
def bench() -> Bench:
    return Bench(Flash(flashed()))


def test_the_first_flash_of_an_empty_board() -> None:
    bench = Bench()
    said = bench.deploy(OLD)
    assert said[0] == "no firmware of ours answers, so there is no battery to ask about"
    assert said[-1] == f"runs commit 01d01d01 (map {MAP_VERSION}, slot_a), confirmed"
    assert {"/main.py", "/loader.py", "/slot_a/confirmed"} <= set(bench.flash.files)
    for name, data in OLD.files.items():
        assert bench.flash.files[f"/slot_a/{name}"] == data
    assert bench.deploy(OLD)[-1].endswith("already, nothing to do")


def test_an_update_goes_into_the_other_slot_and_moves_only_what_changed(bench: Bench) -> None:
    running = {path: data for path, data in bench.flash.files.items() if path.startswith("/slot_a/")}
    assert "slot_b: 3 files to send" in "\n".join(bench.deploy(NEW))
    assert {path: bench.flash.files[path] for path in running} == running
    version = bench.version()
    assert version is not None
    assert (version.commit, version.commit_words, version.slot) == ("2e32e32e", 0x2E32E32E, "slot_b")
    assert not version.trial and not version.maintenance
    changed = replace(
        NEW, files=NEW.files | {"pmu/gauge_cell.py": OLD.files["pmu/gauge_cell.py"] + b"\n# later\n"}
    )
    changed = replace(changed, commit="3e32e32e", files=changed.files | {"pmu/build.py": BUILD_3})
    said = "\n".join(bench.deploy(changed))
    assert "slot_a: 2 files to send, 1 to copy on the board" in said
    newest = bench.version()
    assert newest is not None and newest.slot == "slot_a"


def test_files_that_the_release_dropped_are_removed(bench: Bench) -> None:
    for image in (NEW, OLD, replace(OLD, commit="3e32e32e", files=OLD.files | {"pmu/build.py": BUILD_3})):
        bench.deploy(image)
    assert "/slot_b/pmu/more.py" not in bench.flash.files


def test_what_runs_already_is_left_in_peace(bench: Bench) -> None:
    boots = bench.pico.boots
    assert bench.deploy(OLD) == [f"runs commit 01d01d01 (map {MAP_VERSION}, slot_a) already, nothing to do"]
    assert bench.pico.boots == boots


def test_changes_in_the_checkout_show_in_the_commit(bench: Bench) -> None:
    bench.deploy(firmware_image(commit="2e32e32e+"))
    version = bench.version()
    assert version is not None and (version.commit, version.commit_words) == ("2e32e32e+", 0x2E32E32E)


def test_the_watchdog_runs_again_after_a_deploy_and_not_during_it(bench: Bench) -> None:
    bench.pico.advance(20_000)
    assert bench.pico.watchdog_at_ms is not None
    bench.deploy(NEW)
    bench.pico.advance(20_000)
    assert bench.pico.watchdog_at_ms is not None
    assert bench.pico.reset_cause == 3


def test_after_a_maintenance_that_ended_by_itself_no_watchdog_runs_at_the_prompt(bench: Bench) -> None:
    bench.usb.console().maintenance()
    bench.pico.advance(MAINTENANCE_MS + 60_000)
    assert bench.pico.watchdog_at_ms is not None
    session = BoardSession(bench.usb, bench.said.append, bench.usb.monotonic, bench.usb.sleep)
    session.enter_repl()
    session.flash()
    bench.pico.advance(20_000)  # in which a file is copied; the watchdog waits for 8 s
    assert bench.pico.state == "prompt"


def test_a_dry_run_changes_nothing(bench: Bench) -> None:
    steps, boots = bench.flash.steps, bench.pico.boots
    said = bench.preview(NEW)
    assert said[0] == f"runs commit 01d01d01 (map {MAP_VERSION}, slot_a); would deploy 2e32e32e"
    assert said[1].startswith(f"slot_b: {len(NEW.files)} of {len(NEW.files)} files differ")
    assert (bench.flash.steps, bench.pico.boots) == (steps, boots)


def test_the_loader_stays_unless_told_otherwise(bench: Bench) -> None:
    loader = bench.flash.files["/loader.py"]
    newer = replace(NEW, loader=NEW.loader | {"/loader.py": loader + b"\n# newer\n"})
    assert any("the loader on the board is of another release" in line for line in bench.deploy(newer))
    assert bench.flash.files["/loader.py"] == loader
    newest = replace(newer, commit="3e32e32e", files=newer.files | {"pmu/build.py": BUILD_3})
    assert "installed /loader.py" in bench.deploy(newest, replace_loader=True)
    assert bench.flash.files["/loader.py"].endswith(b"# newer\n")


def modules(bench: Bench, slot: str) -> set[str]:
    """Endings of the files in a slot's package."""
    return {path.rpartition(".")[2] for path in bench.flash.files if path.startswith(f"/{slot}/pmu/")}


def test_compiled_modules_take_the_place_of_sources_and_sources_theirs(bench: Bench) -> None:
    bench.deploy(COMPILED)
    assert modules(bench, "slot_b") == {"mpy"}
    version = bench.version()
    assert version is not None and (version.commit, version.slot) == ("2e32e32e", "slot_b")
    assert bench.deploy(COMPILED)[-1].endswith("already, nothing to do")
    bench.deploy(NEWEST)
    bench.deploy(COMPILED)
    assert (modules(bench, "slot_a"), modules(bench, "slot_b")) == ({"py"}, {"mpy"})
    newest = bench.version()
    assert newest is not None and newest.slot == "slot_b"


def test_a_board_of_another_release_gets_the_source(bench: Bench) -> None:
    bench.pico.mpy = 7 | 3 << 8 | 4 << 10
    said = bench.deploy(COMPILED)
    assert "this board's MicroPython is of another release: it gets the source" in said
    assert modules(bench, "slot_b") == {"py"}
    version = bench.version()
    assert version is not None and version.commit == "2e32e32e"
    assert bench.deploy(COMPILED)[-1].endswith("already, nothing to do")


def test_a_firmware_whose_battery_answer_is_of_another_release_is_replaced() -> None:
    bench = Bench()
    console = OLD.files["pmu/console.py"].replace(b'"cycles"', b'"cycle_count"')
    bench.deploy(replace(OLD, files=OLD.files | {"pmu/console.py": console}))
    told = "its firmware is of another release, so how full the battery is can't be told"
    assert told in bench.preview(NEW)
    assert told in bench.deploy(NEW)
    version = bench.version()
    assert version is not None and (version.commit, version.slot) == ("2e32e32e", "slot_b")
