"""Programs in place of ssh and QEMU, for the tests of what drives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.virtual.machine import EMULATOR, Machine, Root

BUSY = "Connection timed out during banner exchange"
_SSH = """\
echo >> {folder}/calls
if [ "$(wc -l < {folder}/calls)" -le {busy} ]; then echo "{words}" >&2; exit 255; fi
for last; do :; done
{runs} sh -c "$last"
{after}
"""


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def ssh(folder: Path, *, busy: int = 0, breaks: bool = False) -> None:
    """A stand-in for ssh that runs the command in a local shell, after a number of calls that fail at the
    banner. breaks: the connection ends right after the command.
    """
    runs, after = ("", "exit 255") if breaks else ("exec", "")
    text = _SSH.format(folder=folder, busy=busy, words=BUSY, runs=runs, after=after)
    program(folder, "ssh", text)


def calls(folder: Path) -> int:
    """Number of calls of the stand-in for ssh."""
    path = folder / "calls"
    return path.read_text().count("\n") if path.exists() else 0


def emulator(folder: Path, does: str = "exec sleep 600") -> None:
    program(folder, EMULATOR, f'case "$*" in *"-cpu help"*) echo cortex-a55 ;; *) {does} ;; esac')
    program(folder, "qemu-img", "true")


def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Path]:
    """A machine that is on, and the folder of the stand-ins, which is first in PATH."""
    folder = tmp_path / "bin"
    emulator(folder)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setattr("tests.virtual.machine.PAUSE_S", 0.0)
    made = Machine(Root(tmp_path), tmp_path / "board")
    made.on()
    return made, folder
