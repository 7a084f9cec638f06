"""The command `headband firmware` with an emulated board."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from firmware.pmu.registers import MAP_VERSION
from host.cli.main import main
from host.flash import command
from host.flash.image import firmware_image
from host.ship.deploying import AppDeploy
from host.ship.options import CELLS
from hw.pmu.cell_curve import PROFILES
from hw.pmu_usb.console_client import Console
from hw.pmu_usb.micropython_repl import RawRepl
from hw.pmu_usb.serial_link import LinkError
from tests.firmware.flash import Flash
from tests.firmware.pico import pressed
from tests.firmware.usb import EmulatedUsb
from tests.host.flash.deploy_bench import Bench, flashed


@pytest.fixture
def bench() -> Bench:
    return Bench(Flash(flashed()))


class Plugged:
    """A double of `host.flash.command.SerialBoard`: an emulated board at every port."""

    usb: EmulatedUsb
    path = "/dev/ttyACM0"

    def __init__(self, port: str | None, serial_id: str | None) -> None:
        if port == "/dev/none":
            raise LinkError("There is no port /dev/none.")

    def console(self) -> Console:
        return self.usb.console()

    def raw_repl(self) -> RawRepl:
        return self.usb.raw_repl()


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
    assert re.search(rf"registers +map {MAP_VERSION}, commit 01d01d01\n", printed)
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


@pytest.mark.parametrize("action", ["version", "repl"])
def test_a_board_without_the_firmware_has_no_prompt_to_promise(
    plugged: Bench, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plugged.flash.files.clear()
    plugged.pico.power_on()
    plugged.pico.advance(1_000)
    assert main(["firmware", action]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "answer" in printed.err and printed.err.count("\n") == 1


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


def test_a_line_break_in_a_name_is_printed_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, sentence in (
        (["firmware", "version", "--port", "a\nb"], "There is no port a\\nb.\n"),
        (["signers", "add", "a\nb"], "a\\nb can't be read (No such file or directory).\n"),
        (["signers", "remove", "a\nb"], "No key a\\nb is trusted here: `headband signers list`.\n"),
    ):
        assert main(arguments) == 2
        assert capsys.readouterr().err == sentence


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


@pytest.fixture
def shipped(plugged: Bench, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """For each application deploy: its board, and the firmware that ran on the PMU at that time."""
    sent: list[tuple[str, str | None]] = []

    def run(self: AppDeploy, files: object, environment: object, board: str) -> None:
        plugged.pico.advance(1_000)
        version = plugged.version()
        sent.append((board, None if version is None else version.commit))

    monkeypatch.setattr(AppDeploy, "run", run)
    return sent


def test_a_deploy_of_both_brings_the_firmware_first(
    shipped: list[tuple[str, str | None]], capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["deploy", "--firmware", "root@headband", "--port", "/dev/ttyACM0", "--board", "rk3588", "--npu"]
    assert main(both) == 0
    assert "confirmed" in capsys.readouterr().out
    assert shipped == [("rk3588", firmware_image().commit)]


def test_a_deploy_of_both_names_the_cell_and_replaces_the_loader(
    plugged: Bench, shipped: list[tuple[str, str | None]], capsys: pytest.CaptureFixture[str]
) -> None:
    plugged.flash.files["/loader.py"] += b"\n# older\n"
    both = ["deploy", "--firmware", "root@headband", "--loader", "--cell", "nmc", "--capacity-mah", "3000"]
    assert main(both) == 0 and len(shipped) == 1
    said = capsys.readouterr().out
    assert "nmc, 3000 mAh" in said and "installed /loader.py" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--firmware"], "HOST"),
        (["--firmware", "two words"], "'two words' is not the name of a computer"),
        (["--firmware", "root@"], "'root@' is not the name of a computer"),
        (["@headband.local"], "'@headband.local' is not the name of a computer"),
        (["--", "-oProxyCommand=true"], "'-oProxyCommand=true' is not the name of a computer"),
        (["--firmware", "headband", "--board", "toaster"], "toaster"),
        (
            ["--firmware", "headband", "--ssh-config", "/none"],
            "/none cannot be read (No such file or directory)",
        ),
        (["--firmware", "headband", "--port", "/dev/none"], "no port /dev/none"),
        (["headband", "--port", "/dev/ttyACM0"], "give --firmware too"),
        (["headband", "--cell", "nmc"], "give --firmware too"),
        (["headband", "--capacity-mah", "3000"], "give --firmware too"),
        (["headband", "--loader", "--rollback"], "give --firmware too"),
    ],
)
def test_what_cannot_be_deployed_is_said_before_anything_happens(
    plugged: Bench, shipped: list[tuple[str, str | None]], capsys: pytest.CaptureFixture[str],
    arguments: list[str], says: str,
) -> None:  # fmt: skip
    boots = plugged.pico.boots
    try:
        code = main(["deploy", *arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert says in printed.err and printed.err.count("\n") == 1
    assert plugged.pico.boots == boots and not shipped


def test_the_command_line_does_not_import_what_only_this_needs() -> None:
    code = (
        "import sys, host.cli.main; print([n for n in sys.modules if n.startswith(('serial', 'hw', 'firm'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ast.literal_eval(done.stdout.strip()))
    assert loaded <= {"hw", *(f"hw.{name}" for name in ("finite", "settings", "text_file", "scratch"))}


def test_the_command_line_knows_the_cells_of_the_gauge() -> None:
    assert CELLS == PROFILES


def test_the_cell_is_shown_and_named(plugged: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["firmware", "cell"]) == 0
    assert "lco, 2000 mAh" in capsys.readouterr().out
    assert main(["firmware", "cell", "--cell", "nmc", "--capacity-mah", "3000"]) == 0
    assert "nmc, 3000 mAh, not seen from full to empty yet" in capsys.readouterr().out
    assert main(["firmware", "cell"]) == 0
    assert "nmc, 3000 mAh" in capsys.readouterr().out
