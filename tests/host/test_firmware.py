"""`headband firmware`: a deploy onto an emulated board ends with the new firmware or with the old one."""

from __future__ import annotations

import ast
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host import firmware as command
from host.approach import DeployError
from host.cli import main
from host.deploy import Deploy
from host.image import FIRMWARE, FirmwareImage, firmware_image, sha256
from host.slim import slim
from hw.console import Console, FirmwareVersion
from hw.prompt import Prompt
from hw.serial_link import LinkError
from tests.firmware.flash import Flash
from tests.firmware.pico import Pico, pressed
from tests.firmware.test_loader import ANSWERING, BROKEN, LINES
from tests.firmware.usb import EmulatedUsb

OLD = firmware_image(commit="01d01d01")
NEW = replace(firmware_image(commit="2e32e32e"), files=firmware_image(commit="2e32e32e").files | {
    "pmu/cell.py": OLD.files["pmu/cell.py"] + b"\n# as of now\n", "pmu/more.py": b"MORE = 1\n",
})  # fmt: skip
COMPILED = firmware_image(commit="2e32e32e", compiler=pressed)
BUILD_3 = b'COMMIT = "3e32e32e"\n'
NEWEST = firmware_image(commit="3e32e32e")


def broken(fault: str) -> FirmwareImage:
    return replace(NEW, files=NEW.files | {"pmu/board.py": BROKEN[fault]})


class Bench:
    """A board, the ways to it, and what a deploy said."""

    def __init__(self, flash: Flash | None = None, *, settle: bool = True) -> None:
        self.flash = flash or Flash()
        self.pico = Pico(self.flash)
        self.usb = EmulatedUsb(self.pico)
        self.said: list[str] = []
        self.pico.power_on()
        if settle:
            self.pico.advance(1_000)

    def deploy(self, image: FirmwareImage, *, replace_loader: bool = False) -> list[str]:
        self.said.clear()
        self._deploy(image, replace_loader).run()
        self.pico.advance(1_000)
        return self.said

    def preview(self, image: FirmwareImage) -> list[str]:
        self.said.clear()
        self._deploy(image, False).preview()
        return self.said

    def refused(self, image: FirmwareImage) -> str:
        with pytest.raises(DeployError) as caught:
            self.deploy(image)
        self.pico.advance(1_000)
        sentence = str(caught.value)
        assert sentence.endswith(".") and "\n" not in sentence
        return sentence

    def version(self, within_s: float = 90.0) -> FirmwareVersion | None:
        until_s = self.usb.monotonic() + within_s
        while self.usb.monotonic() < until_s:
            self.usb.sleep(0.5)
            try:
                return self.usb.console().version()
            except LinkError:
                continue
        return None

    def _deploy(self, image: FirmwareImage, replace_loader: bool) -> Deploy:
        return Deploy(
            self.usb, image, self.said.append,
            monotonic=self.usb.monotonic, sleep=self.usb.sleep, replace_loader=replace_loader,
            plain=firmware_image(commit=image.commit) if image is COMPILED else None,
        )  # fmt: skip


@pytest.fixture(scope="module")
def flashed() -> dict[str, bytes]:
    """The files of a board that runs OLD, with nothing in its other slot."""
    bench = Bench()
    bench.deploy(OLD)
    bench.pico.power_off()
    return dict(bench.flash.files)


@pytest.fixture
def bench(flashed: dict[str, bytes]) -> Bench:
    return Bench(Flash(flashed))


# A deploy that works


def test_the_first_flash_of_an_empty_board() -> None:
    bench = Bench()
    said = bench.deploy(OLD)
    assert said[0] == "no firmware of ours answers, so there is no battery to ask about"
    assert said[-1] == "runs commit 01d01d01 (map 2, slot_a), confirmed"
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
    changed = replace(NEW, files=NEW.files | {"pmu/cell.py": OLD.files["pmu/cell.py"] + b"\n# later\n"})
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
    assert bench.deploy(OLD) == ["runs commit 01d01d01 (map 2, slot_a) already, nothing to do"]
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


def test_a_dry_run_changes_nothing(bench: Bench) -> None:
    steps, boots = bench.flash.steps, bench.pico.boots
    said = bench.preview(NEW)
    assert said[0] == "runs commit 01d01d01 (map 2, slot_a); would deploy 2e32e32e"
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


# Compiled modules


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


def test_compiled_modules_that_do_not_load_are_rolled_back(bench: Bench) -> None:
    wrong = replace(COMPILED, files={name: data[:4] + b"1 +" for name, data in COMPILED.files.items()})
    assert "rolled back" in bench.refused(wrong)
    version = bench.version()
    assert version is not None and (version.commit, version.slot) == ("01d01d01", "slot_a")


# A deploy that is refused


def test_a_low_battery_refuses_unless_it_charges(bench: Bench) -> None:
    bench.pico.voltage_mv = 3_700
    bench.pico.power_on()
    bench.pico.advance(1_000)
    steps = bench.flash.steps
    assert "percent and a deploy wants 30: connect the charger" in bench.refused(NEW)
    assert bench.flash.steps == steps
    bench.pico.powered = True
    bench.pico.advance(1_000)
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


# A deploy that fails


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
    least = {"pmu/__init__.py": b'NAME = "x"\n', "pmu/lines.py": LINES, "pmu/board.py": ANSWERING}
    other = least | {"pmu/board.py": ANSWERING.replace(b"0x4802", b"0x48FE")}
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


# Power lost at any point


SMALL_OLD = FirmwareImage(
    "01d01d01",
    {
        "pmu/__init__.py": b'NAME = "old"\n',
        "pmu/lines.py": LINES,
        "pmu/board.py": ANSWERING,
        "pmu/gone.py": b"GONE = 1\n",
    },
    OLD.loader,
)
SMALL_NEW = replace(
    SMALL_OLD,
    commit="2e32e32e",
    files={
        "pmu/__init__.py": b'NAME = "new"\n',
        "pmu/lines.py": LINES,
        "pmu/board.py": ANSWERING + b"# new\n",
        "pmu/added.py": b"ADDED = 1\n",
    },
)


def slot_files(image: FirmwareImage, slot: str, serial: int) -> dict[str, bytes]:
    files = {f"/{slot}/{name}": data for name, data in image.files.items()}
    return files | {
        f"/{slot}/manifest": image.manifest(serial),
        f"/{slot}/tried": b"",
        f"/{slot}/confirmed": b"",
    }


def copied(bench: Bench, image: FirmwareImage) -> None:
    """The part of a deploy that writes, up to the reset; a power cut ends it."""
    from host.slots import read_board
    from hw.board_flash import BoardFlash

    bench.pico.interrupt()
    deploy = bench._deploy(image, False)
    flash = BoardFlash(bench.usb.prompt())
    deploy._fill(flash, read_board(flash))


def at_the_prompt(files: dict[str, bytes], torn: bool) -> Bench:
    """A board with those files that stands at its prompt, as in the middle of a deploy."""
    bench = Bench(Flash(files, torn=torn), settle=False)
    bench.pico.power_off()
    bench.pico.state = "prompt"
    bench.pico.advance(1_000)
    return bench


def steps_of(files: dict[str, bytes], image: FirmwareImage) -> tuple[list[int], int]:
    bench = at_the_prompt(files, torn=False)
    bench.flash.steps, bench.flash.operations = 0, []
    copied(bench, image)
    return bench.flash.operations, bench.flash.steps


def answers_after_cut(files: dict[str, bytes], image: FirmwareImage, cut_at: int, torn: bool) -> str | None:
    """Version of the firmware that answers after the power went before step `cut_at` of the copy."""
    bench = at_the_prompt(files, torn=torn)
    bench.flash.steps, bench.flash.cut_at = 0, cut_at
    with pytest.raises(LinkError):
        copied(bench, image)
    assert bench.pico.state == "off"
    bench.flash.cut_at = None
    bench.pico.power_on()
    version = bench.version(within_s=5)
    return version.version if version else None


BOTH = {**OLD.loader, **slot_files(SMALL_OLD, "slot_a", 5), **slot_files(SMALL_NEW, "slot_b", 4)}
ONE = {**OLD.loader, **slot_files(SMALL_OLD, "slot_a", 1)}


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("files", [BOTH, ONE], ids=["both slots full", "one slot full"])
def test_power_cut_at_every_operation_and_in_every_write(files: dict[str, bytes], torn: bool) -> None:
    """Until the manifest is in place the old firmware answers; there is no point at which nothing does."""
    newer = replace(SMALL_NEW, files=SMALL_NEW.files | {"pmu/__init__.py": b'NAME = "newer"\n'})
    operations, steps = steps_of(files, newer)
    chance = random.Random(7)
    inside = {
        chance.randrange(begin, end) for begin, end in zip(operations, [*operations[1:], steps], strict=True)
    }
    for cut_at in sorted({*operations, *inside}):
        assert answers_after_cut(files, newer, cut_at, torn) == "old", cut_at
    done = at_the_prompt(files, torn)
    copied(done, newer)
    done.pico.power_on()
    version = done.version(within_s=5)
    assert version is not None and version.version == "newer" and version.trial


@settings(max_examples=8, deadline=None)
@given(st.floats(0, 1, exclude_max=True), st.booleans())
def test_power_cut_at_any_byte_of_the_whole_firmware(
    flashed: dict[str, bytes], place: float, torn: bool
) -> None:
    _, steps = steps_of(flashed, NEW)
    bench = at_the_prompt(flashed, torn)
    bench.flash.steps, bench.flash.cut_at = 0, int(place * steps)
    with pytest.raises(LinkError):
        copied(bench, NEW)
    bench.flash.cut_at = None
    bench.pico.power_on()
    version = bench.version()
    assert version is not None and version.commit == "01d01d01"
    bench.deploy(NEW)
    after = bench.version()
    assert after is not None and after.commit == "2e32e32e"


@settings(max_examples=20, deadline=None)
@given(st.floats(0, 1, exclude_max=True), st.booleans())
def test_power_cut_in_the_first_flash_leaves_the_prompt(place: float, torn: bool) -> None:
    image = replace(SMALL_NEW, loader=OLD.loader)
    _, steps = steps_of({}, image)
    bench = at_the_prompt({}, torn)
    bench.flash.steps, bench.flash.cut_at = 0, int(place * steps)
    with pytest.raises(LinkError):
        copied(bench, image)
    bench.flash.cut_at = None
    bench.pico.power_on()
    assert bench.version(within_s=5) is not None or bench.pico.interrupt() or bench.pico.state == "prompt"


# The command


class Plugged:
    """In place of `host.firmware.SerialBoard`: an emulated board, whatever was asked for."""

    usb: EmulatedUsb
    path = "/dev/ttyACM0"

    def __init__(self, port: str | None, serial_id: str | None) -> None:
        if port == "/dev/none":
            raise LinkError("There is no port /dev/none.")

    def console(self) -> Console:
        return self.usb.console()

    def prompt(self) -> Prompt:
        return self.usb.prompt()


@pytest.fixture
def plugged(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    Plugged.usb = bench.usb
    monkeypatch.setattr(command, "SerialBoard", Plugged)
    monkeypatch.setattr(command, "has_mpremote", lambda: True)
    monkeypatch.setattr(command, "compiler", lambda: pressed)
    clock = SimpleNamespace(sleep=bench.usb.sleep, monotonic=bench.usb.monotonic)
    monkeypatch.setattr(command, "time", clock)
    return bench


def test_version_and_log(plugged: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["firmware", "version"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"registers +map 2, commit 01d01d01\n", printed)
    assert "slot_a" in printed and "battery" in printed
    assert main(["firmware", "log"]) == 0
    assert "s  started" in capsys.readouterr().out


def test_repl_leaves_the_prompt(plugged: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["firmware", "repl"]) == 0
    assert "mpremote connect /dev/ttyACM0" in capsys.readouterr().out
    plugged.pico.advance(500)
    assert plugged.pico.state == "prompt"
    plugged.pico.advance(601_000)
    assert plugged.version() is not None


@pytest.mark.parametrize("action", ["deploy", "version", "log", "repl"])
def test_every_failure_is_one_sentence_and_exit_2(
    plugged: Bench, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["firmware", action, "--port", "/dev/none"]) == 2
    plugged.pico.power_off()
    assert main(["firmware", action]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "There is no port /dev/none.\nNo board with MicroPython is plugged in.\n"


def test_a_missing_mpremote_is_said_before_anything_happens(
    plugged: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "has_mpremote", lambda: False)
    boots = plugged.pico.boots
    assert main(["firmware", "deploy"]) == 2
    assert "mpremote" in capsys.readouterr().err
    assert plugged.pico.boots == boots


def test_deploy_from_the_command_line(plugged: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["firmware", "deploy", "--dry-run"]) == 0
    assert "would deploy" in capsys.readouterr().out
    assert main(["firmware", "deploy"]) == 0
    assert "confirmed" in capsys.readouterr().out
    plugged.pico.advance(1_000)
    version = plugged.version()
    assert version is not None and version.commit == firmware_image().commit


def test_the_image_is_the_checkout_at_its_commit(tmp_path: Path) -> None:
    image = firmware_image()
    assert re.fullmatch(r"[0-9a-f]{8}\+?", image.commit)
    assert image.hashes["pmu/app.py"] == sha256(image.files["pmu/app.py"])
    assert f'COMMIT = "{image.commit}"'.encode() in image.files["pmu/build.py"]
    (tmp_path / "pmu").mkdir()
    for name in ("loader.py", "main.py", "pmu/app.py"):
        (tmp_path / name).write_text("")
    assert firmware_image(tmp_path).commit == "00000000"


def test_a_slim_module_is_the_same_program_on_the_same_lines() -> None:
    def program(source: bytes) -> list[tuple[int, str]]:
        """What is executed, piece by piece with its line; strings that stand for themselves are not."""
        pieces = [
            node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt | ast.Call | ast.Name)
        ]
        return [
            (each.lineno, type(each).__name__) for each in pieces if not isinstance(each, ast.Expr | ast.Pass)
        ]

    for path in FIRMWARE.rglob("*.py"):
        source = path.read_bytes()
        small = slim(source)
        assert program(small) == program(source), path
        assert b'"""' not in small, path


def test_slim_leaves_what_counts() -> None:
    source = b'''"""Module."""
X = "# no comment"  # a comment
"""of X"""


class Empty:
    """Only words."""


def f(a):
    """Doc

    more."""
    return a  # end


def g(a):
    "stays"; return a
'''
    small = slim(source)
    scope: dict[str, Any] = {}
    exec(small, scope)
    assert scope["X"] == "# no comment" and scope["f"](3) == scope["g"](3) == 3 and scope["Empty"]()
    assert small.count(b"\n") == source.count(b"\n") and b"words" not in small and b"a comment" not in small


def test_the_command_line_does_not_import_what_only_this_needs() -> None:
    code = "import sys, host.cli; print([n for n in sys.modules if n.startswith(('serial', 'hw', 'firm'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
