"""A headband's computer in a folder, with a stand-in for its systemd: releases start, fail, and give way."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from host.boot.counting import PASSED, Proof
from host.boot.records import BOOT_ID, PROOF, STATE_FOLDER, read_count, write_proof
from host.ship.target.boot_guard import BootGuard
from host.ship.target.guard_files import GuardFiles
from host.ship.target.supervise import OPT, SERVICE
from host.ship.target.system_files import SystemFiles
from host.ship.whole import is_complete
from tests.host.ship.in_process import replace_programs
from tests.host.ship.recorder import Recorder

BROKEN = "does not start"
LATE = "fails after a boot"
"""What a release's content says of how it starts."""


@dataclass
class Computer:
    """What runs on a headband's computer in a folder, and which releases were healthy on trial since the last
    deploy began.
    """

    prefix: Path
    running: dict[str, str] = field(default_factory=dict)
    """Unit -> release."""
    healthy: set[str] = field(default_factory=set)
    damaged: bool = False
    """Whether a bit has flipped since the last deploy of a release that starts."""
    recorder: Recorder | None = None
    boots: int = 0
    soon: bool = False
    """Somebody asked for a restart of the service, and does not wait for it."""

    @property
    def mark(self) -> tuple[dict[str, str], set[str]]:
        """What runs and what was healthy."""
        return dict(self.running), set(self.healthy)

    def boot(self) -> str:
        """Boots, as after a cut; returns "" or why the service does not run."""
        shutil.rmtree(self.prefix / "run", ignore_errors=True)
        (self.prefix / "run").mkdir()
        self.running.clear()
        self.boots += 1
        path = self.prefix / BOOT_ID
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(self.boots))
        Systemd.computer = self
        self.guard(at_boot=True)
        self.soon = False
        return self.start(SERVICE)

    def guard(self, *, at_boot: bool) -> None:
        """What the guard does before a start of the service."""
        systemd: Any = Systemd()
        files = SystemFiles(self.prefix)
        BootGuard(self.prefix, systemd, files, GuardFiles(self.prefix)).begin(at_boot=at_boot)

    def prove(self) -> None:
        """What the service writes that runs, when it has run for long."""
        count = read_count(self.prefix / OPT[1:])
        assert count is not None
        proof = Proof(count.release, count.start, listens=True, self_test=PASSED, steady=True, told=True)
        (self.prefix / STATE_FOLDER).mkdir(parents=True, exist_ok=True)
        write_proof(self.prefix / STATE_FOLDER / PROOF, proof)

    def start(self, unit: str) -> str:
        """Starts a unit as systemd does, with `Conflicts=` and `OnFailure=`; returns "" or a problem."""
        if unit in self.running:
            return ""
        problem = self._start(unit)
        if self.recorder:
            self.recorder.mark(self.mark)
        return problem

    def _start(self, unit: str) -> str:
        if unit == SERVICE:
            self.guard(at_boot=False)
            if self.soon:
                self.soon = False
                return self._start(unit)
        lines = self._lines(unit)
        if lines is None:
            return "there is no such unit"
        for other in list(self.running):
            if (
                other in lines["Conflicts"].split()
                or unit in (self._lines(other) or lines)["Conflicts"].split()
            ):
                del self.running[other]
        folder = self.prefix / lines.get("WorkingDirectory", "/none")[1:]
        try:
            release = folder.resolve().name
            text = (folder / "host/app.py").read_text(errors="replace")
            starts = is_complete(folder, read=True) and BROKEN not in text
        except OSError:
            starts, text = False, ""
        tried = self.prefix / "run" / f"tried-{release}"
        if LATE in text and unit == SERVICE:
            starts = starts and tried.exists()
        if starts:
            self.running[unit] = release
            if unit != SERVICE:
                self.healthy.add(release)
                tried.touch()
            elif LATE not in text:
                self.prove()
            return ""
        if lines["OnFailure"]:
            self._start(lines["OnFailure"])
        return "it ended before it was ready"

    def _lines(self, unit: str) -> dict[str, str] | None:
        path = self.prefix / "run/systemd/system" / unit
        if unit == SERVICE:
            link = self.prefix / "etc/systemd/system" / SERVICE
            path = self.prefix / os.readlink(link).lstrip("/") if link.is_symlink() else link
        try:
            lines = [line.partition("=") for line in path.read_text().splitlines()]
        except (OSError, ValueError):
            return None
        return {"Conflicts": "", "OnFailure": "", **{key: value for key, _, value in lines}}


class Systemd:
    """Stands in for `Systemd` of a deploy."""

    computer: ClassVar[Computer]

    def __init__(self, *limits: float) -> None:
        pass

    def start(self, unit: str) -> str:
        return self.computer.start(unit)

    def restart(self, unit: str) -> str:
        self.computer.running.pop(unit, None)
        return self.computer.start(unit)

    def stop(self, unit: str) -> None:
        self.computer.running.pop(unit, None)

    def restart_soon(self, unit: str) -> None:
        self.computer.running.pop(unit, None)
        self.computer.soon = True

    def reload(self) -> None:
        pass

    def active(self, unit: str) -> bool:
        return unit in self.computer.running

    def status(self, unit: str) -> str:
        return "listening" if unit in self.computer.running else ""

    def log(self, unit: str) -> str:
        return ""


def in_memory() -> Path | None:
    """A folder in memory; None where there is none."""
    memory = Path("/dev/shm")
    return memory if os.access(memory, os.W_OK) else None


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=in_memory()) as there:
        yield Path(there)


@pytest.fixture
def computer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Computer:
    replace_programs(monkeypatch, Systemd)
    monkeypatch.setattr("os.sync", lambda: None)
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    Systemd.computer = Computer(folder / "board")
    return Systemd.computer
