"""A deploy that is refused or fails: the board ends with the firmware it had."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware.pmu import registers as r
from host.flash.board_access import DeployError
from host.flash.deploy import Deploy
from host.flash.image import FirmwareImage
from tests.firmware.flash import Flash
from tests.firmware.slot_programs import ANSWERING, BROKEN, LINES
from tests.host.flash.deploy_bench import COMPILED, NEW, Bench, flashed
from tests.host.flash.test_deploy_cuts import slot_files


def broken(fault: str) -> FirmwareImage:
    return replace(NEW, files=NEW.files | {"pmu/board.py": BROKEN[fault]})


@pytest.fixture
def bench() -> Bench:
    return Bench(Flash(flashed()))


def test_compiled_modules_that_do_not_load_are_rolled_back(bench: Bench) -> None:
    wrong = replace(COMPILED, files={name: data[:4] + b"1 +" for name, data in COMPILED.files.items()})
    assert "rolled back" in bench.refused(wrong)
    version = bench.version()
    assert version is not None and (version.commit, version.slot) == ("01d01d01", "slot_a")


def test_a_low_battery_refuses_unless_it_charges(bench: Bench) -> None:
    bench.pico.voltage_mv = 3_700
    bench.pico.power_on()
    bench.pico.advance(1_000)
    steps = bench.flash.steps
    assert "percent and a deploy wants 30: connect the charger" in bench.refused(NEW)
    assert bench.flash.steps == steps
    bench.pico.powered, bench.pico.current_ma = True, 500
    bench.pico.advance(4_000)
    bench.deploy(NEW)
    version = bench.version()
    assert version is not None and version.slot == "slot_b"


def test_somebody_elses_program_is_not_overwritten() -> None:
    program = b"import time\nwhile True:\n    time.sleep(1)\n"
    bench = Bench(Flash({"/main.py": program}))
    assert "Another program starts on this board" in bench.refused(NEW)
    assert bench.flash.files == {"/main.py": program}
    bench.deploy(NEW, replace_loader=True)
    assert bench.version() is not None


def test_a_board_that_says_nothing_at_all() -> None:
    mute = b"import micropython, time\nmicropython.kbd_intr(-1)\nwhile True:\n    time.sleep_ms(50)\n"
    assert "There is no MicroPython prompt" in Bench(Flash({"/main.py": mute})).refused(NEW)


def test_no_board() -> None:
    bench = Bench()
    bench.pico.power_off()
    assert "plugged in" in bench.refused(NEW)


@pytest.mark.parametrize("fault", BROKEN)
def test_a_firmware_that_does_not_work_is_rolled_back(bench: Bench, fault: str) -> None:
    assert "rolled back" in bench.refused(broken(fault))
    version = bench.version()
    assert version is not None and (version.commit, version.slot) == ("01d01d01", "slot_a")
    bench.pico.advance(20_000)
    later = bench.version()
    assert later is not None and later.commit == "01d01d01"
    bench.deploy(NEW)
    repaired = bench.version()
    assert repaired is not None and repaired.commit == "2e32e32e"


def test_a_first_firmware_that_does_not_work_says_why_and_can_be_replaced() -> None:
    bench = Bench()
    assert "does not answer and has no predecessor" in bench.refused(broken("stops at once"))
    bench.deploy(NEW)
    version = bench.version()
    assert version is not None and version.commit == "2e32e32e"


def test_a_firmware_that_answers_with_another_map_is_rolled_back(bench: Bench) -> None:
    least = {
        "pmu/__init__.py": b'NAME = "x"\n',
        "pmu/console_json_lines.py": LINES,
        "pmu/board.py": ANSWERING,
    }
    other = least | {"pmu/board.py": ANSWERING.replace(hex(r.MAP_MAGIC | r.MAP_VERSION).encode(), b"0x48FE")}
    assert "register map is 254 instead of" in bench.refused(FirmwareImage("2e32e32e", other, NEW.loader))
    version = bench.version()
    assert version is not None and version.commit == "01d01d01"
    assert "it is of no commit instead of 2e32e32e" in bench.refused(
        FirmwareImage("2e32e32e", least, NEW.loader)
    )
    again = bench.version()
    assert again is not None and again.commit == "01d01d01"


def test_worn_flash_is_noticed_and_nothing_is_started_from_it(bench: Bench) -> None:
    bench.flash.flip = "/slot_b/pmu/app.py"
    assert "/slot_b/pmu/app.py on the board is not what was sent" in bench.refused(NEW)
    assert "/slot_b/manifest" not in bench.flash.files
    version = bench.version()
    assert version is not None and version.commit == "01d01d01" and not version.maintenance


def test_a_full_flash_is_one_sentence(bench: Bench) -> None:
    def fill(line: str) -> None:
        bench.said.append(line)
        bench.flash.full = bench.flash.full or "files to send" in line

    with pytest.raises(DeployError, match=r"OSError.*: the PMU keeps the firmware it had"):
        Deploy(bench.usb, NEW, fill, monotonic=bench.usb.monotonic, sleep=bench.usb.sleep).run()
    bench.pico.advance(1_000)
    version = bench.version()
    assert version is not None and version.commit == "01d01d01"


@pytest.mark.parametrize("unplug_at", [1, 2, 9, 60])
def test_a_cable_pulled_in_the_middle_leaves_a_pmu_that_comes_back_by_itself(
    bench: Bench, unplug_at: int
) -> None:
    bench.usb.unplug_at = unplug_at
    assert "broke off" in bench.refused(NEW)
    bench.usb.unplug_at = None
    bench.pico.advance(610_000 if unplug_at == 1 else 61_000)
    version = bench.version()
    assert version is not None and version.commit == "01d01d01" and not version.maintenance
    bench.deploy(NEW)
    assert bench.version() is not None


def test_the_slot_that_runs_survives_a_failed_deploy_although_the_other_is_newer(bench: Bench) -> None:
    bench.deploy(NEW)
    bench.pico.power_off()
    bench.flash.files |= slot_files(broken("does not import"), "slot_b", 9)
    bench.pico.power_on()
    bench.pico.advance(10_000)
    before = bench.version()
    assert before is not None and (before.commit, before.slot) == ("01d01d01", "slot_a")
    assert "rolled back" in bench.refused(replace(broken("does not import"), commit="3e32e32e"))
    after = bench.version()
    assert after is not None and (after.commit, after.slot) == ("01d01d01", "slot_a")
    bench.deploy(NEW)
    repaired = bench.version()
    assert repaired is not None and (repaired.commit, repaired.slot) == ("2e32e32e", "slot_b")
