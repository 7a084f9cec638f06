"""What a run of the virtual board leaves, however it ends."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from host.ship.release import ROOT
from tests.virtual import command, image, stand_ins, steps, wire
from tests.virtual.__main__ import main
from tests.virtual.i2c_adapter import I2cAdapter
from tests.virtual.machine import Root, VirtualBoardError
from tests.virtual.report import Report
from tests.virtual.steps import Step


def fails(words: str = "a banner timeout") -> None:
    raise VirtualBoardError(words)


def carried_out(path: Path, chosen: list[Step], restore: Callable[[], None] = lambda: None) -> dict[str, Any]:
    report = Report(path, lambda _: None)
    report.expect([step.name for step in chosen])
    try:
        steps.carry_out(chosen, report, restore)
    finally:
        report.end("carried out")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_a_step_that_fails_is_a_finding_and_the_next_ones_follow(tmp_path: Path) -> None:
    brought_back: list[str] = []
    did: list[str] = []
    chosen = [Step("one", fails), Step("two", lambda: did.append("two"))]
    found = carried_out(tmp_path / "r", chosen, lambda: brought_back.append("once"))
    assert found["failed"] == [{"name": "one", "held": False, "says": "a banner timeout"}]
    assert (did, brought_back, found["not_reached"], found["ended"]) == (["two"], ["once"], [], "carried out")
    assert "fails" in found["tracebacks"]["one"]


def test_without_the_first_steps_or_a_board_the_rest_is_not_reached(tmp_path: Path) -> None:
    rest = Step("rest", lambda: None)
    assert carried_out(tmp_path / "r", [Step("boot", fails, needed=True), rest])["not_reached"] == ["rest"]
    found = carried_out(tmp_path / "r", [Step("one", fails), rest], fails)
    assert [each["name"] for each in found["failed"]] == ["one", "the board after one"]
    assert found["not_reached"] == ["rest"]


def test_a_run_that_is_killed_has_left_what_it_found_so_far(tmp_path: Path) -> None:
    report = Report(tmp_path / "r", lambda _: None)
    report.expect(["one", "two"])
    report.reached("one")
    report.check("a look", True, "well")
    found = json.loads((tmp_path / "r").read_text())
    assert found["passed"] == [{"name": "a look", "held": True, "says": "well"}]
    assert (found["not_reached"], found["ended"]) == (["two"], "it is running, or was killed")


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the programs of a virtual board that is built and whose emulator ends at once."""
    folder = tmp_path / "bin"
    stand_ins.emulator(folder, "echo 'no kernel' > \"$(echo $* | sed 's/.*file:\\([^ ]*\\).*/\\1/')\"")
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setattr(image, "lacking_to_run", lambda suite: None)
    monkeypatch.setattr(image, "root", lambda say, suite: Root(tmp_path))
    monkeypatch.setattr(wire, "Wire", lambda machine: SimpleNamespace(adapter=I2cAdapter(Mock())))
    return folder


@pytest.fixture(autouse=True)
def _signals_as_before() -> Iterator[None]:
    """The signal handlers belong to the process of the command line."""
    handled = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in handled.items():
        signal.signal(number, handler)


def run(tmp_path: Path) -> tuple[int, dict[str, Any]]:
    code = main(["--json", str(tmp_path / "r.json"), "--steps", "demo"])
    return code, json.loads((tmp_path / "r.json").read_text())


def test_a_run_that_fails_leaves_its_report(
    board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = run(tmp_path)
    assert code == 1 and found["ended"] == "carried out" and found["cpu"] == "cortex-a55"
    assert found["failed"] == [{"name": "first boot", "held": False, "says": "The emulator ended."}]
    assert found["not_reached"] == ["deploy from nothing", "further deploys", "network", "demo", "boot"]
    assert found["console"] == ["no kernel"]
    last = capsys.readouterr().out.splitlines()[-1]
    assert "carried out: 0 passed; 1 failed (first boot); 5 not reached (deploy from nothing, " in last
    assert last.endswith(f"all of it is in {tmp_path}/r.json")


@pytest.mark.parametrize(
    ("number", "code", "how"), [(signal.SIGINT, 130, "stopped"), (signal.SIGTERM, 143, "stopped by a signal")]
)
def test_a_run_that_is_stopped_leaves_its_report(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int, how: str
) -> None:
    def stop(self: steps.Steps) -> None:
        signal.raise_signal(number)

    monkeypatch.setattr(steps.Steps, "first_boot", stop)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job has none
    try:
        with pytest.raises(SystemExit) as ended:
            raise SystemExit(main(["--json", str(tmp_path / "r.json")]))
    finally:
        signal.signal(signal.SIGINT, before)
    found = json.loads((tmp_path / "r.json").read_text())
    assert (ended.value.code, found["ended"]) == (code, f"{how} during first boot")
    assert "cuts" in found["not_reached"] and "first boot" not in found["not_reached"]


def test_a_report_that_cannot_be_written_is_said_before_anything_is_tried(
    board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--json", str(tmp_path / "none/r.json")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_every_program_that_is_needed_is_asked_for_first_and_named_in_the_docs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report of an earlier run is not taken for that of this one, and stays where none is written."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(command, "SBIN", str(tmp_path))
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    (tmp_path / "r.json").write_text("before")
    assert main(["--stay", "--json", str(tmp_path / "r.json")]) == 1
    assert (tmp_path / "r.json").read_text() == "before"
    capsys.readouterr()
    assert main(["--json", str(tmp_path / "r.json")]) == 1
    said = capsys.readouterr().err
    page = " ".join((ROOT / "docs" / "flash.md").read_text().split())
    packages = {*image.BUILDING.values(), *image.RUNNING.values(), "binfmt-support"}
    assert "g++-aarch64-linux-gnu" in packages
    for package in packages:
        assert package in said or package == "binfmt-support"
        assert package in page
    found = json.loads((tmp_path / "r.json").read_text())
    assert said == f"{found['ended']}.\n" and said.count("\n") == 1
    assert found["not_reached"] == ["everything"] and not found["passed"] and not found["failed"]
